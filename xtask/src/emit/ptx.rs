//! Emits the PTX instruction table for the software GPU's compiler, and docs/instructions.md.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::spec::ptx::{Beside, Form, Of, Operand, Section};

/// Returns the text of crates/softgpu/src/generated/instructions.rs.
pub fn table(sections: &[Section]) -> String {
    let mut by_name: BTreeMap<&str, Vec<&Form>> = BTreeMap::new();
    for form in sections.iter().flat_map(|section| &section.forms) {
        by_name.entry(&form.name).or_default().push(form);
    }
    let mut out =
        String::from("// Written by `cargo xtask codegen` from spec/ptx.txt; change that.\n\n");
    out.push_str(
        r"use crate::engine::instruction::{Beside, Choice, Form, Instruction, Of, FormOperand};
use crate::engine::Ty;

",
    );
    out.push_str(
        r"/// The instructions and their forms, sorted by name.
#[rustfmt::skip]
pub const INSTRUCTIONS: &[Instruction] = &[
",
    );
    for (name, forms) in by_name {
        let _ = writeln!(out, "Instruction {{ name: {name:?}, forms: &[");
        forms.into_iter().for_each(|form| write_form(&mut out, form));
        out.push_str("] },\n");
    }
    out + "];\n"
}

fn write_form(out: &mut String, form: &Form) {
    let choices = form.choices.iter().map(|choice| {
        format!("Choice {{ required: {}, words: &{:?} }}", choice.required, choice.words)
    });
    let types =
        form.types.iter().map(|types| format!("&[{}]", list(types.iter().map(|ty| constant(ty)))));
    let _ = writeln!(
        out,
        "    Form {{ choices: &[{}], types: &[{}], hints: {}, open: {}, operands: &[{}], \
        open_operands: {}, waits: {} }},",
        list(choices),
        list(types),
        form.hints,
        form.open,
        list(form.operands.iter().map(slot)),
        form.open_operands,
        form.waits
    );
}

fn list(all: impl Iterator<Item = String>) -> String {
    all.collect::<Vec<_>>().join(", ")
}

fn constant(ty: &str) -> String {
    format!("Ty::{}", ty.to_uppercase())
}

fn slot(operand: &Operand) -> String {
    let of = match &operand.of {
        Of::Type(index) => format!("Of::Type({index})"),
        Of::Wide(index) => format!("Of::Wide({index})"),
        Of::Fixed(ty) => format!("Of::Fixed({})", constant(ty)),
        Of::Number => "Of::Number".into(),
        Of::Address => "Of::Address".into(),
        Of::Label => "Of::Label".into(),
        Of::List => "Of::List".into(),
        Of::Any => "Of::Any".into(),
    };
    let beside = match operand.beside {
        Beside::Nothing => "Nothing",
        Beside::Maybe => "Maybe",
        Beside::Predicate => "Predicate",
    };
    format!(
        "FormOperand {{ of: {of}, beside: Beside::{beside}, written: {}, optional: {} }}",
        operand.written, operand.optional
    )
}

/// Returns the text of docs/instructions.md.
pub fn page(sections: &[Section]) -> String {
    let mut out = String::from(
        r"# PTX instructions of the software GPU

`cargo xtask codegen` writes this page from `spec/ptx.txt`. Each line is a form of an instruction.
Braces enclose optional suffixes; parentheses enclose suffixes of which one is required.

The software GPU refuses all other forms when a program loads or first uses the kernel. The error
names the instruction and the line of PTX. The code that compiles a form has the details of lines
that end in `...` ([software-gpu.md](software-gpu.md) lists the shapes of matrices).
",
    );
    for section in sections {
        let _ = writeln!(
            out,
            r"
## {}

```",
            section.title
        );
        section.forms.iter().for_each(|form| out.push_str(&(line(form) + "\n")));
        out.push_str("```\n");
    }
    out
}

fn line(form: &Form) -> String {
    let mut out = form.name.clone();
    for choice in &form.choices {
        let words = choice.words.join("|.");
        let _ = match (choice.required, choice.words.len()) {
            (true, 1) => write!(out, ".{words}"),
            (true, _) => write!(out, "(.{words})"),
            (false, _) => write!(out, "{{.{words}}}"),
        };
    }
    if form.hints {
        out.push_str("{.cache hints}");
    }
    for types in &form.types {
        let words = types.join("|.");
        let _ = if types.len() == 1 { write!(out, ".{words}") } else { write!(out, "(.{words})") };
    }
    out + if form.open { "..." } else { "" }
}
