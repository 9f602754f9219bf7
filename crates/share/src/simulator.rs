//! A discrete-event simulation of a node, from a seed: clients that submit bursts of work, their
//! workers, messages with latency, a GPU, and the arbiter. docs/turns.md lists what the simulation
//! models and what it does not.

mod gpu;
mod trace;

use super::{
    Action, Admission, Arbiter, Charge, Configuration, Engine, Event, Farewell, Order, Passing,
    Seat, SessionId, TenantId, Window,
};
pub use gpu::Machine;
use gpu::{SimulatedGpu, SubmittedWork};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
pub use trace::Trace;

/// A simulated program: successive bursts of equal pieces of work.
#[derive(Debug, Clone)]
pub struct Client {
    /// The session's tenant.
    pub tenant: TenantId,
    /// Time of the first burst.
    pub starts_ns: u64,
    /// Time at which the program is killed, whatever its state.
    pub dies_ns: Option<u64>,
    /// The pieces of a burst, in order.
    pub burst: Vec<(Engine, u64)>,
    /// Maximum deviation of durations in either direction.
    pub scatter_percent: u64,
    /// How long the program computes on its CPU between two bursts.
    pub pause_ns: u64,
}

impl Client {
    /// Makes a program that starts at once and runs bursts of `count` kernels, with pauses of
    /// 20 us.
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

    /// Sets the time of the first burst.
    pub fn starting(mut self, starts_ns: u64) -> Client {
        self.starts_ns = starts_ns;
        self
    }

    /// Sets the pause between two bursts.
    pub fn pausing(mut self, pause_ns: u64) -> Client {
        self.pause_ns = pause_ns;
        self
    }
}

/// The generator SplitMix64: small, and identical on every machine.
pub struct Random(pub u64);

impl Random {
    /// Returns a number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound.max(1)
    }
}

/// A worker's part in sharing: its client's backlog, and the same seats as a real worker's.
struct Worker {
    client: Client,
    alive: bool,
    backlog: VecDeque<(Engine, u64)>,
    window: Window,
    in_flight_on: Engine,
    seats: [Seat; 3],
    burst_since_ns: u64,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Engine {
        engine: usize,
        generation: u64,
    },
    Burst {
        worker: usize,
    },
    /// Checks whether a turn without work is over.
    Check {
        worker: usize,
    },
    Death {
        worker: usize,
    },
    Message {
        index: usize,
    },
    Reconfigure {
        index: usize,
    },
    Timer,
}

enum Message {
    ToArbiter(Event),
    ToWorker(usize, Action),
}

/// A simulated run of clients on one GPU.
pub struct Simulation {
    machine: Machine,
    arbiter: Option<Arbiter>,
    workers: Vec<Worker>,
    gpu: SimulatedGpu,
    random: Random,
    now_ns: u64,
    order: u64,
    due: BinaryHeap<Reverse<(u64, u64, Due)>>,
    messages: Vec<Option<Message>>,
    configurations: Vec<Option<Configuration>>,
    trace: Trace,
}

