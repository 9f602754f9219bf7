//! The call that `#[is(...)]` in the spec states for a delegated function. The generated export
//! makes only this call, so that the function needs no code of its own.

use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Ident, Lit, Path, Token, bracketed, parenthesized, token};

/// The attribute's syntax, for error messages.
pub const HELP: &str = "write #[is(folder::file::function(argument, ...))] with a function of \
                        crates/client/src/api, or #[is(cuFunction(argument, ...))]; after the \
                        call, `-> parameter` or `-> (parameter, ...)` takes what it returns";

/// An argument of a call.
#[derive(Clone, PartialEq)]
pub enum Argument {
    /// A parameter of the delegated function.
    Parameter(String),
    /// `null`: a null pointer.
    Null,
    /// `stream`: the default stream of the exported flavour.
    DefaultStream,
    /// A literal, or the path of a constant.
    Constant(String),
    /// `[a, b]`: an array.
    Array(Vec<Argument>),
    /// A call whose result is the argument. If the call fails, its error becomes the function's
    /// error.
    Call(Call),
}

/// A call of a function in crates/client/src/api, or of a driver function.
#[derive(Clone, PartialEq)]
pub struct Call {
    /// Folder, file and name. The path has only the name for a driver function, and for an inner
    /// function in the file of the outer one.
    pub path: Vec<String>,
    pub arguments: Vec<Argument>,
}

/// A delegated function's call, and the parameters that receive the call's results.
#[derive(Clone, PartialEq)]
pub struct Delegation {
    pub call: Call,
    pub results: Vec<String>,
}

impl Call {
    /// Returns the driver function's name, if the call is one of a driver function.
    pub fn driver_function(&self) -> Option<&str> {
        match self.path.as_slice() {
            [name] if name.starts_with("cu") => Some(name),
            _ => None,
        }
    }

    /// Returns the arguments. Calls and arrays among them are replaced by their own arguments.
    pub fn leaves(&self) -> Vec<&Argument> {
        self.arguments.iter().flat_map(Argument::leaves).collect()
    }
}

impl Argument {
    fn leaves(&self) -> Vec<&Argument> {
        match self {
            Argument::Call(call) => call.leaves(),
            Argument::Array(elements) => elements.iter().flat_map(Argument::leaves).collect(),
            leaf => vec![leaf],
        }
    }
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Argument> {
        if input.peek(Lit) {
            return Ok(Argument::Constant(input.parse::<Lit>()?.to_token_stream().to_string()));
        }
        if input.peek(token::Bracket) {
            let inside;
            bracketed!(inside in input);
            let elements = inside.parse_terminated(Argument::parse, Token![,])?;
            return Ok(Argument::Array(elements.into_iter().collect()));
        }
        let path = segments(input)?;
        if input.peek(token::Paren) {
            return Ok(Argument::Call(Call { path, arguments: arguments(input)? }));
        }
        Ok(match path.as_slice() {
            [name] if name == "null" => Argument::Null,
            [name] if name == "stream" => Argument::DefaultStream,
            [name] => Argument::Parameter(name.clone()),
            path => Argument::Constant(path.join("::")),
        })
    }
}

impl Parse for Delegation {
    fn parse(input: ParseStream<'_>) -> syn::Result<Delegation> {
        let call = Call { path: segments(input)?, arguments: arguments(input)? };
        let mut results = Vec::new();
        if input.parse::<Option<Token![->]>>()?.is_some() {
            let names;
            let names = if input.peek(token::Paren) {
                parenthesized!(names in input);
                &names
            } else {
                input
            };
            let found = names.parse_terminated(Ident::parse, Token![,])?;
            results.extend(found.iter().map(ToString::to_string));
        }
        Ok(Delegation { call, results })
    }
}

fn segments(input: ParseStream<'_>) -> syn::Result<Vec<String>> {
    let path: Path = input.call(Path::parse_mod_style)?;
    Ok(path.segments.iter().map(|segment| segment.ident.to_string()).collect())
}

