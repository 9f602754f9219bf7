//! The GPUs of the pool's nodes and the free part of each, as the fleet that placement works on.
//! Time is counted in nanoseconds per second, so that shares and frame rates add up on one GPU.

use crate::error::Error;
use crate::model::lease::{Amount, Ask, FrameRate, Part};
use crate::model::node::{FramePoint, Gpu, Node, NodeFacts};
use crate::model::quota::Usage;
use outhaul_placement::fleet::{CLASSES_MAX, Demand, Fleet, GPUS_MAX};
use outhaul_placement::frame_deadline::{demand_ns, frame_ns};
use outhaul_placement::policy::{Choice, Policy, Waiting};
use outhaul_placement::time_time_curves::measured::{CurvePoint, interpolated};
use outhaul_placement::time_time_curves::{Attachment, Curves, FrameTimes};
use std::collections::{BTreeMap, BTreeSet, HashMap};

const SECOND_NS: u64 = 1_000_000_000;
/// The capacity of each GPU: loads must stay below it, and a load of a full second must fit.
const CAPACITY_NS: u64 = SECOND_NS + 1;
const GIB: f64 = (1u64 << 30) as f64;
/// The most nodes that one program can use.
const LEASE_NODES_MAX: usize = 16;

/// GPUs and their use. `kinds` and `gpus` are in the fleet's order.
#[derive(Debug, Clone)]
pub(crate) struct Inventory {
    fleet: Fleet,
    /// The properties of each of the fleet's classes.
    kinds: Vec<GpuClass>,
    /// The GPUs, by their numbers in the fleet.
    gpus: Vec<GpuSlot>,
    numbers: HashMap<(String, String), usize>,
}

/// The properties that all GPUs of a class share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GpuClass {
    link: Attachment,
    model: String,
    memory_bytes: u64,
    /// The curve that the GPUs' node has measured; empty if it has none.
    curve: Vec<FramePoint>,
}

#[derive(Debug, Clone)]
struct GpuSlot {
    node: String,
    gpu: String,
    memory_free_bytes: u64,
    closed: bool,
}

impl Default for Inventory {
    fn default() -> Inventory {
        Inventory::new(std::iter::empty())
            .unwrap_or_else(|_| unreachable!("an empty fleet is within every limit"))
    }
}

