//! The model of `spec/`: the driver's functions and the messages. The parser rejects a function
//! without a class and a duplicate op number, so that the emitters need no defaults.

mod checks;
pub mod delegation;
pub mod effect;
pub mod names;
pub mod nvml;
pub mod ops_lock;
pub mod parse;
pub mod ptx;
pub mod requirements;

use crate::spec::delegation::Delegation;
use crate::spec::effect::{Effect, Lane};
use crate::spec::requirements::Requirement;

/// Types of message fields that refer to device memory, and to graphs.
const ADDRESS: &str = "Address";
const GRAPH: &str = "Graph";
/// Types of function parameters that refer to device memory, and to graphs.
const MEMORY: [&str; 2] = ["CUdeviceptr", "CUstreamBatchMemOpParams"];
const GRAPHS: [&str; 3] = ["CUgraph", "CUgraphNode", "CUgraphExec"];

/// The description of the driver API and the messages.
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

/// A function's class, which says how the client answers the function.
#[derive(Clone, PartialEq)]
pub enum Class {
    Local,
    Post {
        op: u16,
    },
    /// Sends another function's message. The default stream replaces the message's stream.
    PostLike {
        other: String,
    },
    Call {
        op: u16,
        memo: bool,
    },
    /// Only calls another function, with the arguments that the spec states.
    Delegated(Delegation),
    Custom {
        /// The reason why the spec cannot describe the function.
        why: String,
    },
    /// An older form of another function. The client widens the arguments and calls the later
    /// function.
    FormOf {
        later: String,
        /// Whether sizes and addresses have 32 bits. Contexts that accept this form keep their
        /// memory below 4 GiB.
        narrow: bool,
    },
    Unsupported,
}

/// A function's second variant, which uses per-thread streams.
#[derive(Clone, Copy, PartialEq)]
pub enum Flavour {
    /// A stream parameter of NULL means the calling thread's stream.
    Ptsz,
    /// The function is synchronous and uses the calling thread's stream.
    Ptds,
}

impl Flavour {
    /// Returns the suffix of the variant's exported name.
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
    /// The parameters, or `None` if the spec does not describe them.
    pub params: Option<Vec<Param>>,
    /// Whether the symbol is for debuggers. The library does not export such symbols.
    pub data: bool,
    /// Ranges of device memory that the function accesses. Each is a pair of expressions over the
    /// parameters, for the address and the number of bytes.
    pub touches: Vec<(String, String)>,
    /// Conditions over several parameters. The function refuses other arguments.
    pub requires: Vec<String>,
    /// Conditions of what the device supports. The function refuses other arguments.
    pub supports: Vec<String>,
    /// Whether a capture may forbid the call.
    pub unsafe_in_capture: bool,
    /// Whether cuGetProcAddress returns the function although it is unsupported.
    pub refused: bool,
    /// The keyword of the reason, if the function is unsupported.
    pub reason: Option<String>,
    /// The name of the message that the generated function sends.
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
    /// Requirements of the argument.
    pub requirements: Vec<Requirement>,
}

/// The type of a parameter.
#[derive(Clone, PartialEq)]
pub enum ParamType {
    Plain(String),
    In(String),
    /// An array that the function reads.
    InArray {
        /// Element type.
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
    /// Returns the type of an input, or `None` for an output.
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
    /// Returns whether the function has an older form with 32-bit arguments. A context accepts only
    /// one of the two forms.
    pub fn has_narrow_form(&self, function: &Function) -> bool {
        let leads = |f: &Function| {
            matches!(&f.class, Class::FormOf { later, narrow: true }
            if *later == function.name)
        };
        self.functions.iter().any(leads)
    }
}

impl Function {
    /// Returns the name without the version suffix, as cuGetProcAddress expects it.
    pub fn base(&self) -> &str {
        match self.name.rfind("_v") {
            Some(at) if self.name[at + 2..].chars().all(|c| c.is_ascii_digit()) => &self.name[..at],
            _ => &self.name,
        }
    }

    /// Returns a message name for the function. `cuMemGetInfo_v2` becomes `MemGetInfo`, or
    /// `MemGetInfoV2` if another message has the first name.
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

    /// Returns whether the function's code takes the default stream as an additional argument. This
    /// is so if the function has a per-thread flavour and no stream parameter.
    pub fn takes_default_stream(&self) -> bool {
        self.per_thread.is_some() && self.stream_param().is_none()
    }
}

/// The kind of a message.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// From the client, without a reply.
    Post,
    /// From the client, with a reply.
    Call,
    /// From the worker, without a request.
    Push,
    /// The reply to the call that precedes this message in the spec.
    Reply,
    /// A record inside a list in another message.
    Part,
}

/// A message, or a record inside one.
#[derive(Clone)]
pub struct Message {
    pub name: String,
    pub kind: Kind,
    pub op: Option<u16>,
    /// The level that added the message.
    pub level: u16,
    /// Whether raw bytes follow the fields.
    pub payload: bool,
    /// Whether the message refers to device memory.
    pub memory: bool,
    /// Whether the message refers to a graph.
    pub graph: bool,
    /// Another call, whose reply message also answers this call.
    pub answered_like: Option<String>,
    pub fields: Vec<(String, FieldType)>,
    pub doc: String,
    /// The effect, if a client sends the message.
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

    /// Returns whether a client sends the message.
    pub fn is_sent(&self) -> bool {
        matches!(self.kind, Kind::Post | Kind::Call)
    }

    /// Returns whether a client sends the message on the command lane, in order.
    pub fn is_command(&self) -> bool {
        self.is_sent() && self.lane == Lane::Commands
    }

    /// Returns whether the decoded message borrows from the message's body.
    pub fn borrows(&self, messages: &[Message]) -> bool {
        self.fields.iter().any(|(_, ty)| ty.borrows(messages))
    }
}
