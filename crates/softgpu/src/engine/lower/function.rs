//! Lowers one function: its entry, registers, labels, and statements.

use std::collections::{HashMap, HashSet};
use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block as Label, ExtFuncData, ExternalName, Function as Clif, InstBuilder,
    MemFlagsData, Signature, StackSlot, StackSlotData, StackSlotKind, Type, UserExternalName,
    Value, types,
};
use cranelift_codegen::isa::{CallConv, TargetIsa};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};

use super::code_cache;
use super::opcode::Opcode;
use crate::engine::CompileError;
use crate::engine::exec::blocks::block::{Block, Thread, spin, stack_overflow};
use crate::engine::exec::memory::alloca;
use crate::engine::link::Linked;
use crate::engine::lower::analysis::layout::{parameter_layout, shared_layout};
use crate::engine::lower::analysis::register_types::classes;
use crate::engine::lower::analysis::uniformity::Uniformity;
use crate::engine::lower::analysis::waiting::Rounds;
use crate::engine::lower::analysis::{nan_bits, uniformity};
use crate::engine::lower::lowering::{Entered, Lowered, Lowering};
use crate::engine::lower::threads::loop_labels::Turns;
use crate::engine::lower::threads::mode::{MODES, Meeting, Mode};
use crate::engine::syntax::ir::*;
use crate::engine::syntax::types::{Ty, int_type};

/// The location of a function's argument or result.
#[derive(Clone, Copy)]
pub enum ValueLocation {
    /// Offset in the launch's parameter buffer.
    Kernel(u64),
    /// Address that the caller passed.
    Pointer(Value),
}

/// The state while one function is lowered.
pub struct Lower<'a, 'b> {
    /// The program.
    pub linked: &'a Linked,
    /// Index of the function's module.
    pub module: usize,
    /// Number of the function in the program.
    pub id: u32,
    /// The function.
    pub function: &'a Function,
    /// The function's body.
    pub body: &'a Body,
    /// Builder of the code generator.
    pub b: FunctionBuilder<'b>,
    /// Address of the running [`Thread`].
    pub thread: Value,
    /// Address of the running [`Block`].
    pub block: Value,
    /// Locations of arguments and results, by name.
    pub places: HashMap<&'a str, ValueLocation>,
    /// Stack slots for local variables.
    pub slots: Vec<Option<StackSlot>>,
    /// Offsets of the body's shared variables.
    pub shared: Vec<u64>,
    /// Labels of the function.
    pub labels: HashMap<&'a str, Label>,
    /// Labels in each `.branchtargets` list.
    pub targets: HashMap<&'a str, &'a [Box<str>]>,
    /// Prototypes for indirect calls.
    pub prototypes: HashMap<&'a str, Prototype>,
    /// Results of the lowering so far.
    pub found: Lowering,
    /// Line of the current statement.
    pub line: u32,
    /// Variables for the registers, by mode.
    registers: [Vec<Option<Variable>>; MODES],
    classes: Vec<Type>,
    carry: [Option<Variable>; MODES],
    /// The threads for which code is generated.
    pub mode: Mode,
    /// The part of a collective that the code currently lowers.
    pub meeting: Meeting,
    /// Forms of the registers, in a kernel that also runs threads in groups.
    pub uniformity: Option<Uniformity>,
    /// Loops in which a thread may wait for another.
    pub rounds: Rounds<'a>,
    /// Index of the current statement.
    pub position: usize,
    /// For each register, whether its NaNs must become the GPU's NaN when code observes their bits.
    /// See [`nan`](super::arithmetic::nan).
    pub made_numbers: Vec<bool>,
    /// Whether the current instruction observes the bits of NaNs.
    pub sees_nans: bool,
    /// Mark of the thread's local memory at the function's start, in functions that allocate local
    /// memory.
    pub local_mark: Option<Value>,
    /// The loop over threads, in a kernel that is entered by block.
    pub turns: Option<Turns>,
    /// Offsets of local variables in the thread's frame.
    pub frame_variables: Vec<Option<i64>>,
}

/// Returns the signature of a function that takes a thread, a block, and `arguments` addresses.
pub fn signature(arguments: usize) -> Signature {
    let mut signature = Signature::new(CallConv::SystemV);
    signature.params = vec![AbiParam::new(types::I64); 2 + arguments];
    signature
}

