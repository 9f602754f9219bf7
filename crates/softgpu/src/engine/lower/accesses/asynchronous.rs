//! `cp.async` and `mbarrier`. The instruction copies at once, so a wait for copies needs no code.
//! Bulk copies with tensor maps are deliberately absent, because only architecture-specific code
//! uses them.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use crate::engine::exec::blocks::block::spin;
use crate::engine::exec::blocks::mbarrier;
use crate::engine::exec::memory::check;
use crate::engine::lower::function::{Lower, plain};
use crate::engine::lower::lowering::Lowered;
use crate::engine::lower::opcode::Opcode;
use crate::engine::syntax::ir::{Operand, Space};
use crate::engine::syntax::types::{Ty, int_type};

impl<'a> Lower<'a, '_> {
    /// Lowers `cp.async`.
    pub fn copy_async(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let words: Vec<&str> = op.modifiers().filter(|word| !word.starts_with("L2::")).collect();
        match (&words[..], operands) {
            (["async", "commit_group" | "wait_all"], []) | (["async", "wait_group"], [_]) => Ok(()),
            (["async", "mbarrier", "arrive", "noinc", rest @ .., "b64"], [address]) => {
                let pointer = self.barrier_address(op, rest, address)?;
                let (one, zero) = (self.int(32, 1), self.int(32, 0));
                self.compute(
                    mbarrier::arrive as *const () as usize,
                    &[pointer, one, zero, zero],
                    types::I64,
                );
                Ok(())
            }
            // The instruction adds one expected arrival and arrives at once, so the two cancel each
            // other.
            (["async", "mbarrier", "arrive", .., "b64"], [_]) => Ok(()),
            (["async", "ca" | "cg", "shared" | "shared::cta", "global"], [to, from, rest @ ..]) => {
                self.copy_now(op, to, from, rest)
            }
            _ => self.unsupported(op.text),
        }
    }

    /// Copies at once. The operands are `[to], [from], bytes{, bytes to read or a predicate to
    /// ignore}{, cache policy}`.
    fn copy_now(
        &mut self,
        op: Opcode<'a>,
        to: &'a Operand,
        from: &'a Operand,
        rest: &'a [Operand],
    ) -> Lowered<()> {
        let Some(Operand::Int(bytes @ (4 | 8 | 16))) = rest.first() else {
            return self.unsupported(op.text);
        };
        let bytes = *bytes as u32;
        let policy = usize::from(op.modifiers().any(|word| word == "L2::cache_hint"));
        let limit = if rest.len() > 1 + policy { rest.get(1) } else { None };
        let to = self.address(to, Some(Space::Shared))?;
        let from = self.address(from, Some(Space::Global))?;
        if rest.len() <= 1 + policy {
            self.check_at(&from, bytes, 0);
        }
        self.check_at(&to, bytes, check::WRITES | check::SHARED);
        let (to, from) = (self.pointer(&to, 0), self.pointer(&from, 0));
        let word = if bytes == 4 { 4 } else { 8 };
        let ty = int_type(word * 8);
        let Some(limit) = limit else {
            for at in (0..bytes).step_by(word as usize) {
                let value = self.b.ins().load(ty, plain(), from, at as i32);
                self.b.ins().store(plain(), value, to, at as i32);
            }
            return Ok(());
        };
        let limit = match limit {
            Operand::Reg(reg) if self.class(*reg) == types::I8 => {
                let ignored = self.read(limit, Ty::PRED)?;
                let (none, all) = (self.int(32, 0), self.int(32, u64::from(bytes)));
                self.b.ins().select(ignored, none, all)
            }
            _ => self.read(limit, Ty::U32)?,
        };
        let total = self.int(32, u64::from(bytes));
        self.helper(copy_partly as *const () as usize, &[to, from, limit, total], None);
        Ok(())
    }

    fn barrier_address(
        &mut self,
        op: Opcode<'a>,
        words: &[&str],
        address: &'a Operand,
    ) -> Lowered<Value> {
        let space = match words {
            [] => None,
            ["shared" | "shared::cta"] => Some(Space::Shared),
            ["shared::cluster"] => Some(Space::ClusterShared),
            _ => return self.unsupported(op.text),
        };
        let address = self.address(address, space)?;
        Ok(self.pointer(&address, 0))
    }

    /// Lowers `mbarrier`.
    pub fn mbarrier(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        const ORDERS: [&str; 8] =
            ["release", "acquire", "relaxed", "cta", "cluster", "sem", "scope", "acq_rel"];
        let words: Vec<&str> = op.modifiers().filter(|word| !ORDERS.contains(word)).collect();
        let [what, rest @ .., "b64"] = &words[..] else { return self.unsupported(op.text) };
        match (*what, operands) {
            ("init", [address, count]) => {
                let pointer = self.barrier_address(op, rest, address)?;
                let count = self.read(count, Ty::U32)?;
                self.helper(mbarrier::init as *const () as usize, &[pointer, count], None);
                Ok(())
            }
            ("inval", [_]) => Ok(()),
            ("arrive" | "arrive_drop", [state, address, amount @ ..]) => {
                self.arrive(op, *what == "arrive_drop", rest, state, address, amount)
            }
            ("expect_tx" | "complete_tx", [address, amount]) => {
                let pointer = self.barrier_address(op, rest, address)?;
                let (amount, zero) = (self.read(amount, Ty::U32)?, self.int(32, 0));
                let (expected, come) =
                    if *what == "expect_tx" { (amount, zero) } else { (zero, amount) };
                self.helper(
                    mbarrier::bytes as *const () as usize,
                    &[pointer, expected, come],
                    None,
                );
                Ok(())
            }
            ("test_wait" | "try_wait", [over, address, phase, ..]) => {
                self.test_phase(op, *what == "try_wait", rest, [over, address, phase])
            }
            ("pending_count", [count, state]) if rest.is_empty() => {
                let state = self.read(state, Ty::B64)?;
                let value = self.compute(
                    mbarrier::pending_count as *const () as usize,
                    &[state],
                    types::I32,
                );
                self.write(count, Ty::U32, value)
            }
            _ => self.unsupported(op.text),
        }
    }

    fn arrive(
        &mut self,
        op: Opcode<'a>,
        drop: bool,
        words: &[&str],
        state: &'a Operand,
        address: &'a Operand,
        amount: &'a [Operand],
    ) -> Lowered<()> {
        let (expects, words) = match words {
            ["expect_tx", rest @ ..] => (true, rest),
            ["noComplete", rest @ ..] => (false, rest),
            rest => (false, rest),
        };
        let pointer = self.barrier_address(op, words, address)?;
        let (one, zero) = (self.int(32, 1), self.int(32, 0));
        let amount = match amount {
            [amount] => Some(self.read(amount, Ty::U32)?),
            [] => None,
            _ => return self.unsupported(op.text),
        };
        let (arrivals, bytes) =
            if expects { (one, amount.unwrap_or(zero)) } else { (amount.unwrap_or(one), zero) };
        let drop = self.int(32, u64::from(drop));
        let before = self.compute(
            mbarrier::arrive as *const () as usize,
            &[pointer, arrivals, drop, bytes],
            types::I64,
        );
        self.write(state, Ty::B64, before)
    }

    /// Lowers a test of a phase, or a wait for the phase. Its parity identifies the phase, as does
    /// the state that an arrival returned.
    fn test_phase(
        &mut self,
        op: Opcode<'a>,
        waits: bool,
        words: &[&str],
        [over, address, phase]: [&'a Operand; 3],
    ) -> Lowered<()> {
        let (by_parity, words) = match words {
            ["parity", rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let pointer = self.barrier_address(op, words, address)?;
        let parity = if by_parity {
            self.read(phase, Ty::U32)?
        } else {
            let state = self.read(phase, Ty::B64)?;
            let parity = self.b.ins().ushr_imm_u(state, 63);
            self.b.ins().ireduce(types::I32, parity)
        };
        let found =
            self.compute(mbarrier::is_over as *const () as usize, &[pointer, parity], types::I32);
        let found = self.b.ins().icmp_imm_u(IntCC::NotEqual, found, 0);
        if !waits {
            return self.write(over, Ty::PRED, found);
        }
        let not_yet = self.b.ins().icmp_imm_u(IntCC::Equal, found, 0);
        let one = self.int(8, 1);
        self.write(over, Ty::PRED, one)?;
        // The phase can change only after other threads have run. Then the program tests the phase
        // again.
        self.when(not_yet, |lower| {
            lower.wait(|lower| {
                lower.helper(spin as *const () as usize, &[lower.block, lower.thread], None);
            })?;
            let zero = lower.int(8, 0);
            lower.write(over, Ty::PRED, zero)
        })
    }
}

/// Copies at most `limit` of `total` bytes. Fills the rest of the target with zeros.
unsafe extern "C" fn copy_partly(to: *mut u8, from: *const u8, limit: u32, total: u32) {
    let copied = limit.min(total) as usize;
    // SAFETY: the addresses come from the kernel, and a bad one faults like any bad access of the
    // kernel.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, copied);
        std::ptr::write_bytes(to.add(copied), 0, total as usize - copied);
    }
}
