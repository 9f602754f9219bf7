//! Function bodies: registers, nested scopes, labels and instructions. Resolves the names of
//! registers and local variables. The lowering resolves all other names.

use std::collections::HashMap;

use super::constant::{Constant, WARP_SIZE};
use super::ir::*;
use super::lexer::Token;
use super::parser::{NESTING_MAX, Parsed, Parser, REGISTERS_MAX};
use super::types::Ty;
use crate::engine::CompileError;

#[derive(Clone, Copy)]
enum Named {
    Reg(Reg),
    /// Registers declared as `%r<count>`, with the index of `%r0` and the count.
    Range(Reg, u32),
    Var(u32),
}

struct Scopes {
    body: Body,
    levels: Vec<HashMap<Box<str>, Named>>,
}

impl Scopes {
    fn find(&self, name: &str) -> Option<Named> {
        self.levels.iter().rev().find_map(|level| {
            if let Some(named) = level.get(name) {
                return (!matches!(named, Named::Range(..))).then_some(*named);
            }
            let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
            let index = name[prefix.len()..].parse::<u32>().ok()?;
            match level.get(prefix) {
                Some(Named::Range(base, count)) if index < *count => Some(Named::Reg(base + index)),
                _ => None,
            }
        })
    }

    fn declare(&mut self, name: &str, named: Named) {
        if let Some(level) = self.levels.last_mut() {
            level.insert(name.into(), named);
        }
    }
}

