//! Special registers.

use std::mem::offset_of;

use cranelift_codegen::ir::{InstBuilder, Value, types};

use crate::engine::exec::arithmetic::math;
use crate::engine::exec::blocks::block::{Block, Thread};
use crate::engine::lower::function::Lower;
use crate::engine::lower::lowering::Lowered;

impl Lower<'_, '_> {
    /// Returns the value of a special register.
    pub fn special(&mut self, name: &str) -> Lowered<Value> {
        let (base, component) = name.split_once('.').unwrap_or((name, "x"));
        let axis = match component {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => 3,
        };
        let at = |field: usize| field + axis * 4;
        Ok(match base {
            "%tid" if axis < 3 => self.thread_field(types::I32, at(offset_of!(Thread, tid))),
            "%tid" => self.int(32, 0),
            "%ctaid" => self.block_field(types::I32, at(offset_of!(Block, ctaid))),
            "%ntid" => self.block_field(types::I32, at(offset_of!(Block, ntid))),
            "%nctaid" => self.block_field(types::I32, at(offset_of!(Block, nctaid))),
            "%clusterid" => self.block_field(types::I32, at(offset_of!(Block, clusterid))),
            "%nclusterid" => self.block_field(types::I32, at(offset_of!(Block, nclusterid))),
            "%cluster_ctaid" => self.block_field(types::I32, at(offset_of!(Block, cluster_ctaid))),
            "%cluster_nctaid" => {
                self.block_field(types::I32, at(offset_of!(Block, cluster_nctaid)))
            }
            "%cluster_ctarank" => self.block_field(types::I32, offset_of!(Block, cluster_rank)),
            "%cluster_nctarank" => self.block_field(types::I32, offset_of!(Block, cluster_size)),
            "%is_explicit_cluster" => {
                self.block_field(types::I32, offset_of!(Block, cluster_is_explicit))
            }
            "%laneid" => self.thread_field(types::I32, offset_of!(Thread, lane)),
            "%warpid" => self.thread_field(types::I32, offset_of!(Thread, warp)),
            "%nwarpid" => self.int(32, 32),
            "%smid" => self.block_field(types::I32, offset_of!(Block, worker)),
            "%nsmid" => {
                self.int(32, std::thread::available_parallelism().map_or(1, |n| n.get()) as u64)
            }
            "%gridid" => self.block_field(types::I64, offset_of!(Block, grid_id)),
            "%dynamic_smem_size" => self.block_field(types::I32, offset_of!(Block, dynamic_bytes)),
            "%total_smem_size" | "%aggr_smem_size" => {
                self.block_field(types::I64, offset_of!(Block, shared_bytes))
            }
            "%clock" | "%clock64" => {
                self.compute(math::clock as *const () as usize, &[], types::I64)
            }
            "%clock_hi" => {
                let clock = self.compute(math::clock as *const () as usize, &[], types::I64);
                self.b.ins().ushr_imm_u(clock, 32)
            }
            "%globaltimer" | "%globaltimer_lo" => {
                self.compute(math::nanoseconds as *const () as usize, &[], types::I64)
            }
            "%globaltimer_hi" => {
                let time = self.compute(math::nanoseconds as *const () as usize, &[], types::I64);
                self.b.ins().ushr_imm_u(time, 32)
            }
            // Cooperative groups find the grid barrier's workspace in this register pair, high half
            // first.
            "%envreg1" => {
                let workspace = self.block_field(types::I64, offset_of!(Block, workspace));
                self.b.ins().ushr_imm_u(workspace, 32)
            }
            "%envreg2" => self.block_field(types::I64, offset_of!(Block, workspace)),
            "WARP_SZ" => self.int(32, 32),
            _ => return self.special_mask(base),
        })
    }

    fn special_mask(&mut self, name: &str) -> Lowered<Value> {
        let Some(relation) = name.strip_prefix("%lanemask_") else {
            if name.starts_with("%envreg") {
                return Ok(self.int(32, 0));
            }
            return self.unsupported(format!("register {name}"));
        };
        let lane = self.thread_field(types::I32, offset_of!(Thread, lane));
        let one = self.int(32, 1);
        let own = self.b.ins().ishl(one, lane);
        let below = self.b.ins().iadd_imm_s(own, -1);
        Ok(match relation {
            "eq" => own,
            "lt" => below,
            "le" => self.b.ins().bor(own, below),
            "ge" => self.b.ins().bnot(below),
            "gt" => {
                let up_to = self.b.ins().bor(own, below);
                self.b.ins().bnot(up_to)
            }
            _ => return self.unsupported(format!("register {name}")),
        })
    }
}