/// Generates the code for a function.
pub fn lower(
    linked: &Linked,
    id: u32,
    entered: Entered,
    isa: &dyn TargetIsa,
    clif: &mut Clif,
) -> Lowered<Lowering> {
    let function = linked.function(id);
    let Some(body) = &function.body else {
        return Err(CompileError::UnresolvedSymbol(function.name.to_string()));
    };
    let by_block = entered != Entered::Thread;
    let pointers =
        if function.kernel { 0 } else { function.results.len() + function.arguments.len() };
    clif.signature = signature(pointers);
    if by_block {
        clif.signature.params[1] = AbiParam::new(types::I32);
    }
    let mut context = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(clif, &mut context);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let parameters = b.block_params(entry).to_vec();
    let module = linked.functions[id as usize].module;
    let classes = classes(&linked.modules[module], body);
    let rounds = Rounds::new(&linked.modules[module], body);
    let uniformity = (entered == Entered::Groups)
        .then(|| uniformity::analyse(&linked.modules[module], body, &classes, &rounds));
    let mut lower = Lower {
        linked,
        module,
        id,
        function,
        body,
        b,
        thread: parameters[0],
        block: parameters[usize::from(!by_block)],
        places: HashMap::new(),
        slots: Vec::new(),
        shared: Vec::new(),
        labels: HashMap::new(),
        targets: HashMap::new(),
        prototypes: HashMap::new(),
        found: Lowering { referenced: HashSet::new(), calls: false, frame_bytes: 0, bound: false },
        line: function.line,
        registers: std::array::from_fn(|_| vec![None; body.registers.len()]),
        made_numbers: nan_bits::made_numbers(&linked.modules[module], function, body, &classes),
        sees_nans: true,
        local_mark: None,
        classes,
        carry: [None; MODES],
        mode: Mode::Thread,
        meeting: Meeting::Whole,
        uniformity,
        rounds,
        position: 0,
        turns: None,
        frame_variables: Vec::new(),
    };
    lower.places(&parameters[2..]);
    if by_block {
        lower.begin_turns(parameters[1]);
    }
    lower.variables()?;
    lower.scan();
    lower.entry()?;
    for (position, statement) in body.statements.iter().enumerate() {
        lower.position = position;
        lower.rejoin();
        lower.statement(statement, Lower::guarded)?;
        lower.keep_early();
    }
    if !lower.terminated() {
        lower.ret()?;
    }
    lower.group_body()?;
    lower.end_turns();
    lower.b.seal_all_blocks();
    let mut found = lower.found;
    found.frame_bytes = lower.turns.as_ref().map_or(0, Turns::frame_bytes);
    lower.b.finalize(isa.frontend_config());
    Ok(found)
}

