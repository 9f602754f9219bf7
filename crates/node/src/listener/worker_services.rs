//! Tasks that the listener does for a worker. The worker's cell blocks the network, other workers
//! and the node's files. So a worker requests segments, connections to other workers' descriptor
//! sockets, and links to workers of other nodes. It also asks the listener to cache code and to
//! test the driver. The listener trusts none of the requests.

use crate::accounting::tenants::Payer;
use crate::lease::Leases;
use crate::listener::session_watch::SessionWatch;
use crate::listener::thread_spawning::thread;
use crate::log::log_event;
use crate::sharing::shared_segments::{SegmentReply, Segments};
use crate::worker::io::listener::{Errand, Outcome};
use outhaul_abi::types::CUresult;
use outhaul_files::cache::{Folder, Key as ContentKey};
use outhaul_transport::{Caller, HandoverSocket, Key, RequestSocket, call_link, dial_fd_server};
use outhaul_wire::handshake::{LinkHello, PROTOCOL};
use outhaul_wire::level::SPEC_HASH;
use outhaul_wire::limits::{IMAGE_BYTES_MAX, LINKS_MAX};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

const CALL_WAIT: Duration = Duration::from_secs(5);

/// A listener's services for its workers.
pub struct WorkerServices {
    /// The node's segments.
    pub segments: Segments,
    /// The code cache, if its folder can be used.
    pub code: Option<Folder>,
    /// The leases; None if the node belongs to no pool.
    pub leases: Option<Arc<Leases>>,
    /// The watch over the clients and workers.
    pub watch: Arc<SessionWatch>,
}

impl WorkerServices {
    /// Serves a worker until it is gone. Calls `started` when the worker's session has started.
    pub fn attend(&self, requests: &RequestSocket, payer: &Payer, worker: u32, started: impl Fn()) {
        let visitor = self.segments.visitor(payer, worker);
        let calls = Arc::default();
        // An error means that the worker is gone.
        let _ = requests.serve(|request, descriptor| {
            let (outcome, descriptor) = match serde_json::from_slice(request) {
                Ok(Errand::Segment(question)) => {
                    let (answer, descriptor) = visitor
                        .answer(question, descriptor)
                        .unwrap_or_else(|code| (SegmentReply::Refused(code.0), None));
                    (Outcome::Segment(answer), descriptor)
                }
                Ok(Errand::DialFdServer { number }) => match dial_fd_server(number) {
                    Ok(stream) => (Outcome::Done, Some(stream.into())),
                    Err(error) => (Outcome::Failed(error.to_string()), None),
                },
                Ok(Errand::Call { address, session, key }) => {
                    (call(worker, &calls, address, session, key, descriptor).into(), None)
                }
                Ok(Errand::Keep { hash }) => (self.keep(hash, descriptor).into(), None),
                Ok(Errand::DriverFailed) => {
                    self.suspect_driver(payer);
                    (Outcome::Done, None)
                }
                Ok(Errand::Started) => {
                    started();
                    (Outcome::Done, None)
                }
                Ok(Errand::AwaitEndings) => {
                    (Outcome::Waited { any: self.watch.await_endings(worker) }, None)
                }
                Err(_) => {
                    (Outcome::Segment(SegmentReply::Refused(CUresult::INVALID_VALUE.0)), None)
                }
            };
            (serde_json::to_vec(&outcome).unwrap_or_default(), descriptor)
        });
    }

    /// Requests a test of the driver, and waits for its end. The node's own session is the test
    /// itself, so its failure does not start another test.
    fn suspect_driver(&self, payer: &Payer) {
        if let (Some(leases), Payer::Lease(_)) = (&self.leases, payer) {
            leases.driver_health().suspect();
            let _ = leases.driver_health().check();
        }
    }

    fn keep(&self, hash: [u8; 32], image: Option<OwnedFd>) -> io::Result<()> {
        let Some(folder) = &self.code else { return Ok(()) };
        let mut image = File::from(image.ok_or(io::ErrorKind::InvalidInput)?);
        let key = ContentKey(hash);
        // A descriptor of something other than a file could block the listener forever.
        if !image.metadata()?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // An earlier listener may have read a part of the file.
        image.rewind()?;
        if folder.holds_content(&key) {
            Ok(())
        } else {
            folder.put_content(&key, image.take(IMAGE_BYTES_MAX))
        }
    }
}

/// Connects to another node's worker. Hands over only a connection whose other side has answered as
/// a worker. Otherwise an attacker could leave a worker's cell through the listener.
fn call(
    worker: u32,
    calls: &Arc<AtomicUsize>,
    address: String,
    session: [u8; 16],
    key: Key,
    handover: Option<OwnedFd>,
) -> io::Result<()> {
    let handover = HandoverSocket::from(handover.ok_or(io::ErrorKind::InvalidInput)?);
    if calls.fetch_add(1, SeqCst) >= LINKS_MAX {
        calls.fetch_sub(1, SeqCst);
        return Err(io::Error::other(format!("more than {LINKS_MAX} calls at once")));
    }
    let under_way = calls.clone();
    let started = thread(move || {
        let hello = LinkHello { protocol: PROTOCOL, spec_hash: SPEC_HASH, session, key };
        match call_link(&address, &hello, CALL_WAIT) {
            // An error means that the worker is gone and needs no connection.
            Ok(connection) => drop(handover.give(Caller::Link(key), &connection)),
            Err(error) => log_event(&format!(
                "worker {worker} gets no link to {}: {error}",
                address.escape_debug()
            )),
        }
        under_way.fetch_sub(1, SeqCst);
    });
    if started.is_err() {
        calls.fetch_sub(1, SeqCst);
    }
    started
}
