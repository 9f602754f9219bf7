//! Splits PTX text into tokens. An opcode with its modifiers (`ld.global.v4.f32`) is one token,
//! because the grammar never looks inside it.

use crate::engine::CompileError;

/// A token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Token<'a> {
    /// An identifier, register, label, opcode or special register, with its dots.
    Word(&'a str),
    /// A directive, with its leading dot.
    Directive(&'a str),
    Int(u64),
    F32(u32),
    F64(u64),
    Text(&'a str),
    Mark(u8),
    /// An operator of two characters.
    Operator(&'a str),
    End,
}

/// The lexer, which reads the text token by token.
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

fn is_word_start(c: u8) -> bool {
    c.is_ascii_alphabetic() || matches!(c, b'_' | b'$' | b'%')
}

fn is_word(c: u8) -> bool {
    is_word_start(c) || c.is_ascii_digit()
}

impl<'a> Lexer<'a> {
    /// Returns a lexer at the start of the text.
    pub fn new(text: &'a str) -> Self {
        Lexer { text, at: 0, line: 1 }
    }

    /// Returns the line of the token that was read last.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns a syntax error at the current line.
    pub fn error<T>(&self, message: impl Into<String>) -> Result<T, CompileError> {
        Err(CompileError::Syntax { line: self.line, message: message.into() })
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_space(&mut self) -> Result<(), CompileError> {
        loop {
            match self.peek(0) {
                0 if self.at >= self.text.len() => return Ok(()),
                b'\n' => {
                    self.line += 1;
                    self.at += 1;
                }
                // CUDA passes text that ends with a NUL.
                0 => self.at = self.text.len(),
                c if c.is_ascii_whitespace() => self.at += 1,
                b'/' if self.peek(1) == b'/' => {
                    let rest = &self.text.as_bytes()[self.at..];
                    self.at += rest.iter().position(|&c| c == b'\n').unwrap_or(rest.len());
                }
                b'/' if self.peek(1) == b'*' => {
                    let Some(length) = self.text[self.at + 2..].find("*/") else {
                        return self.error("comment without end");
                    };
                    let body = &self.text[self.at..self.at + 2 + length];
                    self.line += body.bytes().filter(|&c| c == b'\n').count() as u32;
                    self.at += length + 4;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Skips to the end of the current line, because `.loc` and `.file` directives have no
    /// terminator.
    pub fn skip_line(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|&c| c == b'\n').unwrap_or(rest.len());
    }

    /// Reads the next token.
    pub fn next(&mut self) -> Result<Token<'a>, CompileError> {
        self.skip_space()?;
        let start = self.at;
        let c = self.peek(0);
        if self.at >= self.text.len() {
            return Ok(Token::End);
        }
        // A percent sign alone is an operator.
        if is_word_start(c) && (c != b'%' || is_word(self.peek(1))) {
            self.take_dotted();
            return Ok(Token::Word(&self.text[start..self.at]));
        }
        if c == b'.' && is_word_start(self.peek(1)) {
            self.at += 1;
            while is_word(self.peek(0)) || (self.peek(0) == b':' && self.peek(1) == b':') {
                self.at += if self.peek(0) == b':' { 2 } else { 1 };
            }
            return Ok(Token::Directive(&self.text[start..self.at]));
        }
        if c.is_ascii_digit() {
            return self.number();
        }
        if c == b'"' {
            let Some(length) = self.text[start + 1..].find('"') else {
                return self.error("string without end");
            };
            self.at = start + length + 2;
            let body = &self.text[start + 1..start + 1 + length];
            self.line += body.bytes().filter(|&c| c == b'\n').count() as u32;
            return Ok(Token::Text(body));
        }
        if !c.is_ascii() {
            return self.error("a character that is not ASCII");
        }
        if let Some(two @ ("<<" | ">>" | "<=" | ">=" | "==" | "!=" | "&&" | "||")) =
            self.text.get(start..start + 2)
        {
            self.at += 2;
            return Ok(Token::Operator(two));
        }
        self.at += 1;
        Ok(Token::Mark(c))
    }

    fn take_dotted(&mut self) {
        loop {
            let c = self.peek(0);
            if is_word(c) || (c == b'.' && is_word(self.peek(1))) {
                self.at += 1;
            } else if c == b':' && self.peek(1) == b':' && is_word(self.peek(2)) {
                self.at += 2;
            } else {
                return;
            }
        }
    }

    fn number(&mut self) -> Result<Token<'a>, CompileError> {
        let start = self.at;
        let hex = |lexer: &Self, digits: usize| {
            let body = lexer.text.get(lexer.at + 2..lexer.at + 2 + digits)?;
            u64::from_str_radix(body, 16).ok()
        };
        if self.peek(0) == b'0' && matches!(self.peek(1), b'f' | b'F' | b'd' | b'D') {
            let (digits, single) = if self.peek(1) | 32 == b'f' { (8, true) } else { (16, false) };
            let Some(bits) = hex(self, digits) else {
                return self.error("malformed float literal");
            };
            self.at += 2 + digits;
            return Ok(if single { Token::F32(bits as u32) } else { Token::F64(bits) });
        }
        let radix = match (self.peek(0), self.peek(1)) {
            (b'0', b'x' | b'X') => 16,
            (b'0', b'b' | b'B') => 2,
            (b'0', c) if c.is_ascii_digit() => 8,
            _ => 10,
        };
        self.at += if radix == 16 || radix == 2 { 2 } else { 0 };
        let digits = self.at;
        while self.peek(0).is_ascii_hexdigit() && (radix == 16 || self.peek(0).is_ascii_digit()) {
            self.at += 1;
        }
        let exponent = radix == 10 && matches!(self.peek(0), b'e' | b'E');
        if radix != 16 && (exponent || (self.peek(0) == b'.' && self.peek(1).is_ascii_digit())) {
            while self.peek(0).is_ascii_digit()
                || matches!(self.peek(0), b'.' | b'e' | b'E')
                || (matches!(self.peek(0), b'-' | b'+')
                    && matches!(self.text.as_bytes()[self.at - 1], b'e' | b'E'))
            {
                self.at += 1;
            }
            return match self.text[start..self.at].parse::<f64>() {
                Ok(value) => Ok(Token::F64(value.to_bits())),
                Err(_) => self.error("malformed float literal"),
            };
        }
        let Ok(value) = u64::from_str_radix(&self.text[digits..self.at], radix) else {
            return self.error("malformed integer literal");
        };
        if self.peek(0) == b'U' {
            self.at += 1;
        }
        Ok(Token::Int(value))
    }
}
