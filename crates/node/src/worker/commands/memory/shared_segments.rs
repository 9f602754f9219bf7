//! Memory segments that sessions share by key.

use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::state::Worker;
use outhaul_wire::messages::{ShmAttach, ShmGet, ShmRemove, ShmSetRights, ShmStat};

impl Worker {
    /// Handles `ShmGet`.
    pub fn shm_get(&mut self, m: &ShmGet, ticket: &Ticket) -> Result<(), Refusal> {
        ticket.answer(&self.shared_segments.get(&self.driver, &mut self.memory, m)?);
        Ok(())
    }

    /// Handles `ShmAttach`.
    pub fn shm_attach(&mut self, m: &ShmAttach, ticket: &Ticket) -> Result<(), Refusal> {
        ticket.answer(&self.shared_segments.attach(&self.driver, &mut self.memory, m)?);
        Ok(())
    }

    /// Handles `ShmStat`.
    pub fn shm_stat(&mut self, m: &ShmStat, ticket: &Ticket) -> Result<(), Refusal> {
        ticket.answer(&self.shared_segments.stat(m)?);
        Ok(())
    }

    /// Handles `ShmSetRights`.
    pub fn shm_set_rights(&mut self, m: &ShmSetRights, ticket: &Ticket) -> Result<(), Refusal> {
        self.shared_segments.set_rights(m)?;
        ticket.answer_result(Ok(()));
        Ok(())
    }

    /// Handles `ShmRemove`.
    pub fn shm_remove(&mut self, m: &ShmRemove, ticket: &Ticket) -> Result<(), Refusal> {
        self.shared_segments.remove(m)?;
        ticket.answer_result(Ok(()));
        Ok(())
    }
}
