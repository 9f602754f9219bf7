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
}

impl Requirement {
    /// Returns the condition of an argument, as a Rust expression.
    pub fn condition(&self, argument: &str) -> String {
        match self {
            Requirement::Aligned(to) => format!("{argument}.is_multiple_of({to})"),
            Requirement::Flags(mask) => format!("{argument} & !({mask}) == 0"),
            Requirement::OneOf(values) => format!("matches!({argument}, {values})"),
            Requirement::AtLeast(least) => format!("{argument} >= {least}"),
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
        "one_of" => {
            let values = attribute.parse_args_with(Pat::parse_multi).map_err(wrong)?;
            Ok(Requirement::OneOf(text(&values)))
        }
        _ => Err(format!(
            "unknown attribute {word} of a parameter; there are aligned, flags, one_of and \
             at_least"
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

/// Returns the conditions of a function's arguments, in the order of the parameters. A post that
/// sends another function's message has that function's conditions too.
pub fn conditions(spec: &Spec, f: &Function) -> Vec<String> {
    let own = |f: &Function| {
        let params = f.params.iter().flatten();
        let of = |p: &Param| p.requirements.iter().map(|r| r.condition(&p.name)).collect();
        let mut all: Vec<String> = params.flat_map(|p: &Param| -> Vec<String> { of(p) }).collect();
        all.extend(f.requires.iter().cloned());
        all
    };
    match &f.class {
        Class::PostLike { other } => spec
            .functions
            .iter()
            .find(|g| g.name == *other)
            .map(own)
            .into_iter()
            .flatten()
            .chain(own(f))
            .collect(),
        _ => own(f),
    }
}

#[cfg(test)]
mod tests {
    use super::conditions;
    use crate::spec::ops_lock::Lock;
    use crate::spec::parse;

    fn of(functions: &str) -> Result<Vec<String>, String> {
        let text = [("spec.rs".to_owned(), functions.to_owned())];
        let spec = parse::parse(&text, &mut Lock::parse("").unwrap())?;
        Ok(conditions(&spec, &spec.functions[0]))
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
