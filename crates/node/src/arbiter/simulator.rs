//! A node in discrete events, from a seed: clients that submit bursts of work, their workers, messages that take time, a GPU, and the arbiter
//! in the middle. What it models and what not is in docs/sharing.md.

mod gpu;
mod trace;

use super::{
    Action, Arbiter, Configuration, Engine, Event, GRACE_NS, SessionId, TenantId, Term,
    UNUSED_NS_MAX, Window,
};
pub use gpu::Machine;
use gpu::{Gpu, Piece};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
pub use trace::Trace;

/// A program: bursts of equal pieces of work, one burst after the other.
#[derive(Debug, Clone)]
pub struct Client {
    pub tenant: TenantId,
    pub starts_ns: u64,
    /// Killed then, whatever it is doing.
    pub dies_ns: Option<u64>,
    /// The pieces of a burst, in order.
    pub burst: Vec<(Engine, u64)>,
    /// Durations vary by up to so much, either way.
    pub scatter_percent: u64,
    /// What the program does on its processor between the end of a burst and the next.
    pub pause_ns: u64,
}

impl Client {
    pub fn kernels(tenant: u32, count: usize, kernel_ns: u64) -> Client {
        let burst = vec![(Engine::Compute, kernel_ns); count];
        Client {
            tenant: TenantId(tenant),
            starts_ns: 0,
            dies_ns: None,
            burst,
            scatter_percent: 10,
            pause_ns: 20_000,
        }
    }

    pub fn starting(mut self, starts_ns: u64) -> Client {
        self.starts_ns = starts_ns;
        self
    }

    pub fn pausing(mut self, pause_ns: u64) -> Client {
        self.pause_ns = pause_ns;
        self
    }
}

/// Splitmix64: small, and the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound.max(1)
    }
}

#[derive(Debug, Default, Clone, Copy)]
struct Turn {
    asked: bool,
    term: Option<Term>,
    draining: bool,
    keep: bool,
    held_since_ns: u64,
    measured_ns: u64,
    length_ns: u64,
}

/// A worker as far as sharing goes: what its client submitted, and its turns.
struct Worker {
    client: Client,
    alive: bool,
    backlog: VecDeque<(Engine, u64)>,
    window: Window,
    in_flight_on: Engine,
    turns: [Turn; 3],
    burst_since_ns: u64,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Engine { engine: usize, generation: u64 },
    Burst { worker: usize },
    Death { worker: usize },
    Message { index: usize },
    Reconfigure { index: usize },
    Timer,
}

enum Message {
    ToArbiter(Event),
    ToWorker(usize, Action),
}

pub struct Simulation {
    machine: Machine,
    arbiter: Option<Arbiter>,
    workers: Vec<Worker>,
    gpu: Gpu,
    random: Random,
    now_ns: u64,
    order: u64,
    due: BinaryHeap<Reverse<(u64, u64, Due)>>,
    messages: Vec<Option<Message>>,
    configurations: Vec<Option<Configuration>>,
    trace: Trace,
}

impl Simulation {
    /// Without a configuration there is no arbiter: the driver's time slices do what they do.
    pub fn new(
        machine: Machine,
        configuration: Option<Configuration>,
        clients: &[Client],
        seed: u64,
    ) -> Simulation {
        let worker = |client: &Client| Worker {
            client: client.clone(),
            alive: true,
            backlog: VecDeque::new(),
            window: Window::default(),
            in_flight_on: Engine::Compute,
            turns: [Turn::default(); 3],
            burst_since_ns: 0,
        };
        let mut simulation = Simulation {
            machine,
            arbiter: configuration.map(Arbiter::new),
            workers: clients.iter().map(worker).collect(),
            gpu: Gpu::new(machine),
            random: Random(seed),
            now_ns: 0,
            order: 0,
            due: BinaryHeap::new(),
            messages: Vec::new(),
            configurations: Vec::new(),
            trace: Trace::new(clients.len()),
        };
        for (at, client) in clients.iter().enumerate() {
            let opened = Event::Opened { session: SessionId(at as u64), tenant: client.tenant };
            if let Some(arbiter) = &mut simulation.arbiter {
                arbiter.step(0, opened).expect("a configured tenant");
            }
            simulation.at(client.starts_ns, Due::Burst { worker: at });
            if let Some(dies_ns) = client.dies_ns {
                simulation.at(dies_ns, Due::Death { worker: at });
            }
        }
        simulation
    }

