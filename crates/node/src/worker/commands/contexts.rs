//! Creates contexts (primary, ordinary and green), and cleans up before they are destroyed.

use crate::worker::driver::objects::Owner;
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::state::Worker;
use outhaul_abi::types::*;
use outhaul_wire::handle::{Handle, HandleKind};
use outhaul_wire::messages::*;

fn context_index(handle: u64) -> Result<u16, Refusal> {
    match Handle::unpack(handle) {
        Some(Handle { kind: HandleKind::Context, index, .. }) if index < u32::from(u16::MAX) => {
            Ok(index as u16 + 1)
        }
        _ => Err(Refusal::Violation(format!("{handle:#x} is not a context"))),
    }
}

impl Worker {
    /// Stores a context with its handle and device, or the error of its creation.
    fn context_made(
        &mut self,
        index: u16,
        (handle, device): (u64, i32),
        made: Result<CUcontext, CUresult>,
    ) -> Result<(), Refusal> {
        let made = made.and_then(|context| {
            // SAFETY: the context is a new one of the session's.
            unsafe { self.driver.cuCtxSetCurrent(context) }.ok().map(|()| context)
        });
        self.failed_contexts.remove(&index);
        if let Err(code) = made {
            self.failed_contexts.insert(index, code);
        }
        if let Ok(context) = made {
            self.contexts.insert(index, context);
            self.links.know(handle, context);
            self.turns.know_context(context, device);
            self.turns.enter_context(context);
        }
        self.current = index;
        self.objects.set_current_context(index, made.map(|_| ()));
        self.objects.put_context(handle, made)
    }

    /// Handles `ContextCreate`.
    pub fn context_create(&mut self, m: &ContextCreate) -> Result<(), Refusal> {
        let index = context_index(m.context)?;
        let mut context = CUcontext::NULL;
        // SAFETY: the out-pointer is a local.
        let mut make = || unsafe {
            if m.primary {
                // The driver rejects this call if the context is active, because its flags are then
                // fixed.
                let _ = self.driver.cuDevicePrimaryCtxSetFlags_v2(m.device, m.flags);
                self.driver.cuDevicePrimaryCtxRetain(&mut context, m.device)
            } else {
                self.driver.cuCtxCreate_v2(&mut context, m.flags, m.device)
            }
        };
        let residency = self.memory.residency(m.device as u8);
        let made = match (make(), residency) {
            (CUresult::OUT_OF_MEMORY, Some(residency)) if residency.make_room(0) => make(),
            (CUresult::OUT_OF_MEMORY, _) if self.listener.await_endings() => make(),
            (made, _) => made,
        };
        let made = made.ok().and_then(|()| self.charge_context(context, m));
        self.context_made(index, (m.context, m.device), made.map(|()| context))
    }

    /// Handles `GreenContextCreate`.
    pub fn create_green_context(&mut self, m: &GreenContextCreate) -> Result<(), Refusal> {
        let index = context_index(m.context)?;
        let context = self.create_green(m)?;
        self.context_made(index, (m.context, m.device), Ok(context))
    }

    /// Handles `ContextDestroy`.
    pub fn context_destroy(&mut self, m: &ContextDestroy) -> Result<(), Refusal> {
        let context = self.objects.context(m.context)?;
        let index = context_index(m.context)?;
        self.carrier.deliveries.wait_idle(context);
        self.forget_ordered_context(index);
        self.room.forget_context(index);
        self.kernel_limit.forget_context(context);
        self.turns.forget_context(context);
        // Mappings that are being unmapped wait for the device in this context.
        self.memory.wait_unmapped();
        self.segments.closing.wait_all();
        self.bulk.wait_idle();
        self.links.forget(m.context);
        self.gates.forget(context);
        self.carrier.staging.forget(context);
        self.managed.forget(context);
        self.contexts.remove(&index);
        self.textures.forget(index);
        for stream in self.objects.streams_of(index) {
            self.forget_stream(stream)?;
        }
        self.end_modules_and_arrays(index, self.parts.is_green(m.context));
        self.objects.end_events(index);
        self.leaving_events.retain(|event| !event.is_of(index));
        self.objects.remove(m.context)?;
        let mut device = 0;
        let mut primary = CUcontext::NULL;
        self.current = 0;
        self.objects.set_current_context(0, Err(CUresult::INVALID_CONTEXT));
        if let Some(green) = self.parts.take_green(m.context) {
            // SAFETY: the green context is the session's own and has left the table.
            unsafe {
                let _ = self.driver.cuCtxSetCurrent(CUcontext::NULL);
                return Ok(self.driver.cuGreenCtxDestroy(green).ok()?);
            }
        }
        // SAFETY: the context is the session's own and leaves the table; the out-pointers are
        // locals.
        unsafe {
            self.driver.cuCtxSetCurrent(context).ok()?;
            self.driver.cuCtxGetDevice(&mut device).ok()?;
            // Retaining the device's primary context shows whether this context is that one.
            self.driver.cuDevicePrimaryCtxRetain(&mut primary, device).ok()?;
            let _ = self.driver.cuDevicePrimaryCtxRelease_v2(device);
            if primary == context {
                self.driver.cuDevicePrimaryCtxReset_v2(device).ok()?
            } else {
                self.driver.cuCtxDestroy_v2(context).ok()?
            }
        }
        self.note_overhead();
        Ok(())
    }

