//! Emits, for crates/wire, a struct with its codec for every message, and the op names. Also emits
//! a sample of each message for tests and fuzzing.

use crate::checks::layering::COLUMNS_MAX;
use crate::emit::signature::HEADER;
use crate::spec::{FieldType, Kind, Message, Spec};
use std::fmt::Write;

/// Returns the text of crates/wire/src/generated/messages.rs.
pub fn messages(spec: &Spec, levels: &[(u16, u64)]) -> String {
    let mut out = format!(
        r"{HEADER}
//! Messages between client and worker, each a struct with its codec.

// The spec describes related messages together, and fields where their names do not say it.
#![allow(missing_docs)]

use crate::codec::{{Call, DecodeError, Field, List, Message, Reader}};
use crate::sample::{{Sample, Seed}};

"
    );
    let sums: String =
        levels.iter().map(|(level, sum)| format!("({level}, {sum:#018x}),")).collect();
    let _ = writeln!(
        out,
        "/// The levels that this release understands, each with its sum, the newest last.\npub \
        const LEVELS: &[(u16, u64)] = &[{sums}];\n"
    );
    for message in &spec.messages {
        one(&mut out, message, &spec.messages);
        if message.kind == Kind::Call {
            let answered = message.answered_like.as_ref().unwrap_or(&message.name);
            let behind =
                spec.messages.iter().position(|m| m.name == *answered).map_or(0, |i| i + 1);
            let reply =
                spec.messages.get(behind..).into_iter().flatten().find(|m| m.kind != Kind::Part);
            let reply = match reply {
                Some(m) if m.kind == Kind::Reply => {
                    format!("{}{}", m.name, lifetime(m, &spec.messages, "<'r>"))
                }
                _ => "()".into(),
            };
            let _ = writeln!(
                out,
                "impl Call for {}{} {{ type Reply<'r> = {reply}; }}\n",
                message.name,
                lifetime(message, &spec.messages, "<'_>")
            );
        }
    }
    op_names(&mut out, spec);
    samples(&mut out, spec);
    out
}

fn lifetime<'s>(message: &Message, all: &[Message], text: &'s str) -> &'s str {
    if message.borrows(all) { text } else { "" }
}

fn rust_type(ty: &FieldType, all: &[Message]) -> String {
    match ty {
        FieldType::Scalar(ty) => ty.clone(),
        FieldType::Array(ty, n) => format!("[{ty}; {n}]"),
        FieldType::Bytes => "&'a [u8]".into(),
        FieldType::Str => "&'a str".into(),
        FieldType::List(part) => {
            let borrows = all.iter().any(|m| m.name == *part && m.borrows(all));
            format!("List<{part}{}>", if borrows { "<'a>" } else { "" })
        }
    }
}

/// Returns `text` as a doc comment, in lines of at most `COLUMNS_MAX` columns.
fn documentation(text: &str) -> String {
    let (mut lines, mut line) = (String::new(), String::from("///"));
    for word in text.split(' ') {
        if line.len() + 1 + word.len() > COLUMNS_MAX {
            lines += &format!("{line}\n");
            line = String::from("///");
        }
        line += &format!(" {word}");
    }
    lines + &line + "\n"
}

