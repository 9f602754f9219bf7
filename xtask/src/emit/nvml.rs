//! Emits the code for NVML: the function table for crates/abi, the exports for crates/client, the
//! worker's part for crates/node. Also emits docs/coverage-nvml.md.

use crate::spec::nvml::{Class, Function, Param, ParamType};
use std::fmt::Write;

const HEADER: &str = "// Written by `cargo xtask codegen` from spec/nvml.rs; change that.\n";

/// Returns the name and type of each C argument that a parameter corresponds to.
fn c_arguments(param: &Param) -> Vec<(String, String)> {
    let one = |ty: &str| vec![(param.name.clone(), ty.to_owned())];
    match &param.ty {
        ParamType::Device => one("nvmlDevice_t"),
        ParamType::Plain(ty) => one(ty),
        ParamType::Out(ty) | ParamType::Versioned(ty) => one(&format!("*mut {ty}")),
        ParamType::Text => {
            vec![(param.name.clone(), "*mut c_char".into()), (text_length(param), "u32".into())]
        }
    }
}

fn text_length(param: &Param) -> String {
    format!("{}Length", param.name)
}

fn joined(f: &Function, form: impl Fn(&(String, String)) -> String) -> String {
    f.params
        .iter()
        .flat_map(c_arguments)
        .map(|argument| form(&argument))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns the text of crates/abi/src/generated/nvml.rs.
pub fn table(functions: &[Function]) -> String {
    let typed: Vec<_> = functions.iter().filter(|f| f.class != Class::Unsupported).collect();
    let mut out = format!(
        r"{HEADER}
#![allow(non_snake_case, clippy::too_many_arguments)]

use crate::nvml::*;
use crate::types::CUuuid;
use crate::{{Library, OpenError}};
use std::ffi::{{c_char, c_void}};

/// The functions of one libnvidia-ml.so.1. A function that the library lacks returns
/// FUNCTION_NOT_FOUND.
pub struct Nvml {{
    functions: Functions,
    _library: Library,
}}

struct Functions {{
"
    );
    for f in &typed {
        let _ = writeln!(
            out,
            "    {}: Option<unsafe extern \"C\" fn({}) -> nvmlReturn_t>,",
            f.name,
            joined(f, |(_, ty)| ty.clone())
        );
    }
    out.push_str(
        r"}

impl Nvml {
    /// Opens the library at `path`. Does not initialise NVML.
    pub fn open(path: &std::path::Path) -> Result<Nvml, OpenError> {
        let library = Library::open(path)?;
        // SAFETY: each symbol has the type that nvml.h gives it under that exported name.
        let functions = unsafe {
            Functions {
",
    );
    for f in &typed {
        let _ = writeln!(out, "                {}: library.symbol(c\"{}\"),", f.name, f.name);
    }
    out.push_str(
        r"            }
        };
        Ok(Nvml { functions, _library: library })
    }
}

/// # Safety
/// Each method calls NVML's function of its name. Its arguments must meet that function's
/// requirements.
#[allow(missing_docs, clippy::missing_safety_doc)]
impl Nvml {
",
    );
    for f in &typed {
        let _ = writeln!(
            out,
            r"    pub unsafe fn {0}(&self, {1}) -> nvmlReturn_t {{
        match self.functions.{0} {{
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {{ function({2}) }},
            None => nvmlReturn_t::FUNCTION_NOT_FOUND,
        }}
    }}
",
            f.name,
            joined(f, |(name, ty)| format!("{name}: {ty}")),
            joined(f, |(name, _)| name.clone())
        );
    }
    out.push_str("}\n");
    out
}

/// Returns the text of crates/client/src/generated/nvml_exports.rs.
pub fn client(functions: &[Function]) -> String {
    let mut out = format!(
        r"{HEADER}
// NVIDIA's documents describe each function.
#![allow(missing_docs)]
#![allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)]

use crate::nvml::api;
use crate::nvml::entry::{{enter, unsupported}};
use crate::nvml::node_query::Question;
use outhaul_abi::nvml::*;
use outhaul_abi::types::CUuuid;
use std::ffi::{{c_char, c_void}};

"
    );
    for f in functions {
        let (name, params) = (&f.name, joined(f, |(name, ty)| format!("{name}: {ty}")));
        let body = match f.class {
            Class::Local => format!(
                "// SAFETY: the caller's promise, as NVML states it.\n    enter({name:?}, || \
                unsafe {{ api::{name}({}) }})",
                joined(f, |(name, _)| name.clone())
            ),
            Class::Node(number) => format!("enter({name:?}, || {{ {} }})", ask(f, number)),
            Class::Unsupported => format!("unsupported({name:?})"),
        };
        let _ = writeln!(
            out,
            r#"#[unsafe(no_mangle)]
pub unsafe extern "C" fn {name}({params}) -> nvmlReturn_t {{
    {body}
}}
"#
        );
    }
    out
}

/// Returns the client's body for a function that the node answers.
fn ask(f: &Function, number: u32) -> String {
    let (mut inputs, mut outputs) = (String::new(), String::new());
    for p in &f.params {
        let name = &p.name;
        let _ = match &p.ty {
            ParamType::Device => write!(inputs, "question.device({name})?; "),
            ParamType::Plain(_) => write!(inputs, "question.number({name}); "),
            ParamType::Out(_) | ParamType::Versioned(_) => {
                let wants =
                    if matches!(p.ty, ParamType::Out(_)) { "wants" } else { "wants_version" };
                let _ = write!(inputs, "question.{wants}({name})?; ");
                write!(outputs, "answer.number_or_struct({name})?; ")
            }
            ParamType::Text => {
                let _ = write!(inputs, "question.wants({name})?; ");
                write!(outputs, "answer.text({name}, {})?; ", text_length(p))
            }
        };
    }
    if outputs.is_empty() {
        return format!(
            "let mut question = Question::new({number}); {inputs} question.ask()?.end()"
        );
    }
    format!(
        "let mut question = Question::new({number}); {inputs} let mut answer = \
        question.ask()?;\n// SAFETY: not null, and the program guarantees that it is valid for \
        writes.\n unsafe {{ {outputs} }} answer.end()"
    )
}

/// Returns the text of crates/node/src/generated/nvml_ask.rs.
pub fn node(functions: &[Function]) -> String {
    let mut out = format!(
        r"{HEADER}
#![allow(non_snake_case, unused_imports)]

use crate::worker::io::frame::Refusal;
use crate::worker::io::marshal;
use crate::worker::driver::sensors::{{Question, TEXT_BYTES}};
use outhaul_abi::nvml::*;

/// Asks the node's NVML a client's question, and stores the answer in the question.
pub fn ask(nvml: &Nvml, question: &mut Question<'_>) -> Result<nvmlReturn_t, Refusal> {{
    Ok(match question.function {{
"
    );
    for f in functions {
        let Class::Node(number) = f.class else { continue };
        let (mut lets, mut arguments, mut answers) = (String::new(), Vec::new(), String::new());
        for p in &f.params {
            let name = &p.name;
            match &p.ty {
                ParamType::Device => {
                    let _ = write!(lets, "let {name} = question.device()?; ");
                    arguments.push(name.clone());
                }
                ParamType::Plain(_) => {
                    let _ = write!(lets, "let {name} = question.number()?; ");
                    arguments.push(name.clone());
                }
                ParamType::Out(ty) | ParamType::Versioned(ty) => {
                    let _ = write!(lets, "let mut {name}: {ty} = marshal::zero(); ");
                    if matches!(p.ty, ParamType::Versioned(_)) {
                        let _ = write!(lets, "{name}.version = versioned::<{ty}>(1); ");
                    }
                    arguments.push(format!("&mut {name}"));
                    let _ = write!(answers, "question.answer(marshal::bytes(&{name})); ");
                }
                ParamType::Text => {
                    let _ = write!(lets, "let mut {name} = [0; TEXT_BYTES]; ");
                    arguments.push(format!("{name}.as_mut_ptr(), TEXT_BYTES as u32"));
                    let _ = write!(answers, "question.answer_text(&{name}); ");
                }
            }
        }
        let asked = format!("unsafe {{ nvml.{}({}) }}", f.name, arguments.join(", "));
        let asked = if answers.is_empty() {
            asked
        } else {
            format!("let status = {asked}; {answers} status")
        };
        let _ = writeln!(
            out,
            "{number} => {{ {lets} question.end()?;\n// SAFETY: the device is NVML's own, and\n\
            // results go to locals of the size that NVML writes.\n {asked} }}"
        );
    }
    out.push_str(
        r#"        other => {
            let what = format!("function {other} is not one that a node answers");
            return Err(Refusal::Violation(what));
        }
    })
}
"#,
    );
    out
}

/// Returns the text of docs/coverage-nvml.md.
pub fn coverage(functions: &[Function]) -> String {
    let mut out = String::from(
        r"# Coverage of NVML

`cargo xtask codegen` writes this page from `spec/nvml.rs`. The library also exports unsupported
functions; they return `NVML_ERROR_NOT_SUPPORTED`. A function that the node answers returns the same
error if the node has no NVML, as with the software GPU.

| function | answered by |
|---|---|
",
    );
    for f in functions {
        let class = match f.class {
            Class::Local => "client",
            Class::Node(_) => "node",
            Class::Unsupported => "-",
        };
        let _ = writeln!(out, "| `{}` | {class} |", f.name);
    }
    out
}