impl<'a> Lower<'a, '_> {
    /// Returns the error for an unsupported instruction.
    pub fn unsupported<T>(&self, what: impl Into<String>) -> Lowered<T> {
        Err(CompileError::Unsupported { what: what.into(), line: self.line })
    }

    /// Returns the error for invalid PTX at the current line.
    pub fn malformed<T>(&self, message: impl Into<String>) -> Lowered<T> {
        Err(CompileError::Syntax { line: self.line, message: message.into() })
    }

    fn places(&mut self, pointers: &[Value]) {
        if self.function.kernel {
            let (offsets, _) = parameter_layout(self.function);
            for (argument, offset) in self.function.arguments.iter().zip(offsets) {
                self.places.insert(&argument.variable.name, ValueLocation::Kernel(offset));
            }
            return;
        }
        let all = self.function.results.iter().chain(&self.function.arguments);
        for (argument, &pointer) in all.zip(pointers) {
            self.places.insert(&argument.variable.name, ValueLocation::Pointer(pointer));
        }
    }

    fn variables(&mut self) -> Lowered<()> {
        self.shared = if self.function.kernel {
            shared_layout(self.body, self.linked.module_shared_bytes).0
        } else {
            let offset =
                |index| self.linked.function_shared.get(&(self.id, index)).copied().unwrap_or(0);
            (0..self.body.variables.len() as u32).map(offset).collect()
        };
        for (index, variable) in self.body.variables.iter().enumerate() {
            let slot = match variable.space {
                Space::Local if self.frame_variables.get(index).is_some_and(Option::is_some) => {
                    None
                }
                Space::Local | Space::Param => Some(self.slot(variable)?),
                Space::Shared | Space::ClusterShared => None,
                Space::Global | Space::Const => {
                    self.line = variable.line;
                    return self.unsupported("a global variable inside a function");
                }
            };
            self.slots.push(slot);
        }
        Ok(())
    }

    fn slot(&mut self, variable: &crate::engine::syntax::ir::Variable) -> Lowered<StackSlot> {
        const LOCAL_BYTES_MAX: u64 = 512 << 10;
        if variable.size_bytes > LOCAL_BYTES_MAX {
            return Err(CompileError::TooLarge(format!("{} in local memory", variable.name)));
        }
        let shift = variable.align_bytes.max(8).trailing_zeros().min(4) as u8;
        let data = StackSlotData::new(
            StackSlotKind::ExplicitSlot,
            variable.size_bytes.max(8) as u32,
            shift,
        );
        Ok(self.b.create_sized_stack_slot(data))
    }

    /// Creates a stack slot for a temporary value.
    pub fn temporary(&mut self) -> StackSlot {
        self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 16, 4))
    }

    fn scan(&mut self) {
        for statement in &self.body.statements {
            match statement {
                Statement::Label(name) => {
                    let label = self.b.create_block();
                    self.labels.insert(name, label);
                }
                Statement::Targets(name, all) => {
                    self.targets.insert(name, all);
                }
                Statement::Prototype(name, prototype) => {
                    self.prototypes.insert(name, *prototype);
                }
                Statement::Instruction(_) => {}
            }
        }
    }

    /// Returns the parsed opcode of an instruction.
    pub fn opcode(&self, instruction: &Instruction) -> Opcode<'a> {
        Opcode::of(&self.linked.modules[self.module], instruction)
    }

    /// Loads registers that hold arguments. In a function other than a kernel, checks that the
    /// stack suffices.
    fn entry(&mut self) -> Lowered<()> {
        if self.function.kernel {
            return Ok(());
        }
        let sp = self.b.ins().get_stack_pointer(types::I64);
        let limit = self.thread_field(types::I64, offset_of!(Thread, stack_limit));
        let full = self.b.ins().icmp(IntCC::UnsignedLessThan, sp, limit);
        self.when(full, |lower| {
            lower.helper(stack_overflow as *const () as usize, &[lower.block, lower.thread], None);
            Ok(())
        })?;
        let asks = |statement: &Statement| {
            matches!(statement, Statement::Instruction(instruction)
            if self.opcode(instruction).base == "alloca")
        };
        if self.body.statements.iter().any(asks) {
            self.local_mark =
                Some(self.compute(alloca::mark as *const () as usize, &[self.thread], types::I64));
        }
        for argument in &self.function.arguments {
            if let (Some(reg), Some(ValueLocation::Pointer(pointer))) =
                (argument.reg, self.places.get(&*argument.variable.name))
            {
                let ty = argument.variable.ty;
                let value = self.b.ins().load(ty.clif(), plain(), *pointer, 0);
                self.write(&Operand::Reg(reg), ty, value)?;
            }
        }
        Ok(())
    }

    /// Generates code that runs `then` only if `condition` holds.
    pub fn when(
        &mut self,
        condition: Value,
        then: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let (yes, next) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(condition, yes, &[], next, &[]);
        self.b.switch_to_block(yes);
        then(self)?;
        if !self.terminated() {
            self.b.ins().jump(next, &[]);
        }
        self.b.switch_to_block(next);
        Ok(())
    }

    /// Returns whether the current code block has ended with a jump.
    pub fn terminated(&self) -> bool {
        let block = self.b.current_block();
        let last = block.and_then(|block| self.b.func.layout.last_inst(block));
        last.is_some_and(|inst| self.b.func.dfg.insts[inst].opcode().is_terminator())
    }

    /// Begins a code block for the code after a jump, which has no label.
    pub fn fresh(&mut self) {
        let block = self.b.create_block();
        self.b.switch_to_block(block);
    }

    /// Lowers a statement. `lower` lowers instructions, which differ between a group and a single
    /// thread.
    pub fn statement(
        &mut self,
        statement: &'a Statement,
        lower: fn(&mut Self, &'a Instruction) -> Lowered<()>,
    ) -> Lowered<()> {
        match statement {
            Statement::Label(name) => {
                let label = self.labels[&**name];
                if !self.terminated() {
                    self.b.ins().jump(label, &[]);
                }
                self.b.switch_to_block(label);
                Ok(())
            }
            Statement::Targets(..) | Statement::Prototype(..) => Ok(()),
            Statement::Instruction(instruction) => {
                if self.terminated() {
                    self.fresh();
                }
                self.line = instruction.line;
                lower(self, instruction)
            }
        }
    }

    fn guarded(&mut self, instruction: &'a Instruction) -> Lowered<()> {
        let opcode = self.opcode(instruction);
        let operands = &instruction.operands;
        let Some(guard) = instruction.guard else { return self.instruction(opcode, operands) };
        let mut condition = self.read(&Operand::Reg(guard.reg), Ty::PRED)?;
        if guard.negated {
            condition = self.b.ins().icmp_imm_u(IntCC::Equal, condition, 0);
        }
        self.when(condition, |lower| lower.instruction(opcode, operands))
    }

    /// Generates code before a backward jump to `label`. Threads that may wait for others let them
    /// run from time to time.
    pub fn spin_check(&mut self, label: &str) -> Lowered<()> {
        if !self.rounds.has(self.position, label) {
            return Ok(());
        }
        let offset = offset_of!(Thread, spins) as i32;
        let left = self.b.ins().load(types::I32, plain(), self.thread, offset);
        let one = self.b.ins().iconst(types::I32, 1);
        let left = self.b.ins().isub(left, one);
        self.b.ins().store(plain(), left, self.thread, offset);
        let due = self.b.ins().icmp_imm_u(IntCC::Equal, left, 0);
        self.when(due, |lower| {
            lower.wait(|lower| {
                lower.helper(spin as *const () as usize, &[lower.block, lower.thread], None);
            })
        })
    }

    /// Returns the type of a register.
    pub fn class(&self, reg: Reg) -> Type {
        self.classes[reg as usize]
    }

    /// Returns the variable of a register in the current mode.
    pub fn variable(&mut self, reg: Reg) -> Variable {
        let (mode, index) = (self.mode.index(), reg as usize);
        let class = match (self.mode, self.classes[index]) {
            (Mode::Vector, types::F32) => types::F32X4,
            (Mode::Vector, _) => types::I32X4,
            (_, class) => class,
        };
        *self.registers[mode][index].get_or_insert_with(|| self.b.declare_var(class))
    }

    /// Returns the condition-code register of extended-precision arithmetic.
    pub fn carry(&mut self) -> Variable {
        *self.carry[self.mode.index()].get_or_insert_with(|| self.b.declare_var(types::I8))
    }

    /// Loads a [`Thread`] field that does not change while the thread runs.
    pub fn thread_field(&mut self, ty: Type, offset: usize) -> Value {
        self.b.ins().load(ty, constant(), self.thread, offset as i32)
    }

    /// Loads a [`Block`] field that does not change while the block runs.
    pub fn block_field(&mut self, ty: Type, offset: usize) -> Value {
        self.b.ins().load(ty, constant(), self.block, offset as i32)
    }

    /// Returns the address of the block's shared memory.
    pub fn shared_base(&mut self) -> Value {
        self.block_field(types::I64, offset_of!(Block, shared))
    }

    /// Generates a call to an engine function.
    pub fn helper(
        &mut self,
        address: usize,
        arguments: &[Value],
        result: Option<Type>,
    ) -> Option<Value> {
        let mut signature = Signature::new(CallConv::SystemV);
        for &argument in arguments {
            let ty = self.b.func.dfg.value_type(argument);
            signature.params.push(AbiParam::new(ty));
        }
        signature.returns.extend(result.map(AbiParam::new));
        let signature = self.b.import_signature(signature);
        let callee = self.engine_address(address);
        let call = self.b.ins().call_indirect(signature, callee, arguments);
        self.b.inst_results(call).first().copied()
    }

    /// Returns the address of an engine function as a value. The address differs between processes.
    pub fn engine_address(&mut self, address: usize) -> Value {
        match code_cache::number(address) {
            Some(number) => self.address_of(code_cache::ENGINE, number),
            None => {
                self.found.bound = true;
                self.b.ins().iconst(types::I64, address as i64)
            }
        }
    }

    /// Returns the address of an external symbol as a value.
    pub fn address_of(&mut self, namespace: u32, index: u32) -> Value {
        let name =
            self.b.func.declare_imported_user_function(UserExternalName::new(namespace, index));
        let signature = self.b.import_signature(Signature::new(CallConv::SystemV));
        let data = ExtFuncData {
            name: ExternalName::user(name),
            signature,
            colocated: false,
            patchable: false,
        };
        let function = self.b.import_function(data);
        self.b.ins().func_addr(types::I64, function)
    }

    /// Like [`Self::helper`], for engine functions that return a value.
    pub fn compute(&mut self, address: usize, arguments: &[Value], result: Type) -> Value {
        match self.helper(address, arguments, Some(result)) {
            Some(value) => value,
            None => unreachable!("the signature has a result"),
        }
    }

    /// Returns an integer constant.
    pub fn int(&mut self, bits: u32, value: u64) -> Value {
        if self.mode == Mode::Vector && bits == 32 {
            return self.steps(4, |_| value as i64);
        }
        let value =
            if bits >= 64 { value as i64 } else { (value << (64 - bits)) as i64 >> (64 - bits) };
        self.b.ins().iconst(int_type(bits.min(64)), value)
    }
}

/// Returns the flags for an access to memory that may change.
pub fn plain() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// Returns the flags for a load from memory that does not change while the function runs.
pub fn constant() -> MemFlagsData {
    MemFlagsData::new().with_notrap().with_aligned().with_readonly().with_can_move()
}