impl Inventory {
    /// Returns an inventory in which all GPUs are free.
    pub fn new<'a>(nodes: impl Iterator<Item = &'a Node>) -> Result<Inventory, Error> {
        let mut kinds: BTreeMap<GpuClass, Vec<GpuSlot>> = BTreeMap::new();
        for node in nodes {
            for gpu in &node.facts.gpus {
                let kind = GpuClass::of(&node.facts, gpu);
                let (node, closed) = (node.facts.name.clone(), node.is_closed());
                kinds.entry(kind).or_default().push(GpuSlot {
                    node,
                    gpu: gpu.uuid.clone(),
                    memory_free_bytes: gpu.memory_bytes,
                    closed,
                });
            }
        }
        // The fleet sorts its classes in this order, too: by link, then by number of GPUs.
        let mut kinds: Vec<_> = kinds.into_iter().collect();
        kinds.sort_by_key(|(kind, gpus)| (kind.link, gpus.len()));
        let classes: Vec<_> = kinds.iter().map(|(kind, gpus)| (kind.link, gpus.len())).collect();
        let fleet = Fleet::new(CAPACITY_NS, &classes)?;
        let (kinds, gpus): (Vec<GpuClass>, Vec<Vec<GpuSlot>>) = kinds.into_iter().unzip();
        let gpus: Vec<GpuSlot> = gpus.into_iter().flatten().collect();
        let numbers = gpus
            .iter()
            .enumerate()
            .map(|(number, slot)| ((slot.node.clone(), slot.gpu.clone()), number))
            .collect();
        Ok(Inventory { fleet, kinds, gpus, numbers })
    }

    /// Checks that an inventory can hold the GPUs of these nodes.
    pub fn check_room<'a>(nodes: impl Iterator<Item = &'a NodeFacts>) -> Result<(), Error> {
        let (mut kinds, mut gpus) = (BTreeSet::new(), 0);
        for facts in nodes {
            kinds.extend(facts.gpus.iter().map(|gpu| {
                (facts.link(), gpu.model.as_str(), gpu.memory_bytes, facts.curve_of(gpu))
            }));
            gpus += facts.gpus.len();
        }
        for (what, found, max) in [
            ("kinds of GPUs, links and measured curves", kinds.len(), CLASSES_MAX),
            ("GPUs", gpus, GPUS_MAX),
        ] {
            if found > max {
                return Err(outhaul_placement::Error::TooMany { what, found, max }.into());
            }
        }
        Ok(())
    }

    /// Takes a part from its GPU; a no-op if the inventory has no such GPU.
    pub fn take(&mut self, part: &Part) {
        if let Some(number) = self.number(part) {
            self.fleet.add(number, part.time_ns);
            self.gpus[number].memory_free_bytes -= part.memory_bytes;
        }
    }

    /// Puts a part back into its GPU; a no-op if the inventory has no such GPU.
    pub fn give_back(&mut self, part: &Part) {
        if let Some(number) = self.number(part) {
            self.fleet.remove(number, part.time_ns);
            self.gpus[number].memory_free_bytes += part.memory_bytes;
        }
    }

    /// Stops or resumes placing leases on a node.
    pub fn close(&mut self, node: &str, closed: bool) {
        self.gpus.iter_mut().filter(|slot| slot.node == node).for_each(|slot| slot.closed = closed);
    }

    /// Returns a GPU's free time per second, in nanoseconds, and its free memory, in bytes.
    pub fn free(&self, node: &str, gpu: &str) -> Option<(u64, u64)> {
        let number = *self.numbers.get(&(node.to_owned(), gpu.to_owned()))?;
        Some((SECOND_NS - self.fleet.load_ns(number), self.gpus[number].memory_free_bytes))
    }

    fn number(&self, part: &Part) -> Option<usize> {
        self.numbers.get(&(part.node.clone(), part.gpu.clone())).copied()
    }

    /// Returns the position of the request to grant next, and the parts that it gets; `None` if no
    /// request can be granted now. No request gets a GPU that suits an earlier one of those at the
    /// positions `reserving`.
    pub fn choose(
        &self,
        policy: Policy,
        curves: &Curves,
        asks: &[&Ask],
        reserving: &[usize],
    ) -> Option<(usize, Vec<Part>)> {
        let is_reserved = |position: usize, gpu: usize| {
            let kind = &self.kinds[self.fleet.class_of(gpu)];
            let mut earlier = reserving.iter().filter(|earlier| **earlier < position);
            earlier.any(|earlier| kind.suits(asks[*earlier]))
        };
        let several = |position: usize| {
            self.several(curves, asks[position], |gpu| !is_reserved(position, gpu))
        };
        // A lease of several GPUs is placed completely or not at all.
        if asks.first().is_some_and(|ask| ask.gpus > 1)
            && let Some(parts) = several(0)
        {
            return Some((0, parts));
        }
        let waiting: Vec<Waiting> = asks.iter().map(|ask| self.waiting(curves, ask)).collect();
        let admits = |Choice { position, gpu }: Choice| {
            asks[position].gpus == 1
                && self.has_memory(asks[position], gpu)
                && !is_reserved(position, gpu)
        };
        let single = policy.choose_admitted(&self.fleet, &waiting, &admits);
        let found = single.map(|Choice { position, gpu }| {
            (position, vec![self.part(curves, asks[position], gpu)])
        });
        found.or_else(|| (1..asks.len()).find_map(|position| Some((position, several(position)?))))
    }

    fn waiting(&self, curves: &Curves, ask: &Ask) -> Waiting {
        let demand = Demand::of(
            self.fleet.classes().map(|class| self.kinds[class].time_ns(curves, ask)).collect(),
        );
        Waiting { demand, frames: ask.seconds_max.unwrap_or(0) }
    }

    fn has_memory(&self, ask: &Ask, gpu: usize) -> bool {
        let (slot, kind) = (&self.gpus[gpu], &self.kinds[self.fleet.class_of(gpu)]);
        !slot.closed && kind.memory_bytes(ask).is_some_and(|bytes| bytes <= slot.memory_free_bytes)
    }

    fn part(&self, curves: &Curves, ask: &Ask, gpu: usize) -> Part {
        let (slot, kind) = (&self.gpus[gpu], &self.kinds[self.fleet.class_of(gpu)]);
        let (memory_bytes, time_ns) =
            (kind.memory_bytes(ask).unwrap_or(0), kind.time_ns(curves, ask).unwrap_or(0));
        let fraction = kind.fraction(memory_bytes, time_ns);
        Part { node: slot.node.clone(), gpu: slot.gpu.clone(), memory_bytes, time_ns, fraction }
    }

    /// Places a request for several GPUs on different ones of those that `is_open` admits. Chooses
    /// the node that then has the least room, or else as few nodes as possible.
    fn several(
        &self,
        curves: &Curves,
        ask: &Ask,
        is_open: impl Fn(usize) -> bool,
    ) -> Option<Vec<Part>> {
        let (wanted, mut by_node) = (ask.gpus as usize, BTreeMap::<&str, Vec<usize>>::new());
        for class in self.fleet.classes() {
            let Some(time_ns) = self.kinds[class].time_ns(curves, ask) else { continue };
            let room = self.fleet.gpus(class).filter(|gpu| {
                self.fleet.load_ns(*gpu) + time_ns < CAPACITY_NS
                    && self.has_memory(ask, *gpu)
                    && is_open(*gpu)
            });
            room.for_each(|gpu| by_node.entry(&self.gpus[gpu].node).or_default().push(gpu));
        }
        let mut nodes: Vec<_> = by_node.into_iter().collect();
        nodes.sort_by_key(|(name, gpus)| (usize::MAX - gpus.len(), *name));
        if let Some(tightest) = nodes.iter().rposition(|(_, gpus)| gpus.len() >= wanted) {
            nodes = vec![nodes.swap_remove(tightest)];
        }
        nodes.truncate(LEASE_NODES_MAX);
        let gpus: Vec<usize> = nodes.into_iter().flat_map(|(_, gpus)| gpus).take(wanted).collect();
        (gpus.len() == wanted)
            .then(|| gpus.into_iter().map(|gpu| self.part(curves, ask, gpu)).collect())
    }

    /// Returns why the request could not be granted even if all GPUs were free; `None` if it could.
    pub fn never(&self, curves: &Curves, ask: &Ask) -> Option<String> {
        if self.gpus.is_empty() {
            return Some(
                "the pool has no GPU: start a node with `outhaul serve --pool URL`".into(),
            );
        }
        let of_model: Vec<usize> =
            self.fleet.classes().filter(|class| self.kinds[*class].is(ask)).collect();
        if of_model.is_empty() {
            let models: Vec<&str> = self.kinds.iter().map(|kind| kind.model.as_str()).collect();
            return Some(format!(
                "no GPU of the pool is a '{}'; it has {}",
                ask.model.as_deref().unwrap_or_default(),
                models.join(", ")
            ));
        }
        let largest =
            of_model.iter().map(|class| self.kinds[*class].memory_bytes).max().unwrap_or(0);
        let roomy: Vec<usize> = of_model
            .into_iter()
            .filter(|class| self.kinds[*class].memory_bytes(ask).is_some())
            .collect();
        if roomy.is_empty() {
            return Some(format!(
                "no GPU of the pool has that much memory: the largest has {:.1} GiB",
                largest as f64 / GIB
            ));
        }
        let able: Vec<usize> = roomy
            .iter()
            .copied()
            .filter(|class| self.kinds[*class].time_ns(curves, ask).is_some())
            .collect();
        if able.is_empty() {
            return Some(self.nearest_rate(curves, ask, &roomy));
        }
        let mut by_node = BTreeMap::<&str, usize>::new();
        for gpu in able.iter().flat_map(|class| self.fleet.gpus(*class)) {
            *by_node.entry(&self.gpus[gpu].node).or_default() += 1;
        }
        let mut counts: Vec<usize> = by_node.into_values().collect();
        counts.sort_unstable_by(|one, other| other.cmp(one));
        let (gpus, together): (usize, usize) =
            (counts.iter().sum(), counts.iter().take(LEASE_NODES_MAX).sum());
        let wanted = ask.gpus as usize;
        if gpus < wanted {
            return Some(format!("the pool has {gpus} such GPUs; {wanted} were requested"));
        }
        (together < wanted).then(|| {
            format!(
                "a lease can span {LEASE_NODES_MAX} nodes, and the largest {LEASE_NODES_MAX} have \
                only {together} such GPUs; {wanted} were requested"
            )
        })
    }

    /// Returns the use that the request has on each kind of GPU that can serve it.
    pub fn usages(&self, curves: &Curves, ask: &Ask) -> Vec<Usage> {
        let of_kind = |kind: &GpuClass| {
            let (memory_bytes, time_ns) = (kind.memory_bytes(ask)?, kind.time_ns(curves, ask)?);
            let gpus = f64::from(ask.gpus) * kind.fraction(memory_bytes, time_ns);
            Some(Usage {
                gpus,
                memory_bytes: memory_bytes.saturating_mul(u64::from(ask.gpus)),
                leases: 1,
                ..Usage::default()
            })
        };
        self.kinds.iter().filter_map(of_kind).collect()
    }

    /// Returns why no GPU of these classes, if it were free, could keep the frame rate, by which
    /// curve, and what would fit.
    fn nearest_rate(&self, curves: &Curves, ask: &Ask, classes: &[usize]) -> String {
        let Some(frames) = ask.frames else {
            return "no GPU of the pool is large enough for this request".into();
        };
        let FrameRate { per_s, reference_ms } = frames;
        let whole_ms = |class: usize| {
            Some((self.kinds[class].frame_times(curves, reference_ms)?.whole_ms, class))
        };
        let quickest = classes
            .iter()
            .filter_map(|class| whole_ms(*class))
            .min_by(|(one_ms, _), (other_ms, _)| one_ms.total_cmp(other_ms));
        let Some((whole_ms, class)) = quickest else {
            return self.unpredicted(curves, reference_ms, classes);
        };
        let rate = ((1e3 / whole_ms).ceil() as u32).saturating_sub(1);
        let slower = (rate > 0).then(|| format!("{rate} a second would be accepted"));
        let smaller = self.largest_frame_ms(curves, frames, classes).map(|ms| {
            let would = if slower.is_some() { "" } else { " would be accepted" };
            format!("frames of {ms} ms at {per_s} a second{would}")
        });
        let fitting: Vec<String> = slower.into_iter().chain(smaller).collect();
        let fitting = if fitting.is_empty() { "nothing".into() } else { fitting.join(", or ") };
        format!(
            "frames of {reference_ms} ms would be late at {per_s} a second behind every link of \
            the pool: the quickest takes {whole_ms:.1} ms, {}; {fitting}",
            self.curve_name(curves, class)
        )
    }

    /// Returns the largest frame that would be in time at the requested rate, in milliseconds, if
    /// it is smaller than the requested one. Searches in hundredths.
    fn largest_frame_ms(
        &self,
        curves: &Curves,
        frames: FrameRate,
        classes: &[usize],
    ) -> Option<f64> {
        let fits = |hundredths: u32| {
            let frames =
                FrameRate { reference_ms: f64::from(hundredths) / 100.0, per_s: frames.per_s };
            classes.iter().any(|class| self.kinds[*class].frames_ns(curves, frames).is_some())
        };
        // A larger frame takes longer, so that the answer is found by halving.
        let (mut fit, mut late) = (0, (frames.reference_ms * 100.0).ceil() as u32);
        while late - fit > 1 {
            let middle = fit + (late - fit) / 2;
            *(if fits(middle) { &mut fit } else { &mut late }) = middle;
        }
        (fit > 0).then(|| f64::from(fit) / 100.0)
    }

    /// Returns the reason if no curve has a value for the frame.
    fn unpredicted(&self, curves: &Curves, reference_ms: f64, classes: &[usize]) -> String {
        let measured = |class: &usize| {
            let last = self.kinds[*class].curve.last()?;
            Some((last.reference_us, *class))
        };
        match classes.iter().filter_map(measured).max() {
            Some((reference_us, class)) => format!(
                "the pool cannot predict frames of {reference_ms} ms: the largest that was \
                measured are of {:.2} ms, {}; measure larger ones with `outhaul bench frames \
                --curves FILE`",
                f64::from(reference_us) / 1e3,
                self.curve_name(curves, class)
            ),
            None => format!(
                "the pool cannot predict frames of {reference_ms} ms over its links, by {}; tell \
                each node its link's speed with `outhaul serve --link-gbps N`, or have it measure \
                its own curve with --measure-frames",
                curves.name()
            ),
        }
    }

    /// Returns whose curve applies to a class, and its link.
    fn curve_name(&self, curves: &Curves, class: usize) -> String {
        let GpuClass { link, curve, .. } = &self.kinds[class];
        let node = &self.gpus[self.fleet.gpus(class).start].node;
        if curve.is_empty() {
            format!("behind {link}, by {}", curves.name())
        } else {
            format!("by the curve that node {node} has measured")
        }
    }
}

