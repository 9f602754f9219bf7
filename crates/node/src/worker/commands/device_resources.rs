//! Parts of devices, and green contexts that use them.

use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::state::Worker;
use outhaul_abi::Driver;
use outhaul_abi::types::*;
use outhaul_wire::codec::List;
use outhaul_wire::limits::RESOURCES_MAX;
use outhaul_wire::messages::*;

fn empty() -> CUdevResource {
    CUdevResource {
        type_: 0,
        own: [0; 23],
        smCount: 0,
        minSmPartitionSize: 0,
        smCoscheduledAlignment: 0,
        rest: [0; 9],
    }
}

impl Worker {
    /// Handles `ResourceGet`.
    pub fn resource_get(&mut self, m: &ResourceGet, ticket: &Ticket) -> Result<(), Refusal> {
        self.parts.check_room(1)?;
        let mut found = empty();
        let context =
            if m.context == 0 { CUcontext::NULL } else { self.objects.context(m.context)? };
        // SAFETY: the context is the session's own, the driver checks the ordinal, and the
        // out-pointer is a local.
        let got = unsafe {
            if m.context == 0 {
                self.driver.cuDeviceGetDevResource(m.device, &mut found, m.kind)
            } else {
                self.driver.cuCtxGetDevResource(context, &mut found, m.kind)
            }
        };
        got.ok()?;
        ticket.answer(&ResourceGetReply { found: List(vec![self.parts.register(found)]) });
        Ok(())
    }

    /// Handles `ResourceSplit`.
    pub fn resource_split(&mut self, m: &ResourceSplit, ticket: &Ticket) -> Result<(), Refusal> {
        let input = self.parts.resource(m.resource)?;
        let wanted = if m.only_count { 0 } else { m.groups as usize };
        self.parts.check_room(wanted.saturating_add(1))?;
        let (mut found, mut rest, mut groups) = (vec![empty(); wanted], empty(), m.groups);
        let result = if m.only_count { std::ptr::null_mut() } else { found.as_mut_ptr() };
        let remaining = if m.remaining { &raw mut rest } else { std::ptr::null_mut() };
        // SAFETY: the list is valid for writes of the requested number of parts, and the other
        // out-pointer is a local.
        unsafe {
            self.driver.cuDevSmResourceSplitByCount(
                result,
                &mut groups,
                &input,
                remaining,
                m.flags,
                m.sm_count_min,
            )
        }
        .ok()?;
        found.truncate(groups as usize);
        let found = List(found.into_iter().map(|part| self.parts.register(part)).collect());
        let remaining =
            List(if m.remaining { vec![self.parts.register(rest)] } else { Vec::new() });
        ticket.answer(&ResourceSplitReply { groups, found, remaining });
        Ok(())
    }

    /// Handles `ResourceDescribe`.
    pub fn resource_describe(
        &mut self,
        m: &ResourceDescribe,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        let mut resources = m
            .resources
            .0
            .iter()
            .map(|number| self.parts.resource(*number))
            .collect::<Result<Vec<_>, _>>()?;
        if resources.is_empty()
            || resources.len() > RESOURCES_MAX
            || !self.parts.has_room_for_description()
        {
            return Err(Refusal::Driver(CUresult::INVALID_VALUE));
        }
        let mut description = CUdevResourceDesc::NULL;
        // SAFETY: the list has the length that is passed, and the out-pointer is a local.
        unsafe {
            self.driver.cuDevResourceGenerateDesc(
                &mut description,
                resources.as_mut_ptr(),
                resources.len() as u32,
            )
        }
        .ok()?;
        let number = self.parts.put_description(description);
        ticket.answer(&ResourceDescribeReply { number });
        Ok(())
    }

    /// Creates a green context, in the form of a context that the session's frames may name.
    pub fn create_green(&mut self, m: &GreenContextCreate) -> Result<CUcontext, Refusal> {
        let description = self.parts.description(m.description)?;
        let (green, context) = create(&self.driver, description, m)?;
        self.memory.device(m.device as usize).driver_memory.note_context();
        self.charge_overhead(|driver| {
            // SAFETY: the green context is new, and nothing uses it.
            let _ = unsafe { driver.cuGreenCtxDestroy(green) };
        })?;
        self.parts.put_green(m.context, green);
        Ok(context)
    }
}

fn create(
    driver: &Driver,
    description: CUdevResourceDesc,
    m: &GreenContextCreate,
) -> Result<(CUgreenCtx, CUcontext), CUresult> {
    let (mut green, mut context) = (CUgreenCtx::NULL, CUcontext::NULL);
    // SAFETY: the driver created the description, and the out-pointers are locals.
    unsafe {
        driver.cuGreenCtxCreate(&mut green, description, m.device, m.flags).ok()?;
        driver.cuCtxFromGreenCtx(&mut context, green).ok().inspect_err(|_| {
            let _ = driver.cuGreenCtxDestroy(green);
        })?;
    }
    Ok((green, context))
}
