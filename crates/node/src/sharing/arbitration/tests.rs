//! Tests of the listener's table of sessions: they send workers' notes, and keep the clock.

use super::*;

const GPU: u64 = 7;

/// A node that oversubscribes its GPU's memory, and the workers' ends of the sessions' sockets.
struct Node {
    state: ArbitrationState,
    workers: BTreeMap<SessionId, SchedulerChannel>,
}

impl Node {
    fn new() -> Node {
        let mut shares = Shares::default();
        (shares.joint, shares.exclusive, shares.oversubscribed) = (true, true, true);
        let (tenants, sessions) = (Tenants::new(shares), BTreeMap::new());
        Node {
            state: ArbitrationState {
                tenants,
                gpus: Vec::new(),
                sessions,
                numbered: 0,
                reports: 0,
            },
            workers: BTreeMap::new(),
        }
    }

    /// Adds a session that knows the GPU.
    fn session(&mut self) -> SessionId {
        self.session_of(&Payer::Own)
    }

    fn session_of(&mut self, payer: &Payer) -> SessionId {
        let (control, worker) = SchedulerChannel::pair().unwrap();
        worker.set_read_timeout(Duration::from_secs(5));
        let pid = 1000 + self.workers.len() as u32;
        let id = self.state.enter("here", pid, &control, payer).unwrap();
        self.workers.insert(id, worker);
        self.hear(0, id, Word::Device, GPU);
        id
    }

    fn hear(&mut self, now_ns: u64, id: SessionId, word: Word, value: u64) {
        self.state.hear(now_ns, id, Note::new(word, 0, Engine::Compute, value)).unwrap();
    }

    fn wants(&mut self, now_ns: u64, id: SessionId) {
        self.hear(now_ns, id, Word::Wants, 1000);
    }

    /// Returns the next note about memory for a worker, and skips notes about turns.
    fn told(&self, id: SessionId) -> (Word, u64) {
        loop {
            let note = self.workers[&id].receive().unwrap();
            if matches!(note.word, Word::Evict | Word::Moving | Word::Room) {
                return (note.word, note.value);
            }
        }
    }
}

/// Returns five sessions. The second to the fifth have had a turn in this order, and the first has
/// it now. The last two wait for their next turn.
fn five() -> (Node, [SessionId; 5]) {
    let mut node = Node::new();
    let all @ [holder, first, second, third, fourth] = [(); 5].map(|()| node.session());
    for (i, session) in [first, second, third, fourth, holder].into_iter().enumerate() {
        node.wants(10 * i as u64, session);
        if session != holder {
            node.hear(10 * i as u64 + 5, session, Word::Yielded, 0);
        }
    }
    node.wants(50, third);
    node.wants(51, fourth);
    (node, all)
}

#[test]
fn who_wants_nothing_makes_room_first_and_who_has_the_turn_never() {
    let (node, [holder, first, second, third, fourth]) = five();
    assert_eq!(node.state.who_makes_room(holder, 0), [first, second, fourth, third]);
    assert_eq!(node.state.who_makes_room(second, 0), [first, fourth, third]);
}

#[test]
fn a_higher_priority_makes_room_last_even_if_it_wants_nothing() {
    let mut node = Node::new();
    let share = outhaul_share::Share { percent: 50, priority: 1 };
    node.state.tenants.shares.set(&[("a".to_owned(), share)]).unwrap();
    let urgent = node.session_of(&Payer::Named("a".into()));
    let [waiting, idle, holder] = [(); 3].map(|()| node.session());
    for (i, session) in [urgent, waiting, idle].into_iter().enumerate() {
        node.wants(10 * i as u64, session);
        node.hear(10 * i as u64 + 5, session, Word::Yielded, 0);
    }
    node.wants(40, holder);
    node.wants(41, waiting);
    assert_eq!(node.state.who_makes_room(holder, 0), [idle, waiting, urgent]);
}

#[test]
fn who_misses_memory_is_told_while_others_move_theirs_and_when_they_have() {
    let (mut node, [holder, first, second, ..]) = five();
    node.hear(60, holder, Word::Misses, 100);
    assert_eq!(node.told(first), (Word::Evict, 100));
    node.hear(61, first, Word::Evicting, 0);
    assert_eq!(node.told(holder).0, Word::Moving);
    node.hear(62, first, Word::Evicted, 70);
    assert_eq!(node.told(second), (Word::Evict, 30));
    node.hear(63, second, Word::Evicted, 30);
    assert_eq!(node.told(holder), (Word::Room, 100));
}

#[test]
fn who_is_gone_is_asked_for_no_room() {
    let (mut node, [holder, first, second, ..]) = five();
    node.hear(60, holder, Word::Misses, 100);
    node.state.leave(61, first);
    assert_eq!(node.told(second), (Word::Evict, 100));
}

#[test]
fn a_node_has_no_more_gpus_than_its_limit_whatever_workers_say() {
    let mut node = Node::new();
    let [session, other] = [(); 2].map(|()| node.session());
    for gpu in 1..GPUS_MAX as u64 {
        node.hear(0, session, Word::Device, GPU + gpu);
    }
    let device = |value| Note::plain(Word::Device, value);
    assert_eq!(
        node.state.hear(0, session, device(GPU)),
        Err(Refusal::TooManyGpus),
        "the session has them all"
    );
    assert_eq!(
        node.state.hear(0, other, device(GPU + GPUS_MAX as u64)),
        Err(Refusal::TooManyGpus),
        "and so has the node"
    );
    node.hear(0, session, Word::Reported, 1);
}
