//! Parts of devices, and green contexts that use them. The driver's description of a part may
//! contain anything, so it remains here, and the client gets a number for it.

use crate::worker::io::frame::Refusal;
use outhaul_abi::types::*;
use outhaul_wire::limits::RESOURCES_MAX;
use outhaul_wire::messages::Resource;
use std::collections::HashMap;

/// The session's parts and green contexts.
#[derive(Default)]
pub struct DeviceResources {
    resources: Vec<CUdevResource>,
    descriptions: Vec<CUdevResourceDesc>,
    /// Green contexts by the client's handles of their contexts.
    greens: HashMap<u64, CUgreenCtx>,
}

impl DeviceResources {
    /// Returns a part by its number.
    pub fn resource(&self, number: u32) -> Result<CUdevResource, Refusal> {
        let found = self.resources.get(number as usize).copied();
        found.ok_or_else(|| {
            Refusal::Violation(format!("resource {number} is not one of this session's"))
        })
    }

    /// Fails if there is no room for this many more parts.
    pub fn check_room(&self, more: usize) -> Result<(), Refusal> {
        if self.resources.len() + more > RESOURCES_MAX {
            Err(Refusal::Driver(CUresult::OUT_OF_MEMORY))
        } else {
            Ok(())
        }
    }

    /// Numbers a part for the client. An equal part gets the same number.
    pub fn register(&mut self, found: CUdevResource) -> Resource {
        let CUdevResource { type_: kind, smCount: sm_count, .. } = found;
        let (sm_partition_min, sm_alignment) =
            (found.minSmPartitionSize, found.smCoscheduledAlignment);
        let known = self.resources.iter().position(|known| {
            crate::worker::io::marshal::bytes(known) == crate::worker::io::marshal::bytes(&found)
        });
        let number = known.unwrap_or(self.resources.len());
        if known.is_none() {
            self.resources.push(found);
        }
        Resource { number: number as u32, kind, sm_count, sm_partition_min, sm_alignment }
    }

    /// Returns whether there is room for another description.
    pub fn has_room_for_description(&self) -> bool {
        self.descriptions.len() < RESOURCES_MAX
    }

    /// Enters a description. Returns its number.
    pub fn put_description(&mut self, description: CUdevResourceDesc) -> u32 {
        self.descriptions.push(description);
        self.descriptions.len() as u32 - 1
    }

    /// Returns a description by its number.
    pub fn description(&self, number: u32) -> Result<CUdevResourceDesc, Refusal> {
        self.descriptions.get(number as usize).copied().ok_or_else(|| {
            Refusal::Violation(format!("description {number} is not one of this session's"))
        })
    }

    /// Enters the green context of a context.
    pub fn put_green(&mut self, context: u64, green: CUgreenCtx) {
        self.greens.insert(context, green);
    }

    /// Removes the green context of a context.
    pub fn take_green(&mut self, context: u64) -> Option<CUgreenCtx> {
        self.greens.remove(&context)
    }
}
