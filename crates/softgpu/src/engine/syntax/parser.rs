//! The module level of the PTX grammar: directives, variables, function headers. The module `body`
//! parses bodies, and `variable` parses initial values.
//!
//! The text is untrusted, so every size and depth has a limit below, and the code here never
//! panics.

use super::ir::*;
use super::lexer::{Lexer, Token};
use super::types::Ty;
use crate::engine::CompileError;
use crate::engine::instruction;

/// Maximum size of a text, in bytes.
pub const TEXT_BYTES_MAX: usize = 256 << 20;
/// Maximum number of registers in a function.
pub const REGISTERS_MAX: u32 = 1 << 20;
/// Maximum depth of scopes, operands and expressions.
pub const NESTING_MAX: u32 = 64;
/// Maximum size of a variable, in bytes.
pub const VARIABLE_BYTES_MAX: u64 = 1 << 36;
/// Maximum number of arguments of a function.
pub const ARGUMENTS_MAX: usize = 4096;
/// The newest PTX ISA version that this engine supports. Newer text may have a different meaning.
pub const VERSION_MAX: u32 = 99;

/// The result type of parser functions.
pub type Parsed<T> = Result<T, CompileError>;

/// The state of the parser.
pub struct Parser<'a> {
    lexer: Lexer<'a>,
    ahead: Option<(Token<'a>, u32)>,
    line: u32,
    pub(super) module: Module,
    pub(super) opcode_ids: std::collections::HashMap<&'a str, u32>,
}

/// Parses one PTX text.
pub fn parse(text: &str) -> Parsed<Module> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(CompileError::TooLarge(format!("{} bytes of PTX", text.len())));
    }
    let mut parser = Parser {
        lexer: Lexer::new(text),
        ahead: None,
        line: 1,
        module: Module::default(),
        opcode_ids: Default::default(),
    };
    parser.module_items()?;
    Ok(parser.module)
}

impl<'a> Parser<'a> {
    /// Returns the line of the token that was read last.
    pub(super) fn line(&self) -> u32 {
        self.line
    }

