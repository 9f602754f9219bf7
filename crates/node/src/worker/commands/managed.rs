//! Memory that program and device reach at the same address: how it is opened and closed, and how
//! both sides learn of changes.

use crate::worker::io::frame::{Incoming, Refusal, Ticket};
use crate::worker::managed::mirror::{DEVICE, HOST, PLACED};
use crate::worker::managed::page_hash::PAGE_BYTES;
use crate::worker::state::Worker;
use outhaul_abi::types::*;
use outhaul_wire::messages::*;

impl Worker {
    /// Opens a mirror. Returns whether messages about it may come on the lane of callbacks.
    pub fn open_mirror(&mut self, m: &MirrorOpen) -> Result<bool, Refusal> {
        self.mirrors.check_new(m)?;
        let beside = m.kind == HOST || !self.moves_memory();
        let side = match m.kind {
            HOST => self.mirrors.host_side(&self.driver, m)?,
            DEVICE => {
                if !m.address.is_multiple_of(PAGE_BYTES) || !m.bytes.is_multiple_of(PAGE_BYTES) {
                    return Err(Refusal::Violation(format!(
                        "managed memory of {} bytes at {:#x}",
                        m.bytes, m.address
                    )));
                }
                self.memory.check_backed(m.address, m.bytes)?;
                let (driver, context) = (&self.driver, self.context()?);
                self.mirrors.device_side(driver, context, m, m.by_touch && beside)?
            }
            PLACED
                if self
                    .managed
                    .iter()
                    .any(|(start, size)| (*start, *size) == (m.address, m.bytes)) =>
            {
                self.mirrors.variable_side(m)
            }
            PLACED => {
                return Err(Refusal::Violation(format!(
                    "{:#x} is not a managed variable",
                    m.address
                )));
            }
            other => return Err(Refusal::Violation(format!("a mirror of kind {other}"))),
        };
        self.mirrors.put(m, side);
        Ok(beside)
    }

    /// Handles `MirrorClose`.
    pub fn mirror_close(&mut self, m: &MirrorClose) -> Result<(), Refusal> {
        self.mirrors.close(m.address)
    }

    /// Handles `MirrorWrite`.
    pub fn mirror_write(
        &mut self,
        m: &MirrorWrite,
        incoming: &mut Incoming<'_>,
    ) -> Result<(), Refusal> {
        let mut bytes = vec![0; incoming.payload_bytes()];
        incoming.read_payload(&mut bytes)?;
        self.mirrors.write(m.address, &bytes)
    }

    /// Handles `MirrorLook`.
    pub fn mirror_look(&mut self, m: &MirrorLook, ticket: &Ticket) -> Result<(), Refusal> {
        self.mirrors.answer_question(m, ticket)
    }

    /// Handles `MirrorOpen`.
    pub fn mirror_open(&mut self, m: &MirrorOpen, ticket: &Ticket) -> Result<(), Refusal> {
        let beside = self.open_mirror(m)?;
        ticket.answer(&MirrorOpenReply { beside });
        Ok(())
    }

    /// Handles `WaitAndLook`.
    pub fn wait_and_look(&mut self, m: &WaitAndLook, ticket: &Ticket) -> Result<(), Refusal> {
        let looked_at = self.mirrors.named(&m.looks.0).map_err(Refusal::Violation)?;
        let mark = if m.whole {
            self.mark_unless_capturing(m.is_implicit)?
        } else {
            Some(self.mark_waited_for(m.stream)?)
        };
        let (mirrors, carrier, context) =
            (self.mirrors.clone(), self.carrier.clone(), self.context()?);
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
                    carrier.answer_by(&ticket, |ticket| mirrors.answer_wait(&looked_at, ticket))
                }
                code => carrier.answer(&ticket, code),
            }
        });
        Ok(())
    }

    /// Handles `MirrorAwait`.
    pub fn mirror_await(&mut self, m: &MirrorAwait) -> Result<(), Refusal> {
        self.carrier.outbound.replicas().wait(m.number);
        Ok(())
    }
}
