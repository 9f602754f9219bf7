//! Memory that program and device reach at the same address: opening and closing regions, and
//! exchanging changes.

use crate::worker::io::frame::{Incoming, Refusal, Ticket};
use crate::worker::managed::page_hash::PAGE_BYTES;
use crate::worker::managed::region::{DEVICE, HOST, PLACED};
use crate::worker::state::Worker;
use outhaul_abi::types::*;
use outhaul_wire::messages::*;

impl Worker {
    /// Opens a region. Returns whether messages about the region may arrive on the lane of
    /// callbacks.
    pub fn open_region(&mut self, m: &ManagedOpen) -> Result<bool, Refusal> {
        self.managed.check_new(m)?;
        let may_use_callbacks = m.kind == HOST || !self.moves_memory();
        let side = match m.kind {
            HOST => self.managed.host_side(&self.driver, m)?,
            DEVICE => {
                if !m.address.is_multiple_of(PAGE_BYTES) || !m.bytes.is_multiple_of(PAGE_BYTES) {
                    return Err(Refusal::Violation(format!(
                        "managed memory of {} bytes at {:#x}",
                        m.bytes, m.address
                    )));
                }
                self.memory.check_backed(m.address, m.bytes)?;
                let (driver, context) = (&self.driver, self.context()?);
                self.managed.device_side(driver, context, m, m.by_touch && may_use_callbacks)?
            }
            PLACED
                if self
                    .managed_variables
                    .iter()
                    .any(|(start, size)| (*start, *size) == (m.address, m.bytes)) =>
            {
                self.managed.variable_side(m)
            }
            PLACED => {
                return Err(Refusal::Violation(format!(
                    "{:#x} is not a managed variable",
                    m.address
                )));
            }
            other => return Err(Refusal::Violation(format!("a region of kind {other}"))),
        };
        self.managed.put(m, side);
        Ok(may_use_callbacks)
    }

    /// Handles `ManagedClose`.
    pub fn managed_close(&mut self, m: &ManagedClose) -> Result<(), Refusal> {
        self.managed.close(m.address)
    }

    /// Handles `ManagedWrite`.
    pub fn managed_write(
        &mut self,
        m: &ManagedWrite,
        incoming: &mut Incoming<'_>,
    ) -> Result<(), Refusal> {
        let mut bytes = vec![0; incoming.payload_bytes()];
        incoming.read_payload(&mut bytes)?;
        self.managed.write(m.address, &bytes)
    }

    /// Handles `ManagedChanges`.
    pub fn managed_changes(&mut self, m: &ManagedChanges, ticket: &Ticket) -> Result<(), Refusal> {
        self.managed.answer_question(m, ticket)
    }

    /// Handles `ManagedOpen`.
    pub fn managed_open(&mut self, m: &ManagedOpen, ticket: &Ticket) -> Result<(), Refusal> {
        let beside = self.open_region(m)?;
        ticket.answer(&ManagedOpenReply { beside });
        Ok(())
    }

    /// Handles `WaitForChanges`.
    pub fn wait_for_changes(&mut self, m: &WaitForChanges, ticket: &Ticket) -> Result<(), Refusal> {
        let scanned = self.managed.named(&m.looks.0).map_err(Refusal::Violation)?;
        let mark = if m.whole {
            self.mark_unless_capturing(m.is_implicit)?
        } else {
            Some(self.mark_waited_for(m.stream)?)
        };
        let (regions, carrier, context) =
            (self.managed.clone(), self.carrier.clone(), self.context()?);
        let ticket = ticket.clone();
        self.carrier.waiters.run(move || {
            let driver = &carrier.driver;
            let status = match mark {
                Some(mark) => mark.wait(driver),
                // SAFETY: the context is the session's own.
                None => unsafe {
                    driver
                        .cuCtxSetCurrent(context)
                        .ok()
                        .map_or_else(|code| code, |()| driver.cuCtxSynchronize())
                },
            };
            match status {
                CUresult::SUCCESS => {
                    carrier.answer_by(&ticket, |ticket| regions.answer_wait(&scanned, ticket))
                }
                code => carrier.answer(&ticket, code),
            }
        });
        Ok(())
    }

    /// Handles `ReplicaAwait`.
    pub fn replica_await(&mut self, m: &ReplicaAwait) -> Result<(), Refusal> {
        self.carrier.outbound.replicas().wait(m.number);
        Ok(())
    }
}
