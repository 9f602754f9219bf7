//! Liveness analysis: finds the registers that a thread needs after a wait, and the registers whose
//! current values its frame does not hold yet. The analysis makes one backward and one forward pass
//! over the control flow.

use std::collections::HashMap;

use crate::engine::lower::opcode::Opcode;
use crate::engine::syntax::ir::{Body, Instruction, Module, Operand, Reg, Statement};

/// Registers to save at a wait.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    /// Registers that some path reads after the wait.
    pub live: Vec<Reg>,
    /// The registers of `live` that were written since they were last stored in the frame.
    pub stale: Vec<Reg>,
    /// The registers of `live` that the thread reads before it waits again. The others remain in
    /// the frame.
    pub wanted: Vec<Reg>,
}

/// The results of the analysis.
#[derive(Debug, Default)]
pub struct Liveness {
    /// Registers to save, by the statement that waits.
    pub waits: HashMap<usize, Kept>,
    /// Registers to save, by the statement before which a group may split.
    pub partings: HashMap<usize, Kept>,
    /// Registers to store in the frame immediately after they are written, by the statement that
    /// writes them. Only one statement, outside loops, writes each of them.
    pub early: HashMap<usize, Vec<Reg>>,
    /// Registers that some path from the start reads before it writes them.
    pub undefined: Vec<Reg>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    Never,
    /// The thread continues after the statement.
    Within,
    /// The thread continues at the statement, which is a jump back.
    Before,
}

type Set = Vec<u64>;

struct Stretch {
    first: usize,
    end: usize,
    next: Vec<usize>,
    live_in: Set,
    held_in: Set,
    wanted_in: Set,
}

struct Flow<'a> {
    module: &'a Module,
    body: &'a Body,
    jumps_back: &'a dyn Fn(usize) -> bool,
    parts: &'a dyn Fn(usize) -> bool,
    words: usize,
    stretches: Vec<Stretch>,
    early: HashMap<usize, Vec<Reg>>,
    of_label: HashMap<&'a str, usize>,
    targets: HashMap<&'a str, &'a [Box<str>]>,
}

/// Analyses a body. `jumps_back` returns whether a statement is a backward jump that threads may
/// repeat while they wait for others. `parts` returns whether a group may split at a statement.
pub fn analyse(
    module: &Module,
    body: &Body,
    jumps_back: &dyn Fn(usize) -> bool,
    parts: &dyn Fn(usize) -> bool,
) -> Liveness {
    let words = body.registers.len().div_ceil(64);
    let mut flow = Flow {
        module,
        body,
        jumps_back,
        parts,
        words,
        stretches: Vec::new(),
        early: HashMap::new(),
        of_label: HashMap::new(),
        targets: HashMap::new(),
    };
    flow.cut();
    flow.link();
    flow.spread_back();
    flow.find_early();
    flow.spread_forward();
    flow.collect()
}

fn ends(base: &str) -> bool {
    matches!(base, "bra" | "brx" | "ret" | "exit" | "trap" | "brkpt")
}

fn set(bits: &mut Set, reg: Reg) {
    bits[reg as usize / 64] |= 1 << (reg % 64);
}

fn clear(bits: &mut Set, reg: Reg) {
    bits[reg as usize / 64] &= !(1 << (reg % 64));
}

fn members(bits: &Set) -> Vec<Reg> {
    (0..bits.len() as u32 * 64)
        .filter(|reg| bits[*reg as usize / 64] >> (reg % 64) & 1 != 0)
        .collect()
}

/// Calls `each` for every register of an operand.
pub fn registers(operand: &Operand, each: &mut dyn FnMut(Reg)) {
    match operand {
        Operand::Reg(reg) => each(*reg),
        Operand::Vector(all) | Operand::Tuple(all) | Operand::List(all) => {
            all.iter().for_each(|operand| registers(operand, each))
        }
        Operand::Address(inner, _) | Operand::Not(inner) => registers(inner, each),
        Operand::Pair(first, second) => {
            registers(first, each);
            registers(second, each);
        }
        _ => {}
    }
}

