//! Emits, for crates/wire, the effect of each op and the details that its message carries.

use crate::emit::signature::HEADER;
use crate::spec::effect::{self, CallsBack, Engine, Measure};
use crate::spec::names::snake;
use crate::spec::{Message, Spec};
use std::fmt::Write;

/// Returns the text of crates/wire/src/generated/effects.rs.
pub fn effects(spec: &Spec) -> Result<String, String> {
    let mut out = format!(
        r"{HEADER}
//! The effect of each op, and what its message says about it.

use crate::codec::{{Field, Message, Reader}};
use crate::effect::{{Amount, Effect, Engine, hash}};
use crate::messages::*;

"
    );
    let sent: Vec<&Message> = spec.messages.iter().filter(|m| m.is_sent()).collect();
    table(&mut out, &sent);
    out.push_str(
        r"fn read<'a, M: Field<'a>>(body: &'a [u8]) -> Option<M> {
    M::take(&mut Reader::new(body)).ok()
}

",
    );
    streams(&mut out, &sent);
    amounts(&mut out, &sent)?;
    contexts(&mut out, &sent);
    callbacks(&mut out, &sent);
    Ok(out)
}

fn table(out: &mut String, sent: &[&Message]) {
    out.push_str(
        r"/// Returns the effect of an op. An op that a client does not send has none.
pub const fn effect(op: u16) -> Effect {
    match op {
",
    );
    for message in sent {
        let set = set_fields(message);
        if !set.is_empty() {
            let _ = writeln!(
                out,
                "        {}::OP => Effect {{ {}, ..Effect::NOTHING }},",
                message.name,
                set.join(", ")
            );
        }
    }
    out.push_str(
        r"        _ => Effect::NOTHING,
    }
}

",
    );
}

/// Returns the `Effect` fields that differ from those of an op without an effect.
fn set_fields(message: &Message) -> Vec<String> {
    let effect = message.effect.as_ref().expect("checked by the parser");
    let engine = effect.work.as_ref().map(|(engine, _)| match engine {
        Engine::Compute => "engine: Some(Engine::Compute)",
        Engine::CopyToDevice => "engine: Some(Engine::CopyToDevice)",
        Engine::CopyToHost => "engine: Some(Engine::CopyToHost)",
    });
    let flags = [
        (effect.launches, "launches: true"),
        (effect.queued, "queued: true"),
        (effect.accesses, "accesses: true"),
        (effect.stalls, "stalls: true"),
        (effect.watches, "watches: true"),
        (effect.joins, "joins: true"),
        (effect.captured, "captured: true"),
        (effect.waits || effect.takes_long, "waits: true"),
        (effect.drains, "drains: true"),
        (effect.makes_fixed, "makes_fixed: true"),
        (message.memory, "names_memory: true"),
        (message.graph, "names_graph: true"),
    ];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, text)| text);
    engine.into_iter().chain(flags).map(str::to_owned).collect()
}

/// Writes a match with one arm for each message for which `value` returns an expression over the
/// decoded body.
fn arms(
    out: &mut String,
    signature: &str,
    sent: &[&Message],
    value: impl Fn(&Message) -> Option<String>,
) {
    let _ = writeln!(out, "{signature} {{\n    match op {{");
    for message in sent {
        if let Some(value) = value(message) {
            let _ = writeln!(
                out,
                "        {0}::OP => read::<{0}>(body).map(|m| {value}),",
                message.name
            );
        }
    }
    out.push_str(
        r"        _ => None,
    }
}

",
    );
}

fn streams(out: &mut String, sent: &[&Message]) {
    let signature = "/// Returns the client's handle of the stream that a command goes to, 0 for \
    the legacy stream.\npub fn stream(op: u16, body: &[u8]) -> Option<u64>";
    let goes =
        |message: &Message| message.effect.as_ref().is_some_and(|effect| effect.goes_to_stream());
    arms(out, signature, sent, |message| goes(message).then(|| "m.stream".to_owned()));
}

fn amounts(out: &mut String, sent: &[&Message]) -> Result<(), String> {
    let mut values = std::collections::HashMap::new();
    for message in sent {
        if let Some((_, measure)) = message.effect.as_ref().and_then(|effect| effect.work.as_ref())
        {
            let value = match measure {
                Measure::Bytes(expression) => {
                    let bytes = effect::bytes(expression, &|field| format!("m.{}", snake(field)));
                    format!(
                        "Amount::Bytes({})",
                        bytes.map_err(|e| format!("{}: {e}", message.place))?
                    )
                }
                Measure::Like(fields) => {
                    let fields: Vec<_> = fields
                        .iter()
                        .map(|field| format!("m.{}.put(&mut key);", snake(field)))
                        .collect();
                    format!(
                        "{{ let mut key = Vec::new(); {} Amount::Like(hash(&key)) }}",
                        fields.join(" ")
                    )
                }
            };
            values.insert(&message.name, value);
        }
    }
    let signature = "/// Returns the amount of a command's work. Returns None if the command is \
    not work,\n/// or is malformed, which the worker reports when it executes the command.\npub \
    fn amount(op: u16, body: &[u8]) -> Option<Amount>";
    arms(out, signature, sent, |message| values.get(&message.name).cloned());
    Ok(())
}

fn contexts(out: &mut String, sent: &[&Message]) {
    let signature = "/// Returns the client's handles of other contexts of whose devices a command \
    uses memory.\npub fn contexts(op: u16, body: &[u8]) -> Option<Vec<u64>>";
    arms(out, signature, sent, |message| {
        let named = message
            .effect
            .as_ref()
            .map(|effect| effect.contexts.as_slice())
            .filter(|contexts| !contexts.is_empty())?;
        Some(format!(
            "vec![{}]",
            named.iter().map(|field| format!("m.{field}")).collect::<Vec<_>>().join(", ")
        ))
    });
}

fn callbacks(out: &mut String, sent: &[&Message]) {
    out.push_str(
        r"/// Returns whether the command makes the device call a function of the program.
pub fn calls_back(op: u16, body: &[u8]) -> bool {
    match op {
",
    );
    for message in sent {
        let value = match message.effect.as_ref().map(|effect| &effect.calls_back) {
            Some(CallsBack::Always) => "true".to_owned(),
            Some(CallsBack::Where(field)) => {
                format!("read::<{}>(body).is_some_and(|m| m.{})", message.name, snake(field))
            }
            _ => continue,
        };
        let _ = writeln!(out, "        {}::OP => {value},", message.name);
    }
    out.push_str(
        r"        _ => false,
    }
}
",
    );
}
