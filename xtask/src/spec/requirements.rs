//! What a function requires of its arguments. The generated exports refuse other arguments before
//! anything is sent, so that no later call is told of them.

use crate::spec::{Class, Function, Param, Spec};
use quote::ToTokens;
use syn::{Attribute, Expr, Pat};

/// What a function requires of one argument.
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

/// Parses `#[requires(CONDITION)]` of a function, a condition over several parameters.
pub fn of_function(attribute: &Attribute) -> Result<String, String> {
    attribute.parse_args::<Expr>().map(|condition| text(&condition)).map_err(|e| e.to_string())
}

fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

/// A condition of a function's arguments.
pub struct Condition {
    /// A Rust expression over the parameters.
    pub holds: String,
    /// Whether the error is that memory is short, and not that a value is wrong.
    pub is_room: bool,
}

/// Returns the conditions of a function's arguments, in the order of the parameters. A post that
/// sends another function's message has that function's conditions too.
pub fn conditions(spec: &Spec, f: &Function) -> Vec<Condition> {
    let mut all = Vec::new();
    if let Class::PostLike { other } = &f.class {
        all.extend(spec.functions.iter().filter(|g| g.name == *other).flat_map(own));
    }
    all.extend(own(f));
    all
}

fn own(f: &Function) -> Vec<Condition> {
    let of = |p: &Param| -> Vec<Condition> {
        let condition = |r: &Requirement| Condition {
            holds: r.condition(&p.name),
            is_room: *r == Requirement::Room,
        };
        p.requirements.iter().map(condition).collect()
    };
    let relations =
        f.requires.iter().map(|holds| Condition { holds: holds.clone(), is_room: false });
    f.params.iter().flatten().flat_map(of).chain(relations).collect()
}

#[cfg(test)]
mod tests {
    use super::conditions;
    use crate::spec::ops_lock::Lock;
    use crate::spec::parse;

    fn of(functions: &str) -> Result<Vec<String>, String> {
        let text = [("spec.rs".to_owned(), functions.to_owned())];
        let spec = parse::parse(&text, &mut Lock::parse("").unwrap())?;
        Ok(conditions(&spec, &spec.functions[0]).into_iter().map(|c| c.holds).collect())
    }

    #[test]
    fn conditions_follow_the_parameters_and_then_the_function() {
        let found = of("#[local] #[requires(a <= n)]
            fn cuA(#[aligned(4)] a: u64, #[flags(0x3)] f: u32, #[one_of(0..=3 | 7)] e: i32,
                #[at_least(1)] n: u64);");
        let expected = [
            "a.is_multiple_of(4)",
            "f & !(0x3) == 0",
            "matches!(e, 0 ..= 3 | 7)",
            "n >= 1",
            "a <= n",
        ];
        assert_eq!(found.unwrap(), expected);
    }

    #[test]
    fn a_post_has_the_conditions_of_the_function_whose_message_it_sends() {
        let found = of("#[ptds(1)] #[post(like = cuB)] fn cuA(a: u64);
            #[ptsz(1)] #[post(op = 9)] #[does(compute, bytes = a)]
            fn cuB(#[aligned(2)] a: u64, hStream: CUstream);");
        assert_eq!(found.unwrap(), ["a.is_multiple_of(2)"]);
    }

    #[test]
    fn an_unknown_attribute_is_refused() {
        let error = of("#[local] fn cuA(#[even] a: u64);").unwrap_err();
        assert!(error.contains("cuA") && error.contains("even"), "{error}");
    }
}
