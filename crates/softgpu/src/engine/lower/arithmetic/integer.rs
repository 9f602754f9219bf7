//! Integer arithmetic, bit manipulation, and comparisons for every type.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};

use crate::engine::exec::arithmetic::math;
use crate::engine::lower::function::Lower;
use crate::engine::lower::lowering::Lowered;
use crate::engine::lower::opcode::Opcode;
use crate::engine::syntax::ir::Operand;
use crate::engine::syntax::types::{Ty, TypeKind, int_type};

impl<'a> Lower<'a, '_> {
    /// Returns the exclusive or of two values.
    pub fn b_xor(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().bxor(a, b)
    }

    /// Reads all operands after the first as values of type `ty`.
    pub fn sources<const N: usize>(
        &mut self,
        ty: Ty,
        op: Opcode<'_>,
        operands: &[Operand],
    ) -> Lowered<[Value; N]> {
        let Some(sources) = operands.get(1..=N) else {
            return self.malformed(format!("{} has too few operands", op.text));
        };
        let mut values = [self.thread; N];
        for (value, operand) in values.iter_mut().zip(sources) {
            *value = self.read(operand, ty)?;
        }
        Ok(values)
    }

    /// Lowers an integer instruction.
    pub fn integer(&mut self, op: Opcode<'a>, ty: Ty, operands: &'a [Operand]) -> Lowered<()> {
        let value = match op.base {
            "add" | "sub" | "addc" | "subc" => self.add(op, ty, operands)?,
            "mul" | "mad" | "madc" | "mul24" | "mad24" => return self.multiply(op, ty, operands),
            "div" | "rem" => self.divide(op, ty, operands)?,
            "and" | "or" | "xor" => {
                let [a, b] = self.sources(ty, op, operands)?;
                self.combine(op.base, a, b, op)?
            }
            "min" | "max" => self.extreme(op, ty, operands)?,
            "shl" | "shr" => self.shift(op, ty, operands)?,
            "shf" => self.funnel(op, operands)?,
            "lop3" => return self.lop3(op, operands),
            "prmt" => self.permute(op, operands)?,
            "sad" => {
                let [a, b, c] = self.sources(ty, op, operands)?;
                let less = self.b.ins().icmp(less_than(ty), a, b);
                let (forward, backward) = (self.b.ins().isub(a, b), self.b.ins().isub(b, a));
                let distance = self.b.ins().select(less, backward, forward);
                self.b.ins().iadd(c, distance)
            }
            "dp4a" | "dp2a" => self.dot_product(op, operands)?,
            "bfe" => self.extract(op, ty, operands)?,
            "bfi" => self.insert(op, ty, operands)?,
            "bmsk" => {
                let [mut start, mut width] = self.sources(ty, op, operands)?;
                if op.has("wrap") {
                    (start, width) =
                        (self.b.ins().band_imm_u(start, 31), self.b.ins().band_imm_u(width, 31));
                }
                let ones = self.shift_left_clamped(32, width);
                let ones = self.b.ins().iadd_imm_s(ones, -1);
                self.shift_value_left(32, ones, start)
            }
            "fns" => {
                let [mask, base, offset] = self.sources(Ty::U32, op, operands)?;
                self.compute(
                    math::find_nth_set as *const () as usize,
                    &[mask, base, offset],
                    types::I32,
                )
            }
            _ => return self.unary(op, ty, operands),
        };
        self.write(&operands[0], ty, value)
    }

    /// Computes `and`, `or` or `xor`.
    pub fn combine(&mut self, what: &str, a: Value, b: Value, op: Opcode<'_>) -> Lowered<Value> {
        Ok(match what {
            "and" => self.b.ins().band(a, b),
            "or" => self.b.ins().bor(a, b),
            "xor" => self.b.ins().bxor(a, b),
            _ => return self.unsupported(op.text),
        })
    }

    fn unary(&mut self, op: Opcode<'a>, ty: Ty, operands: &'a [Operand]) -> Lowered<()> {
        let [a] = self.sources(ty, op, operands)?;
        let mut result = ty;
        let value = match op.base {
            "not" => self.b.ins().bnot(a),
            "cnot" => {
                let zero = self.b.ins().icmp_imm_u(IntCC::Equal, a, 0);
                self.coerce(zero, ty.clif(), false)
            }
            "neg" => self.b.ins().ineg(a),
            "abs" => self.b.ins().iabs(a),
            "brev" => self.b.ins().bitrev(a),
            "popc" | "clz" => {
                result = Ty::U32;
                let count =
                    if op.base == "popc" { self.b.ins().popcnt(a) } else { self.b.ins().clz(a) };
                self.coerce(count, types::I32, false)
            }
            "bfind" => {
                result = Ty::U32;
                self.find_leading(op, ty, a)
            }
            "szext" => {
                let mut width = self.read(&operands[2], Ty::U32)?;
                if op.has("wrap") {
                    width = self.b.ins().band_imm_u(width, 31);
                }
                self.extend_from(ty, a, width)
            }
            _ => return self.unsupported(op.text),
        };
        self.write(&operands[0], result, value)
    }

    fn find_leading(&mut self, op: Opcode<'_>, ty: Ty, a: Value) -> Value {
        let mut bits = a;
        if ty.signed() {
            let sign = self.b.ins().sshr_imm_u(a, i64::from(ty.bits) - 1);
            bits = self.b.ins().bxor(a, sign);
        }
        let leading = self.b.ins().clz(bits);
        let leading = self.coerce(leading, types::I32, false);
        let top = self.int(32, u64::from(ty.bits) - 1);
        let position = self.b.ins().isub(top, leading);
        let found = if op.has("shiftamt") { leading } else { position };
        let none = self.int(32, u64::MAX);
        let zero = self.b.ins().icmp_imm_u(IntCC::Equal, bits, 0);
        self.b.ins().select(zero, none, found)
    }

    fn extend_from(&mut self, ty: Ty, a: Value, width: Value) -> Value {
        let bits = self.int(32, 32);
        let width = self.b.ins().umin(width, bits);
        let unused = self.b.ins().isub(bits, width);
        let up = self.shift_value_left(32, a, unused);
        self.shift_value_right(32, up, unused, ty.signed())
    }

    fn add(&mut self, op: Opcode<'_>, ty: Ty, operands: &[Operand]) -> Lowered<Value> {
        let [a, b] = self.sources(ty, op, operands)?;
        if op.has("sat") {
            return Ok(self.saturate(op.base == "add", a, b));
        }
        let carry_in = matches!(op.base, "addc" | "subc");
        Ok(self.add_with_carry(op.base.starts_with("add"), a, b, carry_in, op.has("cc")))
    }

    /// Computes a sum or difference. Reads or writes the condition-code register as the opcode
    /// says. The register holds a carry. After a subtraction, the register is set if there was no
    /// borrow, because compilers mix `subc.cc` with `addc`.
    fn add_with_carry(
        &mut self,
        add: bool,
        a: Value,
        b: Value,
        carry_in: bool,
        carry_out: bool,
    ) -> Value {
        let ty = self.b.func.dfg.value_type(a);
        let first = if add { self.b.ins().iadd(a, b) } else { self.b.ins().isub(a, b) };
        if !carry_in && !carry_out {
            return first;
        }
        let carry = self.carry();
        // The carry of an addition or the borrow of a subtraction.
        let mut over = if add {
            self.b.ins().icmp(IntCC::UnsignedLessThan, first, a)
        } else {
            self.b.ins().icmp(IntCC::UnsignedLessThan, a, b)
        };
        let mut result = first;
        if carry_in {
            let mut bit = self.b.use_var(carry);
            if !add {
                bit = self.b.ins().bxor_imm_u(bit, 1);
            }
            let bit = self.coerce(bit, ty, false);
            let again = if add {
                result = self.b.ins().iadd(first, bit);
                self.b.ins().icmp(IntCC::UnsignedLessThan, result, first)
            } else {
                result = self.b.ins().isub(first, bit);
                self.b.ins().icmp(IntCC::UnsignedLessThan, first, bit)
            };
            over = self.b.ins().bor(over, again);
        }
        if carry_out {
            let flag = if add { over } else { self.b.ins().bxor_imm_u(over, 1) };
            self.b.def_var(carry, flag);
        }
        result
    }

    fn saturate(&mut self, add: bool, a: Value, b: Value) -> Value {
        let (a, b) = (self.b.ins().sextend(types::I64, a), self.b.ins().sextend(types::I64, b));
        let wide = if add { self.b.ins().iadd(a, b) } else { self.b.ins().isub(a, b) };
        self.clamp_to_i32(wide)
    }

    fn clamp_to_i32(&mut self, wide: Value) -> Value {
        let (low, high) = (self.int(64, i64::from(i32::MIN) as u64), self.int(64, i32::MAX as u64));
        let wide = self.b.ins().smax(wide, low);
        let wide = self.b.ins().smin(wide, high);
        self.b.ins().ireduce(types::I32, wide)
    }

    fn multiply(&mut self, op: Opcode<'a>, ty: Ty, operands: &'a [Operand]) -> Lowered<()> {
        let [a, b] = self.sources(ty, op, operands)?;
        let mut result = ty;
        let product = if op.base.ends_with("24") {
            let (a, b) = (self.low24(ty, a), self.low24(ty, b));
            let product = self.b.ins().imul(a, b);
            let product = if op.has("hi") { self.b.ins().ushr_imm_u(product, 16) } else { product };
            self.b.ins().ireduce(types::I32, product)
        } else if op.has("wide") {
            result = Ty { bits: ty.bits * 2, ..ty };
            let (a, b) = (
                self.coerce(a, result.clif(), ty.signed()),
                self.coerce(b, result.clif(), ty.signed()),
            );
            self.b.ins().imul(a, b)
        } else if op.has("hi") {
            self.high_half(ty, a, b)
        } else {
            self.b.ins().imul(a, b)
        };
        if op.base.starts_with("mul") {
            return self.write(&operands[0], result, product);
        }
        let Some(addend) = operands.get(3) else {
            return self.malformed("mad has too few operands");
        };
        let c = self.read(addend, result)?;
        if op.has("sat") {
            let (a, c) =
                (self.b.ins().sextend(types::I64, product), self.b.ins().sextend(types::I64, c));
            let sum = self.b.ins().iadd(a, c);
            let sum = self.clamp_to_i32(sum);
            return self.write(&operands[0], result, sum);
        }
        let sum = self.add_with_carry(true, product, c, op.base == "madc", op.has("cc"));
        self.write(&operands[0], result, sum)
    }

    /// Returns the low 24 bits of a value, extended to 64 bits.
    fn low24(&mut self, ty: Ty, value: Value) -> Value {
        let up = self.b.ins().ishl_imm_u(value, 8);
        let down = if ty.signed() {
            self.b.ins().sshr_imm_u(up, 8)
        } else {
            self.b.ins().ushr_imm_u(up, 8)
        };
        self.coerce(down, types::I64, ty.signed())
    }

    fn high_half(&mut self, ty: Ty, a: Value, b: Value) -> Value {
        if ty.bits == 64 {
            return if ty.signed() { self.b.ins().smulhi(a, b) } else { self.b.ins().umulhi(a, b) };
        }
        let wide = int_type(ty.bits * 2);
        let (a, b) = (self.coerce(a, wide, ty.signed()), self.coerce(b, wide, ty.signed()));
        let product = self.b.ins().imul(a, b);
        let high = self.b.ins().ushr_imm_u(product, i64::from(ty.bits));
        self.b.ins().ireduce(ty.clif(), high)
    }

    /// Lowers `div` and `rem`, which never trap on a GPU. Division by zero sets all bits of the
    /// result. The smallest integer divided by -1 wraps.
    fn divide(&mut self, op: Opcode<'_>, ty: Ty, operands: &[Operand]) -> Lowered<Value> {
        let [a, b] = self.sources(ty, op, operands)?;
        let quotient = op.base == "div";
        let emit = |lower: &mut Self, a, b| match (quotient, ty.signed()) {
            (true, true) => lower.b.ins().sdiv(a, b),
            (true, false) => lower.b.ins().udiv(a, b),
            (false, true) => lower.b.ins().srem(a, b),
            (false, false) => lower.b.ins().urem(a, b),
        };
        if let Operand::Int(divisor) = operands[2]
            && cut(divisor, ty) != 0
            && !(ty.signed() && cut(divisor, ty) == cut(u64::MAX, ty))
        {
            return Ok(emit(self, a, b));
        }
        let zero = self.b.ins().icmp_imm_u(IntCC::Equal, b, 0);
        let one = self.int(ty.bits, 1);
        let ones = self.int(ty.bits, u64::MAX);
        let mut divisor = self.b.ins().select(zero, one, b);
        let mut minus = None;
        if ty.signed() {
            let is_minus = self.b.ins().icmp(IntCC::Equal, b, ones);
            divisor = self.b.ins().select(is_minus, one, divisor);
            minus = Some(is_minus);
        }
        let mut value = emit(self, a, divisor);
        if let Some(minus) = minus.filter(|_| quotient) {
            let negated = self.b.ins().ineg(a);
            value = self.b.ins().select(minus, negated, value);
        }
        let undefined = if quotient { ones } else { a };
        Ok(self.b.ins().select(zero, undefined, value))
    }

    fn extreme(&mut self, op: Opcode<'_>, ty: Ty, operands: &[Operand]) -> Lowered<Value> {
        let [a, b] = self.sources(ty, op, operands)?;
        let value = match (op.base, ty.signed()) {
            ("min", true) => self.b.ins().smin(a, b),
            ("min", false) => self.b.ins().umin(a, b),
            (_, true) => self.b.ins().smax(a, b),
            (_, false) => self.b.ins().umax(a, b),
        };
        if !op.has("relu") {
            return Ok(value);
        }
        let zero = self.int(ty.bits, 0);
        Ok(self.b.ins().smax(value, zero))
    }

    fn shift(&mut self, op: Opcode<'_>, ty: Ty, operands: &[Operand]) -> Lowered<Value> {
        let [a] = self.sources(ty, op, operands)?;
        if let Some(Operand::Int(amount)) = operands.get(2)
            && *amount < u64::from(ty.bits)
        {
            let amount = *amount as i64;
            return Ok(match (op.base, ty.signed()) {
                ("shl", _) => self.b.ins().ishl_imm_u(a, amount),
                (_, true) => self.b.ins().sshr_imm_u(a, amount),
                (_, false) => self.b.ins().ushr_imm_u(a, amount),
            });
        }
        let [_, amount] = [a, self.amount(op, operands)?];
        Ok(if op.base == "shl" {
            self.shift_value_left(ty.bits, a, amount)
        } else {
            self.shift_value_right(ty.bits, a, amount, ty.signed())
        })
    }

    fn amount(&mut self, op: Opcode<'_>, operands: &[Operand]) -> Lowered<Value> {
        match operands.get(2) {
            Some(operand) => self.read(operand, Ty::U32),
            None => self.malformed(format!("{} has too few operands", op.text)),
        }
    }

    /// Shifts left. A shift amount of at least the width gives zero.
    pub fn shift_value_left(&mut self, bits: u32, a: Value, amount: Value) -> Value {
        let shifted = self.b.ins().ishl(a, amount);
        self.unless_too_far(bits, amount, shifted)
    }

    /// Shifts right. A shift amount of at least the width leaves only zeros or sign bits.
    pub fn shift_value_right(&mut self, bits: u32, a: Value, amount: Value, signed: bool) -> Value {
        if signed {
            let most = self.int(32, u64::from(bits) - 1);
            let amount = self.b.ins().umin(amount, most);
            return self.b.ins().sshr(a, amount);
        }
        let shifted = self.b.ins().ushr(a, amount);
        self.unless_too_far(bits, amount, shifted)
    }

    fn unless_too_far(&mut self, bits: u32, amount: Value, shifted: Value) -> Value {
        let inside = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, amount, i64::from(bits));
        let zero = self.int(bits, 0);
        self.b.ins().select(inside, shifted, zero)
    }

    /// Returns `1 << amount`.
    fn shift_left_clamped(&mut self, bits: u32, amount: Value) -> Value {
        let one = self.int(bits, 1);
        self.shift_value_left(bits, one, amount)
    }

    /// Lowers `shf`: shifts the 64-bit value `b:a` by `c` and returns one half of the result.
    fn funnel(&mut self, op: Opcode<'_>, operands: &[Operand]) -> Lowered<Value> {
        let [a, b, c] = self.sources(Ty::U32, op, operands)?;
        let amount = if op.has("clamp") {
            let most = self.int(32, 32);
            self.b.ins().umin(c, most)
        } else {
            self.b.ins().band_imm_u(c, 31)
        };
        let (low, high) =
            (self.b.ins().uextend(types::I64, a), self.b.ins().uextend(types::I64, b));
        let high = self.b.ins().ishl_imm_u(high, 32);
        let both = self.b.ins().bor(low, high);
        let half = if op.has("l") {
            let up = self.b.ins().ishl(both, amount);
            self.b.ins().ushr_imm_u(up, 32)
        } else {
            self.b.ins().ushr(both, amount)
        };
        Ok(self.b.ins().ireduce(types::I32, half))
    }

    /// Lowers any function of three bits. The result is the disjunction of the minterms whose bits
    /// are set in the table.
    fn lop3(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let [a, b, c] = self.sources(Ty::B32, op, operands)?;
        let Some(Operand::Int(table)) = operands.get(4) else {
            return self.malformed("lop3 needs a table");
        };
        let table = *table as u8;
        let value = match table {
            0x80 => {
                let ab = self.b.ins().band(a, b);
                self.b.ins().band(ab, c)
            }
            0xFE => {
                let ab = self.b.ins().bor(a, b);
                self.b.ins().bor(ab, c)
            }
            0x96 => {
                let ab = self.b.ins().bxor(a, b);
                self.b.ins().bxor(ab, c)
            }
            0xF8 => {
                let bc = self.b.ins().band(b, c);
                self.b.ins().bor(a, bc)
            }
            0xEA => {
                let ab = self.b.ins().band(a, b);
                self.b.ins().bor(ab, c)
            }
            _ => self.minterms(table, [a, b, c]),
        };
        if let Some(combine) = op.one_of(&["or", "and"]) {
            let (Operand::Pair(to, flag), Some(with)) = (&operands[0], operands.get(5)) else {
                return self.unsupported(op.text);
            };
            let with = self.read(with, Ty::PRED)?;
            let some = self.b.ins().icmp_imm_u(IntCC::NotEqual, value, 0);
            let both = self.combine(combine, some, with, op)?;
            self.write(to, Ty::B32, value)?;
            return self.write(flag, Ty::PRED, both);
        }
        self.write(&operands[0], Ty::B32, value)
    }

    fn minterms(&mut self, table: u8, inputs: [Value; 3]) -> Value {
        // The function is split on `a`. Each half is a function of `b` and `c` with a table of 4
        // bits.
        let [a, b, c] = inputs;
        let (one, zero) = (self.of_two(table >> 4, b, c), self.of_two(table & 15, b, c));
        let differ = self.b.ins().bxor(one, zero);
        let chosen = self.b.ins().band(differ, a);
        self.b.ins().bxor(chosen, zero)
    }

    fn of_two(&mut self, table: u8, b: Value, c: Value) -> Value {
        let ones = self.int(32, u64::MAX);
        let zero = self.int(32, 0);
        let half = |lower: &mut Self, bits: u8| match bits {
            0 => zero,
            1 => lower.b.ins().bnot(c),
            2 => c,
            _ => ones,
        };
        let (high, low) = (half(self, table >> 2), half(self, table & 3));
        if table >> 2 == table & 3 {
            return low;
        }
        let differ = self.b.ins().bxor(high, low);
        let chosen = self.b.ins().band(differ, b);
        self.b.ins().bxor(chosen, low)
    }

    fn permute(&mut self, op: Opcode<'_>, operands: &[Operand]) -> Lowered<Value> {
        let [a, b, selector] = self.sources(Ty::B32, op, operands)?;
        let (low, high) =
            (self.b.ins().uextend(types::I64, a), self.b.ins().uextend(types::I64, b));
        let high = self.b.ins().ishl_imm_u(high, 32);
        let both = self.b.ins().bor(low, high);
        let mode = op.one_of(&["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]);
        let mut result = self.int(32, 0);
        for byte in 0..4i64 {
            let index = match mode {
                None => self.b.ins().ushr_imm_u(selector, byte * 4),
                Some(mode) => self.permute_index(mode, selector, byte),
            };
            let index8 = self.b.ins().band_imm_u(index, 7);
            let amount = self.b.ins().ishl_imm_u(index8, 3);
            let chosen = self.b.ins().ushr(both, amount);
            let mut chosen = self.b.ins().ireduce(types::I8, chosen);
            if mode.is_none()
                && !matches!(operands[3], Operand::Int(selector) if selector & 0x8888 == 0)
            {
                let replicate = self.b.ins().band_imm_u(index, 8);
                let sign = self.b.ins().sshr_imm_u(chosen, 7);
                chosen = self.b.ins().select(replicate, sign, chosen);
            }
            let wide = self.b.ins().uextend(types::I32, chosen);
            let placed = self.b.ins().ishl_imm_u(wide, byte * 8);
            result = self.b.ins().bor(result, placed);
        }
        Ok(result)
    }

    fn permute_index(&mut self, mode: &str, selector: Value, byte: i64) -> Value {
        let select = self.b.ins().band_imm_u(selector, 3);
        let fixed = self.int(32, byte as u64);
        match mode {
            "f4e" => self.b.ins().iadd(select, fixed),
            "b4e" => {
                let eight = self.int(32, 8 - byte as u64);
                self.b.ins().iadd(select, eight)
            }
            "rc8" => select,
            "ecl" => self.b.ins().umax(select, fixed),
            "ecr" => self.b.ins().umin(select, fixed),
            _ => {
                let pair = self.b.ins().band_imm_u(select, 1);
                let pair = self.b.ins().ishl_imm_u(pair, 1);
                self.b.ins().iadd_imm_s(pair, byte & 1)
            }
        }
    }

    fn dot_product(&mut self, op: Opcode<'_>, operands: &[Operand]) -> Lowered<Value> {
        let types: Vec<Ty> = op.types().collect();
        let [a_type, b_type] = types[..] else { return self.unsupported(op.text) };
        let [a, b, mut sum] = self.sources(Ty::B32, op, operands)?;
        let byte = |lower: &mut Self, word: Value, index: i64, bits: i64, signed: bool| {
            let up = lower.b.ins().ishl_imm_u(word, 32 - bits - index * bits);
            if signed {
                lower.b.ins().sshr_imm_u(up, 32 - bits)
            } else {
                lower.b.ins().ushr_imm_u(up, 32 - bits)
            }
        };
        let (count, a_bits, first) = match op.base {
            "dp4a" => (4, 8, 0),
            _ => (2, 16, if op.has("hi") { 2 } else { 0 }),
        };
        for index in 0..count {
            let x = byte(self, a, index, a_bits, a_type.signed());
            let y = byte(self, b, index + first, 8, b_type.signed());
            let product = self.b.ins().imul(x, y);
            sum = self.b.ins().iadd(sum, product);
        }
        Ok(sum)
    }

    /// Lowers `bfe`: returns the field of `length` bits at `start`, sign- or zero-extended.
    fn extract(&mut self, op: Opcode<'_>, ty: Ty, operands: &[Operand]) -> Lowered<Value> {
        let [a] = self.sources(ty, op, operands)?;
        let [_, start, length] = self.sources::<3>(Ty::U32, op, operands)?;
        let (start, length) = self.place_and_length(ty, start, length);
        let bits = self.int(32, u64::from(ty.bits));
        // Bits above the top read as the sign. So a field that exceeds the register ends at the
        // top.
        let room = self.b.ins().isub(bits, start);
        let outside =
            self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, start, i64::from(ty.bits));
        let zero32 = self.int(32, 0);
        let room = self.b.ins().select(outside, zero32, room);
        let kept = self.b.ins().umin(length, room);
        let down = self.shift_value_right(ty.bits, a, start, ty.signed());
        let unused = self.b.ins().isub(bits, kept);
        let up = self.shift_value_left(ty.bits, down, unused);
        let mut value = self.shift_value_right(ty.bits, up, unused, ty.signed());
        if ty.signed() {
            let sign = self.b.ins().sshr_imm_u(a, i64::from(ty.bits) - 1);
            value = self.b.ins().select(outside, sign, value);
        }
        let empty = self.b.ins().icmp_imm_u(IntCC::Equal, length, 0);
        let zero = self.int(ty.bits, 0);
        Ok(self.b.ins().select(empty, zero, value))
    }

    /// Returns the position and length of a field. For a 32-bit field, a GPU reads only the lowest
    /// eight bits of both operands. For a 64-bit field, it reads all bits (measured on an H200).
    fn place_and_length(&mut self, ty: Ty, start: Value, length: Value) -> (Value, Value) {
        if ty.bits == 64 {
            (start, length)
        } else {
            (self.b.ins().band_imm_u(start, 255), self.b.ins().band_imm_u(length, 255))
        }
    }

    /// Lowers `bfi`: inserts the low bits of `a` into `b`.
    fn insert(&mut self, op: Opcode<'_>, ty: Ty, operands: &[Operand]) -> Lowered<Value> {
        let [a, b] = self.sources(ty, op, operands)?;
        let [_, _, start, length] = self.sources::<4>(Ty::U32, op, operands)?;
        let (start, length) = self.place_and_length(ty, start, length);
        let one = self.shift_left_clamped(ty.bits, length);
        let mask = self.b.ins().iadd_imm_s(one, -1);
        let mask = self.shift_value_left(ty.bits, mask, start);
        let placed = self.shift_value_left(ty.bits, a, start);
        let differ = self.b.ins().bxor(placed, b);
        let chosen = self.b.ins().band(differ, mask);
        Ok(self.b.ins().bxor(b, chosen))
    }

    /// Lowers `setp` and `set` for every type.
    pub fn compare(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let Some(ty) = op.last_type() else { return self.unsupported(op.text) };
        let relation = op.modifiers().next().unwrap_or("");
        if matches!(ty.kind, TypeKind::F16x2 | TypeKind::Bf16x2) {
            return self.compare_halves(op, ty, relation, operands);
        }
        let (a, b, float) = if ty.half() {
            let (Some(a), Some(b)) = (operands.get(1), operands.get(2)) else {
                return self.unsupported(op.text);
            };
            (self.read_flushed_half(op, a, ty)?, self.read_flushed_half(op, b, ty)?, true)
        } else {
            let [a, b] = self.sources(ty, op, operands)?;
            let flush = op.has("ftz");
            (self.flushed(a, flush), self.flushed(b, flush), ty.native_float())
        };
        let Some(mut holds) = self.relation(relation, ty, float, a, b) else {
            return self.unsupported(op.text);
        };
        let negated = self.b.ins().icmp_imm_u(IntCC::Equal, holds, 0);
        let mut other = negated;
        if let (Some(combination), Some(c)) = (op.one_of(&["and", "or", "xor"]), operands.get(3)) {
            let c = self.read(c, Ty::PRED)?;
            holds = self.combine(combination, holds, c, op)?;
            other = self.combine(combination, negated, c, op)?;
        }
        if op.base == "set" {
            return self.write_set(op, &operands[0], holds);
        }
        if let Operand::Pair(first, second) = &operands[0] {
            self.write(first, Ty::PRED, holds)?;
            return self.write(second, Ty::PRED, other);
        }
        self.write(&operands[0], Ty::PRED, holds)
    }

    fn write_set(&mut self, op: Opcode<'_>, to: &Operand, holds: Value) -> Lowered<()> {
        let Some(ty) = op.types().next() else { return self.unsupported(op.text) };
        let (yes, no) = if ty.native_float() {
            (self.float(ty, 1.0), self.float(ty, 0.0))
        } else if ty.half() {
            (self.int(16, if ty.kind == TypeKind::Bf16 { 0x3F80 } else { 0x3C00 }), self.int(16, 0))
        } else {
            (self.int(ty.bits, u64::MAX), self.int(ty.bits, 0))
        };
        let value = self.b.ins().select(holds, yes, no);
        self.write(to, ty, value)
    }

    /// Compares two values.
    pub fn relation(
        &mut self,
        relation: &str,
        ty: Ty,
        float: bool,
        a: Value,
        b: Value,
    ) -> Option<Value> {
        if float {
            let condition = float_condition(relation)?;
            return Some(self.b.ins().fcmp(condition, a, b));
        }
        let condition = int_condition(relation, ty.signed())?;
        Some(self.b.ins().icmp(condition, a, b))
    }

    /// Lowers `selp`.
    pub fn select(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let (Some(ty), Some(p)) = (op.last_type(), operands.get(3)) else {
            return self.unsupported(op.text);
        };
        let ty = self.neutral(ty, operands);
        let [a, b] = self.sources(ty, op, operands)?;
        let p = self.read(p, Ty::PRED)?;
        let value = self.b.ins().select(p, a, b);
        self.write(&operands[0], ty, value)
    }

    /// Returns the type in which to move a value. Floats remain in float registers, even if the
    /// opcode's type is `b32`.
    pub fn neutral(&self, ty: Ty, operands: &[Operand]) -> Ty {
        // In an untyped move, a literal is a bit pattern.
        if operands.iter().any(|operand| matches!(operand, Operand::Int(_))) {
            return ty;
        }
        let register = operands.iter().find_map(|operand| match operand {
            Operand::Reg(reg) => Some(self.class(*reg)),
            _ => None,
        });
        match (ty.kind, register) {
            (TypeKind::Bits, Some(class)) if class.is_float() && class.bits() == ty.bits => {
                Ty { kind: TypeKind::Float, ..ty }
            }
            _ => ty,
        }
    }

    /// Lowers `slct`.
    pub fn select_by_sign(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let types: Vec<Ty> = op.types().collect();
        let ([ty, sign_type], Some(c)) = (&types[..], operands.get(3)) else {
            return self.unsupported(op.text);
        };
        let [a, b] = self.sources(*ty, op, operands)?;
        let c = self.read(c, *sign_type)?;
        let c = self.flushed(c, op.has("ftz"));
        let zero = self.zero(*sign_type);
        let positive = if sign_type.native_float() {
            self.b.ins().fcmp(FloatCC::GreaterThanOrEqual, c, zero)
        } else {
            self.b.ins().icmp(IntCC::SignedGreaterThanOrEqual, c, zero)
        };
        let value = self.b.ins().select(positive, a, b);
        self.write(&operands[0], *ty, value)
    }
}

