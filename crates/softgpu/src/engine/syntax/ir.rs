//! PTX text as data: declarations, and function bodies as flat lists of instructions. Opcodes
//! remain text.

use std::collections::HashMap;

use super::instruction::Form;
pub use super::operand::{Operand, Reg};
use super::types::Ty;

/// An instruction.
#[derive(Debug, Clone)]
pub struct Instruction {
    /// Line in the PTX text.
    pub line: u32,
    /// Index into [`Module::opcodes`].
    pub opcode: u32,
    /// Predicate that guards the instruction.
    pub guard: Option<Guard>,
    /// Operands.
    pub operands: Vec<Operand>,
}

/// The guard predicate of an instruction.
#[derive(Debug, Clone, Copy)]
pub struct Guard {
    /// Predicate register.
    pub reg: Reg,
    /// Whether the instruction runs when the predicate is false.
    pub negated: bool,
}

/// A statement of a body.
#[derive(Debug, Clone)]
pub enum Statement {
    Label(Box<str>),
    Instruction(Instruction),
    /// `name: .branchtargets a, b;`
    Targets(Box<str>, Vec<Box<str>>),
    /// `name: .callprototype (results) _ (arguments);`, as numbers of results and arguments.
    Prototype(Box<str>, Prototype),
}

/// The signature of an indirect call.
#[derive(Debug, Clone, Copy)]
pub struct Prototype {
    /// Number of results.
    pub results: usize,
    /// Number of arguments.
    pub arguments: usize,
}

/// A state space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    Global,
    Const,
    /// Shared memory of the block, `.shared::cta`.
    Shared,
    /// Shared memory of all blocks in the cluster, `.shared::cluster`. Only instructions use this
    /// space.
    ClusterShared,
    Local,
    Param,
}

impl Space {
    /// Returns whether the space is shared memory of the block or the cluster.
    pub fn is_shared(self) -> bool {
        matches!(self, Space::Shared | Space::ClusterShared)
    }
}

/// A part of an initial value.
#[derive(Debug, Clone, PartialEq)]
pub enum Initializer {
    Bytes(Vec<u8>),
    /// The address of a symbol plus an offset, shifted right by `shift` bits and truncated to
    /// `bytes`.
    Symbol {
        name: Box<str>,
        offset: i64,
        bytes: u32,
        shift: u32,
    },
}

/// A variable.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Name.
    pub name: Box<str>,
    /// State space.
    pub space: Space,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Alignment in bytes.
    pub align_bytes: u64,
    /// Visibility to other modules.
    pub linkage: Linkage,
    /// Whether the variable is in managed memory.
    pub managed: bool,
    /// Whether the variable is declared as `name[]`, so that its size comes from elsewhere.
    pub unsized_array: bool,
    /// Element type.
    pub ty: Ty,
    /// Parts of the initial value, with their offsets.
    pub init: Vec<(u64, Initializer)>,
    /// Line in the PTX text.
    pub line: u32,
}

/// Visibility of a definition to other modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linkage {
    Private,
    Visible,
    Weak,
    Extern,
}

/// A parameter or result of a function. It has its own memory, or a register in old hand-written
/// code.
#[derive(Debug, Clone)]
pub struct Argument {
    /// The variable.
    pub variable: Variable,
    /// The register that holds the value, or `None` if memory holds the value.
    pub reg: Option<Reg>,
}

/// The cluster properties that a kernel declares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClusterBounds {
    /// Blocks per cluster, from `.reqnctapercluster`.
    pub required: Option<[u32; 3]>,
    /// Whether the kernel must be launched with clusters, from `.explicitcluster`.
    pub explicit: bool,
    /// Maximum number of blocks per cluster, from `.maxclusterrank`.
    pub blocks_max: Option<u32>,
}

/// A function.
#[derive(Debug)]
pub struct Function {
    /// Name.
    pub name: Box<str>,
    /// Whether the function is a kernel.
    pub kernel: bool,
    /// Visibility to other modules.
    pub linkage: Linkage,
    /// Results.
    pub results: Vec<Argument>,
    /// Arguments.
    pub arguments: Vec<Argument>,
    /// Maximum block shape, from `.maxntid`.
    pub max_threads: Option<[u32; 3]>,
    /// Block shape, from `.reqntid`.
    pub required_threads: Option<[u32; 3]>,
    /// Maximum number of registers, from `.maxnreg`.
    pub max_registers: Option<u32>,
    /// Cluster properties that the kernel declares.
    pub cluster: ClusterBounds,
    /// Body, or `None` for a declaration.
    pub body: Option<Body>,
    /// Line in the PTX text.
    pub line: u32,
}

/// The body of a function.
#[derive(Debug, Default)]
pub struct Body {
    /// Type of each register.
    pub registers: Vec<Ty>,
    /// Local, shared and parameter variables that the body declares. Operands refer to them by
    /// index.
    pub variables: Vec<Variable>,
    /// Statements in order.
    pub statements: Vec<Statement>,
}

/// An opcode as written, and its form.
#[derive(Debug)]
pub struct Opcode {
    /// The text.
    pub text: Box<str>,
    /// The form, or `None` if the compiler rejects the opcode.
    pub form: Option<&'static Form>,
}

/// A parsed PTX text.
#[derive(Debug, Default)]
pub struct Module {
    /// PTX ISA version, as major * 10 + minor.
    pub version: u32,
    /// Number in the `.target` directive.
    pub sm: u32,
    /// Whether the target is architecture-specific (`sm_90a`).
    pub arch_specific: bool,
    /// The distinct opcodes in the text.
    pub opcodes: Vec<Opcode>,
    /// Variables of the module scope.
    pub variables: Vec<Variable>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Alias and target of each `.alias` directive.
    pub aliases: HashMap<Box<str>, Box<str>>,
}
