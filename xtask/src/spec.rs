//! The model of `spec/`: the driver's functions and the messages. The parser refuses a function
//! without a class and an op number used twice, so that the emitters need no defaults.

mod checks;
pub mod delegation;
pub mod effect;
pub mod names;
pub mod nvml;
pub mod ops_lock;
pub mod parse;
pub mod ptx;

use crate::spec::delegation::Delegation;
use crate::spec::effect::{Effect, Lane};

/// Types of messages' fields that name device memory, and graphs.
const ADDRESS: &str = "Address";
const GRAPH: &str = "Graph";
/// Types of functions' parameters that name device memory, and graphs.
const MEMORY: [&str; 2] = ["CUdeviceptr", "CUstreamBatchMemOpParams"];
const GRAPHS: [&str; 3] = ["CUgraph", "CUgraphNode", "CUgraphExec"];

/// The description of the driver API and of the messages.
pub struct Spec {
    pub handles: Vec<String>,
    pub reasons: Vec<Reason>,
    pub functions: Vec<Function>,
    pub messages: Vec<Message>,
}

/// A reason why functions are unsupported.
pub struct Reason {
    pub word: String,
    pub title: String,
    pub text: String,
}

/// The class of a function: how the client answers it.
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
    /// Only calls another function with the arguments that the spec states.
    Delegated(Delegation),
    Custom {
        /// Why the spec cannot describe it.
        why: String,
    },
    /// An older form of another function: the client widens its arguments and calls that function.
    FormOf {
        later: String,
        /// Whether its sizes and addresses have 32 bits. Contexts that take them have memory within
        /// 32 bits.
        narrow: bool,
    },
    Unsupported,
}

/// The second, per-thread variant of a function.
#[derive(Clone, Copy, PartialEq)]
pub enum Flavour {
    /// A stream parameter of NULL means the calling thread's stream.
    Ptsz,
    /// The function is synchronous and uses the calling thread's stream.
    Ptds,
}

impl Flavour {
    /// Returns the suffix of the exported name.
    pub fn suffix(self) -> &'static str {
        match self {
            Flavour::Ptsz => "_ptsz",
            Flavour::Ptds => "_ptds",
        }
    }
}

/// A function of the driver API.
#[derive(Clone)]
pub struct Function {
    pub name: String,
    pub since: Option<u32>,
    pub per_thread: Option<(Flavour, u32)>,
    pub class: Class,
    pub soft: bool,
    /// The parameters, or None if the spec does not describe them.
    pub params: Option<Vec<Param>>,
    /// Whether this is a symbol of the debugger, which the library does not export.
    pub data: bool,
    /// Ranges of device memory, as (address, bytes) expressions over the parameters.
    pub touches: Vec<(String, String)>,
    /// Whether cuGetProcAddress returns the function although it is unsupported.
    pub refused: bool,
    /// The word of the reason, if the function is unsupported.
    pub reason: Option<String>,
    /// The name of the message that a generated function sends.
    pub message: Option<String>,
    pub effect: Option<Effect>,
    /// File and line in the spec, for error messages.
    pub place: String,
}

/// A parameter of a function.
#[derive(Clone)]
pub struct Param {
    pub name: String,
    pub ty: ParamType,
}

/// The type of a parameter.
#[derive(Clone, PartialEq)]
pub enum ParamType {
    Plain(String),
    In(String),
    /// An array that the function reads.
    InArray {
        /// Type of the elements.
        element: String,
        /// Number of elements, as an expression over the parameters.
        count: String,
        /// Maximum number of elements.
        count_max: String,
    },
    Out(String),
    OptionalOut(String),
}

impl ParamType {
    /// Returns the type of an input, or None for an output.
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
    /// Returns whether the function has an older form of 32 bits. A context takes only one of the
    /// two.
    pub fn has_narrow_form(&self, function: &Function) -> bool {
        let leads = |f: &Function| {
            matches!(&f.class, Class::FormOf { later, narrow: true }
            if *later == function.name)
        };
        self.functions.iter().any(leads)
    }
}

impl Function {
    /// Returns the name without its version suffix, as cuGetProcAddress takes it.
    pub fn base(&self) -> &str {
        match self.name.rfind("_v") {
            Some(at) if self.name[at + 2..].chars().all(|c| c.is_ascii_digit()) => &self.name[..at],
            _ => &self.name,
        }
    }

    /// Returns the name of a message for the function. `cuMemGetInfo_v2` becomes `MemGetInfo`, or
    /// `MemGetInfoV2` if another message has that name.
    fn new_message_name(&self, is_taken: impl Fn(&str) -> bool) -> Result<String, String> {
        let base = &self.base()[2..];
        let names = [
            base.to_owned(),
            format!("{base}{}", self.name[self.base().len()..].replace("_v", "V")),
        ];
        let free = names.into_iter().find(|name| !is_taken(name));
        free.ok_or_else(|| {
            format!(
                "{}: messages of other functions have the names that it could have; make it \
            #[is(...)] or #[custom(\"why\")], with a message that you name",
                self.place
            )
        })
    }

    /// Returns the stream parameter, if the function has one.
    pub fn stream_param(&self) -> Option<&Param> {
        self.params.as_ref()?.iter().find(|p| p.ty == ParamType::Plain("CUstream".into()))
    }

    /// Returns whether the function's code takes the default stream as an additional argument. It
    /// does for a function with a per-thread flavour and without a stream parameter.
    pub fn takes_default_stream(&self) -> bool {
        self.per_thread.is_some() && self.stream_param().is_none()
    }
}

/// The kind of a message.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// From the client, without an answer.
    Post,
    /// From the client, with an answer.
    Call,
    /// From the worker, unasked.
    Push,
    /// The answer to the call that the spec has before it.
    Reply,
    /// A record inside a list of another message.
    Part,
}

/// A message, or a record in one.
#[derive(Clone)]
pub struct Message {
    pub name: String,
    pub kind: Kind,
    pub op: Option<u16>,
    /// The level that added it.
    pub level: u16,
    /// Whether raw bytes follow the fields.
    pub payload: bool,
    /// Whether it names device memory.
    pub memory: bool,
    /// Whether it names a graph.
    pub graph: bool,
    /// Another call, whose reply also answers this one.
    pub answered_like: Option<String>,
    pub fields: Vec<(String, FieldType)>,
    pub doc: String,
    /// The effect of a message that a client sends.
    pub effect: Option<Effect>,
    pub lane: Lane,
    /// File and line in the spec, for error messages.
    pub place: String,
}

/// The type of a message's field.
#[derive(Clone, PartialEq)]
pub enum FieldType {
    Scalar(String),
    Array(String, usize),
    Bytes,
    Str,
    List(String),
}

impl FieldType {
    /// Returns whether the decoded field borrows from the message's body.
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

    /// Returns whether a client sends it.
    pub fn is_sent(&self) -> bool {
        matches!(self.kind, Kind::Post | Kind::Call)
    }

    /// Returns whether a client sends it on the lane of commands, in their order.
    pub fn is_command(&self) -> bool {
        self.is_sent() && self.lane == Lane::Commands
    }

    /// Returns whether the decoded message borrows from its body.
    pub fn borrows(&self, messages: &[Message]) -> bool {
        self.fields.iter().any(|(_, ty)| ty.borrows(messages))
    }
}