impl GpuClass {
    /// Returns the class of a node's GPU.
    pub fn of(facts: &NodeFacts, gpu: &Gpu) -> GpuClass {
        GpuClass {
            link: facts.link(),
            model: gpu.model.clone(),
            memory_bytes: gpu.memory_bytes,
            curve: facts.curve_of(gpu).to_vec(),
        }
    }

    /// Returns the times of a frame on such a GPU: by its node's own curve if there is one, else by
    /// the pool's. A load below the smallest that was measured counts as that one.
    fn frame_times(&self, curves: &Curves, reference_ms: f64) -> Option<FrameTimes> {
        if self.curve.is_empty() {
            let smallest_ms = curves.smallest_ms(self.link, &self.model);
            return curves.times(reference_ms.max(smallest_ms), self.link, Some(&self.model));
        }
        let points: Vec<CurvePoint> = self.curve.iter().copied().map(CurvePoint::from).collect();
        interpolated(&points, reference_ms.max(points[0].reference_ms))
    }

    /// Returns the time in each second that frames take of such a GPU. Returns None if a frame
    /// would be late, or if the curve has no value (Equation 1).
    fn frames_ns(&self, curves: &Curves, frames: FrameRate) -> Option<u64> {
        let times = self.frame_times(curves, frames.reference_ms)?;
        let frame_ns = demand_ns(times, frame_ns(frames.per_s))?;
        Some(frame_ns * u64::from(frames.per_s)).filter(|time_ns| *time_ns <= SECOND_NS)
    }

