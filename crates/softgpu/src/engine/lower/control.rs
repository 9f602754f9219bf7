//! Jumps, calls, and the instructions that end a thread.

use cranelift_codegen::ir::{BlockCall, InstBuilder, JumpTableData, TrapCode, Value, types};

use super::function::{Lower, ValueLocation, plain, signature};
use super::opcode::Opcode;
use crate::engine::CompileError;
use crate::engine::exec::blocks::block::{exit_thread, spin, trap};
use crate::engine::link::Symbol;
use crate::engine::lower::lowering::Lowered;
use crate::engine::syntax::ir::{Argument, Operand};
use crate::engine::syntax::types::Ty;

impl<'a> Lower<'a, '_> {
    /// Lowers jumps, calls, `ret`, `exit` and `trap`.
    pub fn control(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        match op.base {
            "bra" => self.branch(&operands[0]),
            "brx" => self.branch_by_index(op, operands),
            "call" => self.call(op, operands),
            "ret" => self.ret(),
            "exit" if self.function.kernel => {
                self.leave_kernel();
                Ok(())
            }
            "exit" => self.never_returns(exit_thread as *const () as usize),
            "trap" | "brkpt" => self.never_returns(trap as *const () as usize),
            _ => self.wait(|lower| {
                lower.helper(spin as *const () as usize, &[lower.block, lower.thread], None);
            }),
        }
    }

    fn never_returns(&mut self, address: usize) -> Lowered<()> {
        self.helper(address, &[self.block, self.thread], None);
        self.b.ins().trap(TrapCode::unwrap_user(1));
        Ok(())
    }

    fn branch(&mut self, target: &Operand) -> Lowered<()> {
        let Operand::Name(name, _) = target else { return self.malformed("bra needs a label") };
        let Some(&label) = self.labels.get(&**name) else {
            return self.malformed(format!("unknown label {name}"));
        };
        self.spin_check(name)?;
        self.b.ins().jump(label, &[]);
        Ok(())
    }

    fn branch_by_index(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let (true, Operand::Name(name, _)) = (op.has("idx"), &operands[1]) else {
            return self.unsupported(op.text);
        };
        let Some(&targets) = self.targets.get(&**name) else {
            return self.malformed(format!("unknown branch targets {name}"));
        };
        let mut calls = Vec::new();
        for target in targets {
            let Some(&label) = self.labels.get(&**target) else {
                return self.malformed(format!("unknown label {target}"));
            };
            calls.push(BlockCall::new(label, [], &mut self.b.func.dfg.value_lists));
        }
        let Some(&last) = calls.last() else { return self.malformed("no branch targets") };
        let table = self.b.create_jump_table(JumpTableData::new(last, &calls));
        let index = self.read(&operands[0], Ty::U32)?;
        self.b.ins().br_table(index, table);
        Ok(())
    }

    /// Lowers the return from the function. First stores the results that are declared as
    /// registers.
    pub fn ret(&mut self) -> Lowered<()> {
        let function = self.function;
        for result in &function.results {
            if let (Some(reg), Some(ValueLocation::Pointer(pointer))) =
                (result.reg, self.places.get(&*result.variable.name).copied())
            {
                let value = self.read(&Operand::Reg(reg), result.variable.ty)?;
                self.b.ins().store(plain(), value, pointer, 0);
            }
        }
        if let Some(mark) = self.local_mark {
            self.release_local(mark);
        }
        self.leave_kernel();
        Ok(())
    }

    fn call(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let mut rest = operands.iter().peekable();
        let results: &[Operand] = match rest.peek() {
            Some(Operand::List(all)) => {
                rest.next();
                all
            }
            _ => &[],
        };
        let Some(target) = rest.next() else {
            return self.malformed(format!("{} without a target", op.text));
        };
        let arguments: &[Operand] = match rest.next() {
            Some(Operand::List(all)) => all,
            _ => &[],
        };
        self.found.calls = true;
        let (callee, declared) = self.callee(target)?;
        if let Some((expected_results, expected_arguments)) = declared
            && (expected_results.len() != results.len()
                || expected_arguments.len() != arguments.len())
        {
            return self.malformed("the call does not fit the function's declaration");
        }
        if let Some(Operand::Name(name, _)) = rest.next()
            && let Some(prototype) = self.prototypes.get(&**name)
            && (prototype.results != results.len() || prototype.arguments != arguments.len())
        {
            return self.malformed("the call does not fit its prototype");
        }
        let mut values = vec![self.thread, self.block];
        let mut loads = Vec::new();
        for (index, operand) in results.iter().enumerate() {
            let ty = declared.map_or(Ty::B64, |(results, _)| results[index].variable.ty);
            let pointer = self.by_address(operand, ty, false)?;
            values.push(pointer);
            if matches!(operand, Operand::Reg(_)) {
                loads.push((operand, ty, pointer));
            }
        }
        for (index, operand) in arguments.iter().enumerate() {
            let ty = declared.map_or(Ty::B64, |(_, arguments)| arguments[index].variable.ty);
            values.push(self.by_address(operand, ty, true)?);
        }
        let signature = self.b.import_signature(signature(values.len() - 2));
        self.b.ins().call_indirect(signature, callee, &values);
        for (operand, ty, pointer) in loads {
            let value = self.b.ins().load(ty.clif(), plain(), pointer, 0);
            self.write(operand, ty, value)?;
        }
        Ok(())
    }

    /// Returns the address of an argument. A variable is passed by its own address, and any other
    /// operand by the address of a temporary copy.
    fn by_address(&mut self, operand: &Operand, ty: Ty, store: bool) -> Lowered<Value> {
        if matches!(operand, Operand::Name(..) | Operand::Var(..)) {
            return self.read(operand, Ty::U64);
        }
        let slot = self.temporary();
        let pointer = self.b.ins().stack_addr(types::I64, slot, 0);
        if store {
            let value = self.read(operand, ty)?;
            self.b.ins().store(plain(), value, pointer, 0);
        }
        Ok(pointer)
    }

    /// Returns the code address of the call's target, and the target's declaration if it is known.
    fn callee(&mut self, target: &Operand) -> Lowered<(Value, Option<Declared<'a>>)> {
        let Operand::Name(name, _) = target else {
            let value = self.read(target, Ty::U64)?;
            return Ok((value, None));
        };
        let linked = self.linked;
        match linked.symbols[self.module].get(name) {
            Some(&Symbol::Function(id)) => {
                let function = linked.function(id);
                let address = self.function_address(id);
                Ok((address, Some((&function.results, &function.arguments))))
            }
            Some(&Symbol::Builtin(address)) => {
                let address = self.engine_address(address);
                let declaration = linked.modules[self.module]
                    .functions
                    .iter()
                    .find(|function| function.name == *name);
                Ok((
                    address,
                    declaration.map(|function| (&function.results[..], &function.arguments[..])),
                ))
            }
            _ => Err(CompileError::UnresolvedSymbol(name.to_string())),
        }
    }
}

/// Results and arguments of a declared function.
type Declared<'a> = (&'a [Argument], &'a [Argument]);
