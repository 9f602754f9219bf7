//! A frame while it is executed: what came in, how a call is answered, and the two ways in which an
//! operation fails.

use super::outbound::Outbound;
use outhaul_abi::types::CUresult;
use outhaul_transport::{LaneError, LaneReader};
use outhaul_wire::codec::{DecodeError, Field, Reader};
use outhaul_wire::frame::Header;
use outhaul_wire::messages::head_bytes;
use std::sync::Arc;

/// Why an operation was not done.
#[derive(Debug)]
pub enum Refusal {
    /// The driver says no: reported to the program.
    Driver(CUresult),
    /// The client broke the protocol: the session ends.
    Violation(String),
}

impl From<CUresult> for Refusal {
    fn from(code: CUresult) -> Refusal {
        Refusal::Driver(code)
    }
}

impl From<DecodeError> for Refusal {
    fn from(error: DecodeError) -> Refusal {
        Refusal::Violation(error.to_string())
    }
}

impl From<LaneError> for Refusal {
    fn from(error: LaneError) -> Refusal {
        Refusal::Violation(error.to_string())
    }
}

pub fn decode<'a, M: Field<'a>>(body: &'a [u8]) -> Result<M, Refusal> {
    Ok(Reader::new(body).whole()?)
}

/// A frame whose body has been read, and whose payload, if any, still lies on the lane.
pub struct Incoming<'l> {
    pub header: Header,
    body: Vec<u8>,
    payload_left: usize,
    reader: &'l mut LaneReader,
}

impl<'l> Incoming<'l> {
    pub fn receive(reader: &'l mut LaneReader) -> Result<Incoming<'l>, LaneError> {
        let header = reader.header()?;
        let whole = header.body_bytes as usize;
        let head = head_bytes(header.op).unwrap_or(whole);
        let payload_left = whole.checked_sub(head).ok_or(DecodeError::Truncated)?;
        let body = reader.body(head)?;
        Ok(Incoming { header, body, payload_left, reader })
    }

    pub fn op(&self) -> u16 {
        self.header.op
    }

    pub fn body(&self) -> &[u8] {
        &self.body
    }

    pub fn take_body(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.body)
    }

    pub fn payload_bytes(&self) -> usize {
        self.payload_left
    }

    /// The next bytes of the payload.
    pub fn read_payload(&mut self, out: &mut [u8]) -> Result<(), Refusal> {
        self.payload_left =
            self.payload_left.checked_sub(out.len()).ok_or(DecodeError::Truncated)?;
        Ok(self.reader.exact(out)?)
    }

    /// The next bytes of the payload where they lie, if they have arrived.
    pub fn payload_in_place(&mut self, bytes: usize) -> Option<&mut [u8]> {
        let left = self.payload_left.checked_sub(bytes)?;
        let place = self.reader.buffered(bytes)?;
        self.payload_left = left;
        Some(place)
    }

    /// Passes over what an operation that failed left unread.
    pub fn finish(&mut self) -> Result<(), LaneError> {
        self.reader.skip(std::mem::take(&mut self.payload_left))
    }
}

/// The right to answer one call, once, from any thread.
#[derive(Clone)]
pub struct Ticket {
    pub sequence: u64,
    pub outbound: Arc<Outbound>,
}

impl Ticket {
    pub fn answer<'r>(&self, reply: &impl Field<'r>) {
        self.outbound.reply(self.sequence, CUresult::SUCCESS, &reply.encoded());
    }

    pub fn fail(&self, code: CUresult) {
        self.outbound.reply(self.sequence, code, &[]);
    }

    /// A code with a reply beside it, such as the log of a failed compilation.
    pub fn answer_with<'r>(&self, code: CUresult, reply: &impl Field<'r>) {
        self.outbound.reply(self.sequence, code, &reply.encoded());
    }

    pub fn settle(&self, result: Result<(), CUresult>) {
        match result {
            Ok(()) => self.answer(&()),
            Err(code) => self.fail(code),
        }
    }

    /// A driver's refusal is an answer; a violation is passed on.
    pub fn refuse(&self, refusal: Refusal) -> Result<(), Refusal> {
        match refusal {
            Refusal::Driver(code) => {
                self.fail(code);
                Ok(())
            }
            violation => Err(violation),
        }
    }
}
