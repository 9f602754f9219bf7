//! Generates programs from seeds. The generator proposes operations. The model rejects operations
//! that would race. The generator then adds an order (`order.rs`) or proposes another operation.

mod graphs;
mod order;
mod propose;

use crate::features::Features;
use crate::model::{MADE, Model, Verdict};
use crate::program::*;
use crate::random::Random;

const OPS_MIN: usize = 30;
const OPS_MAX: usize = 220;
const STREAMS_MAX: usize = 6;
/// Maximum number of buffers that exist at the same time.
const BUFFERS_MAX: usize = 14;
/// Maximum number of words in all buffers together.
const WORDS_ALL_MAX: usize = 10 << 20;

struct Generator {
    features: Features,
    random: Random,
    model: Model,
    ops: Vec<Op>,
    buffers: usize,
    events: usize,
    streams: usize,
    graphs: usize,
    execs: usize,
    tokens: usize,
    has_managed: bool,
}

/// Returns the program for a seed, and the model with the results that CUDA guarantees.
pub fn generate(seed: u64, features: &Features) -> (Program, Model) {
    let mut random = Random::new(seed);
    let threads =
        if features.has("threads") { [1, 1, 1, 1, 2, 2, 2, 3][random.below(8)] } else { 1 };
    let mut generator = Generator {
        features: of_one(features, seed),
        random,
        model: Model::new(threads),
        ops: Vec::new(),
        buffers: 0,
        events: 0,
        streams: 0,
        graphs: 0,
        execs: 0,
        tokens: 0,
        has_managed: false,
    };
    generator.set_out();
    let goal = generator.random.within(OPS_MIN, OPS_MAX);
    // Rejected proposals also count, so that the loop ends.
    for _ in 0..goal * 2 {
        if generator.ops.len() >= goal {
            break;
        }
        generator.propose();
    }
    (Program { threads, ops: generator.ops }, generator.model)
}

/// Number of consecutive seeds for programs of one sort. If the features require it, programs of
/// different sorts do not run in the same process.
const SORT: u64 = 100;

/// Returns whether the programs of two seeds may run in the same process.
pub fn alike(features: &Features, one: u64, other: u64) -> bool {
    features.has("host-functions-mirrored") || one / SORT % 2 == other / SORT % 2
}

fn of_one(features: &Features, seed: u64) -> Features {
    if features.has("host-functions-mirrored") {
        return features.clone();
    }
    match seed / SORT % 2 {
        0 => features.clone().but(&["host-functions"]),
        _ => features.clone().but(&["managed", "mapped", "registered", "plain-address"]),
    }
}

impl Generator {
    fn has(&self, feature: &str) -> bool {
        self.features.has(feature)
    }

    /// Adds the operation if the model accepts it.
    fn add(&mut self, thread: usize, deal: Deal) -> Verdict {
        let op = Op { thread, deal };
        self.model.apply(&op)?;
        self.ops.push(op);
        Ok(())
    }

    fn set_out(&mut self) {
        let streams = self.random.within(1, STREAMS_MAX - 1);
        (0..streams).for_each(|_| self.new_stream(0));
        for _ in 0..self.random.within(1, 4) {
            self.new_event(0);
        }
        for _ in 0..self.random.within(3, 8) {
            self.allocate(0);
        }
        // Most buffers have known contents from the start.
        for buffer in 0..self.buffers {
            self.begin_content(buffer);
        }
    }

    fn new_stream(&mut self, thread: usize) {
        let blocking = self.has("blocking") && self.random.percent(50);
        let priority = if self.has("priorities") && self.random.percent(30) {
            -(self.random.below(3) as i32)
        } else {
            0
        };
        let stream = self.streams;
        self.streams += 1;
        let _ = self.add(thread, Deal::NewStream { stream, blocking, priority });
    }

    fn new_event(&mut self, thread: usize) -> usize {
        let (event, flags) = (self.events, self.random.below(4) as u32);
        self.events += 1;
        let _ = self.add(thread, Deal::NewEvent { event, flags });
        event
    }

    fn words(&mut self) -> usize {
        let large = if self.has("large") { 4 } else { 0 };
        match self.random.weighted(&[20, 25, 20, 15, 10, large, large / 2, large / 4]) {
            0 => self.random.within(1, 16),
            1 => self.random.within(17, 1024),
            2 => self.random.within(1024, 15_000),
            // About 64 KiB.
            3 => 16384 + self.random.below(9) - 4,
            4 => self.random.within(16_384, 100_000),
            // About 1 MiB, 4 MiB, and up to 16 MiB.
            5 => (1 << 18) + self.random.below(2000) - 1000,
            6 => (1 << 20) + self.random.below(2000) - 1000,
            _ => self.random.within(1 << 20, WORDS_MAX),
        }
    }

    fn kinds(&self) -> Vec<Memory> {
        let mut kinds = vec![Memory::Device, Memory::Device, Memory::Device];
        let host = [
            ("pinned", Memory::Pinned),
            ("mapped", Memory::Mapped),
            ("pageable", Memory::Pageable),
        ];
        for (name, memory) in host {
            if self.has(name) {
                kinds.extend([memory, memory]);
            }
        }
        if self.has("managed") && self.model.threads.len() == 1 {
            kinds.push(Memory::Managed);
        }
        kinds
    }

    fn allocate(&mut self, thread: usize) {
        let alive: Vec<usize> = self
            .model
            .buffers
            .values()
            .filter(|buffer| buffer.alive)
            .map(|buffer| buffer.words)
            .collect();
        let words = self.words();
        if alive.len() >= BUFFERS_MAX || alive.iter().sum::<usize>() + words > WORDS_ALL_MAX {
            return;
        }
        let (buffer, kinds) = (self.buffers, self.kinds());
        let memory = kinds[self.random.below(kinds.len())];
        if self.add(thread, Deal::Alloc { buffer, memory, words }).is_ok() {
            self.buffers += 1;
            self.has_managed |= memory == Memory::Managed;
        }
    }

    fn begin_content(&mut self, buffer: usize) {
        let (words, is_host, base) = (
            self.model.buffers[&buffer].words,
            self.model.buffers[&buffer].is_host(),
            self.random.next() as u32,
        );
        let to = Range { buffer, start: 0, len: words };
        if is_host
            || self.random.percent(20) && self.model.buffers[&buffer].memory == Memory::Managed
        {
            let _ = self.add(0, Deal::WriteHost { to, base });
        } else if self.random.percent(70)
            && let Some(stream) = self.stream(0)
        {
            let _ = self.add(0, Deal::Do { stream, action: Action::Stamp { to, base, step: 1 } });
        }
    }

    /// Returns a stream that the thread may use at once, or occasionally one that another thread
    /// must hand over first.
    fn stream(&mut self, thread: usize) -> Option<Stream> {
        let mut streams: Vec<Stream> = Vec::new();
        for line in self
            .model
            .streams
            .iter()
            .filter(|(line, state)| state.alive && **line >= MADE)
            .map(|(line, _)| line)
        {
            let stream = Stream::Made(line - MADE);
            if self.model.may_use(thread, *line) || self.random.percent(15) {
                streams.push(stream);
            }
        }
        if self.features.has("legacy") && self.random.percent(60) {
            streams.push(Stream::Legacy);
        }
        if self.features.has("own") && self.random.percent(60) {
            streams.push(Stream::Own);
        }
        self.random.pick(&streams).copied()
    }
}
