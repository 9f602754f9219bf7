//! Constant expressions: 64-bit integers, with C's operators and precedence (PTX ISA, "Constant
//! Expressions").

use super::lexer::Token;
use super::parser::{NESTING_MAX, Parsed, Parser};

/// The value of a constant expression.
#[derive(Debug, Clone, Copy)]
pub struct Constant {
    /// The bits of the integer.
    pub bits: u64,
    unsigned: bool,
}

/// Value of `WARP_SZ`, in threads.
pub const WARP_SIZE: Constant = Constant { bits: 32, unsigned: false };
/// Precedence just above sums, for the offset in an address.
const PRODUCT: u32 = 11;

fn signed(value: i64) -> Constant {
    Constant { bits: value as u64, unsigned: false }
}

impl Constant {
    /// Returns the value of a literal, which is signed if it fits. The `U` suffix is ignored. The
    /// suffix would matter only for quotients and comparisons of larger numbers.
    pub fn literal(bits: u64) -> Constant {
        Constant { bits, unsigned: bits > i64::MAX as u64 }
    }

    /// Implements `-`.
    pub fn negated(self) -> Constant {
        Constant { bits: self.bits.wrapping_neg(), ..self }
    }

    /// Implements `!`.
    pub fn inverted(self) -> Constant {
        signed(i64::from(self.bits == 0))
    }

    /// Implements `~`.
    pub fn complement(self) -> Constant {
        Constant { bits: !self.bits, ..self }
    }

    /// Applies a binary operator. Returns `None` for a division by zero.
    fn combined(self, operator: &str, other: Constant) -> Option<Constant> {
        let unsigned = self.unsigned || other.unsigned;
        let (a, b) = (self.bits, other.bits);
        let (signed_a, signed_b) = (a as i64, b as i64);
        let number = |bits| Some(Constant { bits, unsigned });
        let truth = |holds| Some(signed(i64::from(holds)));
        let shifted = |bits| Some(Constant { bits, unsigned: self.unsigned });
        match operator {
            "+" => number(a.wrapping_add(b)),
            "-" => number(a.wrapping_sub(b)),
            "*" => number(a.wrapping_mul(b)),
            "/" if unsigned => number(a.checked_div(b)?),
            "/" => {
                number(if b == 0 { return None } else { signed_a.wrapping_div(signed_b) as u64 })
            }
            "%" if unsigned => number(a.checked_rem(b)?),
            "%" => {
                number(if b == 0 { return None } else { signed_a.wrapping_rem(signed_b) as u64 })
            }
            "<<" => shifted(if b > 63 { 0 } else { a << b }),
            ">>" if self.unsigned => shifted(if b > 63 { 0 } else { a >> b }),
            ">>" => shifted((signed_a >> b.min(63)) as u64),
            "<" => truth(if unsigned { a < b } else { signed_a < signed_b }),
            "<=" => truth(if unsigned { a <= b } else { signed_a <= signed_b }),
            ">" => truth(if unsigned { a > b } else { signed_a > signed_b }),
            ">=" => truth(if unsigned { a >= b } else { signed_a >= signed_b }),
            "==" => truth(a == b),
            "!=" => truth(a != b),
            "&" => number(a & b),
            "^" => number(a ^ b),
            "|" => number(a | b),
            "&&" => truth(a != 0 && b != 0),
            _ => truth(a != 0 || b != 0),
        }
    }
}

/// Returns an operator and its precedence.
fn operator(token: Token<'_>) -> Option<(&str, u32)> {
    Some(match token {
        Token::Mark(b'?') => ("?", 1),
        Token::Operator("||") => ("||", 2),
        Token::Operator("&&") => ("&&", 3),
        Token::Mark(b'|') => ("|", 4),
        Token::Mark(b'^') => ("^", 5),
        Token::Mark(b'&') => ("&", 6),
        Token::Operator(text @ ("==" | "!=")) => (text, 7),
        Token::Operator(text @ ("<=" | ">=")) => (text, 8),
        Token::Mark(b'<') => ("<", 8),
        Token::Mark(b'>') => (">", 8),
        Token::Operator(text) => (text, 9),
        Token::Mark(b'+') => ("+", 10),
        Token::Mark(b'-') => ("-", 10),
        Token::Mark(b'*') => ("*", PRODUCT),
        Token::Mark(b'/') => ("/", PRODUCT),
        Token::Mark(b'%') => ("%", PRODUCT),
        _ => return None,
    })
}

impl<'a> Parser<'a> {
    /// Parses the rest of an expression whose first number has already been read.
    pub(super) fn continued(&mut self, first: Constant, depth: u32) -> Parsed<u64> {
        Ok(self.binary(first, 1, depth)?.bits)
    }

    /// Parses an expression. Sums are permitted only inside parentheses.
    pub(super) fn product(&mut self) -> Parsed<u64> {
        let first = self.term(0)?;
        Ok(self.binary(first, PRODUCT, 0)?.bits)
    }

    fn expression(&mut self, tightest: u32, depth: u32) -> Parsed<Constant> {
        let first = self.term(depth)?;
        self.binary(first, tightest, depth)
    }

    fn binary(&mut self, mut left: Constant, loosest: u32, depth: u32) -> Parsed<Constant> {
        while let Some((operator, binding)) =
            operator(self.peek()?).filter(|(_, binding)| *binding >= loosest)
        {
            self.next()?;
            if operator == "?" {
                let yes = self.expression(1, depth + 1)?;
                self.expect(b':')?;
                let no = self.expression(1, depth + 1)?;
                left = if left.bits != 0 { yes } else { no };
                continue;
            }
            let right = self.expression(binding + 1, depth + 1)?;
            let Some(value) = left.combined(operator, right) else {
                return self.fail("a division by zero in a constant");
            };
            left = value;
        }
        Ok(left)
    }

    /// Parses an operand in a constant expression. `depth` counts the enclosing parentheses.
    pub(super) fn term(&mut self, depth: u32) -> Parsed<Constant> {
        if depth > NESTING_MAX {
            return self.too_large("nesting of a constant expression");
        }
        match self.next()? {
            Token::Int(value) => Ok(Constant::literal(value)),
            Token::Word("WARP_SZ") => Ok(WARP_SIZE),
            Token::Mark(b'(') => self.parenthesis(depth),
            Token::Mark(b'-') => Ok(self.term(depth + 1)?.negated()),
            Token::Mark(b'+') => self.term(depth + 1),
            Token::Mark(b'~') => Ok(self.term(depth + 1)?.complement()),
            Token::Mark(b'!') => Ok(self.term(depth + 1)?.inverted()),
            other => self.fail(format!("expected a number, found {other:?}")),
        }
    }

    /// Parses the rest of a parenthesis: a cast with its operand, or an expression.
    pub(super) fn parenthesis(&mut self, depth: u32) -> Parsed<Constant> {
        if let Token::Directive(cast @ (".s64" | ".u64")) = self.peek()? {
            self.next()?;
            self.expect(b')')?;
            let inner = self.term(depth + 1)?;
            return Ok(Constant { unsigned: cast == ".u64", ..inner });
        }
        let inner = self.expression(1, depth + 1)?;
        self.expect(b')')?;
        Ok(inner)
    }
}
