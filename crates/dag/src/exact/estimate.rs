//! A lower bound on the makespan of every schedule that follows a point of the search. It is the
//! maximum over chains, GPUs, wires and files, each taken alone. The search uses the bound to cut
//! branches. Memory gives no bound here, because dominance handles tight memory.

use super::node::{GPUS_MAX, Instance, Node, bits};

/// Returns the earliest possible end, in nanoseconds.
pub fn bound(instance: &Instance, node: &Node) -> u64 {
    let (start, ready) = earliest(instance, node);
    let chains = (0..start.len())
        .filter(|s| node.started >> s & 1 == 0)
        .map(|s| start[s] + instance.tail[s]);
    let chains = chains.max().unwrap_or(node.now);
    let files = reads(instance, node).max(writes(instance, node, &ready));
    let wires = loads(instance, node).max(stores(instance, node, &ready));
    chains.max(compute(instance, node, &start)).max(files).max(wires).max(node.write_end)
}

/// Returns the earliest start of each subtask, and the earliest instant at which each partition
/// exists on a GPU or the host.
fn earliest(instance: &Instance, node: &Node) -> (Vec<u64>, Vec<u64>) {
    let mut ready: Vec<u64> = vec![u64::MAX; instance.bytes.len()];
    let everywhere = node.resident.iter().fold(0, |all, r| all | r);
    let read_free = node.reading.map_or(node.now, |r| r.1);
    for (p, ready) in ready.iter_mut().enumerate() {
        let bit = 1u64 << p;
        *ready = if everywhere & bit != 0 {
            node.now
        } else if node.host & bit != 0 {
            node.now + instance.link[p]
        } else if node.reading.is_some_and(|r| r.0 as usize == p) {
            read_free + instance.link[p]
        } else if instance.in_file & bit != 0 {
            read_free + instance.read[p] + instance.link[p]
        } else {
            u64::MAX
        };
    }
    for transfer in node.wires.iter().flatten().filter(|t| t.is_load) {
        ready[transfer.p as usize] = ready[transfer.p as usize].min(transfer.end);
    }
    for (s, end) in node.running.iter().flatten() {
        bits(instance.outputs[*s as usize]).for_each(|p| ready[p] = *end);
    }
    let mut start = vec![node.now; instance.compute.len()];
    let free = (0..instance.gpus)
        .map(|g| node.running[g].map_or(node.now, |r| r.1))
        .min()
        .unwrap_or(node.now);
    for s in instance.order.iter().copied().filter(|s| node.started >> s & 1 == 0) {
        start[s] = bits(instance.inputs[s]).map(|p| ready[p]).max().unwrap_or(node.now).max(free);
        bits(instance.outputs[s]).for_each(|p| ready[p] = start[s] + instance.compute[s]);
    }
    (start, ready)
}

/// Returns the earliest end of the last subtask that has not started, plus the least time that
/// follows it. GPUs are assumed to be busy from the time at which they become free. Running
/// subtasks may end later; another bound counts these.
fn compute(instance: &Instance, node: &Node, start: &[u64]) -> u64 {
    let left = || (0..start.len()).filter(|s| node.started >> s & 1 == 0);
    let Some(first) = left().map(|s| start[s]).min() else { return node.now };
    let work: u64 = left().map(|s| instance.compute[s]).sum();
    let mut free = [u64::MAX; GPUS_MAX];
    for (gpu, free) in free.iter_mut().enumerate().take(instance.gpus) {
        *free = node.running[gpu].map_or(node.now, |r| r.1).max(first);
    }
    free.sort_unstable();
    let after = left().map(|s| instance.tail[s] - instance.compute[s]).min().unwrap_or(0);
    let mut sum = 0;
    let mut end = u64::MAX;
    for (used, free) in free.iter().take(instance.gpus).enumerate() {
        if *free >= end {
            break;
        }
        sum += free;
        end = (sum + work).div_ceil(used as u64 + 1);
    }
    end + after
}

/// Returns the least time from a partition's arrival on the host: its load, then the longest chain
/// of its readers.
fn host_tail(instance: &Instance, node: &Node, p: usize) -> u64 {
    let readers = bits(u64::from(instance.readers[p] & !node.started));
    instance.link[p] + readers.map(|s| instance.tail[s]).max().unwrap_or(0)
}

fn reads(instance: &Instance, node: &Node) -> u64 {
    let mut left: Vec<(u64, u64)> = bits(instance.in_file & !node.host_soon)
        .map(|p| (host_tail(instance, node, p), instance.read[p]))
        .collect();
    left.sort_unstable_by(|a, b| b.cmp(a));
    let mut end = node.reading.map_or(node.now, |r| r.1);
    let mut bound = 0;
    for (tail, read) in left {
        end += read;
        bound = bound.max(end + tail);
    }
    bound
}

fn writes(instance: &Instance, node: &Node, ready: &[u64]) -> u64 {
    let mut left: Vec<(u64, u64)> = bits(instance.written & !node.host)
        .map(|p| (ready[p].saturating_add(instance.link[p]), p))
        .map(|(at, p)| (storing_end(node, p).unwrap_or(at), instance.write[p]))
        .collect();
    left.sort_unstable();
    left.iter().fold(node.write_end, |end, (at, write)| end.max(*at) + write)
}

fn storing_end(node: &Node, p: usize) -> Option<u64> {
    node.wires.iter().flatten().find(|t| !t.is_load && t.p as usize == p).map(|t| t.end)
}

fn loads(instance: &Instance, node: &Node) -> u64 {
    let on_gpu = (0..instance.gpus).fold(0, |all, g| all | node.resident[g] | node.loading[g]);
    let needed = |p: &usize| instance.readers[*p] & !node.started != 0;
    let given = instance.in_host | instance.in_file | node.host;
    let mut left: Vec<(u64, u64)> = bits(given & !on_gpu)
        .filter(needed)
        .map(|p| (host_tail(instance, node, p) - instance.link[p], instance.link[p]))
        .collect();
    left.sort_unstable_by(|a, b| b.cmp(a));
    let mut total = 0;
    let mut bound = 0;
    for (tail, link) in left {
        total += link;
        bound = bound.max(node.now + total.div_ceil(instance.down_wires) + tail);
    }
    bound
}

fn stores(instance: &Instance, node: &Node, ready: &[u64]) -> u64 {
    let left = || bits(instance.kept & !node.host_soon & !instance.in_file);
    let Some(first) = left().map(|p| ready[p]).min() else { return 0 };
    let total: u64 = left().map(|p| instance.link[p]).sum();
    let after = left().map(|p| instance.sink_ns(p) - instance.link[p]).min().unwrap_or(0);
    first + total.div_ceil(instance.up_wires) + after
}
