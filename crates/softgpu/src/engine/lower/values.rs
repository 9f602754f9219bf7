//! Operands as SSA values. Contains all conversions, because PTX lets code read one register as any
//! type of equal size.

use std::mem::offset_of;

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};

use super::code_cache;
use super::function::{Lower, ValueLocation, constant};
use crate::engine::CompileError;
use crate::engine::exec::blocks::block::Block;
use crate::engine::link::Symbol;
use crate::engine::lower::lowering::Lowered;
use crate::engine::lower::threads::mode::Mode;
use crate::engine::syntax::ir::{Operand, Space};
use crate::engine::syntax::types::{Ty, int_type};

/// An address that consists of a base and a constant offset.
pub struct Address {
    /// The base.
    pub base: Value,
    /// The constant offset in bytes.
    pub offset: i64,
}

impl<'a> Lower<'a, '_> {
    /// Returns the value of an operand as `ty`.
    pub fn read(&mut self, operand: &Operand, ty: Ty) -> Lowered<Value> {
        if self.mode == Mode::Vector {
            return self.read_vector(operand, ty);
        }
        match operand {
            Operand::Reg(reg) => {
                let variable = self.variable(*reg);
                let value = self.b.use_var(variable);
                let value = self.seen(*reg, value);
                Ok(self.coerce(value, ty.clif(), ty.signed()))
            }
            Operand::Int(value) if ty.native_float() => Ok(self.float(ty, *value as i64 as f64)),
            Operand::Int(value) if ty.bits == 128 => {
                let (low, high) = (self.int(64, *value), self.int(64, 0));
                Ok(self.b.ins().iconcat(low, high))
            }
            // Compilers write true as -1.
            Operand::Int(value) if ty == Ty::PRED => Ok(self.int(ty.bits, u64::from(*value != 0))),
            Operand::Int(value) => Ok(self.int(ty.bits, *value)),
            Operand::F32(bits) if ty.native_float() && ty.bits == 32 => {
                Ok(self.b.ins().f32const(f32::from_bits(*bits)))
            }
            Operand::F32(bits) if ty.native_float() => {
                Ok(self.float(ty, f64::from(f32::from_bits(*bits))))
            }
            Operand::F32(bits) => Ok(self.int(ty.bits, u64::from(*bits))),
            Operand::F64(bits) if ty.native_float() => Ok(self.float(ty, f64::from_bits(*bits))),
            Operand::F64(bits) => Ok(self.int(ty.bits, *bits)),
            Operand::Not(inner) => {
                let value = self.read(inner, ty)?;
                let one = self.int(ty.bits, 1);
                Ok(self.b.ins().bxor(value, one))
            }
            Operand::Name(..) | Operand::Var(..) => {
                let address = self.name(operand)?;
                Ok(self.coerce(address, ty.clif(), false))
            }
            Operand::Special(name) => {
                let value = self.special(name)?;
                Ok(self.coerce(value, ty.clif(), false))
            }
            Operand::Sink => Ok(self.zero(ty)),
            _ => self.malformed("this operand cannot be read"),
        }
    }

    /// Stores a value of type `ty` in a register, and extends the value according to its type.
    pub fn write(&mut self, operand: &Operand, ty: Ty, value: Value) -> Lowered<()> {
        if self.mode == Mode::Vector {
            return self.write_vector(operand, value);
        }
        match operand {
            Operand::Reg(reg) => {
                let value = self.coerce(value, self.class(*reg), ty.signed());
                let variable = self.variable(*reg);
                self.b.def_var(variable, value);
                Ok(())
            }
            Operand::Sink => Ok(()),
            Operand::Pair(first, _) => self.write(first, ty, value),
            _ => self.malformed("this operand cannot be written"),
        }
    }

    /// Returns a float constant.
    pub fn float(&mut self, ty: Ty, value: f64) -> Value {
        if self.mode == Mode::Vector {
            let bits = self.int(32, u64::from((value as f32).to_bits()));
            return self.coerce_vector(bits, true);
        }
        if ty.bits == 32 {
            self.b.ins().f32const(value as f32)
        } else {
            self.b.ins().f64const(value)
        }
    }

    /// Returns the zero of type `ty`.
    pub fn zero(&mut self, ty: Ty) -> Value {
        if ty.native_float() { self.float(ty, 0.0) } else { self.int(ty.bits, 0) }
    }

    /// Changes the size and register class of a value. The bits that remain do not change.
    pub fn coerce(&mut self, value: Value, to: Type, signed: bool) -> Value {
        let from = self.b.func.dfg.value_type(value);
        if from == to {
            return value;
        }
        if from.is_vector() {
            return self.coerce_vector(value, to.is_float());
        }
        let int_to = int_type(to.bits());
        let mut value = value;
        if from.is_float() {
            value = self.b.ins().bitcast(int_type(from.bits()), MemFlagsData::new(), value);
        }
        if from.bits() > to.bits() {
            value = self.b.ins().ireduce(int_to, value);
        } else if from.bits() < to.bits() {
            value = if signed {
                self.b.ins().sextend(int_to, value)
            } else {
                self.b.ins().uextend(int_to, value)
            };
        }
        if to.is_float() {
            value = self.b.ins().bitcast(to, MemFlagsData::new(), value);
        }
        value
    }

    /// Returns the value of a name, which is an address in the name's own state space.
    fn name(&mut self, operand: &Operand) -> Lowered<Value> {
        let (address, shared) = self.place(operand)?;
        let mut base = address.base;
        if shared {
            let window = self.shared_base();
            base = self.b.ins().isub(base, window);
        }
        let offset = self.int(64, address.offset as u64);
        Ok(self.b.ins().iadd(base, offset))
    }

    /// Returns the host address of a name, and whether the address is in shared memory.
    fn place(&mut self, operand: &Operand) -> Lowered<(Address, bool)> {
        let (name, offset) = match operand {
            Operand::Var(index, offset) => return self.local(*index, *offset),
            Operand::Name(name, offset) => (name, *offset),
            _ => return self.malformed("not a name"),
        };
        if let Some(place) = self.places.get(&**name) {
            let (base, at) = match *place {
                ValueLocation::Pointer(pointer) => (pointer, 0),
                ValueLocation::Kernel(at) => {
                    (self.block_field(types::I64, offset_of!(Block, params)), at as i64)
                }
            };
            return Ok((Address { base, offset: offset.wrapping_add(at) }, false));
        }
        let linked = self.linked;
        let Some(symbol) = linked.symbols[self.module].get(name) else {
            return Err(CompileError::UnresolvedSymbol(name.to_string()));
        };
        match *symbol {
            Symbol::Shared(at) => {
                let base = self.shared_base();
                Ok((Address { base, offset: offset.wrapping_add(at as i64) }, true))
            }
            Symbol::DynamicShared => self.dynamic_shared(offset),
            Symbol::Global(index) => {
                let table = self.block_field(types::I64, offset_of!(Block, globals));
                let base = self.b.ins().load(types::I64, constant(), table, index as i32 * 8);
                Ok((Address { base, offset }, false))
            }
            Symbol::Function(id) => {
                let base = self.function_address(id);
                Ok((Address { base, offset }, false))
            }
            Symbol::Builtin(address) => {
                let base = self.engine_address(address);
                Ok((Address { base, offset }, false))
            }
            Symbol::Missing => Err(CompileError::UnresolvedSymbol(name.to_string())),
        }
    }

    fn dynamic_shared(&mut self, offset: i64) -> Lowered<(Address, bool)> {
        let window = self.shared_base();
        let at = self.block_field(types::I32, offset_of!(Block, dynamic_base));
        let at = self.b.ins().uextend(types::I64, at);
        let base = self.b.ins().iadd(window, at);
        Ok((Address { base, offset }, true))
    }

    fn local(&mut self, index: u32, offset: i64) -> Lowered<(Address, bool)> {
        let variable = &self.body.variables[index as usize];
        if variable.space == Space::Shared {
            if variable.unsized_array {
                return self.dynamic_shared(offset);
            }
            let base = self.shared_base();
            return Ok((
                Address { base, offset: offset.wrapping_add(self.shared[index as usize] as i64) },
                true,
            ));
        }
        if let (Some(&Some(at)), Some(frame)) =
            (self.frame_variables.get(index as usize), self.frame())
        {
            return Ok((Address { base: frame, offset: offset.wrapping_add(at) }, false));
        }
        match self.slots[index as usize] {
            Some(slot) => {
                let base = self.b.ins().stack_addr(types::I64, slot, 0);
                Ok((Address { base, offset }, false))
            }
            None => self.malformed(format!("{} has no address", variable.name)),
        }
    }

    /// Returns the code address of a function of the program, as a value.
    pub fn function_address(&mut self, id: u32) -> Value {
        self.found.referenced.insert(id);
        let cell = self.address_of(code_cache::CELL, id);
        self.b.ins().load(types::I64, constant(), cell, 0)
    }

    /// Returns the host address of a memory operand. If `space` is `None`, the operand is a generic
    /// address.
    pub fn address(&mut self, operand: &Operand, space: Option<Space>) -> Lowered<Address> {
        let Operand::Address(base, offset) = operand else {
            return self.unsupported("this form of address");
        };
        if let Operand::Name(..) | Operand::Var(..) = **base {
            let (address, _) = self.place(base)?;
            return Ok(Address {
                base: address.base,
                offset: address.offset.wrapping_add(*offset),
            });
        }
        let mut value = self.read(base, self.address_type(base))?;
        // A shared address is small. An address that is negative before the offset is added must
        // remain negative.
        value = self.coerce(value, types::I64, space.is_some_and(Space::is_shared));
        match space {
            Some(Space::Shared) => {
                let window = self.shared_base();
                value = self.b.ins().iadd(window, value);
            }
            Some(Space::ClusterShared) => value = self.host_of_window(value),
            _ => {}
        }
        Ok(Address { base: value, offset: *offset })
    }

    fn address_type(&self, base: &Operand) -> Ty {
        match base {
            Operand::Reg(reg) if self.class(*reg).bits() == 32 => Ty::U32,
            _ => Ty::U64,
        }
    }

    /// Returns the address, plus `extra` bytes, as one value.
    pub fn pointer(&mut self, address: &Address, extra: i64) -> Value {
        match address.offset.wrapping_add(extra) {
            0 => address.base,
            offset => {
                let offset = self.int(64, offset as u64);
                self.b.ins().iadd(address.base, offset)
            }
        }
    }
}
