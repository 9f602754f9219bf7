//! Finds the shortest schedule and proves that it is the shortest. The search is a branch and bound
//! over every start of every load, store, read and subtask, and over every choice of evictions. Two
//! cuts lose no schedule. An operation that could have started earlier in the same idle time does
//! not start later. The search skips a point if another point reaches an equal state with no later
//! clock. The search uses no policy's rules, and the simulator allows no faster schedule.

use super::estimate::bound;
use super::node::{GPUS_MAX, Instance, Node, Transfer, WIRES_MAX, bits};
use crate::error::Error;
use crate::graph::{Graph, PartitionId, SubtaskId};
use crate::machine::Machine;
use crate::policy::replay::Command;
use crate::state::Op;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The outcome of a search.
#[derive(Debug, Clone)]
pub struct Best {
    /// The shortest makespan found, in nanoseconds; `known_ns` if the search found none shorter.
    pub makespan_ns: u64,
    /// Whether no shorter schedule exists; false if the search stopped early.
    pub proven: bool,
    /// A lower bound in nanoseconds, equal to `makespan_ns` if proven.
    pub bound_ns: u64,
    /// The schedule, unless the search found none that is shorter than `known_ns`.
    pub commands: Option<Vec<(u64, Command)>>,
    /// Number of points that the search examined.
    pub points: u64,
}

/// Searches for a makespan below `known_ns`, the makespan of a known schedule. Examines at most
/// `points_max` points.
///
/// # Errors
/// `TooLarge` for graphs beyond the limits of this module, and the errors of `Machine::check`.
pub fn best(
    graph: &Graph,
    machine: &Machine,
    known_ns: u64,
    points_max: u64,
) -> Result<Best, Error> {
    let instance = Instance::new(graph, machine)?;
    let root = Node::start(&instance);
    let root_bound = bound(&instance, &root);
    let mut search = Search::new(&instance, known_ns, points_max);
    search.decide(root, 0);
    let proven = search.points < points_max;
    Ok(Best {
        makespan_ns: search.best_ns,
        proven,
        bound_ns: if proven { search.best_ns } else { root_bound },
        commands: search.commands,
        points: search.points,
    })
}

const KEY_WORDS: usize = 4 + 3 * GPUS_MAX;
const CLOCKS: usize = 3 + 3 * GPUS_MAX;
const PUT_OFFS: usize = 3 * GPUS_MAX;

/// The values by which the search compares two points with equal keys.
struct Seen {
    clocks: [u64; CLOCKS],
    put_off: [u64; PUT_OFFS],
}

#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 ^= self.0 >> 29;
    }
}

struct Search<'a> {
    instance: &'a Instance,
    best_ns: u64,
    commands: Option<Vec<(u64, Command)>>,
    path: Vec<(u64, Command)>,
    seen: HashMap<[u64; KEY_WORDS], Vec<Seen>, BuildHasherDefault<Mix>>,
    points: u64,
    points_max: u64,
    /// Whether the cuts are on; tests switch them off to show that the cuts lose no schedule.
    cuts: bool,
}

/// The number of kinds of start. Starts at one instant are tried in a fixed order, so that each set
/// of starts occurs once.
const KINDS: usize = 3;