fn arguments(input: ParseStream<'_>) -> syn::Result<Vec<Argument>> {
    let inside;
    parenthesized!(inside in input);
    Ok(inside.parse_terminated(Argument::parse, Token![,])?.into_iter().collect())
}

/// Parses `#[is(...)]`.
pub fn delegation(attribute: &Attribute) -> Result<Delegation, String> {
    let found: Delegation = attribute.parse_args().map_err(|e| format!("{e}; {HELP}"))?;
    if found.call.path.len() < 2 && found.call.driver_function().is_none() {
        return Err(format!("{} has no folder and file; {HELP}", found.call.path.join("::")));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use crate::spec::ops_lock::Lock;
    use crate::spec::parse;

    /// Returns codegen's error for a spec with these functions, or an empty string.
    fn error_of(functions: &str) -> String {
        parse::parse(&[("spec.rs".into(), functions.into())], &mut Lock::parse("").unwrap())
            .err()
            .unwrap_or_default()
    }

    #[test]
    fn calls_of_functions_and_of_driver_functions_are_read() {
        for right in [
            "#[is(a::b::f(n, 0, true, Mode::Fast, c([n, 1], null)))] fn cuA(n: u32);",
            "#[is(a::b::f(n) -> p)] fn cuA(n: u32, p: Out<u32>);",
            "#[is(a::b::f() -> (p, q))] fn cuA(p: *mut u32, q: Option<Out<u32>>);",
            "#[ptds(1)] #[is(a::b::f(stream))] fn cuA();",
            "#[is(cuB(n, 0))] fn cuA(n: u32);\n#[is(a::b::f(n, m))] fn cuB(n: u32, m: u32);",
        ] {
            assert_eq!(error_of(right), "", "{right}");
        }
    }

    #[test]
    fn a_wrong_call_is_refused_with_its_line_and_the_correction() {
        for (wrong, reason) in [
            ("#[is] fn cuA();", "write #[is("),
            ("#[is(f(n))] fn cuA(n: u32);", "f has no folder and file; write #[is("),
            ("#[is(a::b::f(n + 1))] fn cuA(n: u32);", "write #[is("),
            ("#[is(a::b::f(m))] fn cuA(n: u32);", "no parameter `m`"),
            ("#[is(a::b::f())] fn cuA(n: u32);", "leaves out `n`; pass every parameter"),
            ("#[is(a::b::f() -> n)] fn cuA(n: u32);", "make it *mut T or Out<T>"),
            ("#[is(a::b::f() -> m)] fn cuA();", "no parameter `m`"),
            ("#[is(a::b::f(stream))] fn cuA();", "write CUstream::NULL"),
            ("#[is(cuB(n))] fn cuA(n: u32);", "lacks cuB"),
            ("#[is(cuA(n))] fn cuA(n: u32);", "cuA leads back"),
            ("#[is(cuB())] fn cuA();\n#[is(cuA())] fn cuB();", "cuB leads back"),
            ("#[is(cuB())] fn cuA();\n#[custom(\"x\")] fn cuB(n: u32);", "cuB takes 1 argument"),
            ("#[is(cuB() -> p)] fn cuA(p: *mut u32);\n#[local] fn cuB();", "pass their places"),
        ] {
            let error = error_of(wrong);
            assert!(
                error.starts_with("spec.rs:1: cuA: ") && error.contains(reason),
                "{wrong}: {error}"
            );
        }
    }

    #[test]
    fn a_custom_function_states_its_reason_in_a_few_words() {
        assert_eq!(error_of("#[custom(\"reads a list that ends in a mark\")] fn cuA();"), "");
        let long = format!("#[custom(\"{}\")] fn cuA();", "word ".repeat(13));
        for wrong in ["#[custom] fn cuA();", "#[custom(\"\")] fn cuA();", &long] {
            let error = error_of(wrong);
            assert!(
                error.starts_with("spec.rs:1: cuA: ") && error.contains("#[custom(\"...\")]"),
                "{wrong}: {error}"
            );
        }
    }
}
