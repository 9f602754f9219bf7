//! The model of `spec/nvml.rs` and its parser.

use crate::spec::names::type_text;
use std::collections::HashSet;
use syn::{FnArg, Item, ItemFn, Pat};

/// An NVML function.
pub struct Function {
    pub name: String,
    pub class: Class,
    pub params: Vec<Param>,
}

#[derive(Clone, Copy, PartialEq)]
/// The side that answers a function.
pub enum Class {
    /// The client answers.
    Local,
    /// The node answers, and identifies the function by this number.
    Node(u32),
    /// Neither side answers.
    Unsupported,
}

/// A parameter of a function.
pub struct Param {
    pub name: String,
    pub ty: ParamType,
}

/// The type of a parameter.
#[derive(PartialEq)]
pub enum ParamType {
    Device,
    Plain(String),
    Out(String),
    /// A struct that NVML writes as a whole. Its first field is the version, which is 1.
    Versioned(String),
    Text,
}

/// Parses the text of `spec/nvml.rs`.
pub fn parse(text: &str) -> Result<Vec<Function>, String> {
    let file = syn::parse_file(text)
        .map_err(|e| format!("spec/nvml.rs:{}: {e}", e.span().start().line))?;
    let mut functions = Vec::new();
    for item in file.items {
        let Item::Verbatim(tokens) = item else {
            return Err("spec/nvml.rs has functions only, each ending in `;`".into());
        };
        functions.push(function(&tokens.to_string())?);
    }
    check(&functions)?;
    Ok(functions)
}

fn function(text: &str) -> Result<Function, String> {
    let body =
        text.strip_suffix(';').ok_or_else(|| format!("expected `fn name(...);`, found {text}"))?;
    let item: ItemFn =
        syn::parse_str(&format!("{body} {{}}")).map_err(|e| format!("{e} in {text}"))?;
    let name = item.sig.ident.to_string();
    let mut classes = Vec::new();
    for attribute in item.attrs.iter().filter(|a| !a.path().is_ident("doc")) {
        classes.push(match attribute.path().get_ident().map(ToString::to_string).as_deref() {
            Some("local") => Class::Local,
            Some("unsupported") => Class::Unsupported,
            Some("node") => {
                let number: syn::LitInt =
                    attribute.parse_args().map_err(|e| format!("{name}: {e}"))?;
                Class::Node(number.base10_parse().map_err(|e| format!("{name}: {e}"))?)
            }
            _ => return Err(format!("{name}: unknown attribute")),
        });
    }
    let [class] = classes[..] else {
        return Err(format!("{name} has {} classes; each function has exactly one", classes.len()));
    };
    let params = item
        .sig
        .inputs
        .iter()
        .map(param)
        .collect::<Result<_, _>>()
        .map_err(|e| format!("{name}: {e}"))?;
    Ok(Function { name, class, params })
}

fn param(argument: &FnArg) -> Result<Param, String> {
    let FnArg::Typed(typed) = argument else { return Err("self is not allowed".into()) };
    let Pat::Ident(name) = typed.pat.as_ref() else {
        return Err("a parameter must be a name".into());
    };
    let text = type_text(&typed.ty);
    let within = |name: &str| {
        text.strip_prefix(name)?.strip_prefix('<')?.strip_suffix('>').map(str::to_owned)
    };
    let ty = match (within("Out"), within("Versioned"), text.as_str()) {
        (Some(ty), _, _) => ParamType::Out(ty),
        (_, Some(ty), _) => ParamType::Versioned(ty),
        (_, _, "Text") => ParamType::Text,
        (_, _, "nvmlDevice_t") => ParamType::Device,
        _ => ParamType::Plain(text),
    };
    Ok(Param { name: name.ident.to_string(), ty })
}

fn check(functions: &[Function]) -> Result<(), String> {
    let (mut names, mut numbers) = (HashSet::new(), HashSet::new());
    for function in functions {
        if !names.insert(&function.name) {
            return Err(format!("the spec has {} twice", function.name));
        }
        let Class::Node(number) = function.class else { continue };
        if !numbers.insert(number) {
            return Err(format!(
                "number {number} of {} is also the number of another function",
                function.name
            ));
        }
        if function.params.iter().any(|p| matches!(&p.ty, ParamType::Plain(ty) if ty != "u32")) {
            return Err(format!(
                "{}: a function that the node answers takes devices and u32 only",
                function.name
            ));
        }
    }
    Ok(())
}
