//! The effect of a command, which `#[does(...)]` in the spec declares: on the GPU, on the command's
//! stream, and on the client. `#[lane(...)]` declares the lane of a message that is not a command.

use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, BinOp, Expr, Ident, Token};

/// The effects that a command may declare, for error messages.
pub const HELP: &str = "say what it does: #[does(nothing)], or some of compute, to_device, to_host \
                        (with `bytes = ...` or `like = (...)`), launches, queued, accesses, \
                        stalls, watches, joins, captured, calls_back, waits, \
                        takes_long, drains, makes_fixed; spec/cuda/vocabulary.rs explains them";

/// The GPU engine that executes a command's work.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Engine {
    /// Kernels.
    Compute,
    /// Copies to the device.
    CopyToDevice,
    /// Copies to the host.
    CopyToHost,
}

/// The measure for the duration of a command's work.
#[derive(Clone)]
pub enum Measure {
    /// A number of bytes, as an expression over the message's fields.
    Bytes(Box<Expr>),
    /// Fields that determine the duration. If two commands have equal values in these fields, their
    /// durations are similar.
    Like(Vec<String>),
}

/// Whether a command makes the device call a function of the program.
#[derive(Clone)]
pub enum CallsBack {
    /// The command never makes such a call.
    Never,
    /// The command always makes such a call.
    Always,
    /// The command makes such a call if the field with this name is true.
    Where(String),
}

/// The lane that carries a message.
#[derive(Clone, Copy, PartialEq)]
pub enum Lane {
    Commands,
    Callbacks,
    Bulk,
    Link,
}

/// The effect of a command. `spec/cuda/vocabulary.rs` explains each flag.
#[derive(Clone)]
pub struct Effect {
    /// The engine that executes the command's work, and the measure of the work.
    pub work: Option<(Engine, Measure)>,
    pub launches: bool,
    pub queued: bool,
    pub accesses: bool,
    pub stalls: bool,
    pub watches: bool,
    pub joins: bool,
    pub captured: bool,
    pub calls_back: CallsBack,
    pub waits: bool,
    pub takes_long: bool,
    pub drains: bool,
    pub makes_fixed: bool,
    /// Fields that refer to contexts. The command uses memory of the contexts' devices.
    pub contexts: Vec<String>,
}

impl Effect {
    /// Returns whether the command goes to a stream, to which the message must refer.
    pub fn goes_to_stream(&self) -> bool {
        self.queued || self.stalls
    }

    /// Returns the effect in words, for documents and error messages.
    pub fn words(&self) -> Vec<&'static str> {
        let engine = self.work.as_ref().map(|(engine, _)| match engine {
            Engine::Compute => "compute",
            Engine::CopyToDevice => "to the device",
            Engine::CopyToHost => "to the host",
        });
        let alone = self.work.is_none();
        let said = [
            (self.launches, "launches"),
            (alone && self.accesses, "accesses"),
            (alone && self.queued && !self.accesses, "queued"),
            (self.stalls && !self.watches, "stalls"),
            (self.watches, "watches"),
            (self.joins && !self.watches, "joins"),
            (self.captured, "captured"),
            (!matches!(self.calls_back, CallsBack::Never), "calls back"),
            (self.waits, "waits"),
            (self.takes_long, "takes long"),
            (self.drains, "drains"),
            (self.makes_fixed, "makes fixed memory"),
        ];
        engine
            .into_iter()
            .chain(said.into_iter().filter(|(is_said, _)| *is_said).map(|(_, word)| word))
            .collect()
    }
}

/// One argument of an attribute: `word` or `word = expression`.
struct Word {
    name: Ident,
    value: Option<Expr>,
}

impl Parse for Word {
    fn parse(input: ParseStream) -> syn::Result<Word> {
        let name = input.parse()?;
        let value =
            if input.parse::<Option<Token![=]>>()?.is_some() { Some(input.parse()?) } else { None };
        Ok(Word { name, value })
    }
}

