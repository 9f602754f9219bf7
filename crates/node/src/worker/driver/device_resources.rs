//! Parts of devices, and green contexts that use them. The driver's description of a part may
//! contain anything, so the worker keeps it and gives the client a number for it.

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
    /// Green contexts by the client's handles for the corresponding contexts.
    greens: HashMap<u64, CUgreenCtx>,
}

impl DeviceResources {
    /// Returns the part with the given number.
    pub fn resource(&self, number: u32) -> Result<CUdevResource, Refusal> {
        let found = self.resources.get(number as usize).copied();
        found.ok_or_else(|| {
            Refusal::Violation(format!("resource {number} is not one of this session's"))
        })
    }

    /// Returns an error if the session may not have `more` more parts.
    pub fn check_room(&self, more: usize) -> Result<(), Refusal> {
        if self.resources.len() + more > RESOURCES_MAX {
            Err(Refusal::Driver(CUresult::OUT_OF_MEMORY))
        } else {
            Ok(())
        }
    }

    /// Gives a part a number for the client. Equal parts get the same number.
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

    /// Returns whether the session may have another description.
    pub fn has_room_for_description(&self) -> bool {
        self.descriptions.len() < RESOURCES_MAX
    }

    /// Stores a description and returns its number.
    pub fn put_description(&mut self, description: CUdevResourceDesc) -> u32 {
        self.descriptions.push(description);
        self.descriptions.len() as u32 - 1
    }

    /// Returns the description with the given number.
    pub fn description(&self, number: u32) -> Result<CUdevResourceDesc, Refusal> {
        self.descriptions.get(number as usize).copied().ok_or_else(|| {
            Refusal::Violation(format!("description {number} is not one of this session's"))
        })
    }

    /// Stores the green context that belongs to `context`.
    pub fn put_green(&mut self, context: u64, green: CUgreenCtx) {
        self.greens.insert(context, green);
    }

    /// Returns whether `context` is a green context.
    pub fn is_green(&self, context: u64) -> bool {
        self.greens.contains_key(&context)
    }

    /// Removes and returns the green context that belongs to `context`.
    pub fn take_green(&mut self, context: u64) -> Option<CUgreenCtx> {
        self.greens.remove(&context)
    }
}