/// Returns the bits of a literal that fit in an operand of type `ty`.
fn cut(literal: u64, ty: Ty) -> u64 {
    literal & (u64::MAX >> (64 - ty.bits.min(64)))
}

fn less_than(ty: Ty) -> IntCC {
    if ty.signed() { IntCC::SignedLessThan } else { IntCC::UnsignedLessThan }
}

fn int_condition(relation: &str, signed: bool) -> Option<IntCC> {
    Some(match (relation, signed) {
        ("eq", _) => IntCC::Equal,
        ("ne", _) => IntCC::NotEqual,
        ("lt", true) => IntCC::SignedLessThan,
        ("le", true) => IntCC::SignedLessThanOrEqual,
        ("gt", true) => IntCC::SignedGreaterThan,
        ("ge", true) => IntCC::SignedGreaterThanOrEqual,
        ("lt" | "lo", _) => IntCC::UnsignedLessThan,
        ("le" | "ls", _) => IntCC::UnsignedLessThanOrEqual,
        ("gt" | "hi", _) => IntCC::UnsignedGreaterThan,
        ("ge" | "hs", _) => IntCC::UnsignedGreaterThanOrEqual,
        _ => return None,
    })
}

fn float_condition(relation: &str) -> Option<FloatCC> {
    Some(match relation {
        "eq" => FloatCC::Equal,
        "ne" => FloatCC::OrderedNotEqual,
        "lt" => FloatCC::LessThan,
        "le" => FloatCC::LessThanOrEqual,
        "gt" => FloatCC::GreaterThan,
        "ge" => FloatCC::GreaterThanOrEqual,
        "equ" => FloatCC::UnorderedOrEqual,
        "neu" => FloatCC::NotEqual,
        "ltu" => FloatCC::UnorderedOrLessThan,
        "leu" => FloatCC::UnorderedOrLessThanOrEqual,
        "gtu" => FloatCC::UnorderedOrGreaterThan,
        "geu" => FloatCC::UnorderedOrGreaterThanOrEqual,
        "num" => FloatCC::Ordered,
        "nan" => FloatCC::Unordered,
        _ => return None,
    })
}
