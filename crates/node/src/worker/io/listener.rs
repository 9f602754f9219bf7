//! A worker's requests to its listener, for actions that the worker may not perform itself.

use crate::sharing::shared_segments::{Question, SegmentReply};
use outhaul_abi::types::CUresult;
use outhaul_transport::{Connection, HandoverSocket, Key, RequestSocket, fetch};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// A worker's request.
#[derive(Debug, Serialize, Deserialize)]
pub enum Errand {
    Segment(Question),
    /// Connect to another worker's descriptor socket.
    DialFdServer {
        number: u64,
    },
    /// Connect to another node's worker. The connection arrives through the handover socket in the
    /// request; the socket closes if connecting fails.
    Call {
        address: String,
        session: [u8; 16],
        key: Key,
    },
    /// Store the code that the request's memory file contains, if the code has this hash.
    Keep {
        hash: [u8; 32],
    },
    /// The worker's driver failed to start. The answer arrives once the node and its pool know
    /// whether any session's driver starts.
    #[serde(rename = "Doubt")]
    DriverFailed,
    /// The session has started, so another one may start.
    Started,
    /// Wait until the sessions that are ending now have returned their memory.
    AwaitEndings,
}

/// The answer to a request.
#[derive(Debug, Serialize, Deserialize)]
pub enum Outcome {
    Segment(SegmentReply),
    Done,
    Failed(String),
    /// The wait is over. `any` says whether any session was ending.
    Waited {
        any: bool,
    },
}

impl From<io::Result<()>> for Outcome {
    fn from(result: io::Result<()>) -> Outcome {
        result.map_or_else(|error| Outcome::Failed(error.to_string()), |()| Outcome::Done)
    }
}

/// The connection to the listener.
#[derive(Clone)]
pub struct Listener(Arc<RequestSocket>);

impl Listener {
    /// Creates the value for the socket `requests`.
    pub fn new(requests: RequestSocket) -> Listener {
        Listener(Arc::new(requests))
    }

    fn ask(
        &self,
        errand: &Errand,
        descriptor: Option<BorrowedFd<'_>>,
    ) -> io::Result<(Outcome, Option<OwnedFd>)> {
        let (reply, descriptor) = self.0.ask(&serde_json::to_vec(errand)?, descriptor)?;
        match serde_json::from_slice(&reply)? {
            Outcome::Failed(reason) => Err(io::Error::other(reason)),
            outcome => Ok((outcome, descriptor)),
        }
    }

    /// Asks the listener about a segment.
    pub fn segment(
        &self,
        question: Question,
        memory: Option<BorrowedFd<'_>>,
    ) -> Result<(SegmentReply, Option<OwnedFd>), CUresult> {
        match self
            .ask(&Errand::Segment(question), memory)
            .map_err(|_| CUresult::OPERATING_SYSTEM)?
        {
            (Outcome::Segment(SegmentReply::Refused(code)), _) => Err(CUresult(code)),
            (Outcome::Segment(answer), descriptor) => Ok((answer, descriptor)),
            _ => Err(CUresult::OPERATING_SYSTEM),
        }
    }

    /// Fetches the object that another worker's descriptor socket serves under `key`.
    pub fn fetch(&self, socket: u64, key: &Key) -> io::Result<(Vec<u8>, Option<OwnedFd>)> {
        let (_, socket) = self.ask(&Errand::DialFdServer { number: socket }, None)?;
        fetch(&UnixStream::from(socket.ok_or(io::ErrorKind::NotFound)?), key)
    }

    /// Connects to another node's worker. Returns the link once that worker has answered.
    pub fn call(&self, address: String, session: [u8; 16], key: Key) -> io::Result<Connection> {
        let (comes, goes) = HandoverSocket::pair()?;
        self.ask(&Errand::Call { address, session, key }, Some(goes.as_fd()))?;
        drop(goes);
        Ok(comes.take()?.1)
    }

    /// Reports that this worker's driver failed to start. Blocks until the node has tested its
    /// driver and informed the pool.
    pub fn report_driver_failure(&self) {
        // If the listener has ended, the next session whose driver fails to start makes the report.
        let _ = self.ask(&Errand::DriverFailed, None);
    }

    /// Reports that this worker's session has started.
    pub fn report_start(&self) {
        // If the listener has ended, its starts have ended too.
        let _ = self.ask(&Errand::Started, None);
    }

    /// Blocks until the sessions of this node that are ending now have returned their memory.
    /// Returns whether any session was ending.
    pub fn await_endings(&self) -> bool {
        matches!(self.ask(&Errand::AwaitEndings, None), Ok((Outcome::Waited { any: true }, _)))
    }

    /// Stores code that later sessions may load.
    pub fn keep(&self, hash: [u8; 32], image: &[u8]) -> io::Result<()> {
        // SAFETY: the name is a C string; no other code owns the new descriptor.
        let memory = unsafe {
            match libc::memfd_create(c"image".as_ptr(), libc::MFD_CLOEXEC) {
                descriptor if descriptor >= 0 => OwnedFd::from_raw_fd(descriptor),
                _ => return Err(io::Error::last_os_error()),
            }
        };
        let mut file = File::from(memory);
        file.write_all(image)?;
        self.ask(&Errand::Keep { hash }, Some(file.as_fd())).map(drop)
    }
}