impl<'a> Search<'a> {
    fn new(instance: &'a Instance, known_ns: u64, points_max: u64) -> Search<'a> {
        Search {
            instance,
            best_ns: known_ns,
            commands: None,
            path: Vec::new(),
            seen: HashMap::default(),
            points: 0,
            points_max,
            cuts: true,
        }
    }

    /// Tries every start that is allowed at this instant, from number `from` on, then advances
    /// time.
    fn decide(&mut self, node: Node, from: usize) {
        let per_gpu =
            [self.instance.compute.len(), self.instance.bytes.len(), self.instance.bytes.len()];
        let stride = per_gpu[1].max(per_gpu[0]);
        for index in from..KINDS * self.instance.gpus * stride {
            let (kind, gpu, item) = (
                index / (self.instance.gpus * stride),
                index / stride % self.instance.gpus,
                index % stride,
            );
            if item < per_gpu[kind] {
                match kind {
                    0 => self.try_compute(&node, gpu, item, index + 1),
                    1 => self.try_load(&node, gpu, item, index + 1),
                    _ => self.try_store(&node, gpu, item, index + 1),
                }
            }
        }
        self.choose_read(node);
    }

    fn try_compute(&mut self, node: &Node, gpu: usize, s: usize, next: usize) {
        let instance = self.instance;
        let ready = node.started >> s & 1 == 0 && instance.inputs[s] & !node.resident[gpu] == 0;
        if !ready || node.running[gpu].is_some() || node.put_off_compute[gpu] >> s & 1 == 1 {
            return;
        }
        for victims in self.victims(node, gpu, instance.output_bytes[s], instance.inputs[s]) {
            let mut child = node.clone();
            let mark = self.path.len();
            self.take(&mut child, gpu, victims, instance.output_bytes[s]);
            child.started |= 1 << s;
            child.running[gpu] = Some((s as u8, node.now + instance.compute[s]));
            child.fresh[gpu] &= !instance.inputs[s];
            self.path.push((node.now, Command::Start(Op::Compute(SubtaskId(s as u32), gpu))));
            self.decide(child, next);
            self.path.truncate(mark);
        }
    }

    fn try_load(&mut self, node: &Node, gpu: usize, p: usize, next: usize) {
        let instance = self.instance;
        let bit = 1u64 << p;
        let wanted = node.host & bit != 0 && (node.resident[gpu] | node.loading[gpu]) & bit == 0;
        let wire = instance.down[gpu];
        let useful = instance.readers[p] & !node.started != 0;
        if !wanted || !useful || node.wires[wire].is_some() || node.put_off_load[gpu] & bit != 0 {
            return;
        }
        for victims in self.victims(node, gpu, instance.bytes[p], 0) {
            let mut child = node.clone();
            let mark = self.path.len();
            self.take(&mut child, gpu, victims, instance.bytes[p]);
            child.loading[gpu] |= bit;
            self.occupy(
                &mut child,
                wire,
                Transfer {
                    p: p as u8,
                    gpu: gpu as u8,
                    is_load: true,
                    end: node.now + instance.link[p],
                },
            );
            self.path.push((node.now, Command::Start(Op::Load(PartitionId(p as u32), gpu))));
            self.decide(child, next);
            self.path.truncate(mark);
        }
    }

    fn try_store(&mut self, node: &Node, gpu: usize, p: usize, next: usize) {
        let instance = self.instance;
        let bit = 1u64 << p;
        let wire = instance.up[gpu];
        if !self.can_store(node, gpu, p) || node.put_off_store[gpu] & bit != 0 {
            return;
        }
        let mut child = node.clone();
        child.host_soon |= bit;
        self.occupy(
            &mut child,
            wire,
            Transfer {
                p: p as u8,
                gpu: gpu as u8,
                is_load: false,
                end: node.now + instance.link[p],
            },
        );
        self.path.push((node.now, Command::Start(Op::Store(PartitionId(p as u32), gpu))));
        self.decide(child, next);
        self.path.pop();
    }

    fn can_store(&self, node: &Node, gpu: usize, p: usize) -> bool {
        let bit = 1u64 << p;
        let useful = self.instance.kept & bit != 0 || self.instance.readers[p] & !node.started != 0;
        useful
            && node.resident[gpu] & bit != 0
            && node.host_soon & bit == 0
            && node.wires[self.instance.up[gpu]].is_none()
    }

    /// Branches on which file to read next. Host memory is unlimited and reads wait for nothing, so
    /// the file wire is never idle and only the order is open.
    fn choose_read(&mut self, node: Node) {
        let left = self.instance.in_file & !node.host_soon;
        if node.reading.is_some() || left == 0 {
            return self.pass_time(node);
        }
        for p in bits(left) {
            let mut child = node.clone();
            child.host_soon |= 1 << p;
            child.reading = Some((p as u8, node.now + self.instance.read[p]));
            self.path.push((node.now, Command::Start(Op::Read(PartitionId(p as u32)))));
            self.pass_time(child);
            self.path.pop();
        }
    }

    fn pass_time(&mut self, mut node: Node) {
        let Some(to) = node.next_end() else { return };
        if self.cuts {
            self.put_off(&mut node);
        }
        node.advance(self.instance, to);
        if node.is_finished(self.instance) {
            let makespan_ns = node.now.max(node.write_end);
            if makespan_ns < self.best_ns {
                self.best_ns = makespan_ns;
                self.commands = Some(self.path.clone());
            }
            return;
        }
        self.points += 1;
        if self.points >= self.points_max || node.now >= self.best_ns {
            return;
        }
        if self.cuts && (bound(self.instance, &node) >= self.best_ns || self.is_dominated(&node)) {
            return;
        }
        self.decide(node, 0);
    }

    /// Marks all operations that could start now, on an idle wire and with enough memory, but do
    /// not.
    fn put_off(&self, node: &mut Node) {
        let instance = self.instance;
        for gpu in 0..instance.gpus {
            let free = instance.capacity - node.used[gpu];
            if node.running[gpu].is_none() {
                for s in bits(u64::from(!node.started)).take_while(|s| *s < instance.compute.len())
                {
                    if instance.inputs[s] & !node.resident[gpu] == 0
                        && instance.output_bytes[s] <= free
                    {
                        node.put_off_compute[gpu] |= 1 << s;
                    }
                }
            }
            if node.wires[instance.down[gpu]].is_none() {
                let there = node.resident[gpu] | node.loading[gpu];
                for p in bits(node.host & !there).filter(|p| instance.bytes[*p] <= free) {
                    node.put_off_load[gpu] |= 1 << p;
                }
            }
            for p in bits(node.resident[gpu])
                .filter(|p| self.can_store(node, gpu, *p))
                .collect::<Vec<_>>()
            {
                node.put_off_store[gpu] |= 1 << p;
            }
        }
    }

    /// Drops `victims` and takes `bytes`, after which operations that were put off on this GPU may
    /// start.
    fn take(&mut self, node: &mut Node, gpu: usize, victims: u64, bytes: u64) {
        for p in bits(victims) {
            node.release(self.instance, p, gpu);
            self.path.push((node.now, Command::Drop(PartitionId(p as u32), gpu)));
        }
        node.used[gpu] += bytes;
        node.put_off_compute[gpu] = 0;
        node.put_off_load[gpu] = 0;
    }

    fn occupy(&self, node: &mut Node, wire: usize, transfer: Transfer) {
        node.wires[wire] = Some(transfer);
        for gpu in 0..self.instance.gpus {
            if self.instance.down[gpu] == wire {
                node.put_off_load[gpu] = 0;
            }
            if self.instance.up[gpu] == wire {
                node.put_off_store[gpu] = 0;
            }
        }
    }

    /// Returns every minimal set of partitions whose eviction frees `bytes`.
    fn victims(&self, node: &Node, gpu: usize, bytes: u64, spare: u64) -> Vec<u64> {
        let free = self.instance.capacity - node.used[gpu];
        if bytes <= free {
            return vec![0];
        }
        let locked = node.pinned(self.instance, gpu) | node.fresh[gpu] | spare;
        let candidates: Vec<usize> = bits(node.resident[gpu] & node.host & !locked).collect();
        let mut sets = Vec::new();
        self.extend_victims(&candidates, 0, bytes - free, &mut sets);
        sets
    }

    fn extend_victims(&self, candidates: &[usize], chosen: u64, needed: u64, sets: &mut Vec<u64>) {
        for (i, p) in candidates.iter().enumerate() {
            let with = chosen | 1 << p;
            if self.instance.bytes[*p] < needed {
                self.extend_victims(
                    &candidates[i + 1..],
                    with,
                    needed - self.instance.bytes[*p],
                    sets,
                );
            } else {
                sets.push(with);
            }
        }
    }

    /// Returns whether an earlier point has an equal state and no later clock; remembers the point
    /// otherwise.
    fn is_dominated(&mut self, node: &Node) -> bool {
        let (key, clocks, put_off) = self.summary(node);
        let seen = self.seen.entry(key).or_default();
        let covers = |old: &Seen| {
            old.clocks.iter().zip(&clocks).all(|(a, b)| a <= b)
                && old.put_off.iter().zip(&put_off).all(|(a, b)| a & !b == 0)
        };
        if seen.iter().any(covers) {
            return true;
        }
        let covered = |old: &Seen| {
            clocks.iter().zip(&old.clocks).all(|(a, b)| a <= b)
                && put_off.iter().zip(&old.put_off).all(|(a, b)| a & !b == 0)
        };
        seen.retain(|old| !covered(old));
        seen.push(Seen { clocks, put_off });
        false
    }

    /// Returns a canonical summary of a point. Interchangeable GPUs are sorted, so that swapping
    /// them makes no new point.
    fn summary(&self, node: &Node) -> ([u64; KEY_WORDS], [u64; CLOCKS], [u64; PUT_OFFS]) {
        let instance = self.instance;
        let tag = |t: Option<Transfer>| {
            t.map_or(0, |t| {
                1 + (u64::from(t.p) << 1 | u64::from(t.is_load)) * 8
                    + u64::from(t.gpu % 8) * 1024 * 16
            })
        };
        let transfer = |wire: usize| {
            let t = node.wires[wire];
            // If each GPU has wires of its own, states that differ only in GPU numbers count as
            // equal.
            let plain = t.map(|t| if instance.symmetric { Transfer { gpu: 0, ..t } } else { t });
            (tag(plain), t.map_or(0, |t| t.end))
        };
        let mut order: Vec<usize> = (0..instance.gpus).collect();
        let words = |gpu: usize| {
            let run = node.running[gpu].map_or(0, |r| u64::from(r.0) + 1);
            let (down, _) = transfer(instance.down[gpu]);
            let (up, _) = transfer(instance.up[gpu]);
            [node.resident[gpu], node.fresh[gpu], run | down << 8 | up << 36]
        };
        if instance.symmetric {
            order.sort_by_key(|gpu| words(*gpu));
        }
        let mut key = [0; KEY_WORDS];
        let mut clocks = [0; CLOCKS];
        let mut put_off = [0; PUT_OFFS];
        key[..4].copy_from_slice(&[
            u64::from(node.started) << 32 | u64::from(node.done),
            node.host,
            node.host_soon,
            node.reading.map_or(0, |r| u64::from(r.0) + 1),
        ]);
        clocks[..3].copy_from_slice(&[node.now, node.write_end, node.reading.map_or(0, |r| r.1)]);
        for (i, gpu) in order.into_iter().enumerate() {
            key[4 + 3 * i..7 + 3 * i].copy_from_slice(&words(gpu));
            let ends = [
                node.running[gpu].map_or(0, |r| r.1),
                transfer(instance.down[gpu]).1,
                transfer(instance.up[gpu]).1,
            ];
            clocks[3 + 3 * i..6 + 3 * i].copy_from_slice(&ends);
            let put = [
                u64::from(node.put_off_compute[gpu]),
                node.put_off_load[gpu],
                node.put_off_store[gpu],
            ];
            put_off[3 * i..3 * i + 3].copy_from_slice(&put);
        }
        (key, clocks, put_off)
    }
}

const _: () = assert!(WIRES_MAX == 2 * GPUS_MAX);

#[cfg(test)]
mod tests;