impl<'a> Parser<'a> {
    /// Parses a function body after its opening brace.
    pub(super) fn body(
        &mut self,
        function: &Function,
        registers: Vec<(&'a str, Ty)>,
    ) -> Parsed<Body> {
        let mut scopes = Scopes { body: Body::default(), levels: vec![HashMap::new()] };
        for (name, ty) in registers {
            scopes.declare(name, Named::Reg(scopes.body.registers.len() as Reg));
            scopes.body.registers.push(ty);
        }
        while !scopes.levels.is_empty() {
            match self.next()? {
                Token::Mark(b'{') => {
                    scopes.levels.push(HashMap::new());
                    if scopes.levels.len() > NESTING_MAX as usize {
                        return self.too_large("nesting of scopes");
                    }
                }
                Token::Mark(b'}') => {
                    scopes.levels.pop();
                }
                Token::Mark(b';') => {}
                Token::Mark(b'@') => {
                    let negated = self.accept(b'!')?;
                    let name = self.word()?;
                    let Some(Named::Reg(reg)) = scopes.find(name) else {
                        return self.fail(format!("unknown predicate {name}"));
                    };
                    let opcode = self.word()?;
                    self.instruction(&mut scopes, opcode, Some(Guard { reg, negated }))?;
                }
                Token::Directive(directive) => self.body_directive(&mut scopes, directive)?,
                Token::Word(word) => {
                    if self.accept(b':')? {
                        self.label(&mut scopes, word)?;
                    } else {
                        self.instruction(&mut scopes, word, None)?;
                    }
                }
                Token::End => return self.fail(format!("function {} has no end", function.name)),
                other => return self.fail(format!("expected an instruction, found {other:?}")),
            }
        }
        Ok(scopes.body)
    }

    fn body_directive(&mut self, scopes: &mut Scopes, directive: &str) -> Parsed<()> {
        match directive {
            ".reg" => self.registers(scopes),
            ".loc" | ".file" => {
                self.skip_line();
                Ok(())
            }
            ".pragma" => self.skip_statement(),
            ".param" | ".shared" | ".local" | ".global" | ".const" => {
                for variable in self.variables(directive, Linkage::Private)? {
                    let index = scopes.body.variables.len() as u32;
                    scopes.declare(&variable.name, Named::Var(index));
                    scopes.body.variables.push(variable);
                }
                Ok(())
            }
            other => Err(CompileError::Unsupported {
                what: format!("directive {other}"),
                line: self.line(),
            }),
        }
    }

    fn registers(&mut self, scopes: &mut Scopes) -> Parsed<()> {
        let Token::Directive(ty) = self.next()? else {
            return self.fail("register without a type");
        };
        if matches!(ty, ".v2" | ".v4") {
            return Err(CompileError::Unsupported {
                what: "a vector register".into(),
                line: self.line(),
            });
        }
        let Some(ty) = Ty::parse(&ty[1..]) else { return self.fail(format!("unknown type {ty}")) };
        loop {
            let name = self.word()?;
            let base = scopes.body.registers.len() as u32;
            let count = if self.accept(b'<')? {
                let count = self.int()?;
                self.expect(b'>')?;
                let count = u32::try_from(count).unwrap_or(u32::MAX);
                scopes.declare(name, Named::Range(base, count));
                count
            } else {
                scopes.declare(name, Named::Reg(base));
                1
            };
            if count > REGISTERS_MAX || base + count > REGISTERS_MAX {
                return self.too_large("number of registers");
            }
            scopes.body.registers.resize((base + count) as usize, ty);
            if self.accept(b';')? {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    fn label(&mut self, scopes: &mut Scopes, name: &str) -> Parsed<()> {
        let statement = match self.peek()? {
            Token::Directive(".branchtargets") => {
                self.next()?;
                let mut targets = Vec::new();
                loop {
                    targets.push(self.word()?.into());
                    if self.accept(b';')? {
                        break;
                    }
                    self.expect(b',')?;
                }
                Statement::Targets(name.into(), targets)
            }
            Token::Directive(".callprototype") => {
                self.next()?;
                let results = self.count_arguments()?;
                self.word()?;
                let arguments = self.count_arguments()?;
                self.skip_statement()?;
                Statement::Prototype(name.into(), Prototype { results, arguments })
            }
            Token::Directive(".calltargets") => {
                let what = "directive .calltargets".to_string();
                return Err(CompileError::Unsupported { what, line: self.line() });
            }
            _ => Statement::Label(name.into()),
        };
        scopes.body.statements.push(statement);
        Ok(())
    }

    fn instruction(
        &mut self,
        scopes: &mut Scopes,
        opcode: &'a str,
        guard: Option<Guard>,
    ) -> Parsed<()> {
        let line = self.line();
        let opcode = self.opcode(opcode);
        let mut operands = Vec::new();
        if !self.accept(b';')? {
            let is_call =
                self.module.opcodes[opcode as usize].text.split('.').next() == Some("call");
            loop {
                let is_list = is_call && self.accept(b'(')?;
                let operand = if is_list {
                    Operand::List(self.operands(scopes, b')', 0)?)
                } else {
                    self.operand(scopes, 0)?
                };
                operands.push(operand);
                if self.accept(b';')? {
                    break;
                }
                self.expect(b',')?;
            }
        }
        scopes.body.statements.push(Statement::Instruction(Instruction {
            line,
            opcode,
            guard,
            operands,
        }));
        Ok(())
    }

    fn operand(&mut self, scopes: &Scopes, depth: u32) -> Parsed<Operand> {
        if depth > NESTING_MAX {
            return self.too_large("nesting of an operand");
        }
        let first = match self.next()? {
            Token::Mark(b'{') => return Ok(Operand::Vector(self.operands(scopes, b'}', depth)?)),
            Token::Mark(b'[') => return self.address(scopes, depth),
            Token::Mark(b'!') => return self.inverted(scopes, depth),
            Token::Mark(b'-') => return self.negated(depth),
            Token::Mark(b'(') => {
                let first = self.parenthesis(depth)?;
                return Ok(Operand::Int(self.continued(first, depth)?));
            }
            Token::Mark(b'~') => {
                let first = self.term(depth + 1)?.complement();
                return Ok(Operand::Int(self.continued(first, depth)?));
            }
            Token::Int(value) => {
                return Ok(Operand::Int(self.continued(Constant::literal(value), depth)?));
            }
            Token::Word("WARP_SZ") => return Ok(Operand::Int(self.continued(WARP_SIZE, depth)?)),
            Token::F32(bits) => Operand::F32(bits),
            Token::F64(bits) => Operand::F64(bits),
            Token::Word("_") => Operand::Sink,
            Token::Word(word) => self.named(scopes, word)?,
            other => return self.fail(format!("expected an operand, found {other:?}")),
        };
        if self.accept(b'|')? {
            let second = self.operand(scopes, depth + 1)?;
            return Ok(Operand::Pair(Box::new(first), Box::new(second)));
        }
        Ok(first)
    }

    /// Parses an operand after a minus.
    fn negated(&mut self, depth: u32) -> Parsed<Operand> {
        let float = match self.peek()? {
            Token::F32(bits) => Operand::F32(bits ^ 1 << 31),
            Token::F64(bits) => Operand::F64(bits ^ 1 << 63),
            _ => {
                let first = self.term(depth + 1)?.negated();
                return Ok(Operand::Int(self.continued(first, depth)?));
            }
        };
        self.next()?;
        Ok(float)
    }

    /// Parses a predicate or a number after an exclamation mark.
    fn inverted(&mut self, scopes: &Scopes, depth: u32) -> Parsed<Operand> {
        if matches!(self.peek()?, Token::Word(word) if word != "WARP_SZ") {
            return Ok(Operand::Not(Box::new(self.operand(scopes, depth + 1)?)));
        }
        let first = self.term(depth + 1)?.inverted();
        Ok(Operand::Int(self.continued(first, depth)?))
    }

    fn operands(&mut self, scopes: &Scopes, end: u8, depth: u32) -> Parsed<Vec<Operand>> {
        let mut all = Vec::new();
        while !self.accept(end)? {
            all.push(self.operand(scopes, depth + 1)?);
            if self.accept(end)? {
                break;
            }
            self.expect(b',')?;
        }
        Ok(all)
    }

    fn address(&mut self, scopes: &Scopes, depth: u32) -> Parsed<Operand> {
        let base = self.operand(scopes, depth + 1)?;
        let offset = self.offset()?;
        if self.accept(b',')? {
            let mut all = vec![base];
            all.extend(self.operands(scopes, b']', depth)?);
            return Ok(Operand::Tuple(all));
        }
        self.expect(b']')?;
        Ok(Operand::Address(Box::new(base), offset))
    }

    fn offset(&mut self) -> Parsed<i64> {
        let mut offset = 0i64;
        while let Token::Mark(sign @ (b'+' | b'-')) = self.peek()? {
            self.next()?;
            let negative = (sign == b'-') != self.accept(b'-')?;
            let value = self.product()? as i64;
            offset = offset.wrapping_add(if negative { value.wrapping_neg() } else { value });
        }
        Ok(offset)
    }

    fn named(&mut self, scopes: &Scopes, word: &'a str) -> Parsed<Operand> {
        match scopes.find(word) {
            Some(Named::Reg(reg)) => Ok(Operand::Reg(reg)),
            Some(Named::Var(index)) => Ok(Operand::Var(index, self.offset()?)),
            Some(Named::Range(..)) => self.fail(format!("{word} is not a register")),
            None if word.starts_with('%') => Ok(Operand::Special(word.into())),
            None => Ok(Operand::Name(word.into(), self.offset()?)),
        }
    }
}