    /// Returns whether such a GPU, if it were free, has the model and the memory that the request
    /// names.
    pub fn suits(&self, ask: &Ask) -> bool {
        self.memory_bytes(ask).is_some()
    }

    /// Returns the larger of two fractions of this kind of GPU: of its memory and of its time.
    fn fraction(&self, memory_bytes: u64, time_ns: u64) -> f64 {
        f64::max(memory_bytes as f64 / self.memory_bytes as f64, time_ns as f64 / SECOND_NS as f64)
    }

    fn is(&self, ask: &Ask) -> bool {
        let lower = |text: &str| text.to_ascii_lowercase();
        ask.model.as_ref().is_none_or(|model| lower(&self.model).contains(&lower(model)))
    }

    /// Returns the requested memory in bytes on this kind of GPU; `None` if the GPU has less.
    fn memory_bytes(&self, ask: &Ask) -> Option<u64> {
        let percent =
            |percent: u32| (u128::from(self.memory_bytes) * u128::from(percent) / 100) as u64;
        let bytes = match (ask.memory, ask.share_percent) {
            (Some(Amount::Bytes(bytes)), _) => bytes,
            (Some(Amount::Percent(memory)), _) => percent(memory),
            (None, Some(share)) => percent(share),
            (None, None) => self.memory_bytes,
        };
        (bytes <= self.memory_bytes && self.is(ask)).then_some(bytes)
    }

    fn time_ns(&self, curves: &Curves, ask: &Ask) -> Option<u64> {
        let memory_bytes = self.memory_bytes(ask)?;
        let percent = |percent: u32| SECOND_NS / 100 * u64::from(percent);
        match (ask.frames, ask.share_percent, ask.memory) {
            // Equation 2 holds for all leases on the GPU, whatever their rates.
            (Some(frames), ..) => self.frames_ns(curves, frames),
            (None, Some(share), _) => Some(percent(share)),
            (None, None, Some(Amount::Percent(memory))) => Some(percent(memory)),
            (None, None, Some(Amount::Bytes(_))) => Some(
                (u128::from(SECOND_NS) * u128::from(memory_bytes))
                    .div_ceil(u128::from(self.memory_bytes)) as u64,
            ),
            (None, None, None) => Some(SECOND_NS),
        }
    }
}
