//! Variable declarations and their initial values.

use super::constant::{Constant, WARP_SIZE};
use super::ir::*;
use super::lexer::Token;
use super::parser::{NESTING_MAX, Parsed, Parser, VARIABLE_BYTES_MAX};
use super::types::{Ty, TypeKind};
use crate::engine::CompileError;

/// Maximum number of bytes of initial values in a declaration.
const INIT_BYTES_MAX: u64 = 256 << 20;

struct Init {
    pieces: Vec<(u64, Initializer)>,
    element: Ty,
    offset: u64,
}

impl<'a> Parser<'a> {
    /// Parses a declaration of one or more names up to `;`. The directive, such as `.global`, has
    /// already been read.
    pub(super) fn variables(&mut self, space: &str, linkage: Linkage) -> Parsed<Vec<Variable>> {
        let space = match space {
            ".global" => Space::Global,
            ".const" => Space::Const,
            ".shared" => Space::Shared,
            ".param" => Space::Param,
            _ => Space::Local,
        };
        let (mut variable, _) = self.declarator(space, linkage)?;
        let first = variable.clone();
        let mut all = Vec::new();
        loop {
            if self.accept(b'=')? {
                let mut init = Init { pieces: Vec::new(), element: variable.ty, offset: 0 };
                self.initializer(&mut init, 0)?;
                if variable.unsized_array {
                    variable.size_bytes = init.offset;
                    variable.unsized_array = false;
                }
                if init.offset > variable.size_bytes {
                    return self.fail(format!("too many initial values for {}", variable.name));
                }
                variable.init = init.pieces;
            }
            all.push(variable);
            if self.accept(b';')? {
                return Ok(all);
            }
            self.expect(b',')?;
            variable = Variable { name: self.word()?.into(), ..first.clone() };
            variable.size_bytes = u64::from(variable.ty.bytes());
            self.dimensions(&mut variable)?;
        }
    }

    /// Parses the type, attributes, name and dimensions of one variable.
    pub(super) fn declarator(
        &mut self,
        space: Space,
        linkage: Linkage,
    ) -> Parsed<(Variable, &'a str)> {
        let mut variable = Variable {
            name: "".into(),
            space,
            size_bytes: 0,
            align_bytes: 0,
            linkage,
            managed: false,
            unsized_array: false,
            ty: Ty::B32,
            init: Vec::new(),
            line: self.line(),
        };
        let (mut ty, mut lanes) = (None, 1);
        while let Token::Directive(directive) = self.peek()? {
            self.next()?;
            match directive {
                ".align" => {
                    let align = self.int()?;
                    if !align.is_power_of_two() || align > 1 << 20 {
                        return self.fail("alignment is not a power of two");
                    }
                    variable.align_bytes =
                        variable.align_bytes.max(if ty.is_some() { 0 } else { align });
                }
                ".attribute" => variable.managed |= self.attribute()?,
                // A hint about the memory that a pointer parameter refers to. An `.align` after the
                // type belongs to the hint.
                ".ptr" | ".noalias" => {}
                ".const" | ".global" | ".local" | ".shared" if ty.is_some() => {}
                ".v2" => lanes = 2,
                ".v4" => lanes = 4,
                ".texref" | ".samplerref" | ".surfref" => ty = Some(Ty::B64),
                other => match Ty::parse(&other[1..]) {
                    Some(found) => ty = Some(found),
                    None => {
                        let what = format!("attribute {other} of a variable");
                        return Err(CompileError::Unsupported { what, line: self.line() });
                    }
                },
            }
        }
        let Some(ty) = ty else { return self.fail("variable without a type") };
        let name = self.word()?;
        variable.name = name.into();
        variable.ty = ty;
        variable.line = self.line();
        variable.size_bytes = u64::from(ty.bytes() * lanes);
        variable.align_bytes = variable.align_bytes.max(variable.size_bytes).max(1);
        if lanes > 1 || ty.kind == TypeKind::Pred {
            variable.align_bytes = variable.size_bytes;
        }
        self.dimensions(&mut variable)?;
        Ok((variable, name))
    }

    fn attribute(&mut self) -> Parsed<bool> {
        self.expect(b'(')?;
        let mut managed = false;
        loop {
            match self.next()? {
                Token::Mark(b')') => return Ok(managed),
                Token::Directive(".managed") => managed = true,
                Token::End => return self.fail("attribute without an end"),
                _ => {}
            }
        }
    }

