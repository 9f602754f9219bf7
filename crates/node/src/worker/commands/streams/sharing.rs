//! Events that sessions of one node share.

use crate::worker::driver::objects::Event;
use crate::worker::io::frame::{Refusal, Ticket};
use crate::worker::memory::sharing::adopt_event;
use crate::worker::state::Worker;
use outhaul_wire::messages::{EventAdopt, EventShare, EventShareReply};

impl Worker {
    /// Handles `EventShare`.
    pub fn event_share(&mut self, m: &EventShare, ticket: &Ticket) -> Result<(), Refusal> {
        let event = self.objects.event_object(m.event)?;
        let (socket, key) = match &event.share {
            Some(share) => (self.memory.sharing.socket(), share.key),
            None => {
                let share = self.memory.sharing.share_event(&self.driver, event.raw())?;
                let key = share.key;
                self.objects.shared(m.event, share);
                (self.memory.sharing.socket(), key)
            }
        };
        ticket.answer(&EventShareReply { socket, key });
        Ok(())
    }

    /// Handles `EventAdopt`.
    pub fn event_adopt(&mut self, m: &EventAdopt, ticket: &Ticket) -> Result<(), Refusal> {
        self.objects.put_event(
            m.event,
            Ok(Event::new(
                adopt_event(&self.driver, &self.listener, m.socket, &m.key)?,
                self.current,
            )),
        )?;
        ticket.answer(&());
        Ok(())
    }
}
