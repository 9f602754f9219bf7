//! A frame during its execution: its contents, ways to answer a call, and the two ways in which an
//! operation fails.

use super::outbound::Outbound;
use outhaul_abi::types::CUresult;
use outhaul_transport::{LaneError, LaneReader};
use outhaul_wire::codec::{DecodeError, Field, Reader};
use outhaul_wire::frame::Header;
use outhaul_wire::messages::head_bytes;
use std::sync::Arc;

/// The reason why an operation was not executed.
#[derive(Debug)]
pub enum Refusal {
    /// The driver rejected the operation. The program gets the error.
    Driver(CUresult),
    /// The client violated the protocol. The session ends.
    Violation(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Driver(code) => write!(f, "the driver answered {code}"),
            Refusal::Violation(what) => f.write_str(what),
        }
    }
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

/// Decodes a message's body.
pub fn decode<'a, M: Field<'a>>(body: &'a [u8]) -> Result<M, Refusal> {
    Ok(Reader::new(body).whole()?)
}

/// A frame whose body has been read. Its payload, if any, is still on the lane.
pub struct Incoming<'l> {
    /// The frame's header.
    pub header: Header,
    body: Vec<u8>,
    payload_left: usize,
    reader: &'l mut LaneReader,
}

impl<'l> Incoming<'l> {
    /// Receives a frame except for its payload.
    pub fn receive(reader: &'l mut LaneReader) -> Result<Incoming<'l>, LaneError> {
        let header = reader.header()?;
        let whole = header.body_bytes as usize;
        let head = head_bytes(header.op).unwrap_or(whole);
        let payload_left = whole.checked_sub(head).ok_or(DecodeError::Truncated)?;
        let body = reader.body(head)?;
        Ok(Incoming { header, body, payload_left, reader })
    }

    /// Returns the frame's op number.
    pub fn op(&self) -> u16 {
        self.header.op
    }

    /// Returns the frame's body without its payload.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Takes the body out of the frame.
    pub fn take_body(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.body)
    }

    /// Returns the size of the unread payload in bytes.
    pub fn payload_bytes(&self) -> usize {
        self.payload_left
    }

    /// Reads the next bytes of the payload.
    pub fn read_payload(&mut self, out: &mut [u8]) -> Result<(), Refusal> {
        self.payload_left =
            self.payload_left.checked_sub(out.len()).ok_or(DecodeError::Truncated)?;
        Ok(self.reader.exact(out)?)
    }

    /// Returns the next bytes of the payload in the lane's buffer, if they have arrived.
    pub fn payload_in_place(&mut self, bytes: usize) -> Option<&mut [u8]> {
        let left = self.payload_left.checked_sub(bytes)?;
        let place = self.reader.buffered(bytes)?;
        self.payload_left = left;
        Some(place)
    }

    /// Discards the payload that a failed operation left unread.
    pub fn finish(&mut self) -> Result<(), LaneError> {
        self.reader.skip(std::mem::take(&mut self.payload_left))
    }
}

/// The right to answer one call, once, from any thread.
#[derive(Clone)]
pub struct Ticket {
    /// The call's sequence number.
    pub sequence: u64,
    /// The sender of the answer.
    pub outbound: Arc<Outbound>,
}

impl Ticket {
    /// Answers the call with a reply.
    pub fn answer<'r>(&self, reply: &impl Field<'r>) {
        self.outbound.reply(self.sequence, CUresult::SUCCESS, &reply.encoded());
    }

    /// Answers the call with an encoded reply.
    pub fn answer_encoded(&self, reply: &[u8]) {
        self.outbound.reply(self.sequence, CUresult::SUCCESS, reply);
    }

    /// Answers the call with an error.
    pub fn fail(&self, code: CUresult) {
        self.outbound.reply(self.sequence, code, &[]);
    }

    /// Answers the call with both a result code and a reply, such as the log of a failed
    /// compilation.
    pub fn answer_with<'r>(&self, code: CUresult, reply: &impl Field<'r>) {
        self.outbound.reply(self.sequence, code, &reply.encoded());
    }

    /// Answers the call with success or an error.
    pub fn answer_result(&self, result: Result<(), CUresult>) {
        match result {
            Ok(()) => self.answer(&()),
            Err(code) => self.fail(code),
        }
    }

    /// Answers the call with the driver's error. A violation is returned as an error.
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