fn one(out: &mut String, message: &Message, all: &[Message]) {
    let (name, a) = (&message.name, lifetime(message, all, "<'a>"));
    if !message.doc.is_empty() {
        out.push_str(&documentation(&message.doc));
    }
    let _ = writeln!(out, "#[derive(Clone, Debug, PartialEq)]\npub struct {name}{a} {{");
    for (field, ty) in &message.fields {
        let _ = writeln!(out, "    pub {field}: {},", rust_type(ty, all));
    }
    let _ = writeln!(
        out,
        r"}}

impl<'a> Field<'a> for {name}{a} {{
    fn put(&self, {}: &mut Vec<u8>) {{",
        if message.fields.is_empty() { "_out" } else { "out" }
    );
    for (field, _) in &message.fields {
        let _ = writeln!(out, "        self.{field}.put(out);");
    }
    let _ = writeln!(
        out,
        r"    }}

    fn take({}: &mut Reader<'a>) -> Result<Self, DecodeError> {{
        Ok({name} {{",
        if message.fields.is_empty() { "_reader" } else { "reader" }
    );
    for (field, _) in &message.fields {
        let _ = writeln!(out, "            {field}: Field::take(reader)?,");
    }
    out.push_str(
        r"        })
    }
}

",
    );
    if let Some(op) = message.op {
        let _ = writeln!(
            out,
            r"impl<'a> Message<'a> for {name}{a} {{
    const OP: u16 = {op};
    const LEVEL: u16 = {};
    const HEAD_BYTES: Option<usize> = {:?};
{}}}
",
            message.level,
            head_bytes(message),
            stream_of(message)
        );
    }
}

/// Returns the code of a method that returns the message's stream, if the message has a stream
/// field.
fn stream_of(message: &Message) -> &'static str {
    let names_one = |(field, ty): &(String, FieldType)| {
        field == "stream" && matches!(ty, FieldType::Scalar(ty) if ty == "u64")
    };
    if message.fields.iter().any(names_one) {
        r"
    fn stream(&self) -> Option<u64> {
        Some(self.stream)
    }
"
    } else {
        ""
    }
}

/// Returns the number of bytes before a message's payload. A message with a payload has only
/// numbers and arrays as fields.
fn head_bytes(message: &Message) -> Option<usize> {
    let scalar = |ty: &str| match ty {
        "u8" | "bool" => 1,
        "u16" => 2,
        "u64" => 8,
        _ => 4,
    };
    let field = |ty: &FieldType| match ty {
        FieldType::Scalar(ty) => scalar(ty),
        FieldType::Array(ty, n) => scalar(ty) * n,
        _ => panic!("{}: a message with a payload has numbers and arrays only", message.name),
    };
    message.payload.then(|| message.fields.iter().map(|(_, ty)| field(ty)).sum())
}

fn op_names(out: &mut String, spec: &Spec) {
    out.push_str(
        r"
/// Returns the name of an op, for logs and statistics.
pub fn op_name(op: u16) -> &'static str {
    match op {
",
    );
    for message in &spec.messages {
        if message.op.is_some() {
            let _ = writeln!(out, "        {}::OP => {:?},", message.name, message.name);
        }
    }
    out.push_str(
        r#"        _ => "an unknown op",
    }
}

"#,
    );
    out.push_str(
        r"
/// Returns the number of bytes before the payload, for an op with a payload.
pub fn head_bytes(op: u16) -> Option<usize> {
    match op {
",
    );
    for message in spec.messages.iter().filter(|m| m.payload) {
        let _ = writeln!(out, "        {}::OP => {}::HEAD_BYTES,", message.name, message.name);
    }
    out.push_str(
        r"        _ => None,
    }
}

",
    );
}

fn sample_value(ty: &FieldType, all: &[Message]) -> String {
    match ty {
        FieldType::Scalar(ty) => format!("seed.next_{ty}()"),
        FieldType::Array(ty, _) => format!("std::array::from_fn(|_| seed.next_{ty}())"),
        FieldType::Bytes => "&bytes".into(),
        FieldType::Str => "&text".into(),
        FieldType::List(part) => {
            let message = all.iter().find(|m| m.name == *part);
            match message {
                None => {
                    format!("List((0..seed.next_length()).map(|_| seed.next_{part}()).collect())")
                }
                Some(m) => {
                    let fields: Vec<_> = m
                        .fields
                        .iter()
                        .map(|(f, t)| format!("{f}: {}", sample_value(t, all)))
                        .collect();
                    format!(
                        "List((0..seed.next_length()).map(|_| {part} {{ {} }}).collect())",
                        fields.join(", ")
                    )
                }
            }
        }
    }
}

fn samples(out: &mut String, spec: &Spec) {
    out.push_str(
        r"
/// Returns one valid body of every message, generated from `seed`. Tests of the codec use them, and
/// fuzzing starts from them.
pub fn samples(seed: &mut Seed) -> Vec<Sample> {
    let (bytes, text) = (seed.next_bytes(), seed.next_text());
    vec![
",
    );
    for message in &spec.messages {
        let fields: Vec<_> = message
            .fields
            .iter()
            .map(|(f, t)| format!("{f}: {}", sample_value(t, &spec.messages)))
            .collect();
        let op = message.op.map_or("None".to_owned(), |op| format!("Some({op})"));
        let _ = writeln!(
            out,
            "        Sample::new({:?}, {op}, &{} {{ {} }}, |body| \
            Reader::new(body).whole::<{}>().map(|m| (m.encoded(), format!(\"{{m:?}}\")))),",
            message.name,
            message.name,
            fields.join(", "),
            message.name
        );
    }
    out.push_str("    ]\n}\n");
}
