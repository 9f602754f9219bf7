//! The GPUs and their loads. GPUs with equal links form a class, ordered by load. Finding a class's
//! fullest or emptiest GPU therefore does not touch the other GPUs.

use crate::Error;
use crate::frame_deadline::Promise;
use crate::tasks::Task;
use crate::time_time_curves::Attachment;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

/// Maximum number of GPUs in a fleet.
pub const GPUS_MAX: usize = 1 << 20;
/// Maximum number of classes. A class's GPUs have equal links and are placed alike.
pub const CLASSES_MAX: usize = 1024;

/// A fleet. GPUs are numbered class by class, and classes are ordered by rising bandwidth, then by
/// rising number of switches.
#[derive(Debug, Clone)]
pub struct Fleet {
    frame_ns: u64,
    classes: Vec<Class>,
    loads_ns: Vec<u64>,
}

#[derive(Debug, Clone)]
struct Class {
    link: Attachment,
    gpus: Range<usize>,
    /// The GPUs ordered by load. Among equal loads, the lowest number comes last.
    by_load: BTreeSet<(u64, Reverse<usize>)>,
}

/// GPU time per frame that a task demands in each class, or None where it may not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand(Vec<Option<u64>>);

impl Demand {
    /// Makes a demand from the times by class, which are None where the task may not run.
    pub fn of(by_class: Vec<Option<u64>>) -> Demand {
        Demand(by_class)
    }

    /// Returns the demand in one class, or None if the task may not run there.
    pub fn ns(&self, class: usize) -> Option<u64> {
        self.0[class]
    }

    /// Returns the only class that may run the task, or None if several may or none may.
    pub fn only_class(&self) -> Option<usize> {
        let mut classes =
            self.0.iter().enumerate().filter_map(|(class, demand)| demand.map(|_| class));
        classes.next().filter(|_| classes.next().is_none())
    }
}

impl Fleet {
    /// Makes an idle fleet. `gpus` gives the number of GPUs behind each link.
    /// # Errors
    /// `TooMany` for too many GPUs or links.
    pub fn new(frame_ns: u64, gpus: &[(Attachment, usize)]) -> Result<Fleet, Error> {
        let total = gpus.iter().fold(0usize, |sum, (_, count)| sum.saturating_add(*count));
        for (what, found, max) in
            [("GPUs", total, GPUS_MAX), ("classes of links", gpus.len(), CLASSES_MAX)]
        {
            if found > max {
                return Err(Error::TooMany { what, found, max });
            }
        }
        let mut sorted: Vec<(Attachment, usize)> =
            gpus.iter().copied().filter(|(_, count)| *count > 0).collect();
        sorted.sort();
        let (mut classes, mut next) = (Vec::new(), 0);
        for (link, count) in sorted {
            let gpus = next..next + count;
            classes.push(Class {
                link,
                by_load: gpus.clone().map(|gpu| (0, Reverse(gpu))).collect(),
                gpus,
            });
            next += count;
        }
        Ok(Fleet { frame_ns, classes, loads_ns: vec![0; next] })
    }

    /// Returns how long a GPU may be busy per frame.
    pub fn frame_ns(&self) -> u64 {
        self.frame_ns
    }

    /// Returns the classes, by rising bandwidth.
    pub fn classes(&self) -> Range<usize> {
        0..self.classes.len()
    }

    /// Returns the link of a class.
    pub fn link(&self, class: usize) -> Attachment {
        self.classes[class].link
    }

    /// Returns the GPUs of a class.
    pub fn gpus(&self, class: usize) -> Range<usize> {
        self.classes[class].gpus.clone()
    }

    /// Returns a GPU's load per frame.
    pub fn load_ns(&self, gpu: usize) -> u64 {
        self.loads_ns[gpu]
    }

    /// Returns the class of a GPU.
    pub fn class_of(&self, gpu: usize) -> usize {
        self.classes.partition_point(|class| class.gpus.end <= gpu)
    }

    /// Returns the demand of `task` in each class.
    /// # Errors
    /// `NeverFits` if no class can run the task.
    pub fn demand(&self, promise: &Promise, task: &Task) -> Result<Demand, Error> {
        let demands: Vec<_> = self
            .classes
            .iter()
            .map(|class| promise.demand_ns(task.reference_ms, class.link))
            .collect();
        if demands.iter().all(Option::is_none) {
            return Err(Error::NeverFits { reference_ms: format!("{:.3}", task.reference_ms) });
        }
        Ok(Demand(demands))
    }

    /// Returns whether a GPU still finishes all its work within a frame (Equation 2).
    fn fits(&self, load_ns: u64, demand_ns: u64) -> bool {
        load_ns + demand_ns < self.frame_ns
    }

    /// Returns the first GPU of a class that has room and that `admits` accepts.
    pub fn first(
        &self,
        class: usize,
        demand_ns: u64,
        admits: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        self.fits(self.least_load_ns(class), demand_ns).then_some(())?;
        self.gpus(class).find(|gpu| self.fits(self.loads_ns[*gpu], demand_ns) && admits(*gpu))
    }

    /// Returns the fullest GPU of a class that has room and that `admits` accepts.
    pub fn fullest(
        &self,
        class: usize,
        demand_ns: u64,
        admits: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let end_ns = self.frame_ns.checked_sub(demand_ns)?;
        let mut falling = self.classes[class].by_load.range(..(end_ns, Reverse(usize::MAX))).rev();
        falling.find_map(|(_, Reverse(gpu))| admits(*gpu).then_some(*gpu))
    }

    /// Returns the emptiest GPU of a class that has room and that `admits` accepts.
    pub fn emptiest(
        &self,
        class: usize,
        demand_ns: u64,
        admits: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let by_load = &self.classes[class].by_load;
        let mut least = by_load.first().map(|(load_ns, _)| *load_ns);
        while let Some(load_ns) = least.filter(|load_ns| self.fits(*load_ns, demand_ns)) {
            let mut same =
                by_load.range((load_ns, Reverse(usize::MAX))..=(load_ns, Reverse(0))).rev();
            if let Some((_, Reverse(gpu))) = same.find(|(_, Reverse(gpu))| admits(*gpu)) {
                return Some(*gpu);
            }
            least = by_load
                .range((load_ns + 1, Reverse(usize::MAX))..)
                .next()
                .map(|(load_ns, _)| *load_ns);
        }
        None
    }

    /// Returns the load of a class's emptiest GPU.
    pub fn least_load_ns(&self, class: usize) -> u64 {
        self.classes[class].by_load.first().map_or(self.frame_ns, |(load_ns, _)| *load_ns)
    }

    /// Adds a task to a GPU.
    /// # Panics
    /// Panics if the GPU has no room for the task.
    pub fn add(&mut self, gpu: usize, demand_ns: u64) {
        assert!(
            self.fits(self.loads_ns[gpu], demand_ns),
            "GPU {gpu} has no room for {demand_ns} ns a frame"
        );
        self.set(gpu, self.loads_ns[gpu] + demand_ns);
    }

    /// Removes a task from a GPU.
    pub fn remove(&mut self, gpu: usize, demand_ns: u64) {
        self.set(gpu, self.loads_ns[gpu] - demand_ns);
    }

    fn set(&mut self, gpu: usize, load_ns: u64) {
        let class = self.class_of(gpu);
        let by_load = &mut self.classes[class].by_load;
        by_load.remove(&(self.loads_ns[gpu], Reverse(gpu)));
        by_load.insert((load_ns, Reverse(gpu)));
        self.loads_ns[gpu] = load_ns;
    }
}
