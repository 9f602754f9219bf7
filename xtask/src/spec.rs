//! The model of `spec/cuda` and its parser. A function without a class, or an op number used twice,
//! is an error here, so that nothing downstream has a default.

mod parse;
pub use parse::{parse, type_text, wire_scalar};

use crate::effect::{self, Effect, Lane};
use crate::lock::{Lock, Shape};
use std::collections::HashMap;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, FnArg, Item, ItemConst, ItemFn, ItemStruct, Lit, Pat, Type};

/// Fields of messages that name device memory, and graphs.
const ADDRESS: &str = "Address";
const GRAPH: &str = "Graph";
/// Parameters of functions that do.
const MEMORY: [&str; 2] = ["CUdeviceptr", "CUstreamBatchMemOpParams"];
const GRAPHS: [&str; 3] = ["CUgraph", "CUgraphNode", "CUgraphExec"];

pub struct Spec {
    pub handles: Vec<String>,
    pub reasons: Vec<Reason>,
    pub functions: Vec<Function>,
    pub messages: Vec<Message>,
}

/// Why functions are unsupported.
pub struct Reason {
    pub word: String,
    pub title: String,
    pub text: String,
}

#[derive(Clone, PartialEq)]
pub enum Class {
    Local,
    Post {
        op: u16,
    },
    /// Sends another function's message with the default stream in place of its stream.
    PostLike {
        other: String,
    },
    Call {
        op: u16,
        memo: bool,
    },
    Custom,
    /// An older form of another function, which carries it out once its arguments have been
    /// widened.
    FormOf {
        later: String,
        /// Sizes and addresses have 32 bits, and so has the memory of the contexts that take them.
        narrow: bool,
    },
    Unsupported,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Flavour {
    /// The stream parameter's NULL means the calling thread's stream.
    Ptsz,
    /// A synchronous function on the calling thread's stream.
    Ptds,
}

impl Flavour {
    pub fn suffix(self) -> &'static str {
        match self {
            Flavour::Ptsz => "_ptsz",
            Flavour::Ptds => "_ptds",
        }
    }
}

#[derive(Clone)]
pub struct Function {
    pub name: String,
    pub since: Option<u32>,
    pub per_thread: Option<(Flavour, u32)>,
    pub class: Class,
    pub soft: bool,
    /// None: the parameters are not described.
    pub params: Option<Vec<Param>>,
    /// A symbol of the debugger that is not exported.
    pub data: bool,
    /// Ranges of device memory, as (address, bytes) expressions over the parameters.
    pub touches: Vec<(String, String)>,
    /// Unsupported, and handed out by cuGetProcAddress all the same.
    pub refused: bool,
    /// The word of a reason, if it is unsupported.
    pub reason: Option<String>,
    /// Of the message that a generated function sends.
    pub message: Option<String>,
    pub effect: Option<Effect>,
    /// Where it stands in the spec.
    pub place: String,
}

#[derive(Clone)]
pub struct Param {
    pub name: String,
    pub ty: ParamType,
}

#[derive(Clone, PartialEq)]
pub enum ParamType {
    Plain(String),
    In(String),
    /// Elements of a type, as many as an expression over the parameters says, and no more than a
    /// number.
    InArray {
        element: String,
        count: String,
        count_max: String,
    },
    Out(String),
    OptionalOut(String),
}

impl ParamType {
    /// The type of what goes in.
    fn input(&self) -> Option<&str> {
        match self {
            ParamType::Plain(ty) | ParamType::In(ty) | ParamType::InArray { element: ty, .. } => {
                Some(ty)
            }
            ParamType::Out(_) | ParamType::OptionalOut(_) => None,
        }
    }
}

impl Spec {
    /// Whether an older form of 32 bits leads to the function: a context takes one of the two.
    pub fn has_narrow_form(&self, function: &Function) -> bool {
        let leads = |f: &Function| {
            matches!(&f.class, Class::FormOf { later, narrow: true }
            if *later == function.name)
        };
        self.functions.iter().any(leads)
    }
}

