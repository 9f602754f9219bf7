//! Moves, loads, stores and address-space conversions.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use crate::engine::exec::blocks::block::{Block, Thread};
use crate::engine::exec::memory::{alloca, check};
use crate::engine::lower::function::{Lower, constant, plain};
use crate::engine::lower::lowering::Lowered;
use crate::engine::lower::opcode::Opcode;
use crate::engine::lower::values::Address;
use crate::engine::syntax::ir::{Operand, Space};
use crate::engine::syntax::types::{Ty, TypeKind, int_type};

/// First `.target` that supports clusters.
const CLUSTERS_SM: u32 = 90;
/// Maximum alignment for local memory that a thread allocates.
const ALIGN_BYTES_MAX: u64 = 4096;

impl<'a> Lower<'a, '_> {
    /// Lowers `mov`.
    pub fn mov(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let Some(ty) = op.last_type() else { return self.unsupported(op.text) };
        match (&operands[0], &operands[1]) {
            (Operand::Vector(to), Operand::Vector(from)) if to.len() == from.len() => {
                let part = Ty { kind: TypeKind::Bits, bits: ty.bits / to.len().max(1) as u32 };
                // The code reads all sources before it writes any target, because the move may swap
                // registers.
                let values =
                    from.iter().map(|from| self.read(from, part)).collect::<Lowered<Vec<_>>>()?;
                to.iter().zip(values).try_for_each(|(to, value)| self.write(to, part, value))
            }
            (Operand::Vector(parts), from) => self.unpack(ty, parts, from),
            (to, Operand::Vector(parts)) => self.pack(ty, to, parts),
            (to, from) => {
                let ty = self.neutral(ty, operands);
                let value = self.read(from, ty)?;
                self.write(to, ty, value)
            }
        }
    }

    fn part(&self, ty: Ty, parts: usize) -> Lowered<Ty> {
        match (parts, ty.bits / parts.max(1) as u32) {
            (2 | 4, bits @ (8 | 16 | 32 | 64)) => Ok(Ty { kind: TypeKind::Bits, bits }),
            _ => self.unsupported("a vector of this shape"),
        }
    }

    fn unpack(&mut self, ty: Ty, parts: &[Operand], from: &Operand) -> Lowered<()> {
        let part = self.part(ty, parts.len())?;
        let whole = self.read(from, Ty { kind: TypeKind::Bits, ..ty })?;
        for (index, to) in parts.iter().enumerate() {
            let value = if ty.bits == 128 && parts.len() == 2 {
                let (low, high) = self.b.ins().isplit(whole);
                if index == 0 { low } else { high }
            } else {
                let down = self.b.ins().ushr_imm_u(whole, index as i64 * i64::from(part.bits));
                self.b.ins().ireduce(part.clif(), down)
            };
            self.write(to, part, value)?;
        }
        Ok(())
    }

    fn pack(&mut self, ty: Ty, to: &Operand, parts: &[Operand]) -> Lowered<()> {
        let part = self.part(ty, parts.len())?;
        let whole = Ty { kind: TypeKind::Bits, ..ty };
        let mut values = Vec::new();
        for operand in parts {
            values.push(self.read(operand, part)?);
        }
        if ty.bits == 128 && values.len() == 2 {
            let both = self.b.ins().iconcat(values[0], values[1]);
            return self.write(to, whole, both);
        }
        let mut result = None;
        for (index, value) in values.into_iter().enumerate() {
            let wide = self.b.ins().uextend(int_type(ty.bits), value);
            let placed = self.b.ins().ishl_imm_u(wide, index as i64 * i64::from(part.bits));
            result = Some(match result {
                None => placed,
                Some(so_far) => self.b.ins().bor(so_far, placed),
            });
        }
        match result {
            Some(value) => self.write(to, whole, value),
            None => self.malformed("an empty vector"),
        }
    }

    /// Returns one operand for each element of a vector access.
    fn elements<'o>(&self, op: Opcode<'_>, operand: &'o Operand) -> Lowered<Vec<&'o Operand>> {
        let elements: Vec<&Operand> = match operand {
            Operand::Vector(all) => all.iter().collect(),
            single => vec![single],
        };
        if elements.len() != op.lanes() {
            return self.malformed(format!("{} with {} elements", op.text, elements.len()));
        }
        Ok(elements)
    }

    /// Lowers `ld`.
    pub fn load(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let Some(ty) = op.last_type() else { return self.unsupported(op.text) };
        let space = op.space();
        let address = self.address(&operands[1], space)?;
        let ordered = op.one_of(&["volatile", "relaxed", "acquire", "mmio"]).is_some();
        let elements = self.elements(op, &operands[0])?;
        self.check(op, &address, elements.len() as u32 * ty.bytes(), false, None);
        let flags = if space == Some(Space::Param)
            && self.function.kernel
            && self.is_parameter(&operands[1])
        {
            constant()
        } else {
            plain()
        };
        let mut values = Vec::new();
        for (index, element) in elements.iter().enumerate() {
            let held = self.neutral(ty, std::slice::from_ref(*element));
            let extra = index as i64 * i64::from(ty.bytes());
            let value = if ordered && ty.bits <= 64 {
                let pointer = self.pointer(&address, extra);
                let bits = self.b.ins().atomic_load(int_type(ty.bits), plain(), pointer);
                self.coerce(bits, held.clif(), false)
            } else {
                let (base, offset) = self.split(&address, extra);
                self.b.ins().load(held.clif(), flags, base, offset)
            };
            values.push((*element, held, value));
        }
        // The code writes all registers after all reads, because one of them may hold the address.
        for (element, held, value) in values {
            self.write(element, held, value)?;
        }
        Ok(())
    }

    fn is_parameter(&self, operand: &Operand) -> bool {
        matches!(operand, Operand::Address(base, _) if matches!(**base, Operand::Name(..)))
    }

    /// Returns the base and the offset of an address. The offset fits in an instruction.
    pub fn split(&mut self, address: &Address, extra: i64) -> (Value, i32) {
        match i32::try_from(address.offset.wrapping_add(extra)) {
            Ok(offset) => (address.base, offset),
            Err(_) => (self.pointer(address, extra), 0),
        }
    }

    /// Lowers `st`.
    pub fn store(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let Some(ty) = op.last_type() else { return self.unsupported(op.text) };
        let address = self.address(&operands[0], op.space())?;
        let elements = self.elements(op, &operands[1])?;
        for (index, element) in elements.iter().enumerate() {
            let held = self.neutral(ty, std::slice::from_ref(*element));
            let value = self.read(element, held)?;
            if index == 0 {
                let single = (elements.len() == 1 && ty.bits <= 64).then_some(value);
                self.check(op, &address, elements.len() as u32 * ty.bytes(), true, single);
            }
            let (base, offset) = self.split(&address, index as i64 * i64::from(ty.bytes()));
            self.b.ins().store(plain(), value, base, offset);
        }
        Ok(())
    }

    /// Generates the check of an instruction's access, in checked code.
    pub fn check(
        &mut self,
        op: Opcode<'_>,
        address: &Address,
        bytes: u32,
        writes: bool,
        value: Option<Value>,
    ) {
        let space = op.space();
        if matches!(space, Some(Space::Param | Space::Local)) {
            return;
        }
        let ordered = matches!(op.base, "atom" | "red")
            || op.one_of(&["volatile", "relaxed", "acquire", "release", "mmio"]).is_some();
        let mut what = if writes { check::WRITES } else { 0 };
        what |= if ordered { check::ORDERED } else { 0 };
        what |= if space == Some(Space::Shared) { check::SHARED } else { 0 };
        self.check_value(address, bytes, what, value);
    }

    /// Generates the check of an access that an instruction makes in addition.
    pub fn check_at(&mut self, address: &Address, bytes: u32, what: u32) {
        self.check_value(address, bytes, what, None);
    }

    fn check_value(&mut self, address: &Address, bytes: u32, what: u32, value: Option<Value>) {
        if !self.linked.checked {
            return;
        }
        let packed =
            self.int(64, u64::from(bytes) | u64::from(what) << 8 | u64::from(self.line) << 32);
        let pointer = self.pointer(address, 0);
        let value = match value {
            Some(value) => self.coerce(value, types::I64, false),
            None => self.int(64, 0),
        };
        self.helper(
            check::access as *const () as usize,
            &[self.block, self.thread, pointer, packed, value],
            None,
        );
    }

    /// Generates code that orders all earlier accesses before all later ones, in checked code.
    pub fn check_order(&mut self) {
        if self.linked.checked {
            self.helper(check::order as *const () as usize, &[self.block], None);
        }
    }

    /// Lowers `cvta`. Only shared memory has addresses of its own, which are offsets in the block's
    /// window.
    pub fn cvta(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let Some(ty) = op.last_type() else { return self.unsupported(op.text) };
        let mut value = self.read(&operands[1], Ty::U64)?;
        let shared = op.space().is_some_and(Space::is_shared);
        if shared && self.linked.modules[self.module].sm >= CLUSTERS_SM {
            // Programs also convert pointers into other blocks' memory in this way.
            value =
                if op.has("to") { self.window_of_host(value) } else { self.host_of_window(value) };
        } else if shared {
            let window = self.shared_base();
            value = if op.has("to") {
                self.b.ins().isub(value, window)
            } else {
                self.b.ins().iadd(window, value)
            };
        }
        let value = self.coerce(value, ty.clif(), false);
        self.write(&operands[0], ty, value)
    }

    /// Lowers `alloca`, `stacksave` and `stackrestore`. The memory belongs to the thread until the
    /// function returns.
    pub fn local_memory(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let Some(ty) =
            op.last_type().filter(|ty| matches!(*ty, Ty::U32 | Ty::U64 | Ty::B32 | Ty::B64))
        else {
            return self.unsupported(op.text);
        };
        match op.base {
            "alloca" => {
                let Some(align_bytes @ 1..=ALIGN_BYTES_MAX) = immediate(operands.get(2), 8) else {
                    return self.malformed("alloca needs an alignment that is a number");
                };
                if ty.bits != 64 || !align_bytes.is_power_of_two() {
                    return self.unsupported(op.text);
                }
                let bytes = self.read(&operands[1], ty)?;
                let align_bytes = self.int(64, align_bytes);
                let arguments = [self.block, self.thread, bytes, align_bytes];
                let address =
                    self.compute(alloca::allocate as *const () as usize, &arguments, types::I64);
                self.write(&operands[0], ty, address)
            }
            "stacksave" => {
                let mark =
                    self.compute(alloca::mark as *const () as usize, &[self.thread], types::I64);
                let mark = self.coerce(mark, ty.clif(), false);
                self.write(&operands[0], ty, mark)
            }
            _ => {
                let mark = self.read(&operands[0], ty)?;
                let mark = self.coerce(mark, types::I64, false);
                self.release_local(mark);
                Ok(())
            }
        }
    }

    /// Frees the local memory that was allocated after `mark`.
    pub fn release_local(&mut self, mark: Value) {
        self.helper(alloca::release as *const () as usize, &[self.thread, mark], None);
    }

    /// Lowers `isspacep`.
    pub fn isspacep(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let value = self.read(&operands[1], Ty::U64)?;
        let shared_bytes = self.block_field(types::I64, offset_of!(Block, shared_bytes));
        let shared = self.shared_base();
        let in_shared = self.within(value, shared, shared_bytes);
        let in_cluster = self.in_cluster(value);
        let low = self.thread_field(types::I64, offset_of!(Thread, stack_low));
        let high = self.thread_field(types::I64, offset_of!(Thread, stack_high));
        let size = self.b.ins().isub(high, low);
        let in_local = self.within(value, low, size);
        let result = match op.space() {
            Some(Space::Shared) => in_shared,
            Some(Space::ClusterShared) => in_cluster,
            Some(Space::Local) => in_local,
            Some(Space::Global) => {
                let either = self.b.ins().bor(in_cluster, in_local);
                self.b.ins().icmp_imm_u(IntCC::Equal, either, 0)
            }
            // Constants and parameters are in plain memory here, so the code cannot distinguish
            // them.
            _ => self.int(8, 0),
        };
        self.write(&operands[0], Ty::PRED, result)
    }

    /// Returns whether a value is in the range of `size` bytes from `base`.
    pub fn within(&mut self, value: Value, base: Value, size: Value) -> Value {
        let offset = self.b.ins().isub(value, base);
        self.b.ins().icmp(IntCC::UnsignedLessThan, offset, size)
    }
}

/// Returns the value of a literal operand, or `without` if the operand is absent.
fn immediate(operand: Option<&Operand>, without: u64) -> Option<u64> {
    match operand {
        None => Some(without),
        Some(Operand::Int(value)) => Some(*value),
        Some(_) => None,
    }
}