    pub fn reconfigure(&mut self, at_ns: u64, configuration: Configuration) {
        self.configurations.push(Some(configuration));
        self.at(at_ns, Due::Reconfigure { index: self.configurations.len() - 1 });
    }

    pub fn run(mut self, until_ns: u64) -> Trace {
        while let Some(Reverse((at_ns, _, due))) = self.due.pop() {
            if at_ns > until_ns {
                break;
            }
            self.now_ns = at_ns;
            match due {
                Due::Burst { worker } => self.burst(worker),
                Due::Death { worker } => self.die(worker),
                Due::Engine { engine, generation } => self.engine(engine, generation),
                Due::Timer => self.tell(Event::Timer),
                Due::Reconfigure { index } => {
                    let configuration = self.configurations[index].take().expect("applied once");
                    self.tell(Event::Configured(configuration));
                }
                Due::Message { index } => match self.messages[index].take() {
                    Some(Message::ToArbiter(event)) => self.tell(event),
                    Some(Message::ToWorker(worker, action)) => self.obey(worker, action),
                    None => {}
                },
            }
            let wanted = self.workers.iter().any(|w| {
                w.alive
                    && w.window.is_empty()
                    && w.backlog.front().is_some_and(|p| p.0 == Engine::Compute)
            });
            self.trace.note_idle(self.now_ns, wanted && self.gpu.is_idle(Engine::Compute));
        }
        self.trace.finish(until_ns, self.gpu.take_busy());
        self.trace
    }

    fn at(&mut self, at_ns: u64, due: Due) {
        self.order += 1;
        self.due.push(Reverse((at_ns, self.order, due)));
    }

    fn send(&mut self, message: Message) {
        self.messages.push(Some(message));
        self.at(
            self.now_ns + self.machine.message_ns,
            Due::Message { index: self.messages.len() - 1 },
        );
    }

    fn tell(&mut self, event: Event) {
        let Some(arbiter) = &mut self.arbiter else { return };
        self.trace.note_event(&event);
        let actions =
            arbiter.step(self.now_ns, event).expect("events of workers that keep the rules");
        for action in actions {
            match action {
                Action::Grant { session, engine, .. } => {
                    self.trace.note_grant(
                        session,
                        engine,
                        self.workers[session.0 as usize].client.tenant,
                    );
                    self.send(Message::ToWorker(session.0 as usize, action));
                }
                Action::Drain { session, .. }
                | Action::Contended { session, .. }
                | Action::Keep { session, .. } => {
                    self.send(Message::ToWorker(session.0 as usize, action))
                }
                Action::Timer { at_ns } => self.at(at_ns, Due::Timer),
                Action::Overlap { .. } => {}
            }
        }
    }

    fn burst(&mut self, at: usize) {
        let worker = &mut self.workers[at];
        if !worker.alive {
            return;
        }
        worker.burst_since_ns = self.now_ns;
        let scatter = worker.client.scatter_percent;
        for (engine, base_ns) in worker.client.burst.clone() {
            let percent = 100 - scatter + self.random.below(2 * scatter + 1);
            self.workers[at].backlog.push_back((engine, base_ns * percent / 100));
        }
        self.submit(at);
    }

    /// Hand to the GPU what the turn allows; ask for a turn, or give it up.
    fn submit(&mut self, at: usize) {
        let session = SessionId(at as u64);
        while let Some(&(engine, duration_ns)) = self.workers[at].backlog.front() {
            let worker = &mut self.workers[at];
            let turn = &mut worker.turns[engine as usize];
            let after_another_engine = !worker.window.is_empty() && worker.in_flight_on != engine;
            if after_another_engine {
                break;
            }
            let term = if self.arbiter.is_some() {
                turn.term
            } else {
                Some(Term::Window { window_ns: u64::MAX })
            };
            let Some(term) = term else {
                if !turn.asked {
                    turn.asked = true;
                    self.trace.note_asked(at, self.now_ns);
                    self.send(Message::ToArbiter(Event::Wants {
                        session,
                        engine,
                        predicted_ns: duration_ns,
                    }));
                }
                break;
            };
            let left_ns = turn.length_ns.saturating_sub(self.now_ns - turn.held_since_ns);
            turn.draining |= worker.window.is_empty()
                && !turn.keep
                && turn.measured_ns > 0
                && term.runs_over(duration_ns, left_ns);
            if turn.draining || !worker.window.admits(term, duration_ns) {
                break;
            }
            worker.window.submitted(duration_ns);
            worker.in_flight_on = engine;
            worker.backlog.pop_front();
            let piece = Piece {
                worker: at,
                tenant: worker.client.tenant,
                remaining_ns: duration_ns,
                started_ns: None,
            };
            let ticks = self.gpu.submit(self.now_ns, engine, piece);
            self.schedule(ticks);
        }
        self.give_up_turns(at);
    }