impl Function {
    /// The name without its version suffix, as cuGetProcAddress knows it.
    pub fn base(&self) -> &str {
        match self.name.rfind("_v") {
            Some(at) if self.name[at + 2..].chars().all(|c| c.is_ascii_digit()) => &self.name[..at],
            _ => &self.name,
        }
    }

    /// `cuMemGetInfo_v2` -> `MemGetInfo`, or where another message has that name, `MemGetInfoV2`.
    fn new_message_name(&self, is_taken: impl Fn(&str) -> bool) -> Result<String, String> {
        let base = &self.base()[2..];
        let names = [
            base.to_owned(),
            format!("{base}{}", self.name[self.base().len()..].replace("_v", "V")),
        ];
        let free = names.into_iter().find(|name| !is_taken(name));
        free.ok_or_else(|| {
            format!(
                "{}: messages of other functions have its names; make it #[custom], with a \
            message of its own",
                self.place
            )
        })
    }

    pub fn stream_param(&self) -> Option<&Param> {
        self.params.as_ref()?.iter().find(|p| p.ty == ParamType::Plain("CUstream".into()))
    }

    /// A per-thread flavour without a stream parameter takes the default stream as one more
    /// argument of its hand-written body.
    pub fn takes_default_stream(&self) -> bool {
        self.per_thread.is_some() && self.stream_param().is_none()
    }
}

#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Post,
    Call,
    Push,
    /// The answer to the call before it.
    Reply,
    /// A record inside a list of another message.
    Part,
}

#[derive(Clone)]
pub struct Message {
    pub name: String,
    pub kind: Kind,
    pub op: Option<u16>,
    /// That brought it.
    pub level: u16,
    pub payload: bool,
    /// It names device memory, or a graph.
    pub memory: bool,
    pub graph: bool,
    /// The call whose reply is this one's too.
    pub answered_like: Option<String>,
    pub fields: Vec<(String, FieldType)>,
    pub doc: String,
    /// Of what a client sends.
    pub effect: Option<Effect>,
    pub lane: Lane,
    /// Where it stands in the spec.
    pub place: String,
}

#[derive(Clone, PartialEq)]
pub enum FieldType {
    Scalar(String),
    Array(String, usize),
    Bytes,
    Str,
    List(String),
}

impl FieldType {
    pub fn borrows(&self, messages: &[Message]) -> bool {
        match self {
            FieldType::Bytes | FieldType::Str => true,
            FieldType::List(part) => {
                messages.iter().any(|m| m.name == *part && m.borrows(messages))
            }
            _ => false,
        }
    }
}

impl Message {
    fn new(name: String, kind: Kind, place: String) -> Message {
        Message {
            name,
            kind,
            op: None,
            level: 0,
            payload: false,
            memory: false,
            graph: false,
            answered_like: None,
            fields: Vec::new(),
            doc: String::new(),
            effect: None,
            lane: Lane::Commands,
            place,
        }
    }

    /// What a client sends.
    pub fn is_sent(&self) -> bool {
        matches!(self.kind, Kind::Post | Kind::Call)
    }

    /// A client sends it in the order of its commands.
    pub fn is_command(&self) -> bool {
        self.is_sent() && self.lane == Lane::Commands
    }

    pub fn borrows(&self, messages: &[Message]) -> bool {
        self.fields.iter().any(|(_, ty)| ty.borrows(messages))
    }
}