    fn dimensions(&mut self, variable: &mut Variable) -> Parsed<()> {
        while self.accept(b'[')? {
            if self.accept(b']')? {
                variable.unsized_array = true;
                continue;
            }
            let count = self.int()?;
            self.expect(b']')?;
            match variable.size_bytes.checked_mul(count) {
                Some(size) if size <= VARIABLE_BYTES_MAX => variable.size_bytes = size,
                _ => return self.too_large(&format!("variable {}", variable.name)),
            }
        }
        if variable.unsized_array {
            variable.size_bytes = 0;
        }
        Ok(())
    }

    fn initializer(&mut self, init: &mut Init, depth: u32) -> Parsed<()> {
        if depth > NESTING_MAX || init.offset > INIT_BYTES_MAX {
            return self.too_large("initial value");
        }
        if self.accept(b'{')? {
            while !self.accept(b'}')? {
                self.initializer(init, depth + 1)?;
                self.accept(b',')?;
            }
            return Ok(());
        }
        let size = init.element.bytes();
        if let Token::Mark(b'-' | b'+' | b'~' | b'!' | b'(') = self.peek()? {
            return self.computed(init);
        }
        match self.next()? {
            Token::Int(mask) if self.accept(b'(')? => self.masked(init, mask)?,
            Token::Int(value) => {
                let value = self.continued(Constant::literal(value), depth)?;
                init.number(value);
            }
            Token::Word("WARP_SZ") => {
                let value = self.continued(WARP_SIZE, depth)?;
                init.number(value);
            }
            float @ (Token::F32(_) | Token::F64(_)) => init.float(float, false),
            Token::Word("generic") => {
                self.expect(b'(')?;
                let name = self.word()?;
                self.expect(b')')?;
                self.symbol(init, name, 0, size)?;
            }
            Token::Word(name) => self.symbol(init, name, 0, size)?,
            other => return self.fail(format!("expected an initial value, found {other:?}")),
        }
        Ok(())
    }

    /// Parses a value that begins with a sign or a parenthesis. Such a value is a negative float or
    /// a constant expression.
    fn computed(&mut self, init: &mut Init) -> Parsed<()> {
        let is_minus = self.peek()? == Token::Mark(b'-');
        if is_minus {
            self.next()?;
            if let float @ (Token::F32(_) | Token::F64(_)) = self.peek()? {
                self.next()?;
                init.float(float, true);
                return Ok(());
            }
        }
        let term = self.term(0)?;
        let value = self.continued(if is_minus { term.negated() } else { term }, 0)?;
        init.number(value);
        Ok(())
    }

    /// Parses `0xFF00(symbol)`, which is one byte of an address. The parenthesis has already been
    /// read.
    fn masked(&mut self, init: &mut Init, mask: u64) -> Parsed<()> {
        let mut name = self.word()?;
        if name == "generic" {
            self.expect(b'(')?;
            name = self.word()?;
            self.expect(b')')?;
        }
        self.symbol(init, name, mask.trailing_zeros().min(63), init.element.bytes())?;
        self.expect(b')')
    }

    fn symbol(&mut self, init: &mut Init, name: &str, shift: u32, bytes: u32) -> Parsed<()> {
        let mut offset = 0i64;
        while let Token::Mark(sign @ (b'+' | b'-')) = self.peek()? {
            self.next()?;
            let value = self.product()? as i64;
            offset = offset.wrapping_add(if sign == b'+' { value } else { value.wrapping_neg() });
        }
        init.pieces
            .push((init.offset, Initializer::Symbol { name: name.into(), offset, bytes, shift }));
        init.offset += u64::from(bytes);
        Ok(())
    }
}

impl Init {
    fn number(&mut self, value: u64) {
        let size = self.element.bytes() as usize;
        self.bytes(&u128::from(value).to_le_bytes()[..size]);
    }

    fn float(&mut self, token: Token<'_>, negative: bool) {
        let sign = if negative { -1.0 } else { 1.0 };
        match (token, self.element.bytes()) {
            (Token::F32(bits), 8) => {
                self.bytes(&(sign * f64::from(f32::from_bits(bits))).to_le_bytes())
            }
            (Token::F32(bits), _) => self.bytes(&(bits ^ u32::from(negative) << 31).to_le_bytes()),
            (Token::F64(bits), 4) => {
                self.bytes(&((sign * f64::from_bits(bits)) as f32).to_le_bytes())
            }
            (Token::F64(bits), _) => self.bytes(&(bits ^ u64::from(negative) << 63).to_le_bytes()),
            _ => {}
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let at = self.offset;
        self.offset += bytes.len() as u64;
        match self.pieces.last_mut() {
            Some((_, Initializer::Bytes(last))) => last.extend_from_slice(bytes),
            _ => self.pieces.push((at, Initializer::Bytes(bytes.to_vec()))),
        }
    }
}
