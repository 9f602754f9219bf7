//! What a command does, as `#[does(...)]` and `#[lane(...)]` of the spec say: to the GPU, to the
//! stream that it goes to, and to who sends it.

use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, BinOp, Expr, Ident, Token};

/// What a command is to declare, for messages that ask for it.
pub const HELP: &str = "say what it does: #[does(nothing)], or some of compute, to_device, to_host \
(with `bytes = ...` or `like = (...)`), \
                        launches, stands, accesses, stalls, watches, calls_back, waits, \
                        takes_long, drains, makes_fixed; spec/cuda/vocabulary.rs tells what they \
                        mean";

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Engine {
    Compute,
    CopyToDevice,
    CopyToHost,
}

/// What tells how long work takes.
#[derive(Clone)]
pub enum Measure {
    /// An expression over the fields.
    Bytes(Box<Expr>),
    /// Work with the same values in these fields takes about as long.
    Like(Vec<String>),
}

#[derive(Clone)]
pub enum CallsBack {
    Never,
    Always,
    /// Where this field says so.
    Where(String),
}

#[derive(Clone, Copy, PartialEq)]
pub enum Lane {
    Commands,
    Callbacks,
    Bulk,
    Link,
}

#[derive(Clone)]
pub struct Effect {
    pub work: Option<(Engine, Measure)>,
    pub launches: bool,
    pub stands: bool,
    pub accesses: bool,
    pub stalls: bool,
    pub watches: bool,
    pub calls_back: CallsBack,
    pub waits: bool,
    pub takes_long: bool,
    pub drains: bool,
    pub makes_fixed: bool,
    /// Fields that name contexts, of whose devices it uses memory.
    pub contexts: Vec<String>,
}

impl Effect {
    /// It goes to a stream, which the message names.
    pub fn goes_to_stream(&self) -> bool {
        self.stands || self.stalls
    }

    /// The words that say it, for people.
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
            (alone && self.stands && !self.accesses, "stands"),
            (self.stalls && !self.watches, "stalls"),
            (self.watches, "watches"),
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

/// `word` or `word = expression`.
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
    .ok_or_else(|| format!("{} is no field", expression.to_token_stream()))
}

fn all(tuple: &syn::ExprTuple) -> Result<Vec<String>, String> {
    tuple.elems.iter().map(field).collect()
}

/// `#[does(...)]`.
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
                word @ ("nothing" | "launches" | "stands" | "accesses" | "stalls" | "watches"
                | "waits" | "takes_long" | "drains" | "makes_fixed"),
                None,
            ) => {
                flags.push(word.to_owned());
            }
            (word, _) => return Err(format!("`{word}` is no effect, or not so: {HELP}")),
        }
    }
    let has = |word: &str| flags.iter().any(|flag| flag == word);
    let work = match (engine, measure) {
        (Some(engine), Some(measure)) => Some((engine, measure)),
        (None, None) => None,
        (Some(_), None) => {
            return Err("work says `bytes = EXPRESSION` or `like = (FIELD, ...)`, \
        which tells how long it takes"
                .into());
        }
        (None, Some(_)) => {
            return Err("`bytes` and `like` are of work: say compute, to_device or \
        to_host"
                .into());
        }
    };
    if has("launches") && !matches!(work, Some((Engine::Compute, _))) {
        return Err("what launches kernels is work: say compute".into());
    }
    let accesses = work.is_some() || has("accesses");
    let effect = Effect {
        launches: has("launches"),
        stands: accesses || has("stands"),
        accesses,
        stalls: has("stalls") || has("watches"),
        watches: has("watches"),
        waits: has("waits"),
        takes_long: has("takes_long"),
        drains: has("drains"),
        makes_fixed: has("makes_fixed"),
        calls_back,
        contexts,
        work,
    };
    if has("nothing") != effect.words().is_empty() {
        return Err(format!("it does nothing or it does something: {HELP}"));
    }
    Ok(effect)
}

/// `#[lane(...)]`.
pub fn lane(attribute: &Attribute) -> Result<Lane, String> {
    match words(attribute)?.as_slice() {
        [Word { name, value: None }] if name == "callbacks" => Ok(Lane::Callbacks),
        [Word { name, value: None }] if name == "bulk" => Ok(Lane::Bulk),
        [Word { name, value: None }] if name == "link" => Ok(Lane::Link),
        _ => Err("a lane is one of callbacks, bulk and link; without the attribute it is that of \
        commands"
            .into()),
    }
}

/// The fields that it speaks of.
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

/// The bytes of work: products and sums of fields and numbers, that overflow to the most there is.
/// `of` names a field.
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
                "{} has no place in bytes: they are products and sums",
                other.to_token_stream()
            ));
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::lock::Lock;
    use crate::spec;

    /// What codegen says of a spec with this one message, or nothing.
    fn said(message: &str) -> String {
        let text = format!("mod messages {{\n    {message}\n}}\n");
        spec::parse(&[("spec.rs".into(), text)], &mut Lock::parse("").unwrap())
            .err()
            .unwrap_or_default()
    }

    #[test]
    fn what_is_sent_says_what_it_does() {
        assert_eq!(said("#[post(op = 1)] #[does(nothing)] struct A { n: u64 }"), "");
        assert_eq!(
            said(
                "#[post(op = 1)] #[does(compute, bytes = n * 4)] struct A { n: u64, stream: u64 }"
            ),
            ""
        );
        let silent = said("#[post(op = 1)] struct A { n: u64 }");
        assert!(silent.starts_with("spec.rs:2: A: say what it does"), "{silent}");
    }

    #[test]
    fn what_it_says_is_what_it_carries() {
        for (message, reason) in [
            (
                "#[post(op = 1)] #[does(compute, bytes = n)] struct A { stream: u64 }",
                "no field `n`",
            ),
            ("#[post(op = 1)] #[does(stalls)] struct A { n: u64 }", "a field `stream`"),
            ("#[post(op = 1)] #[does(compute)] struct A { stream: u64 }", "how long it takes"),
            (
                "#[post(op = 1)] #[does(nothing, stalls)] struct A { stream: u64 }",
                "does nothing or it does something",
            ),
            ("#[post(op = 1)] #[does(sleeps)] struct A { n: u64 }", "`sleeps` is no effect"),
            (
                "#[post(op = 1)] #[lane(bulk)] #[does(waits)] struct A { n: u64 }",
                "what is no command does nothing",
            ),
            ("#[push(op = 1)] #[does(nothing)] struct A { n: u64 }", "only what a client sends"),
        ] {
            let said = said(message);
            assert!(
                said.starts_with("spec.rs:2: A: ") && said.contains(reason),
                "{message}: {said}"
            );
        }
    }
}