    /// Ends a context's modules and arrays. Those of a green context belong to the primary context
    /// in the driver, so the driver does not end them with the green one.
    fn end_modules_and_arrays(&mut self, index: u16, is_green: bool) {
        self.forget_launches();
        for object in self.objects.owned_by(Owner::Context(index)) {
            let is_module = Handle::unpack(object).is_some_and(|h| h.kind == HandleKind::Module);
            let _ = match (is_module, is_green) {
                (true, false) => self.forget_module(object),
                (false, false) => self.forget_array(object),
                (true, true) => {
                    self.module_unload(&ModuleUnload { module: object, library: false })
                }
                (false, true) => self.array_destroy(&ArrayDestroy { array: object }),
            };
        }
    }

    /// Handles `GreenContextCreate`.
    pub fn green_context_create(
        &mut self,
        m: &GreenContextCreate,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        self.create_green_context(m)?;
        ticket.answer(&());
        Ok(())
    }

    /// Handles `ContextRecordEvent`.
    pub fn context_record_event(&mut self, m: &ContextRecordEvent) -> Result<(), Refusal> {
        let (context, event) = (self.objects.context(m.context)?, self.objects.event(m.event)?);
        // SAFETY: both handles are the session's own.
        Ok(unsafe { self.driver.cuCtxRecordEvent(context, event) }.ok()?)
    }

    /// Handles `ContextWaitEvent`.
    pub fn context_wait_event(&mut self, m: &ContextWaitEvent) -> Result<(), Refusal> {
        let (context, event) = (self.objects.context(m.context)?, self.objects.event(m.event)?);
        // SAFETY: both handles are the session's own.
        Ok(unsafe { self.driver.cuCtxWaitEvent(context, event) }.ok()?)
    }

    /// Handles `ContextSynchronize`.
    pub fn context_synchronize(
        &mut self,
        m: &ContextSynchronize,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        if let Some(mark) = self.mark_unless_capturing(m.is_implicit)? {
            self.wait_then_answer(ticket.clone(), move |driver| mark.wait(driver));
            return Ok(());
        }
        // SAFETY: takes no pointers, and waits for the context that the waiting thread has made
        // current.
        self.wait_then_answer(ticket.clone(), |driver| unsafe { driver.cuCtxSynchronize() });
        Ok(())
    }

    /// Handles `ContextGetLimit`.
    pub fn context_get_limit(
        &mut self,
        m: &ContextGetLimit,
        ticket: &Ticket,
    ) -> Result<(), Refusal> {
        let mut value = 0;
        // SAFETY: the out-pointer is a local.
        unsafe { self.driver.cuCtxGetLimit(&mut value, m.limit) }.ok()?;
        ticket.answer(&ContextGetLimitReply { value: value as u64 });
        Ok(())
    }

    /// Handles `ContextSetLimit`.
    pub fn context_set_limit(&mut self, m: &ContextSetLimit) -> Result<(), Refusal> {
        let mut before = 0;
        // SAFETY: the out-pointer is a local.
        unsafe { self.driver.cuCtxGetLimit(&mut before, m.limit) }.ok()?;
        // SAFETY: takes no pointers.
        unsafe { self.driver.cuCtxSetLimit(m.limit, m.value as usize) }.ok()?;
        Ok(self.charge_overhead(|driver| {
            // SAFETY: takes no pointers.
            let _ = unsafe { driver.cuCtxSetLimit(m.limit, before) };
        })?)
    }
}
