//! Tests of the listener's table of sessions. They send workers' notes, and control the clock.

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
        self.handle_note(0, id, NoteKind::Device, GPU);
        id
    }

    fn handle_note(&mut self, now_ns: u64, id: SessionId, kind: NoteKind, value: u64) {
        self.state.handle_note(now_ns, id, Note::new(kind, 0, Engine::Compute, value)).unwrap();
    }

    fn wants(&mut self, now_ns: u64, id: SessionId) {
        self.handle_note(now_ns, id, NoteKind::Wants, 1000);
    }

    /// Returns the next note about memory for a worker, and skips notes about turns.
    fn next_memory_note(&self, id: SessionId) -> (NoteKind, u64) {
        loop {
            let note = self.workers[&id].receive().unwrap();
            if matches!(note.kind, NoteKind::Evict | NoteKind::Moving | NoteKind::Room) {
                return (note.kind, note.value);
            }
        }
    }
}

/// Returns five sessions. The second to the fifth have had a turn in this order, and the first has
/// the turn now. The last two wait for their next turn.
fn five() -> (Node, [SessionId; 5]) {
    let mut node = Node::new();
    let all @ [holder, first, second, third, fourth] = [(); 5].map(|()| node.session());
    for (i, session) in [first, second, third, fourth, holder].into_iter().enumerate() {
        node.wants(10 * i as u64, session);
        if session != holder {
            node.handle_note(10 * i as u64 + 5, session, NoteKind::Yielded, 0);
        }
    }
    node.wants(50, third);
    node.wants(51, fourth);
    (node, all)
}

#[test]
fn idle_sessions_make_room_first_and_the_holder_of_the_turn_never() {
    let (node, [holder, first, second, third, fourth]) = five();
    assert_eq!(node.state.sessions_to_evict(holder, 0), [first, second, fourth, third]);
    assert_eq!(node.state.sessions_to_evict(second, 0), [first, fourth, third]);
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
        node.handle_note(10 * i as u64 + 5, session, NoteKind::Yielded, 0);
    }
    node.wants(40, holder);
    node.wants(41, waiting);
    assert_eq!(node.state.sessions_to_evict(holder, 0), [idle, waiting, urgent]);
}

#[test]
fn a_session_that_misses_memory_receives_progress_and_the_end_of_moves() {
    let (mut node, [holder, first, second, ..]) = five();
    node.handle_note(60, holder, NoteKind::Misses, 100);
    assert_eq!(node.next_memory_note(first), (NoteKind::Evict, 100));
    node.handle_note(61, first, NoteKind::Evicting, 0);
    assert_eq!(node.next_memory_note(holder).0, NoteKind::Moving);
    node.handle_note(62, first, NoteKind::Evicted, 70);
    assert_eq!(node.next_memory_note(second), (NoteKind::Evict, 30));
    node.handle_note(63, second, NoteKind::Evicted, 30);
    assert_eq!(node.next_memory_note(holder), (NoteKind::Room, 100));
}

#[test]
fn a_session_whose_memory_has_left_lets_those_go_first_whose_memory_is_there() {
    let after_eviction_of = |bytes: u64| {
        let (mut node, [holder, first, second, third, fourth]) = five();
        let returned = Note::new(NoteKind::MovedBytes, 0, Engine::CopyToDevice, 100);
        node.state.handle_note(55, holder, returned).unwrap();
        node.handle_note(56, holder, NoteKind::Moved, 1_000_000);
        node.handle_note(60, holder, NoteKind::Misses, bytes);
        for (session, evicted) in [(first, 0), (second, 0), (fourth, 0), (third, bytes)] {
            node.handle_note(61, session, NoteKind::Evicted, evicted);
        }
        node.handle_note(10_000_000, holder, NoteKind::Yielded, 0);
        [third, fourth].map(|session| node.state.gpus[0].arbiter.has_turn(session))
    };
    assert_eq!(after_eviction_of(0), [true, false], "it has waited longer");
    assert_eq!(after_eviction_of(100), [false, true]);
}

#[test]
fn an_ended_session_is_not_asked_for_room() {
    let (mut node, [holder, first, second, ..]) = five();
    node.handle_note(60, holder, NoteKind::Misses, 100);
    node.state.leave(61, first);
    assert_eq!(node.next_memory_note(second), (NoteKind::Evict, 100));
}

#[test]
fn a_node_has_no_more_gpus_than_its_limit() {
    let mut node = Node::new();
    let [session, other] = [(); 2].map(|()| node.session());
    for gpu in 1..GPUS_MAX as u64 {
        node.handle_note(0, session, NoteKind::Device, GPU + gpu);
    }
    let device = |value| Note::plain(NoteKind::Device, value);
    assert_eq!(
        node.state.handle_note(0, session, device(GPU)),
        Err(Refusal::TooManyGpus),
        "the session has them all"
    );
    assert_eq!(
        node.state.handle_note(0, other, device(GPU + GPUS_MAX as u64)),
        Err(Refusal::TooManyGpus),
        "and so has the node"
    );
    node.handle_note(0, session, NoteKind::Reported, 1);
}