/// `dstDevice` -> `dst_device`, `N` -> `n`, `hStream` -> `stream`.
pub fn snake(name: &str) -> String {
    let name = match name {
        "hStream" => "stream",
        "hEvent" => "event",
        other => other,
    };
    let mut out = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (i, c) in chars.iter().enumerate() {
        if c.is_ascii_uppercase() {
            if i > 0 && !chars[i - 1].is_ascii_uppercase() && !out.ends_with('_') {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        } else {
            out.push(*c);
        }
    }
    out
}

/// An older form takes what the later one takes, each in its own width, and exists where that does.
fn check_form(spec: &Spec, function: &Function, later: &str) -> Result<(), String> {
    let name = &function.name;
    let later = spec
        .functions
        .iter()
        .find(|f| f.name == *later)
        .ok_or_else(|| format!("{name} is a form of {later}, which is not there"))?;
    let count = |f: &Function| f.params.as_ref().map(Vec::len);
    if count(later).is_none() || count(later) != count(function) {
        return Err(format!("{name} does not take as many parameters as {}", later.name));
    }
    let is_odd = function.per_thread.is_some()
        || (function.soft && !later.soft)
        || later.class == Class::Unsupported;
    if is_odd { Err(format!("{name} cannot be a form of {}", later.name)) } else { Ok(()) }
}

/// What a client sends says what it does, in terms of what it carries.
fn check_effects(spec: &Spec) -> Result<(), String> {
    for message in &spec.messages {
        let at = |e: &str| Err(format!("{}: {}: {e}", message.place, message.name));
        match &message.effect {
            None if message.is_sent() => return at(effect::HELP),
            Some(_) if !message.is_sent() => return at("only what a client sends does something"),
            None => {}
            Some(effect) => check_fields(message, effect)?,
        }
        if message.lane != Lane::Commands
            && message.effect.as_ref().is_none_or(|effect| !effect.words().is_empty())
        {
            return at("what is no command does nothing, in the order of commands");
        }
    }
    match spec.functions.iter().find(|f| f.effect.is_some() && f.message.is_none()) {
        Some(function) => Err(format!(
            "{}: {} sends no message of its own, whose effect would count",
            function.place, function.name
        )),
        None => Ok(()),
    }
}

fn check_fields(message: &Message, effect: &Effect) -> Result<(), String> {
    let at = |e: &str| Err(format!("{}: {}: {e}", message.place, message.name));
    let has = |name: &str| message.fields.iter().any(|(field, _)| *field == snake(name));
    if let Some(missing) = effect::fields(effect).into_iter().find(|name| !has(name)) {
        return at(&format!("there is no field `{missing}`"));
    }
    let named = |(name, ty): &(String, FieldType)| {
        name == "stream" && *ty == FieldType::Scalar("u64".into())
    };
    let names_stream = message.fields.iter().any(named);
    if effect.goes_to_stream() && !names_stream {
        return at("what goes to a stream has a field `stream`");
    }
    Ok(())
}

fn check(spec: &Spec) -> Result<(), String> {
    let mut ops: HashMap<u16, &str> = HashMap::new();
    for message in &spec.messages {
        match (message.kind, message.op) {
            (Kind::Post | Kind::Call | Kind::Push, Some(op)) => {
                if let Some(other) = ops.insert(op, &message.name) {
                    return Err(format!("op {op} belongs to {other} and to {}", message.name));
                }
            }
            (Kind::Post | Kind::Call | Kind::Push, None) => {
                return Err(format!("{} has no op", message.name));
            }
            (Kind::Reply | Kind::Part, Some(_)) => {
                return Err(format!("{} has an op and needs none", message.name));
            }
            (Kind::Reply | Kind::Part, None) => {}
        }
        if let Some(like) = &message.answered_like
            && !(message.kind == Kind::Call
                && spec.messages.iter().any(|m| m.kind == Kind::Call && m.name == *like))
        {
            return Err(format!(
                "{} is answered like {like}, and not both are calls",
                message.name
            ));
        }
    }
    let mut names = std::collections::HashSet::new();
    for function in &spec.functions {
        if !names.insert(&function.name) {
            return Err(format!("{} is described twice", function.name));
        }
        if let Class::PostLike { other } = &function.class
            && !spec
                .functions
                .iter()
                .any(|f| f.name == *other && matches!(f.class, Class::Post { .. }))
        {
            return Err(format!("{} is like {other}, which is not a post", function.name));
        }
        if let Class::FormOf { later, .. } = &function.class {
            check_form(spec, function, later)?;
        }
        if !matches!(function.class, Class::Unsupported) && function.params.is_none() {
            return Err(format!("{} is implemented and needs parameters", function.name));
        }
    }
    Ok(())
}