fn words(attribute: &Attribute) -> Result<Vec<Word>, String> {
    let parser = syn::punctuated::Punctuated::<Word, Token![,]>::parse_terminated;
    Ok(attribute.parse_args_with(parser).map_err(|e| e.to_string())?.into_iter().collect())
}

fn field(expression: &Expr) -> Result<String, String> {
    match expression {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
    .ok_or_else(|| format!("{} is not a field", expression.to_token_stream()))
}

fn all(tuple: &syn::ExprTuple) -> Result<Vec<String>, String> {
    tuple.elems.iter().map(field).collect()
}

/// Parses `#[does(...)]`.
pub fn does(attribute: &Attribute) -> Result<Effect, String> {
    let (mut engine, mut measure, mut calls_back) = (None, None, CallsBack::Never);
    let (mut contexts, mut flags) = (Vec::new(), Vec::new());
    for Word { name, value } in words(attribute)? {
        match (name.to_string().as_str(), value) {
            ("compute", None) => engine = Some(Engine::Compute),
            ("to_device", None) => engine = Some(Engine::CopyToDevice),
            ("to_host", None) => engine = Some(Engine::CopyToHost),
            ("bytes", Some(value)) => measure = Some(Measure::Bytes(Box::new(value))),
            ("like", Some(Expr::Tuple(tuple))) => measure = Some(Measure::Like(all(&tuple)?)),
            ("contexts", Some(Expr::Tuple(tuple))) => contexts = all(&tuple)?,
            ("calls_back", None) => calls_back = CallsBack::Always,
            ("calls_back", Some(value)) => calls_back = CallsBack::Where(field(&value)?),
            (
                word @ ("nothing" | "launches" | "queued" | "accesses" | "stalls" | "watches"
                | "joins" | "captured" | "waits" | "takes_long" | "drains" | "makes_fixed"),
                None,
            ) => {
                flags.push(word.to_owned());
            }
            (word, _) => {
                return Err(format!("`{word}` is not an effect, or has a wrong value: {HELP}"));
            }
        }
    }
    let has = |word: &str| flags.iter().any(|flag| flag == word);
    let work = match (engine, measure) {
        (Some(engine), Some(measure)) => Some((engine, measure)),
        (None, None) => None,
        (Some(_), None) => {
            return Err("work needs `bytes = EXPRESSION` or `like = (FIELD, ...)`, \
        as a measure of how long it takes"
                .into());
        }
        (None, Some(_)) => {
            return Err("`bytes` and `like` measure work: say compute, to_device or \
        to_host"
                .into());
        }
    };
    if has("launches") && !matches!(work, Some((Engine::Compute, _))) {
        return Err("a command that launches kernels is work: say compute".into());
    }
    let accesses = work.is_some() || has("accesses");
    let effect = Effect {
        launches: has("launches"),
        queued: accesses || has("queued"),
        accesses,
        stalls: has("stalls") || has("watches"),
        watches: has("watches"),
        joins: has("joins") || has("watches"),
        captured: has("captured"),
        waits: has("waits"),
        takes_long: has("takes_long"),
        drains: has("drains"),
        makes_fixed: has("makes_fixed"),
        calls_back,
        contexts,
        work,
    };
    if has("nothing") != effect.words().is_empty() {
        return Err(format!("say either nothing or some effects: {HELP}"));
    }
    Ok(effect)
}

/// Parses `#[lane(...)]`.
pub fn lane(attribute: &Attribute) -> Result<Lane, String> {
    match words(attribute)?.as_slice() {
        [Word { name, value: None }] if name == "callbacks" => Ok(Lane::Callbacks),
        [Word { name, value: None }] if name == "bulk" => Ok(Lane::Bulk),
        [Word { name, value: None }] if name == "link" => Ok(Lane::Link),
        _ => Err("a lane is callbacks, bulk or link; a message without the attribute goes on the \
        command lane"
            .into()),
    }
}

/// Returns the names of the fields to which an effect refers.
pub fn fields(effect: &Effect) -> Vec<String> {
    let mut found = Vec::new();
    match &effect.work {
        Some((_, Measure::Bytes(expression))) => paths(expression, &mut found),
        Some((_, Measure::Like(fields))) => found.extend(fields.iter().cloned()),
        None => {}
    }
    if let CallsBack::Where(field) = &effect.calls_back {
        found.push(field.clone());
    }
    found.extend(effect.contexts.iter().cloned());
    found
}

fn paths(expression: &Expr, found: &mut Vec<String>) {
    match expression {
        Expr::Binary(binary) => {
            paths(&binary.left, found);
            paths(&binary.right, found);
        }
        Expr::Paren(inner) => paths(&inner.expr, found),
        Expr::Path(_) => found.extend(field(expression)),
        _ => {}
    }
}

/// Translates the expression for the number of bytes into Rust. The expression consists of products
/// and sums of fields and numbers. The generated code saturates instead of overflowing. `of`
/// returns the Rust expression for a field.
pub fn bytes(expression: &Expr, of: &impl Fn(&str) -> String) -> Result<String, String> {
    Ok(match expression {
        Expr::Binary(binary) => {
            let (left, right) = (bytes(&binary.left, of)?, bytes(&binary.right, of)?);
            match binary.op {
                BinOp::Mul(_) => format!("{left}.saturating_mul({right})"),
                BinOp::Add(_) => format!("{left}.saturating_add({right})"),
                _ => return Err("bytes are products and sums".into()),
            }
        }
        Expr::Paren(inner) => format!("({})", bytes(&inner.expr, of)?),
        Expr::Path(_) => of(&field(expression)?),
        Expr::Lit(literal) => literal.to_token_stream().to_string(),
        other => {
            return Err(format!(
                "{} is not allowed in bytes, which are products and sums",
                other.to_token_stream()
            ));
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::spec::ops_lock::Lock;
    use crate::spec::parse;

    /// Returns codegen's error for a spec with only this message, or an empty string.
    fn error_of(message: &str) -> String {
        let text = format!("mod messages {{\n    {message}\n}}\n");
        parse::parse(&[("spec.rs".into(), text)], &mut Lock::parse("").unwrap())
            .err()
            .unwrap_or_default()
    }

    #[test]
    fn a_sent_message_declares_its_effect() {
        assert_eq!(error_of("#[post(op = 1)] #[does(nothing)] struct A { n: u64 }"), "");
        assert_eq!(
            error_of(
                "#[post(op = 1)] #[does(compute, bytes = n * 4)] struct A { n: u64, stream: u64 }"
            ),
            ""
        );
        let silent = error_of("#[post(op = 1)] struct A { n: u64 }");
        assert!(silent.starts_with("spec.rs:2: A: say what it does"), "{silent}");
    }

    #[test]
    fn a_declared_effect_agrees_with_the_fields() {
        for (message, reason) in [
            (
                "#[post(op = 1)] #[does(compute, bytes = n)] struct A { stream: u64 }",
                "no field `n`",
            ),
            ("#[post(op = 1)] #[does(stalls)] struct A { n: u64 }", "a field `stream`"),
            ("#[post(op = 1)] #[does(compute)] struct A { stream: u64 }", "how long it takes"),
            (
                "#[post(op = 1)] #[does(nothing, stalls)] struct A { stream: u64 }",
                "either nothing or some effects",
            ),
            ("#[post(op = 1)] #[does(sleeps)] struct A { n: u64 }", "`sleeps` is not an effect"),
            (
                "#[post(op = 1)] #[lane(bulk)] #[does(waits)] struct A { n: u64 }",
                "must have the effect nothing",
            ),
            (
                "#[push(op = 1)] #[does(nothing)] struct A { n: u64 }",
                "only a message that a client sends",
            ),
        ] {
            let error = error_of(message);
            assert!(
                error.starts_with("spec.rs:2: A: ") && error.contains(reason),
                "{message}: {error}"
            );
        }
    }
}