impl<'a> Flow<'a> {
    fn opcode(&self, instruction: &Instruction) -> Opcode<'a> {
        Opcode::of(self.module, instruction)
    }

    /// Divides the body into stretches. A stretch ends where control flow may leave or enter.
    fn cut(&mut self) {
        let mut first = 0;
        for (position, statement) in self.body.statements.iter().enumerate() {
            let end = match statement {
                Statement::Label(_) => position,
                Statement::Instruction(instruction) if ends(self.opcode(instruction).base) => {
                    position + 1
                }
                Statement::Targets(name, all) => {
                    self.targets.insert(name, all);
                    continue;
                }
                _ => continue,
            };
            if end > first {
                self.stretch(first, end);
                first = end;
            }
            if let Statement::Label(name) = statement {
                self.of_label.insert(name, self.stretches.len());
            }
        }
        self.stretch(first, self.body.statements.len());
    }

    fn stretch(&mut self, first: usize, end: usize) {
        let (live_in, held_in) = (vec![0; self.words], vec![u64::MAX; self.words]);
        let wanted_in = live_in.clone();
        self.stretches.push(Stretch { first, end, next: Vec::new(), live_in, held_in, wanted_in });
    }

    fn link(&mut self) {
        for index in 0..self.stretches.len() {
            let (first, end) = (self.stretches[index].first, self.stretches[index].end);
            let mut next = Vec::new();
            let mut falls = index + 1 < self.stretches.len();
            if let Some(Statement::Instruction(last)) = self.body.statements[first..end].last() {
                let opcode = self.opcode(last);
                falls &= !ends(opcode.base) || last.guard.is_some();
                match (opcode.base, &last.operands[..]) {
                    ("bra", [Operand::Name(name, _), ..]) => {
                        next.extend(self.of_label.get(&**name))
                    }
                    ("brx", [_, Operand::Name(name, _), ..]) => {
                        let labels = self.targets.get(&**name).copied().unwrap_or_default();
                        next.extend(labels.iter().filter_map(|label| self.of_label.get(&**label)));
                    }
                    _ => {}
                }
            }
            next.extend(falls.then_some(index + 1));
            self.stretches[index].next = next;
        }
    }

    fn wait(&self, position: usize, instruction: &Instruction) -> Wait {
        let opcode = self.opcode(instruction);
        if opcode.waits() {
            Wait::Within
        } else if opcode.base == "bra" && (self.jumps_back)(position) {
            Wait::Before
        } else {
            Wait::Never
        }
    }

    fn written(&self, instruction: &Instruction, each: &mut dyn FnMut(Reg)) {
        if let Some(operand) = self.opcode(instruction).written(&instruction.operands) {
            registers(operand, each);
        }
    }

    /// Computes the registers that are live before an instruction from those that are live after
    /// it.
    fn back_over(&self, instruction: &Instruction, live: &mut Set) {
        if instruction.guard.is_none() {
            self.written(instruction, &mut |reg| clear(live, reg));
        }
        let read = self.opcode(instruction).read(&instruction.operands);
        read.iter().for_each(|operand| registers(operand, &mut |reg| set(live, reg)));
        instruction.guard.iter().for_each(|guard| set(live, guard.reg));
    }

    fn live_out(&self, index: usize) -> Set {
        let mut live = vec![0; self.words];
        for &next in &self.stretches[index].next {
            live.iter_mut().zip(&self.stretches[next].live_in).for_each(|(to, from)| *to |= from);
        }
        live
    }

    fn spread_back(&mut self) {
        loop {
            let mut changed = false;
            for index in (0..self.stretches.len()).rev() {
                let mut live = self.live_out(index);
                for statement in self.body.statements
                    [self.stretches[index].first..self.stretches[index].end]
                    .iter()
                    .rev()
                {
                    if let Statement::Instruction(instruction) = statement {
                        self.back_over(instruction, &mut live);
                    }
                }
                changed |= live != self.stretches[index].live_in;
                self.stretches[index].live_in = live;
            }
            if !changed {
                return;
            }
        }
    }

    /// Finds registers that outlive a wait and that a single statement outside loops writes. If
    /// that statement also stores the register, no wait needs to.
    fn find_early(&mut self) {
        let mut lasting = vec![0; self.words];
        for index in 0..self.stretches.len() {
            for (position, live) in self.live_at_waits(index).0 {
                let within = matches!(&self.body.statements[position],
                    Statement::Instruction(instruction) if self.opcode(instruction).waits());
                if within {
                    lasting.iter_mut().zip(live).for_each(|(to, from)| *to |= from);
                }
            }
        }
        let mut writers: HashMap<Reg, Vec<(usize, bool)>> = HashMap::new();
        for (position, statement) in self.body.statements.iter().enumerate() {
            let Statement::Instruction(instruction) = statement else { continue };
            self.written(instruction, &mut |reg| {
                writers.entry(reg).or_default().push((position, instruction.guard.is_none()))
            });
        }
        let loops = self.loops();
        for reg in members(&lasting) {
            if let Some(&[(position, true)]) = writers.get(&reg).map(Vec::as_slice)
                && !loops.iter().any(|(first, last)| (*first..=*last).contains(&position))
            {
                self.early.entry(position).or_default().push(reg);
            }
        }
    }

    /// Returns the first and last statement of each range that a backward jump repeats.
    fn loops(&self) -> Vec<(usize, usize)> {
        let stretches = self.stretches.iter();
        let back = |from: &Stretch| {
            let first = from.next.iter().map(|&next| self.stretches[next].first).min()?;
            (first < from.end).then_some((first, from.end))
        };
        stretches.filter_map(back).collect()
    }

    /// Returns, by position, the registers that are live at each wait in a stretch, and before each
    /// statement where a group may split.
    fn live_at_waits(&self, index: usize) -> (HashMap<usize, Set>, HashMap<usize, Set>) {
        let (mut at, mut before) = (HashMap::new(), HashMap::new());
        let mut live = self.live_out(index);
        for position in (self.stretches[index].first..self.stretches[index].end).rev() {
            let Statement::Instruction(instruction) = &self.body.statements[position] else {
                continue;
            };
            let wait = self.wait(position, instruction);
            if wait == Wait::Within {
                let mut kept = live.clone();
                self.written(instruction, &mut |reg| clear(&mut kept, reg));
                at.insert(position, kept);
            }
            self.back_over(instruction, &mut live);
            if wait == Wait::Before {
                at.insert(position, live.clone());
            }
            if (self.parts)(position) {
                before.insert(position, live.clone());
            }
        }
        (at, before)
    }

    /// Walks forward over a stretch and tracks the registers that the frame holds. Calls `each` for
    /// every instruction with the registers that the frame holds before it.
    fn forward_over(
        &self,
        index: usize,
        live: &HashMap<usize, Set>,
        mut held: Set,
        each: &mut dyn FnMut(usize, &Set),
    ) -> Set {
        for position in self.stretches[index].first..self.stretches[index].end {
            let Statement::Instruction(instruction) = &self.body.statements[position] else {
                continue;
            };
            each(position, &held);
            if let Some(kept) = live.get(&position)
                && instruction.guard.is_none()
                && self.wait(position, instruction) == Wait::Within
            {
                held.clone_from(kept);
            }
            self.written(instruction, &mut |reg| clear(&mut held, reg));
            self.early.get(&position).into_iter().flatten().for_each(|&reg| set(&mut held, reg));
        }
        held
    }

    fn spread_forward(&mut self) {
        let Some(first) = self.stretches.first_mut() else { return };
        first.held_in = vec![0; self.words];
        let live: Vec<_> =
            (0..self.stretches.len()).map(|index| self.live_at_waits(index).0).collect();
        loop {
            let mut changed = false;
            for (index, live) in live.iter().enumerate() {
                let held = self.forward_over(
                    index,
                    live,
                    self.stretches[index].held_in.clone(),
                    &mut |_, _| {},
                );
                for next in self.stretches[index].next.clone() {
                    for (to, from) in self.stretches[next].held_in.iter_mut().zip(&held) {
                        changed |= *to & !from != 0;
                        *to &= from;
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Computes the wanted registers before a stretch from the wanted registers after it. Calls
    /// `each` for every wait with the registers that are wanted after it.
    fn wanted_over(
        &self,
        index: usize,
        found: &Liveness,
        each: &mut dyn FnMut(usize, &Set, bool),
    ) -> Set {
        let mut wanted = vec![0; self.words];
        for &next in &self.stretches[index].next {
            wanted
                .iter_mut()
                .zip(&self.stretches[next].wanted_in)
                .for_each(|(to, from)| *to |= from);
        }
        for position in (self.stretches[index].first..self.stretches[index].end).rev() {
            let Statement::Instruction(instruction) = &self.body.statements[position] else {
                continue;
            };
            let wait = self.wait(position, instruction);
            if wait == Wait::Within {
                each(position, &wanted, true);
                if instruction.guard.is_none() {
                    wanted.fill(0);
                }
            }
            self.back_over(instruction, &mut wanted);
            if wait == Wait::Before {
                each(position, &wanted, true);
            }
            if let Some(kept) = found.waits.get(&position) {
                kept.stale.iter().for_each(|&reg| set(&mut wanted, reg));
            }
            if let Some(kept) = found.partings.get(&position) {
                each(position, &wanted, false);
                kept.stale.iter().for_each(|&reg| set(&mut wanted, reg));
            }
        }
        wanted
    }

    fn spread_wanted(&mut self, found: &mut Liveness) {
        loop {
            let mut changed = false;
            for index in (0..self.stretches.len()).rev() {
                let wanted = self.wanted_over(index, found, &mut |_, _, _| {});
                changed |= wanted != self.stretches[index].wanted_in;
                self.stretches[index].wanted_in = wanted;
            }
            if !changed {
                break;
            }
        }
        let mut at = Vec::new();
        for index in 0..self.stretches.len() {
            self.wanted_over(index, found, &mut |position, wanted, wait| {
                at.push((position, members(wanted), wait))
            });
        }
        for (position, wanted, wait) in at {
            let all = if wait { &mut found.waits } else { &mut found.partings };
            if let Some(kept) = all.get_mut(&position) {
                kept.wanted =
                    wanted.into_iter().filter(|reg| kept.live.binary_search(reg).is_ok()).collect();
            }
        }
    }

    fn collect(&mut self) -> Liveness {
        let mut found = Liveness::default();
        for index in 0..self.stretches.len() {
            let (live, before) = self.live_at_waits(index);
            self.forward_over(
                index,
                &live,
                self.stretches[index].held_in.clone(),
                &mut |position, held| {
                    let kept = |live: &Set| {
                        let stale =
                            live.iter().zip(held).map(|(live, held)| live & !held).collect();
                        Kept { live: members(live), stale: members(&stale), wanted: Vec::new() }
                    };
                    found.waits.extend(live.get(&position).map(|live| (position, kept(live))));
                    found.partings.extend(before.get(&position).map(|live| (position, kept(live))));
                },
            );
        }
        self.spread_wanted(&mut found);
        found.early = std::mem::take(&mut self.early);
        found.undefined =
            self.stretches.first().map(|first| members(&first.live_in)).unwrap_or_default();
        found
    }
}
