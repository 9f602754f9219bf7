//! Finds the values that are equal, or differ by a constant, in a group: four neighbouring threads
//! of a block that run in step. This is a flow-insensitive divergence analysis, with one form for
//! each register. It ignores control flow, because threads that diverge are no longer in step.

use std::arch::is_x86_feature_detected;

use cranelift_codegen::ir::{Type, types};

use super::liveness::registers;
use crate::engine::exec::blocks::limits::GROUP;
use crate::engine::link::Linked;
use crate::engine::lower::analysis::waiting::Rounds;
use crate::engine::lower::opcode::Opcode;
use crate::engine::syntax::ir::{Body, Instruction, Module, Operand, Reg, Space, Statement};
use crate::engine::syntax::types::{Ty, int_type};

/// Maximum number of statements in a kernel. Longer kernels do not justify the time for a second
/// compilation.
const STATEMENTS_MAX: usize = 1000;
/// Maximum stride for which the last lane shows whether any lane's sum wraps.
const STRIDE_MAX: i64 = 1 << 28;

/// How the values of a register differ between the lanes of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Lane n has the first lane's value plus n times the stride. With stride 0, all lanes have
    /// equal values.
    Affine(i64),
    /// One vector of four values, in which predicates are masks.
    Vector,
    /// Four separate values.
    Lanes,
}

/// How a group executes an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Once, like a single thread, with the first lane's values.
    Once,
    /// Like `Once`, if the lanes' values of the operand, as 32-bit numbers, are monotonic.
    Ordered {
        operand: usize,
        stride: i64,
        signed: bool,
    },
    Vector,
    /// One lane after the other.
    ByLane,
    Branch,
    Barrier,
    /// As a collective of the warp.
    Meet,
    Leave,
    /// Not as a group: the group splits, and its threads continue one by one.
    Alone,
}

/// The results of the analysis.
pub struct Uniformity {
    forms: Vec<Option<Form>>,
    /// How each statement runs, with its result's form. `None` for statements that are not
    /// instructions.
    hows: Vec<Option<(How, Form)>>,
}

struct Analysis<'a> {
    module: &'a Module,
    body: &'a Body,
    classes: &'a [Type],
    rounds: &'a Rounds<'a>,
    forms: Vec<Option<Form>>,
}

/// Analyses a kernel.
pub fn analyse(module: &Module, body: &Body, classes: &[Type], rounds: &Rounds<'_>) -> Uniformity {
    let mut analysis = Analysis {
        module,
        body,
        classes,
        rounds,
        forms: vec![Some(Form::Affine(0)); classes.len()],
    };
    analysis.forget_written();
    while analysis.pass() {}
    let hows = (0..body.statements.len()).map(|position| analysis.how(position)).collect();
    Uniformity { forms: analysis.forms, hows }
}

/// Returns whether the kernel's code can run threads in groups at all.
pub fn possible(linked: &Linked, module: &Module, body: &Body, classes: &[Type]) -> bool {
    let plain = |variable: &crate::engine::syntax::ir::Variable| {
        !matches!(variable.space, Space::Local | Space::Param)
    };
    let called = |statement: &Statement| {
        matches!(statement, Statement::Instruction(instruction)
        if opcode(module, instruction).base == "call")
    };
    is_x86_feature_detected!("avx")
        && is_x86_feature_detected!("fma")
        && !linked.checked
        && body.variables.iter().all(plain)
        && classes.iter().all(|class| class.bits() <= 64)
        && !body.statements.iter().any(called)
}

/// Returns whether the kernel is likely to be faster in groups.
pub fn pays(module: &Module, body: &Body, classes: &[Type], rounds: &Rounds<'_>) -> bool {
    if body.statements.len() > STATEMENTS_MAX {
        return false;
    }
    let found = analyse(module, body, classes, rounds);
    let count = |wanted: How| found.hows.iter().flatten().filter(|(how, _)| *how == wanted).count();
    let goes_round =
        body.statements.iter().enumerate().any(|(position, statement)| match statement {
            Statement::Instruction(instruction) => {
                matches!(&instruction.operands[..], [Operand::Name(label, _), ..]
                if rounds.has(position, label))
            }
            _ => false,
        });
    !goes_round && count(How::ByLane) * 2 <= found.hows.iter().flatten().count()
}