    /// Returns a syntax error at the current line.
    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(CompileError::Syntax { line: self.line, message: message.into() })
    }

    /// Returns the error that `what` exceeds its limit at the current line.
    pub(super) fn too_large<T>(&self, what: &str) -> Parsed<T> {
        Err(CompileError::TooLarge(format!("{what} at line {}", self.line)))
    }

    /// Returns the next token without reading past it.
    pub(super) fn peek(&mut self) -> Parsed<Token<'a>> {
        if self.ahead.is_none() {
            let token = self.lexer.next()?;
            self.ahead = Some((token, self.lexer.line()));
        }
        Ok(self.ahead.map_or(Token::End, |(token, _)| token))
    }

    /// Reads a token. Returns `Token::End` at the end of the text.
    pub(super) fn next(&mut self) -> Parsed<Token<'a>> {
        let token = self.peek()?;
        if let Some((_, line)) = self.ahead.take() {
            self.line = line;
        }
        Ok(token)
    }

    /// Reads the next token if it is `mark`. Returns whether it was.
    pub(super) fn accept(&mut self, mark: u8) -> Parsed<bool> {
        let found = self.peek()? == Token::Mark(mark);
        if found {
            self.next()?;
        }
        Ok(found)
    }

    /// Reads the next token, and fails if it is not `mark`.
    pub(super) fn expect(&mut self, mark: u8) -> Parsed<()> {
        match self.next()? {
            Token::Mark(found) if found == mark => Ok(()),
            other => self.fail(format!("expected `{}`, found {other:?}", mark as char)),
        }
    }

    /// Reads a name, and fails if the next token is not one.
    pub(super) fn word(&mut self) -> Parsed<&'a str> {
        match self.next()? {
            Token::Word(word) => Ok(word),
            other => self.fail(format!("expected a name, found {other:?}")),
        }
    }

    /// Reads an integer, and fails if the next token is not one.
    pub(super) fn int(&mut self) -> Parsed<u64> {
        match self.next()? {
            Token::Int(value) => Ok(value),
            other => self.fail(format!("expected a number, found {other:?}")),
        }
    }

    /// Skips the rest of the line.
    pub(super) fn skip_line(&mut self) {
        // A token that was read ahead is on the next line only if the directive ended its own line.
        // `.loc` never does.
        self.ahead = None;
        self.lexer.skip_line();
    }

    /// Returns the module's number for an opcode. Equal texts have equal numbers.
    pub(super) fn opcode(&mut self, text: &'a str) -> u32 {
        let next = self.module.opcodes.len() as u32;
        let id = *self.opcode_ids.entry(text).or_insert(next);
        if id == next {
            self.module
                .opcodes
                .push(Opcode { text: text.into(), form: instruction::form_of(text) });
        }
        id
    }

    fn module_items(&mut self) -> Parsed<()> {
        let mut linkage = Linkage::Private;
        loop {
            let directive = match self.next()? {
                Token::End => return Ok(()),
                Token::Directive(name) => name,
                Token::Mark(b';') => continue,
                other => return self.fail(format!("expected a directive, found {other:?}")),
            };
            match directive {
                ".version" => self.version()?,
                ".target" => self.target()?,
                ".address_size" => {
                    if self.int()? != 64 {
                        return self.fail("only 64-bit addresses are supported");
                    }
                }
                ".extern" => linkage = Linkage::Extern,
                ".visible" => linkage = Linkage::Visible,
                ".weak" | ".common" => linkage = Linkage::Weak,
                ".func" | ".entry" => {
                    self.function(directive == ".entry", linkage)?;
                    linkage = Linkage::Private;
                }
                ".global" | ".const" | ".shared" | ".local" => {
                    let variables = self.variables(directive, linkage)?;
                    self.module.variables.extend(variables);
                    linkage = Linkage::Private;
                }
                ".file" | ".loc" => self.skip_line(),
                ".section" => self.skip_section()?,
                ".pragma" => self.skip_statement()?,
                ".alias" => {
                    let alias = self.word()?;
                    self.expect(b',')?;
                    let target = self.word()?;
                    self.module.aliases.insert(alias.into(), target.into());
                    self.expect(b';')?;
                }
                other => {
                    return Err(CompileError::Unsupported {
                        what: format!("directive {other}"),
                        line: self.line,
                    });
                }
            }
        }
    }

    fn version(&mut self) -> Parsed<()> {
        let number = match self.next()? {
            Token::F64(bits) => f64::from_bits(bits),
            Token::Int(value) => value as f64,
            other => return self.fail(format!("expected a version, found {other:?}")),
        };
        self.module.version = (number * 10.0).round() as u32;
        if self.module.version > VERSION_MAX {
            return Err(CompileError::TooNew(format!("PTX ISA {number}")));
        }
        Ok(())
    }

    fn target(&mut self) -> Parsed<()> {
        loop {
            let name = self.word()?;
            if let Some(number) = name.strip_prefix("sm_") {
                let digits = number.trim_end_matches(|c: char| c.is_ascii_alphabetic());
                self.module.arch_specific = digits.len() < number.len();
                let Ok(sm) = digits.parse() else {
                    return self.fail(format!("unknown target {name}"));
                };
                self.module.sm = sm;
            }
            if !self.accept(b',')? {
                return Ok(());
            }
        }
    }

    fn skip_section(&mut self) -> Parsed<()> {
        while self.next()? != Token::Mark(b'{') {
            if self.peek()? == Token::End {
                return self.fail("section without a body");
            }
        }
        loop {
            match self.next()? {
                Token::Mark(b'}') => return Ok(()),
                Token::End => return self.fail("section without an end"),
                _ => {}
            }
        }
    }

    /// Skips everything up to and including the next semicolon.
    pub(super) fn skip_statement(&mut self) -> Parsed<()> {
        loop {
            match self.next()? {
                Token::Mark(b';') => return Ok(()),
                Token::End => return self.fail("statement without an end"),
                _ => {}
            }
        }
    }

    fn function(&mut self, kernel: bool, linkage: Linkage) -> Parsed<()> {
        let mut registers = Vec::new();
        while let Token::Directive(".attribute") = self.peek()? {
            self.next()?;
            self.skip_parentheses()?;
        }
        let results = if self.peek()? == Token::Mark(b'(') {
            self.arguments(&mut registers)?
        } else {
            Vec::new()
        };
        let name = self.word()?;
        let line = self.line;
        let arguments = if self.peek()? == Token::Mark(b'(') {
            self.arguments(&mut registers)?
        } else {
            Vec::new()
        };
        let mut function = Function {
            name: name.into(),
            kernel,
            linkage,
            results,
            arguments,
            max_threads: None,
            required_threads: None,
            max_registers: None,
            cluster: ClusterBounds::default(),
            body: None,
            line,
        };
        self.performance(&mut function)?;
        if !self.accept(b';')? {
            self.expect(b'{')?;
            function.body = Some(self.body(&function, registers)?);
        }
        self.module.functions.push(function);
        Ok(())
    }

    fn skip_parentheses(&mut self) -> Parsed<()> {
        self.expect(b'(')?;
        let mut depth = 1;
        while depth > 0 {
            match self.next()? {
                Token::Mark(b'(') => depth += 1,
                Token::Mark(b')') => depth -= 1,
                Token::End => return self.fail("parenthesis without an end"),
                _ => {}
            }
        }
        Ok(())
    }

    fn performance(&mut self, function: &mut Function) -> Parsed<()> {
        while let Token::Directive(directive) = self.peek()? {
            self.next()?;
            match directive {
                ".maxntid" => function.max_threads = Some(self.up_to_three()?),
                ".reqntid" => function.required_threads = Some(self.up_to_three()?),
                ".maxnreg" => function.max_registers = Some(self.int()? as u32),
                ".minnctapersm" | ".maxnctapersm" => {
                    self.int()?;
                }
                ".reqnctapercluster" => function.cluster.required = Some(self.up_to_three()?),
                ".explicitcluster" => function.cluster.explicit = true,
                ".maxclusterrank" => function.cluster.blocks_max = Some(self.int()? as u32),
                ".noreturn" => {}
                ".abi_preserve" | ".abi_preserve_control" => {
                    self.int()?;
                }
                ".pragma" => self.skip_statement()?,
                other => {
                    return Err(CompileError::Unsupported {
                        what: format!("directive {other}"),
                        line: self.line,
                    });
                }
            }
        }
        Ok(())
    }

    fn up_to_three(&mut self) -> Parsed<[u32; 3]> {
        let mut values = [1; 3];
        for value in &mut values {
            *value = self.int()? as u32;
            if !self.accept(b',')? {
                break;
            }
        }
        Ok(values)
    }

    /// Parses `(.param .b32 a, .reg .u32 b)`. Appends arguments in registers to `registers`, with
    /// their names.
    fn arguments(&mut self, registers: &mut Vec<(&'a str, Ty)>) -> Parsed<Vec<Argument>> {
        self.expect(b'(')?;
        let mut arguments = Vec::new();
        while !self.accept(b')')? {
            let argument = match self.next()? {
                Token::Directive(".param") => Argument {
                    variable: self.declarator(Space::Param, Linkage::Private)?.0,
                    reg: None,
                },
                Token::Directive(".reg") => {
                    let (variable, name) = self.declarator(Space::Param, Linkage::Private)?;
                    registers.push((name, variable.ty));
                    Argument { variable, reg: Some(registers.len() as u32 - 1) }
                }
                other => return self.fail(format!("expected a parameter, found {other:?}")),
            };
            arguments.push(argument);
            if arguments.len() > ARGUMENTS_MAX {
                return self.too_large("parameter list");
            }
            self.accept(b',')?;
        }
        Ok(arguments)
    }

    /// Returns the number of entries in a prototype's argument list.
    pub(super) fn count_arguments(&mut self) -> Parsed<usize> {
        Ok(if self.peek()? == Token::Mark(b'(') {
            self.arguments(&mut Vec::new())?.len()
        } else {
            0
        })
    }
}
