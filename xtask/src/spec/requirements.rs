//! Requirements of a function's arguments. The generated exports refuse other arguments before
//! anything is sent, so that no later call gets their error.

use quote::ToTokens;
use syn::{Attribute, Expr, Pat};

/// A requirement of one argument.
#[derive(Clone, PartialEq)]
pub enum Requirement {
    /// `#[aligned(N)]`: a multiple of N.
    Aligned(String),
    /// `#[flags(MASK)]`: no other bits.
    Flags(String),
    /// `#[one_of(PATTERN)]`: one of these values.
    OneOf(String),
    /// `#[at_least(N)]`: N or more.
    AtLeast(String),
    /// `#[at_most(N)]`: N or less.
    AtMost(String),
    /// `#[room]`: bytes that an address space can have. More of them are out of memory.
    Room,
}

impl Requirement {
    /// Returns the condition of an argument, as a Rust expression.
    pub fn condition(&self, argument: &str) -> String {
        match self {
            Requirement::Aligned(to) => format!("{argument}.is_multiple_of({to})"),
            Requirement::Flags(mask) => format!("{argument} & !({mask}) == 0"),
            Requirement::OneOf(values) => format!("matches!({argument}, {values})"),
            Requirement::AtLeast(least) => format!("{argument} >= {least}"),
            Requirement::AtMost(most) => format!("{argument} <= {most}"),
            Requirement::Room => format!("{argument} <= 1 << 47"),
        }
    }
}

/// Parses the attributes of a parameter.
pub fn of_parameter(attributes: &[Attribute]) -> Result<Vec<Requirement>, String> {
    attributes.iter().map(requirement).collect()
}

fn requirement(attribute: &Attribute) -> Result<Requirement, String> {
    let word = attribute.path().get_ident().map(ToString::to_string).unwrap_or_default();
    let wrong = |e: syn::Error| format!("#[{word}(...)] of a parameter: {e}");
    let expression = || attribute.parse_args::<Expr>().map(|e| text(&e)).map_err(wrong);
    match word.as_str() {
        "aligned" => Ok(Requirement::Aligned(expression()?)),
        "flags" => Ok(Requirement::Flags(expression()?)),
        "at_least" => Ok(Requirement::AtLeast(expression()?)),
        "at_most" => Ok(Requirement::AtMost(expression()?)),
        "room" => attribute.meta.require_path_only().map(|_| Requirement::Room).map_err(wrong),
        "one_of" => {
            let values = attribute.parse_args_with(Pat::parse_multi).map_err(wrong)?;
            Ok(Requirement::OneOf(text(&values)))
        }
        _ => Err(format!(
            "unknown attribute {word} of a parameter; there are aligned, flags, one_of, \
             at_least, at_most and room"
        )),
    }
}

/// Parses the condition of `#[requires(CONDITION)]` or `#[supports(CONDITION)]` of a function.
pub fn of_function(attribute: &Attribute) -> Result<String, String> {
    attribute.parse_args::<Expr>().map(|condition| text(&condition)).map_err(|e| e.to_string())
}

fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}
