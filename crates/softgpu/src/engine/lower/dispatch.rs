//! Selects the function that lowers an opcode.

use cranelift_codegen::ir::InstBuilder;

use super::function::Lower;
use super::opcode::Opcode;
use crate::engine::instruction;
use crate::engine::lower::lowering::Lowered;
use crate::engine::syntax::ir::Operand;
use crate::engine::syntax::types::{Ty, TypeKind};

impl<'a> Lower<'a, '_> {
    /// Lowers an instruction.
    pub fn instruction(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        self.record_nan_sensitivity(op, operands);
        let done = self.by_name(op, operands);
        self.sees_nans = true;
        done
    }

    fn by_name(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        self.fits_its_form(op, operands)?;
        if let Some(done) = self.lanes_of_register(op, operands).or_else(|| self.hint(op, operands))
        {
            return done;
        }
        match op.base {
            "mma" | "wmma" | "ldmatrix" | "stmatrix" | "movmatrix" => self.matrix(op, operands),
            "cp" => self.copy_async(op, operands),
            "st" | "red" if op.has("async") => self.counted_store(op, operands),
            "mbarrier" => {
                self.check_order();
                self.mbarrier(op, operands)
            }
            "mov" => self.mov(op, operands),
            "ld" | "ldu" => self.load(op, operands),
            "st" => self.store(op, operands),
            "atom" | "red" => self.atomic(op, operands),
            "alloca" | "stacksave" | "stackrestore" => self.local_memory(op, operands),
            "cvta" => self.cvta(op, operands),
            "isspacep" => self.isspacep(op, operands),
            "mapa" | "getctarank" => self.cluster_address(op, operands),
            "prefetch" | "prefetchu" | "discard" | "applypriority" | "pmevent" => Ok(()),
            "membar" | "fence" => {
                self.b.ins().fence();
                self.check_order();
                Ok(())
            }
            "cvt" => self.convert(op, operands),
            "setp" | "set" => self.compare(op, operands),
            "selp" => self.select(op, operands),
            "slct" => self.select_by_sign(op, operands),
            "bra" | "brx" | "call" | "ret" | "exit" | "trap" | "brkpt" | "nanosleep" => {
                self.control(op, operands)
            }
            "tex" | "tld4" => self.texture(op, operands),
            "suld" | "sust" => self.surface(op, operands),
            "txq" | "suq" => self.query_image(op, operands),
            "bar" | "barrier" | "shfl" | "vote" | "match" | "activemask" | "redux" | "elect" => {
                self.warp(op, operands)
            }
            _ => self.arithmetic(op, operands),
        }
    }

    /// Rejects instructions that are not in the table.
    fn fits_its_form(&self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let Some(form) = op.form else { return self.unsupported(instruction::refused(op.text)) };
        match form.complaint(operands, |index| op.types().nth(index)) {
            Some(complaint) => self.malformed(format!("{}: {complaint}", op.text)),
            None => Ok(()),
        }
    }

    fn arithmetic(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let Some(ty) = op.last_type() else { return self.unsupported(op.text) };
        if ty.half() && op.types().next() == Some(Ty::F32) {
            return self.mixed(op, ty, operands);
        }
        if ty.half() {
            return self.half(op, ty, operands);
        }
        if ty.native_float() {
            return self.float_op(op, ty, operands);
        }
        match ty.kind {
            TypeKind::Pred => self.predicate(op, operands),
            _ => self.integer(op, ty, operands),
        }
    }

    fn predicate(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let a = self.read(&operands[1], Ty::PRED)?;
        if op.base == "not" {
            let one = self.int(8, 1);
            let value = self.b_xor(a, one);
            return self.write(&operands[0], Ty::PRED, value);
        }
        let Some(second) = operands.get(2) else { return self.unsupported(op.text) };
        let b = self.read(second, Ty::PRED)?;
        let value = self.combine(op.base, a, b, op)?;
        self.write(&operands[0], Ty::PRED, value)
    }
}