fn opcode<'a>(module: &'a Module, instruction: &Instruction) -> Opcode<'a> {
    Opcode::of(module, instruction)
}

/// Returns whether an instruction is a barrier for all threads and has no result.
fn plain_barrier(op: Opcode<'_>, operands: &[Operand]) -> bool {
    let other = ["warp", "cluster", "red", "arrive"].iter().any(|modifier| op.has(modifier));
    matches!(op.base, "bar" | "barrier") && !other && matches!(operands, [Operand::Int(0)])
}

/// Returns whether an instruction with this name accesses only registers.
fn computes(base: &str) -> bool {
    const BASES: [&str; 46] = [
        "mov", "add", "sub", "mul", "mad", "fma", "neg", "abs", "min", "max", "cvt", "cvta",
        "setp", "set", "selp", "slct", "and", "or", "xor", "not", "cnot", "shl", "shr", "shf",
        "lop3", "prmt", "bfe", "bfi", "popc", "clz", "brev", "bfind", "sad", "div", "rem", "mul24",
        "mad24", "sqrt", "rsqrt", "rcp", "ex2", "lg2", "sin", "cos", "tanh", "testp",
    ];
    BASES.contains(&base)
}

impl Uniformity {
    /// Returns the form of a register.
    pub fn form(&self, reg: Reg) -> Form {
        self.forms[reg as usize].unwrap_or(Form::Affine(0))
    }

    /// Returns how a group executes a statement.
    pub fn how(&self, position: usize) -> How {
        self.hows[position].map_or(How::Alone, |(how, _)| how)
    }

    /// Returns the difference between neighbouring lanes, for a result that is computed once.
    pub fn stride(&self, position: usize) -> i64 {
        match self.hows[position] {
            Some((_, Form::Affine(stride))) => stride,
            _ => 0,
        }
    }

    /// Returns whether a group may split at an instruction. Possible reasons are a guard that
    /// differs between lanes, an instruction that cannot run in step, and values that wrap.
    pub fn may_part(&self, position: usize, instruction: &Instruction) -> bool {
        let disagree =
            instruction.guard.is_some_and(|guard| !matches!(self.form(guard.reg), Form::Affine(_)));
        disagree || matches!(self.how(position), How::Alone | How::Meet | How::Ordered { .. })
    }
}

