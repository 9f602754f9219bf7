//! Emits the dispatch for crates/node. Each op maps to the driver call of a generated message, or
//! to a hand-written method.

use crate::emit::signature::HEADER;
use crate::spec::effect::Lane;
use crate::spec::names::snake;
use crate::spec::{Class, Function, Kind, Param, ParamType, Spec};
use std::collections::HashSet;
use std::fmt::Write;

/// Returns the text of crates/node/src/generated/dispatch.rs.
pub fn dispatch(spec: &Spec) -> String {
    let mut out = format!(
        r"{HEADER}
use crate::worker::io::frame::{{Incoming, Refusal, decode}};
use crate::worker::io::marshal;
use crate::worker::state::Worker;
use outhaul_abi::types::*;
use outhaul_wire::codec::Message;
use outhaul_wire::messages::*;

"
    );
    let functions: Vec<&Function> = spec
        .functions
        .iter()
        .filter(|f| matches!(f.class, Class::Post { .. } | Class::Call { .. }))
        .collect();
    let mut by_op = std::collections::HashMap::new();
    for f in &functions {
        if let Class::Post { op } | Class::Call { op, .. } = f.class {
            by_op.insert(op, *f);
        }
    }
    let sent = spec.messages.iter().filter(|m| m.is_sent());
    let (commands, strays): (Vec<_>, Vec<_>) = sent.partition(|m| m.is_command());
    let custom: Vec<_> =
        commands.into_iter().filter(|m| m.op.is_some_and(|op| !by_op.contains_key(&op))).collect();

    out.push_str(
        r"
/// Executes one frame. A message with hand-written code goes to the method of its name. The code
/// answers a call through its ticket, at once or from another thread. The worker reports an error
/// of the driver to the client; this function fails only if the client violates the protocol.
pub fn dispatch(worker: &mut Worker, incoming: &mut Incoming) -> Result<(), String> {
    let result = match incoming.op() {
",
    );
    let mut done = HashSet::new();
    for m in &custom {
        done.insert(m.op);
        let name = snake(&m.name);
        let body = "&incoming.take_body()";
        if m.kind == Kind::Call {
            let _ = writeln!(
                out,
                "        {}::OP => \
                {{ let ticket = worker.ticket(incoming); \
                decode::<{}>({body}).and_then(|m| worker.{name}(&m, &ticket)).or_else(|e| \
                ticket.refuse(e)) }}",
                m.name, m.name
            );
        } else if m.payload {
            let _ = writeln!(
                out,
                "        {}::OP => decode::<{}>({body}).and_then(|m| worker.{name}(&m, incoming)),",
                m.name, m.name
            );
        } else {
            let _ = writeln!(
                out,
                "        {}::OP => decode::<{}>({body}).and_then(|m| worker.{name}(&m)),",
                m.name, m.name
            );
        }
    }
    for m in spec.messages.iter().filter(|m| m.op.is_some_and(|op| by_op.contains_key(&op))) {
        let f = by_op[&m.op.expect("filtered")];
        let _ = writeln!(out, "        {}::OP => {},", m.name, generated(f, &m.name, m.kind, spec));
    }
    for m in strays {
        let lane = match m.lane {
            Lane::Callbacks => "the callback lane",
            Lane::Bulk => "a bulk lane",
            Lane::Link => "a link",
            Lane::Commands => unreachable!("a command is no stray"),
        };
        let _ = writeln!(
            out,
            "        {}::OP => Err(Refusal::Violation({:?}.into())),",
            m.name,
            format!("it belongs on {lane}")
        );
    }
    out.push_str(
        r#"        op => Err(Refusal::Violation(format!("op {op} is not one that a client sends"))),
    };
    worker.finish_post(incoming, result)
}
"#,
    );
    out
}

/// Translates an expression over a function's parameters into one over the message's fields.
fn over_message(expression: &str, params: &[Param]) -> String {
    // Each piece consists of a word and the following character.
    let pieces = expression.split_inclusive(|c: char| !c.is_alphanumeric());
    let translated = pieces.map(|piece| {
        let word = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
        let known = params.iter().any(|p| p.name == word);
        if known { format!("m.{}{}", snake(word), &piece[word.len()..]) } else { piece.to_owned() }
    });
    translated.collect()
}

fn generated(f: &Function, message: &str, kind: Kind, spec: &Spec) -> String {
    let params = f.params.as_ref().expect("generated functions are typed");
    let (mut lets, mut arguments, mut answers) = (String::new(), Vec::new(), Vec::new());
    for p in params {
        let field = snake(&p.name);
        match &p.ty {
            ParamType::Plain(ty) if spec.handles.iter().any(|h| h == ty) => {
                let _ =
                    write!(lets, "let {field} = worker.objects.{}(m.{field})?; ", snake(&ty[2..]));
                arguments.push(field);
            }
            ParamType::Plain(ty) if ty == "usize" => arguments.push(format!("m.{field} as usize")),
            ParamType::Plain(_) => arguments.push(format!("m.{field}")),
            ParamType::In(ty) => {
                let _ = write!(lets, "let {field}: {ty} = marshal::read(m.{field})?; ");
                arguments.push(format!("&{field}"));
            }
            ParamType::InArray { element, count, .. } => {
                let count = over_message(count, params);
                let _ = write!(
                    lets,
                    "let {field} = \
                     marshal::read_array::<{element}>(m.{field}, ({count}) as usize)?; "
                );
                arguments.push(format!("{field}.as_ptr()"));
            }
            ParamType::Out(ty) | ParamType::OptionalOut(ty) => {
                let _ = write!(lets, "let mut {field}: {ty} = marshal::zero(); ");
                arguments.push(format!("&mut {field}"));
                let is_struct = ty.starts_with("CU") && ty != "CUdevice" && ty != "CUdeviceptr";
                answers.push(if is_struct {
                    format!("{field}: marshal::bytes(&{field})")
                } else if ty == "usize" {
                    format!("{field}: {field} as u64")
                } else {
                    field.clone()
                });
            }
        }
    }
    let inputs =
        params.iter().any(|p| !matches!(p.ty, ParamType::Out(_) | ParamType::OptionalOut(_)));
    let unused = if inputs { "m" } else { "_m" };
    let call = format!(
        "\n// SAFETY: handles are the session's own, structs were read whole, and device\n\
        // addresses reach this session's memory only.\n unsafe {{ worker.driver.{}({}) }}.ok()?;",
        f.name,
        arguments.join(", ")
    );
    if kind == Kind::Post {
        return format!(
            "(|| {{ let body = incoming.take_body(); let {unused} = decode::<{message}>(&body)?; \
            {lets} {call} Ok(()) }})()"
        );
    }
    let reply = if answers.is_empty() {
        "()".into()
    } else {
        format!("{message}Reply {{ {} }}", answers.join(", "))
    };
    format!(
        "{{ let ticket = worker.ticket(incoming); (|| {{ let body = incoming.take_body(); let \
        {unused} = decode::<{message}>(&body)?; {lets} {call} ticket.answer(&{reply}); Ok(()) \
        }})().or_else(|e| ticket.refuse(e)) }}"
    )
}