impl Simulation {
    /// Makes a simulation. Without a configuration there is no arbiter, only the driver's time
    /// slices.
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
            seats: Engine::ALL.map(|_| Seat::default()),
            burst_since_ns: 0,
        };
        let mut simulation = Simulation {
            machine,
            arbiter: configuration.map(Arbiter::new),
            workers: clients.iter().map(worker).collect(),
            gpu: SimulatedGpu::new(machine),
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

    /// Replaces the arbiter's configuration at the simulated time `at_ns`.
    pub fn reconfigure(&mut self, at_ns: u64, configuration: Configuration) {
        self.configurations.push(Some(configuration));
        self.at(at_ns, Due::Reconfigure { index: self.configurations.len() - 1 });
    }

    /// Runs until `until_ns` and returns the trace.
    pub fn run(mut self, until_ns: u64) -> Trace {
        while let Some(Reverse((at_ns, _, due))) = self.due.pop() {
            if at_ns > until_ns {
                break;
            }
            self.now_ns = at_ns;
            match due {
                Due::Burst { worker } => self.burst(worker),
                Due::Check { worker } => self.pass_turns_on(worker),
                Due::Death { worker } => self.die(worker),
                Due::Engine { engine, generation } => self.engine(engine, generation),
                Due::Timer => self.step_arbiter(Event::Timer),
                Due::Reconfigure { index } => {
                    let configuration = self.configurations[index].take().expect("applied once");
                    self.step_arbiter(Event::Configured(configuration));
                }
                Due::Message { index } => match self.messages[index].take() {
                    Some(Message::ToArbiter(event)) => self.step_arbiter(event),
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

    fn step_arbiter(&mut self, event: Event) {
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

    /// Submits to the GPU the pieces that the worker's seats admit.
    fn submit(&mut self, at: usize) {
        while let Some(&(engine, duration_ns)) = self.workers[at].backlog.front() {
            if !self.lets_in(at, engine, duration_ns) {
                break;
            }
            let worker = &mut self.workers[at];
            worker.window.submitted(duration_ns);
            worker.in_flight_on = engine;
            worker.backlog.pop_front();
            let piece = SubmittedWork {
                worker: at,
                tenant: worker.client.tenant,
                remaining_ns: duration_ns,
                started_ns: None,
            };
            let ticks = self.gpu.submit(self.now_ns, engine, piece);
            self.schedule(ticks);
        }
        self.pass_turns_on(at);
    }

    /// Returns whether a piece may be submitted now; requests a turn if the session has none.
    fn lets_in(&mut self, at: usize, engine: Engine, duration_ns: u64) -> bool {
        let worker = &mut self.workers[at];
        if !worker.window.is_empty() && worker.in_flight_on != engine {
            // A stream runs one piece at a time.
            return false;
        }
        if self.arbiter.is_none() {
            return true;
        }
        let (seat, in_flight) = (&mut worker.seats[engine as usize], worker.window.in_flight());
        match seat.admit(self.now_ns, in_flight, duration_ns) {
            Admission::Enters => {
                seat.entered();
                true
            }
            Admission::Waits { asks } => {
                if asks {
                    self.want(at, engine, duration_ns);
                }
                false
            }
        }
    }

    fn want(&mut self, at: usize, engine: Engine, predicted_ns: u64) {
        self.trace.note_asked(at, self.now_ns);
        let session = SessionId(at as u64);
        self.send(Message::ToArbiter(Event::Wants { session, engine, predicted_ns }));
    }

    fn pass_turns_on(&mut self, at: usize) {
        for engine in Engine::ALL {
            let worker = &mut self.workers[at];
            let is_idle = worker.window.is_empty() || worker.in_flight_on != engine;
            let seat = &mut worker.seats[engine as usize];
            if is_idle && seat.is_unwatched() {
                seat.watched();
                // The pieces that follow may be admitted now.
                return self.submit(at);
            }
            match seat.pass_on(self.now_ns, is_idle) {
                Passing::Stays => {}
                Passing::After { ns } => self.at(self.now_ns + ns, Due::Check { worker: at }),
                Passing::Over(farewell) => self.send_farewell(at, engine, farewell),
            }
        }
    }

    fn send_farewell(&mut self, at: usize, engine: Engine, farewell: Farewell) {
        let session = SessionId(at as u64);
        let Farewell { due_ns: measured_ns, unused_ns, wants_ns } = farewell;
        self.send(Message::ToArbiter(Event::Completed { session, engine, measured_ns }));
        if let Some(unused_ns) = unused_ns {
            self.send(Message::ToArbiter(Event::Unused { session, engine, unused_ns }));
        }
        self.send(Message::ToArbiter(Event::Yielded { session, engine }));
        if let Some(predicted_ns) = wants_ns {
            self.want(at, engine, predicted_ns);
        }
    }

    fn obey(&mut self, at: usize, action: Action) {
        let worker = &mut self.workers[at];
        let (Some(order), true) = (Order::of(action), worker.alive) else { return };
        let (Action::Grant { engine, .. }
        | Action::Contended { engine, .. }
        | Action::Keep { engine, .. }
        | Action::Drain { engine, .. }) = action
        else {
            return;
        };
        worker.seats[engine as usize].obey(self.now_ns, order);
        if matches!(order, Order::Grant { .. }) {
            self.trace.note_granted(at, self.now_ns);
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
        let pieces_left = worker.window.in_flight().pieces;
        let Charge { due_ns, .. } = worker.seats[engine].measured(measured_ns, pieces_left);
        if due_ns > 0 {
            let (session, engine) = (SessionId(at as u64), Engine::ALL[engine]);
            let measured_ns = due_ns;
            self.send(Message::ToArbiter(Event::Completed { session, engine, measured_ns }));
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
        // Messages arrive in order: the arbiter gets the worker's last message before this one.
        self.send(Message::ToArbiter(Event::Ended { session: SessionId(at as u64) }));
    }
}