impl Analysis<'_> {
    fn written(&self, instruction: &Instruction, each: &mut dyn FnMut(Reg)) {
        if let Some(operand) = opcode(self.module, instruction).written(&instruction.operands) {
            registers(operand, each);
        }
    }

    fn forget_written(&mut self) {
        for statement in &self.body.statements {
            let Statement::Instruction(instruction) = statement else { continue };
            let mut all = Vec::new();
            self.written(instruction, &mut |reg| all.push(reg));
            all.into_iter().for_each(|reg| self.forms[reg as usize] = None);
        }
    }

    /// Updates all forms and returns whether any changed. A form only changes from unknown to
    /// affine and from affine to another, so repeated passes end.
    fn pass(&mut self) -> bool {
        let mut changed = false;
        for position in 0..self.body.statements.len() {
            let (Some((_, form)), Statement::Instruction(instruction)) =
                (self.how(position), &self.body.statements[position])
            else {
                continue;
            };
            let mut all = Vec::new();
            self.written(instruction, &mut |reg| all.push(reg));
            for reg in all {
                let joined = match self.forms[reg as usize] {
                    Some(known) if known != form => self.different(reg),
                    _ if !matches!(form, Form::Affine(_)) => self.different(reg),
                    _ => form,
                };
                changed |= self.forms[reg as usize] != Some(joined);
                self.forms[reg as usize] = Some(joined);
            }
        }
        changed
    }

    fn class(&self, reg: Reg) -> Type {
        self.classes[reg as usize]
    }

    fn different(&self, reg: Reg) -> Form {
        if matches!(self.class(reg), types::I8 | types::I32 | types::F32) {
            Form::Vector
        } else {
            Form::Lanes
        }
    }

    /// Returns the form of a source operand, or `None` while the form is unknown.
    fn source(&self, operand: &Operand) -> Option<Form> {
        if let Operand::Special(name) = operand {
            let base = name.split('.').next().unwrap_or(name);
            return Some(match (base, &**name) {
                (_, "%tid.x" | "%tid" | "%laneid") => Form::Affine(1),
                (
                    "%clock" | "%clock64" | "%clock_hi" | "%globaltimer" | "%globaltimer_lo"
                    | "%globaltimer_hi",
                    _,
                ) => Form::Lanes,
                _ if base.starts_with("%lanemask") => Form::Lanes,
                _ => Form::Affine(0),
            });
        }
        let mut form = Some(Form::Affine(0));
        let single = matches!(operand, Operand::Reg(_));
        registers(operand, &mut |reg| {
            form = match (form, self.forms[reg as usize]) {
                (Some(_), Some(own)) if single => Some(own),
                (Some(Form::Affine(0)), Some(Form::Affine(0))) => Some(Form::Affine(0)),
                (Some(_), Some(_)) => Some(Form::Lanes),
                _ => None,
            }
        });
        form
    }

    fn how(&self, position: usize) -> Option<(How, Form)> {
        let Statement::Instruction(instruction) = &self.body.statements[position] else {
            return None;
        };
        let (op, operands) = (opcode(self.module, instruction), &instruction.operands[..]);
        let different = |how| Some((how, Form::Lanes));
        match op.base {
            _ if plain_barrier(op, operands) => different(How::Barrier),
            _ if self.meets(op, operands) => different(How::Meet),
            _ if op.waits() || op.has("async") => different(How::Alone),
            "bra" => match operands.first() {
                Some(Operand::Name(label, _)) if !self.rounds.has(position, label) => {
                    different(How::Branch)
                }
                _ => different(How::Alone),
            },
            "ret" | "exit" => different(How::Leave),
            "membar" | "fence" => different(How::Once),
            "ld" | "ldu" => self.load(op, operands),
            "st" => self.store(op, operands),
            "atom" | "red" | "tex" | "tld4" | "suld" | "sust" | "txq" | "suq" | "isspacep" => {
                different(How::ByLane)
            }
            "addc" | "subc" | "madc" => different(How::ByLane),
            base if computes(base) && op.has("cc") => different(How::ByLane),
            base if computes(base) => self.compute(op, operands),
            _ => different(How::Alone),
        }
    }

    /// Returns whether an instruction is a collective whose mask, the last operand, is the same for
    /// all lanes.
    fn meets(&self, op: Opcode<'_>, operands: &[Operand]) -> bool {
        let collective = matches!(op.base, "shfl" | "vote" | "match" | "redux")
            || op.base == "bar" && op.has("warp");
        collective
            && op.has("sync")
            && operands.last().is_some_and(|mask| self.source(mask) == Some(Form::Affine(0)))
    }

    /// Returns the form of an address without its constant offset.
    fn address(&self, operand: Option<&Operand>) -> Option<Form> {
        match operand {
            Some(Operand::Address(base, _)) => self.source(base),
            _ => Some(Form::Lanes),
        }
    }

    /// Returns whether each lane accesses 32 bits and the lanes' addresses are contiguous.
    fn side_by_side(&self, op: Opcode<'_>, address: Form, value: &Operand) -> bool {
        let class = match value {
            Operand::Reg(reg) => Some(self.class(*reg)),
            Operand::Int(_) | Operand::F32(_) => Some(types::I32),
            _ => None,
        };
        let fits = op.last_type().is_some_and(|ty| ty.bits == 32)
            && op.lanes() == 1
            && matches!(class, Some(types::I32 | types::F32));
        fits && address == Form::Affine(4)
    }

    fn ordered(op: Opcode<'_>) -> bool {
        op.one_of(&["volatile", "relaxed", "acquire", "release", "mmio"]).is_some()
    }

    fn load(&self, op: Opcode<'_>, operands: &[Operand]) -> Option<(How, Form)> {
        let address = self.address(operands.get(1))?;
        Some(if Self::ordered(op) {
            (How::ByLane, Form::Lanes)
        } else if address == Form::Affine(0) {
            (How::Once, Form::Affine(0))
        } else if operands.first().is_some_and(|value| self.side_by_side(op, address, value)) {
            (How::Vector, Form::Vector)
        } else {
            (How::ByLane, Form::Lanes)
        })
    }

    fn store(&self, op: Opcode<'_>, operands: &[Operand]) -> Option<(How, Form)> {
        let (address, value) = (self.address(operands.first())?, operands.get(1)?);
        let form = self.source(value)?;
        let how = if Self::ordered(op) {
            How::ByLane
        } else if address == Form::Affine(0) && form == Form::Affine(0) {
            How::Once
        } else if self.side_by_side(op, address, value) {
            How::Vector
        } else {
            How::ByLane
        };
        Some((how, Form::Lanes))
    }

    fn compute(&self, op: Opcode<'_>, operands: &[Operand]) -> Option<(How, Form)> {
        let sources = operands
            .iter()
            .skip(1)
            .map(|operand| self.source(operand))
            .collect::<Option<Vec<_>>>()?;
        if sources.iter().all(|form| *form == Form::Affine(0)) {
            return Some((How::Once, Form::Affine(0)));
        }
        if let Some((how, stride)) = self.affine(op, operands) {
            return Some((how, Form::Affine(stride)));
        }
        Some((if self.fits_vectors(op, operands) { How::Vector } else { How::ByLane }, Form::Lanes))
    }

    /// Returns the difference between neighbouring lanes of an integer operand with exactly `bits`
    /// bits.
    fn stride(&self, operand: Option<&Operand>, bits: u32) -> Option<i64> {
        match operand? {
            Operand::Reg(reg) if self.class(*reg) != int_type(bits) => None,
            operand => match self.source(operand)? {
                Form::Affine(stride) => Some(stride),
                _ => None,
            },
        }
    }

    /// Returns the stride of a linear instruction's result if all sources are affine.
    fn affine(&self, op: Opcode<'_>, operands: &[Operand]) -> Option<(How, i64)> {
        let ty = op
            .last_type()
            .filter(|ty| ty.integer() && matches!(ty.bits, 32 | 64) && !op.has("sat"))?;
        let wide = op.has("wide");
        let result = match op.base {
            "cvt" => op.types().next().filter(|ty| ty.integer() && ty.bits >= 32)?.bits,
            _ => {
                if wide {
                    ty.bits * 2
                } else {
                    ty.bits
                }
            }
        };
        if !matches!(operands.first(), Some(Operand::Reg(reg))
            if self.class(*reg) == int_type(result))
        {
            return None;
        }
        let at = |index: usize| self.stride(operands.get(index), ty.bits);
        let stride = match op.base {
            "mov" => at(1)?,
            "cvta" if !op.space().is_some_and(Space::is_shared) || self.module.sm < 90 => at(1)?,
            "add" => at(1)?.wrapping_add(at(2)?),
            "sub" => at(1)?.wrapping_sub(at(2)?),
            "neg" => at(1)?.wrapping_neg(),
            "shl" => match operands.get(2)? {
                Operand::Int(amount) if *amount < u64::from(ty.bits) => {
                    at(1)?.wrapping_shl(*amount as u32)
                }
                _ => return None,
            },
            "mul" | "mad" if wide || op.has("lo") => return self.product(op, ty, operands, result),
            "cvt" if result > ty.bits => {
                return self.extended(1, at(1)?, ty).map(|how| (how, at(1).unwrap_or(0)));
            }
            "cvt" => at(1)?,
            "selp" if at(1)? == at(2)? && self.source(operands.get(3)?)? == Form::Affine(0) => {
                at(1)?
            }
            _ => return None,
        };
        Some((How::Once, cut(stride, result)))
    }

    fn product(
        &self,
        op: Opcode<'_>,
        ty: Ty,
        operands: &[Operand],
        result: u32,
    ) -> Option<(How, i64)> {
        let (of, factor) = match (operands.get(1)?, operands.get(2)?) {
            (_, Operand::Int(factor)) => (1, *factor as i64),
            (Operand::Int(factor), _) => (2, *factor as i64),
            (a, b)
                if self.stride(Some(a), ty.bits)? == 0 && self.stride(Some(b), ty.bits)? == 0 =>
            {
                (1, 0)
            }
            _ => return None,
        };
        // A literal has the width of the instruction's type.
        let factor = if ty.signed() || result == ty.bits {
            cut(factor, ty.bits)
        } else {
            (factor as u64 & (u64::MAX >> (64 - ty.bits))) as i64
        };
        let own = self.stride(operands.get(of), ty.bits)?;
        let mut stride = own.wrapping_mul(factor);
        if op.base == "mad" {
            stride = stride.wrapping_add(self.stride(operands.get(3), result)?);
        }
        let how = if result > ty.bits { self.extended(of, own, ty)? } else { How::Once };
        Some((how, cut(stride, result)))
    }

    /// Returns how a group extends an affine 32-bit operand.
    fn extended(&self, operand: usize, stride: i64, ty: Ty) -> Option<How> {
        (ty.bits == 32 && stride.abs() <= STRIDE_MAX).then_some(match stride {
            0 => How::Once,
            _ => How::Ordered { operand, stride, signed: ty.signed() },
        })
    }

    /// Returns whether `arithmetic::vector` supports the instruction.
    fn fits_vectors(&self, op: Opcode<'_>, operands: &[Operand]) -> bool {
        let word = |operand: &Operand| match operand {
            Operand::Reg(reg) => matches!(self.class(*reg), types::I32 | types::F32),
            Operand::Int(_) | Operand::F32(_) => true,
            Operand::Special(_) => {
                self.source(operand).is_some_and(|form| matches!(form, Form::Affine(_)))
            }
            _ => false,
        };
        let predicate = |operand: &Operand| {
            let inner = if let Operand::Not(inner) = operand { inner } else { operand };
            matches!(inner, Operand::Reg(reg) if self.class(*reg) == types::I8)
        };
        let number = |operand: Option<&Operand>| {
            matches!(operand, Some(Operand::Int(amount))
            if *amount < 32)
        };
        let (Some(ty), [to, sources @ ..]) = (op.last_type(), operands) else { return false };
        let (one, words) = (op.types().count() == 1, word(to) && sources.iter().all(word));
        if ty == Ty::PRED {
            return one
                && matches!(op.base, "mov" | "and" | "or" | "xor" | "not")
                && operands.iter().all(predicate);
        }
        match op.base {
            _ if ty.bits != 32 || op.has("sat") && !ty.native_float() => false,
            "setp" => {
                one && !ty.half()
                    && predicate(to)
                    && matches!(to, Operand::Reg(_))
                    && match sources {
                        [a, b] => word(a) && word(b),
                        [a, b, c] => word(a) && word(b) && predicate(c),
                        _ => false,
                    }
            }
            "selp" => {
                one && matches!(sources, [a, b, p]
                    if word(to) && word(a) && word(b) && predicate(p))
            }
            "mov" => one && words,
            "cvt" => {
                let signed = Ty { kind: crate::engine::syntax::types::TypeKind::Signed, bits: 32 };
                let all: Vec<Ty> = op.types().collect();
                let float = all[..] == [Ty::F32, signed] && op.rounding() == 0;
                words
                    && !op.has("sat")
                    && !op.has("relu")
                    && (float || all[..] == [signed, Ty::F32])
            }
            _ if !one || !words => false,
            "min" | "max" => {
                sources.len() == 2
                    && !op.has("relu")
                    && !op.has("xorsign")
                    && (ty.native_float() || ty.integer())
            }
            "add" | "sub" | "neg" | "abs" if ty.integer() => true,
            "and" | "or" | "xor" | "not" => ty.integer(),
            "mul" | "mad" if ty.integer() => op.has("lo"),
            "shl" | "shr" => ty.integer() && number(sources.get(1)),
            "lop3" => op.one_of(&["or", "and"]).is_none(),
            "add" | "sub" | "mul" | "fma" | "mad" | "div" | "sqrt" | "rcp" | "rsqrt" | "neg"
            | "abs" => ty.native_float() && op.rounding() == 0,
            _ => false,
        }
    }
}

/// Returns the stride as it appears in registers of `bits` bits.
fn cut(stride: i64, bits: u32) -> i64 {
    if bits == 32 { i64::from(stride as i32) } else { stride }
}

/// Returns the indices of a group's lanes.
pub fn lanes() -> std::ops::Range<u8> {
    0..GROUP as u8
}
