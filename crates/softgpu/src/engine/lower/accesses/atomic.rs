//! `atom` and `red`. Atomic operations on shared memory are plain reads and writes, because one
//! core runs all threads that share the memory, even in a cluster.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AtomicRmwOp, InstBuilder, Value, types};

use crate::engine::exec::arithmetic::math;
use crate::engine::exec::arithmetic::math::Update;
use crate::engine::lower::function::{Lower, plain};
use crate::engine::lower::lowering::Lowered;
use crate::engine::lower::opcode::Opcode;
use crate::engine::syntax::ir::{Operand, Space};
use crate::engine::syntax::types::{Ty, TypeKind, int_type};

impl<'a> Lower<'a, '_> {
    /// Lowers `atom` and `red`.
    pub fn atomic(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let Some(ty) = op.last_type() else { return self.unsupported(op.text) };
        if op.lanes() > 1 {
            return self.unsupported(op.text);
        }
        if ty.bits == 128 {
            return self.atomic_wide(op, operands);
        }
        let what =
            op.one_of(&["add", "and", "or", "xor", "exch", "cas", "min", "max", "inc", "dec"]);
        let Some(what) = what else { return self.unsupported(op.text) };
        let reduction = op.base == "red";
        let inputs = if reduction { operands } else { &operands[1..] };
        let (Some(address), Some(first)) = (inputs.first(), inputs.get(1)) else {
            return self.malformed(format!("{} has too few operands", op.text));
        };
        let address = self.address(address, op.space())?;
        let pointer = self.pointer(&address, 0);
        self.check(op, &address, ty.bytes(), true, None);
        let bits =
            Ty { kind: if ty.signed() { TypeKind::Signed } else { TypeKind::Bits }, bits: ty.bits };
        let float = ty.native_float() || ty.half();
        let operand = self.read(first, if float { ty } else { bits })?;
        let old = if what == "cas" {
            let Some(new) = inputs.get(2) else { return self.malformed("cas needs a new value") };
            let new = self.read(new, bits)?;
            self.b.ins().atomic_cas(plain(), pointer, operand, new)
        } else if let Some(update) = update(what, ty, float) {
            self.update(update, ty, pointer, operand)
        } else if float && what != "exch" {
            return self.unsupported(op.text);
        } else {
            let operand = self.coerce(operand, bits.clif(), false);
            self.exchange(what, op.space().is_some_and(Space::is_shared), ty, pointer, operand)
        };
        if reduction {
            return Ok(());
        }
        self.write(&operands[0], bits, old)
    }

    /// Lowers `cas` and `exch` on 16 bytes.
    fn atomic_wide(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let b128 = Ty { kind: TypeKind::Bits, bits: 128 };
        let (compared, new) = match (op.base, op.one_of(&["cas", "exch"]), operands) {
            ("atom", Some("cas"), [_, _, compared, new, ..]) => (Some(compared), new),
            ("atom", Some("exch"), [_, _, new, ..]) => (None, new),
            _ => return self.unsupported(op.text),
        };
        if !std::arch::is_x86_feature_detected!("cmpxchg16b") {
            return self.unsupported(op.text);
        }
        let address = self.address(&operands[1], op.space())?;
        let pointer = self.pointer(&address, 0);
        self.check(op, &address, 16, true, None);
        let new = self.read(new, b128)?;
        let (new_low, new_high) = self.b.ins().isplit(new);
        let old = self.temporary();
        let old = self.b.ins().stack_addr(types::I64, old, 0);
        let always = self.int(32, u64::from(compared.is_none()));
        let (low, high) = match compared {
            Some(compared) => {
                let compared = self.read(compared, b128)?;
                self.b.ins().isplit(compared)
            }
            None => (new_low, new_high),
        };
        self.helper(
            math::exchange128 as *const () as usize,
            &[pointer, low, high, new_low, new_high, old, always],
            None,
        );
        let value = self.b.ins().load(types::I128, plain(), old, 0);
        self.write(&operands[0], b128, value)
    }

    fn update(&mut self, update: Update, ty: Ty, pointer: Value, operand: Value) -> Value {
        let wide = self.coerce(operand, types::I64, false);
        let what = self.int(32, update as u64);
        let old =
            self.compute(math::update as *const () as usize, &[what, pointer, wide], types::I64);
        self.coerce(old, int_type(ty.bits), false)
    }

    fn exchange(
        &mut self,
        what: &str,
        shared: bool,
        ty: Ty,
        pointer: Value,
        operand: Value,
    ) -> Value {
        let clif = int_type(ty.bits);
        if !shared {
            let operation = match (what, ty.signed()) {
                ("add", _) => AtomicRmwOp::Add,
                ("and", _) => AtomicRmwOp::And,
                ("or", _) => AtomicRmwOp::Or,
                ("xor", _) => AtomicRmwOp::Xor,
                ("min", true) => AtomicRmwOp::Smin,
                ("min", false) => AtomicRmwOp::Umin,
                ("max", true) => AtomicRmwOp::Smax,
                ("max", false) => AtomicRmwOp::Umax,
                _ => AtomicRmwOp::Xchg,
            };
            return self.b.ins().atomic_rmw(clif, plain(), operation, pointer, operand);
        }
        let old = self.b.ins().load(clif, plain(), pointer, 0);
        let new = match (what, ty.signed()) {
            ("add", _) => self.b.ins().iadd(old, operand),
            ("and", _) => self.b.ins().band(old, operand),
            ("or", _) => self.b.ins().bor(old, operand),
            ("xor", _) => self.b.ins().bxor(old, operand),
            ("min" | "max", signed) => {
                let condition =
                    if signed { IntCC::SignedLessThan } else { IntCC::UnsignedLessThan };
                let less = self.b.ins().icmp(condition, old, operand);
                let (yes, no) = if what == "min" { (old, operand) } else { (operand, old) };
                self.b.ins().select(less, yes, no)
            }
            _ => operand,
        };
        self.b.ins().store(plain(), new, pointer, 0);
        old
    }
}

fn update(what: &str, ty: Ty, float: bool) -> Option<Update> {
    Some(match (what, ty.kind, ty.bits) {
        ("inc", _, 32) => Update::Inc,
        ("dec", _, 32) => Update::Dec,
        _ if !float => return None,
        ("add", TypeKind::Float, 64) => Update::AddF64,
        ("add", TypeKind::Float, 32) => Update::AddF32,
        ("add", TypeKind::Float, _) => Update::AddF16,
        ("add", TypeKind::Bf16, _) => Update::AddBf16,
        ("add", TypeKind::F16x2, _) => Update::AddF16x2,
        ("add", TypeKind::Bf16x2, _) => Update::AddBf16x2,
        ("min", TypeKind::Float, 32) => Update::MinF32,
        ("max", TypeKind::Float, 32) => Update::MaxF32,
        _ => return None,
    })
}
