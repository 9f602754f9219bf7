//! Clusters: ranks of blocks, addresses in other blocks' shared memory, the cluster barrier, and
//! stores that an `mbarrier` counts.
//!
//! A generic address is a host address. For the block of rank r, an address in the
//! `.shared::cluster` window is r + 1 slots plus an offset into the block's shared memory. `mapa`
//! returns such an address, which means the same in every block of the cluster. An address below
//! one slot refers to the block's own shared memory, as in `.shared::cta`.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::function::Lower;
use super::opcode::Opcode;
use crate::engine::exec::blocks::block::Block;
use crate::engine::exec::blocks::cluster;
use crate::engine::exec::blocks::cluster::BLOCKS_MAX;
use crate::engine::exec::blocks::limits::SLOT_BYTES;
use crate::engine::exec::blocks::mbarrier;
use crate::engine::lower::lowering::Lowered;
use crate::engine::syntax::ir::{Operand, Space};
use crate::engine::syntax::types::Ty;

const SLOT: i64 = SLOT_BYTES as i64;
/// Maximum distance by which an address may precede a block's shared memory before an offset is
/// added. Shared memory is small enough that its end never reaches this range.
const SLACK: i64 = 8 << 10;
/// An address outside all windows, for ranks that no block has.
const NOWHERE: u64 = 1 << 30;

impl<'a> Lower<'a, '_> {
    /// Returns the host address for a signed address in the `.shared::cluster` window.
    pub fn host_of_window(&mut self, value: Value) -> Value {
        let (own, first) = (self.shared_base(), self.first_slot());
        let others = self.b.ins().iadd_imm_s(first, -SLOT);
        let null = self.int(64, 0);
        let is_somewhere = self.b.ins().icmp_imm_s(
            IntCC::SignedLessThan,
            value,
            (i64::from(BLOCKS_MAX) + 1) * SLOT - SLACK,
        );
        let others = self.b.ins().select(is_somewhere, others, null);
        let is_own = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, value, SLOT - SLACK);
        let base = self.b.ins().select(is_own, own, others);
        self.b.ins().iadd(base, value)
    }

    /// Returns the window address for a host address. An address in the block's own memory becomes
    /// a plain offset.
    pub fn window_of_host(&mut self, host: Value) -> Value {
        let own = self.shared_base();
        let offset = self.b.ins().isub(host, own);
        let shifted = self.b.ins().iadd_imm_s(offset, SLACK);
        let is_own = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, shifted, SLOT);
        let others = self.slot_of_host(host);
        self.b.ins().select(is_own, offset, others)
    }

    /// Returns a window address that means the same in every block, even for the block's own
    /// memory.
    fn slot_of_host(&mut self, host: Value) -> Value {
        let first = self.first_slot();
        let distance = self.b.ins().isub(host, first);
        self.b.ins().iadd_imm_s(distance, SLOT)
    }

    /// Returns whether a host address is in the shared memory of any block in the cluster.
    pub fn in_cluster(&mut self, host: Value) -> Value {
        let first = self.first_slot();
        let size = self.block_field(types::I32, offset_of!(Block, cluster_size));
        let before_last = self.b.ins().iadd_imm_s(size, -1);
        let before_last = self.b.ins().uextend(types::I64, before_last);
        let before_last = self.b.ins().imul_imm_s(before_last, SLOT);
        let last = self.block_field(types::I64, offset_of!(Block, shared_bytes));
        let bytes = self.b.ins().iadd(before_last, last);
        self.within(host, first, bytes)
    }

    fn first_slot(&mut self) -> Value {
        self.block_field(types::I64, offset_of!(Block, cluster_shared))
    }

    /// Returns the rank of the block whose shared memory contains this host address.
    fn rank_of(&mut self, host: Value) -> Value {
        let first = self.first_slot();
        let distance = self.b.ins().isub(host, first);
        let distance = self.b.ins().iadd_imm_s(distance, SLACK);
        self.b.ins().ushr_imm_u(distance, i64::from(SLOT.trailing_zeros()))
    }

    /// Lowers `mapa` and `getctarank`.
    pub fn cluster_address(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let Some(ty) = op.last_type() else { return self.unsupported(op.text) };
        let windowed = match op.space() {
            None => false,
            Some(Space::ClusterShared) => true,
            Some(_) => return self.unsupported(op.text),
        };
        let value = self.read(&operands[1], ty)?;
        let value = self.coerce(value, types::I64, windowed);
        let host = if windowed { self.host_of_window(value) } else { value };
        let rank = self.rank_of(host);
        match (op.base, operands) {
            ("getctarank", [to, _]) => self.write(to, Ty::U64, rank),
            ("mapa", [to, _, target]) => {
                let target = self.read(target, Ty::U32)?;
                let mapped = self.mapped(host, rank, target, windowed);
                let mapped = self.coerce(mapped, ty.clif(), false);
                self.write(to, ty, mapped)
            }
            _ => self.malformed(format!("{} with {} operands", op.text, operands.len())),
        }
    }

    /// Returns the corresponding address in the block of rank `target`. If no block has this rank,
    /// the returned address faults on access.
    fn mapped(&mut self, host: Value, rank: Value, target: Value, windowed: bool) -> Value {
        let size = self.block_field(types::I32, offset_of!(Block, cluster_size));
        let is_there = self.b.ins().icmp(IntCC::UnsignedLessThan, target, size);
        let target = self.b.ins().uextend(types::I64, target);
        let slots = self.b.ins().isub(target, rank);
        let distance = self.b.ins().imul_imm_s(slots, SLOT);
        let there = self.b.ins().iadd(host, distance);
        let (there, nowhere) =
            if windowed { (self.slot_of_host(there), NOWHERE) } else { (there, 0) };
        let nowhere = self.int(64, nowhere);
        self.b.ins().select(is_there, there, nowhere)
    }

    /// Lowers `barrier.cluster.arrive` and `barrier.cluster.wait`.
    pub fn cluster_barrier(&mut self, op: Opcode<'a>) -> Lowered<()> {
        let arguments = [self.block, self.thread];
        match op.one_of(&["arrive", "wait"]) {
            Some("arrive") => {
                self.helper(cluster::arrive as *const () as usize, &arguments, None);
                Ok(())
            }
            Some(_) => self.wait(|lower| {
                lower.helper(cluster::wait as *const () as usize, &arguments, None);
            }),
            None => self.unsupported(op.text),
        }
    }

    /// Lowers `st.async` and `red.async`, with operands `[to], value, [mbarrier]`. Both run at
    /// once.
    pub fn counted_store(&mut self, op: Opcode<'a>, operands: &'a [Operand]) -> Lowered<()> {
        let windowed =
            op.has("mbarrier::complete_tx::bytes") && op.space() == Some(Space::ClusterShared);
        let (true, [_, _, barrier], Some(ty)) = (windowed, operands, op.last_type()) else {
            return self.unsupported(op.text);
        };
        if op.base == "st" {
            self.store(op, operands)?
        } else {
            self.atomic(op, operands)?
        }
        let barrier = self.address(barrier, Some(Space::ClusterShared))?;
        let barrier = self.pointer(&barrier, 0);
        let (zero, bytes) =
            (self.int(32, 0), self.int(32, op.lanes() as u64 * u64::from(ty.bytes())));
        self.helper(mbarrier::bytes as *const () as usize, &[barrier, zero, bytes], None);
        Ok(())
    }
}