    fn give_up_turns(&mut self, at: usize) {
        for engine in Engine::ALL {
            let worker = &mut self.workers[at];
            let turn = &mut worker.turns[engine as usize];
            let in_flight = !worker.window.is_empty() && worker.in_flight_on == engine;
            let has_more = worker.backlog.front().is_some_and(|piece| piece.0 == engine);
            let comes_back = worker.client.pause_ns <= GRACE_NS
                && worker.client.burst.iter().all(|piece| piece.0 == engine);
            let out_of_work = !has_more && !turn.keep && !comes_back;
            if turn.term.is_some() && !in_flight && (turn.draining || out_of_work) {
                let unused_ns = (self.now_ns - turn.held_since_ns).saturating_sub(turn.measured_ns);
                *turn = Turn::default();
                if unused_ns > UNUSED_NS_MAX {
                    let unused = Event::Unused {
                        session: SessionId(at as u64),
                        engine,
                        unused_ns: unused_ns - UNUSED_NS_MAX,
                    };
                    self.send(Message::ToArbiter(unused));
                }
                self.send(Message::ToArbiter(Event::Yielded {
                    session: SessionId(at as u64),
                    engine,
                }));
                if has_more {
                    self.submit(at);
                }
            }
        }
    }

    fn obey(&mut self, at: usize, action: Action) {
        let worker = &mut self.workers[at];
        match action {
            _ if !worker.alive => return,
            Action::Grant { engine, term, keep, length_ns, .. } => {
                self.trace.note_granted(at, self.now_ns);
                worker.turns[engine as usize] = Turn {
                    term: Some(term),
                    keep,
                    length_ns,
                    held_since_ns: self.now_ns,
                    ..Turn::default()
                };
            }
            Action::Drain { engine, .. } => {
                worker.turns[engine as usize].draining |=
                    worker.turns[engine as usize].term.is_some()
            }
            Action::Contended { engine, .. } => {
                let turn = &mut worker.turns[engine as usize];
                (turn.keep, turn.held_since_ns, turn.measured_ns) = (false, self.now_ns, 0);
            }
            Action::Keep { engine, .. } => {
                worker.turns[engine as usize].keep = worker.turns[engine as usize].term.is_some()
            }
            _ => {}
        }
        self.submit(at);
    }

    fn schedule(&mut self, tick: Option<(u64, usize, u64)>) {
        if let Some((at_ns, engine, generation)) = tick {
            self.at(at_ns, Due::Engine { engine, generation });
        }
    }

    fn engine(&mut self, engine: usize, generation: u64) {
        let (over, tick) = self.gpu.tick(self.now_ns, engine, generation);
        self.schedule(tick);
        let Some(piece) = over else { return };
        let at = piece.worker;
        let measured_ns = self.now_ns - piece.started_ns.unwrap_or(self.now_ns);
        let worker = &mut self.workers[at];
        worker.window.completed();
        let turn = &mut worker.turns[engine];
        turn.measured_ns += measured_ns;
        turn.draining |= worker.window.is_empty() && matches!(turn.term, Some(Term::Run { .. }));
        if self.arbiter.is_some() {
            let completed = Event::Completed {
                session: SessionId(at as u64),
                engine: Engine::ALL[engine],
                measured_ns,
            };
            self.send(Message::ToArbiter(completed));
        }
        let worker = &self.workers[at];
        if worker.backlog.is_empty() && worker.window.is_empty() {
            self.trace.note_burst(at, self.now_ns - worker.burst_since_ns);
            self.at(self.now_ns + worker.client.pause_ns, Due::Burst { worker: at });
        }
        self.submit(at);
    }

    fn die(&mut self, at: usize) {
        self.workers[at].alive = false;
        self.workers[at].backlog.clear();
        self.trace.note_death(at);
        for tick in self.gpu.forget(self.now_ns, at) {
            self.schedule(Some(tick));
        }
        // What it said last may still be under way, but not behind the news of its death.
        self.send(Message::ToArbiter(Event::Ended { session: SessionId(at as u64) }));
    }
}
