//! What a PTX text says, as data: declarations, and function bodies as flat lists of instructions
//! whose opcode stays text.

use std::collections::HashMap;

use super::types::Ty;
use crate::engine::instruction::Form;

pub type Reg = u32;

#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    Reg(Reg),
    Int(u64),
    F32(u32),
    F64(u64),
    /// A variable of the same body, with a byte offset.
    Var(u32, i64),
    /// A global variable, function, parameter or label, with a byte offset.
    Name(Box<str>, i64),
    /// A special register with its component, or a name that no declaration covers.
    Special(Box<str>),
    /// `{a, b}`.
    Vector(Vec<Operand>),
    /// `[base + offset]`.
    Address(Box<Operand>, i64),
    /// `[a, {b, c}]`: texture coordinates and the like.
    Tuple(Vec<Operand>),
    /// `(a, b)` of a call.
    List(Vec<Operand>),
    /// `!p`.
    Not(Box<Operand>),
    /// `a|b`: two results.
    Pair(Box<Operand>, Box<Operand>),
    /// `_`.
    Sink,
}

#[derive(Debug, Clone)]
pub struct Instruction {
    pub line: u32,
    /// Index into [`Module::opcodes`].
    pub opcode: u32,
    pub guard: Option<Guard>,
    pub operands: Vec<Operand>,
}

#[derive(Debug, Clone, Copy)]
pub struct Guard {
    pub reg: Reg,
    pub negated: bool,
}

#[derive(Debug, Clone)]
pub enum Statement {
    Label(Box<str>),
    Instruction(Instruction),
    /// `name: .branchtargets a, b;`
    Targets(Box<str>, Vec<Box<str>>),
    /// `name: .callprototype (results) _ (arguments);`, as counts.
    Prototype(Box<str>, Prototype),
}

#[derive(Debug, Clone, Copy)]
pub struct Prototype {
    pub results: usize,
    pub arguments: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    Global,
    Const,
    /// The block's own, `.shared::cta`.
    Shared,
    /// Of all blocks of the cluster, `.shared::cluster`; only instructions name it.
    ClusterShared,
    Local,
    Param,
}

impl Space {
    pub fn is_shared(self) -> bool {
        matches!(self, Space::Shared | Space::ClusterShared)
    }
}

/// One piece of an initial value.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    Bytes(Vec<u8>),
    /// The address of a symbol plus an offset, cut to `bytes` after a right shift of `shift` bits.
    Symbol {
        name: Box<str>,
        offset: i64,
        bytes: u32,
        shift: u32,
    },
}

#[derive(Debug, Clone)]
pub struct Variable {
    pub name: Box<str>,
    pub space: Space,
    pub size_bytes: u64,
    pub align_bytes: u64,
    pub linkage: Linkage,
    pub managed: bool,
    /// `name[]`: the size comes from elsewhere.
    pub unsized_array: bool,
    /// The type of one element.
    pub ty: Ty,
    /// Offset and piece.
    pub init: Vec<(u64, Piece)>,
    pub line: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linkage {
    Private,
    Visible,
    Weak,
    Extern,
}

/// A parameter or result of a function: memory of its own, or a register in old hand-written code.
#[derive(Debug, Clone)]
pub struct Argument {
    pub variable: Variable,
    pub reg: Option<Reg>,
}

/// What a kernel says of its clusters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClusterBounds {
    /// `.reqnctapercluster`: blocks of each.
    pub required: Option<[u32; 3]>,
    /// `.explicitcluster`: it must be launched with clusters.
    pub explicit: bool,
    /// `.maxclusterrank`: most blocks of one.
    pub blocks_max: Option<u32>,
}

#[derive(Debug)]
pub struct Function {
    pub name: Box<str>,
    pub kernel: bool,
    pub linkage: Linkage,
    pub results: Vec<Argument>,
    pub arguments: Vec<Argument>,
    pub max_threads: Option<[u32; 3]>,
    pub required_threads: Option<[u32; 3]>,
    pub max_registers: Option<u32>,
    pub cluster: ClusterBounds,
    /// `None` for a declaration.
    pub body: Option<Body>,
    pub line: u32,
}

#[derive(Debug, Default)]
pub struct Body {
    /// The type of every register.
    pub registers: Vec<Ty>,
    /// Local, shared and parameter variables declared inside; operands name them by index.
    pub variables: Vec<Variable>,
    pub statements: Vec<Statement>,
}

/// As it is written, and which of its instruction's forms that is.
#[derive(Debug)]
pub struct Opcode {
    pub text: Box<str>,
    /// `None`: it is refused where it is compiled.
    pub form: Option<&'static Form>,
}

#[derive(Debug, Default)]
pub struct Module {
    pub version: u32,
    pub sm: u32,
    pub arch_specific: bool,
    pub opcodes: Vec<Opcode>,
    pub variables: Vec<Variable>,
    pub functions: Vec<Function>,
    /// `.alias` pairs.
    pub aliases: HashMap<Box<str>, Box<str>>,
}
