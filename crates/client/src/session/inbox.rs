//! Reads the worker's messages: replies, data, faults and output. One thread reads, and never waits
//! for the program.

use crate::base::log;
use crate::base::stats;
use crate::session::Session;
use outhaul_abi::code::unsupported_code;
use outhaul_abi::types::CUresult;
use outhaul_transport::{LaneError, LaneReader};
use outhaul_wire::codec::{DecodeError, Message, Reader};
use outhaul_wire::messages::{
    Arrived, Data, Farewell, Fault, ForgetCallback, LaneReached, LinkDone, LinkOpened, Output,
    ReplicaCurrent, ReplicaUpdate, Reply, RunCallback, head_bytes,
};
use std::ffi::c_void;

/// Reads messages until the connection ends, and returns the reason.
pub fn read_all(session: &Session, reader: &mut LaneReader) -> LaneError {
    loop {
        match read_one(session, reader) {
            Ok(()) => {}
            // The worker closes all lanes at once, and sends the reason only on this lane.
            Err(error @ LaneError::Bulk(_)) => return read_farewell(reader).unwrap_or(error),
            Err(error) => return error,
        }
    }
}

/// Returns the reason in the worker's farewell, if one arrives before the connection ends.
fn read_farewell(reader: &mut LaneReader) -> Option<LaneError> {
    loop {
        let header = reader.header().ok()?;
        let bytes = header.body_bytes as usize;
        if header.op != Farewell::OP {
            reader.skip(bytes).ok()?;
            continue;
        }
        return farewell(&reader.body(bytes).ok()?).ok();
    }
}

fn farewell(body: &[u8]) -> Result<LaneError, DecodeError> {
    let farewell: Farewell<'_> = Reader::new(body).whole()?;
    Ok(LaneError::Ended(farewell.reason.to_owned()))
}

fn read_one(session: &Session, reader: &mut LaneReader) -> Result<(), LaneError> {
    let header = reader.header()?;
    session.callbacks.see_returned();
    let whole = header.body_bytes as usize;
    let head = head_bytes(header.op).unwrap_or(whole);
    let payload = whole.checked_sub(head).ok_or(DecodeError::Truncated)?;
    let body = reader.body(head)?;
    stats::received(whole);
    match header.op {
        Reply::OP => {
            let reply: Reply = Reader::new(&body).whole()?;
            let status = CUresult(reply.status);
            if status.is_sticky() {
                session.note_fault(status);
            }
            let answer = (status, reader.body(payload)?);
            if !session.calls.answer(header.sequence, answer) {
                log::note(|| {
                    format!("the node answered call {}, which was not made", header.sequence)
                });
            }
            Ok(())
        }
        Data::OP => {
            let data: Data = Reader::new(&body).whole()?;
            let status = CUresult(data.status);
            session.note_fault(status);
            session.transfers.receive(data.transfer, data.offset, status, payload, reader)
        }
        Arrived::OP => {
            let arrived: Arrived = Reader::new(&body).whole()?;
            session.transfers.arrived(arrived.transfer);
            Ok(())
        }
        Fault::OP => {
            let fault: Fault<'_> = Reader::new(&body).whole()?;
            let status = CUresult(fault.status);
            log::note(|| {
                format!("{} (frame {}) failed on the node: {status}", fault.what, fault.sequence)
            });
            session.note_fault(status);
            Ok(())
        }
        RunCallback::OP => {
            let due: RunCallback = Reader::new(&body).whole()?;
            session.callbacks.arrive(due.callback);
            Ok(())
        }
        LaneReached::OP => {
            let reached: LaneReached = Reader::new(&body).whole()?;
            session.bulk.wait(reached.lane, reached.frames)
        }
        LinkOpened::OP => {
            let opened: LinkOpened = Reader::new(&body).whole()?;
            session.events.link_opened(opened.link, CUresult(opened.status));
            Ok(())
        }
        LinkDone::OP => {
            let done: LinkDone = Reader::new(&body).whole()?;
            session.events.copy_finished(done.copy, CUresult(done.status));
            Ok(())
        }
        ReplicaUpdate::OP => {
            let echo: ReplicaUpdate = Reader::new(&body).whole()?;
            let bytes = reader.body(payload)?;
            if session.replicas.receive(echo.address, &bytes) {
                Ok(())
            } else {
                Err(DecodeError::TooLong(payload).into())
            }
        }
        ReplicaCurrent::OP => {
            let current: ReplicaCurrent = Reader::new(&body).whole()?;
            session.replicas.answer(current.number);
            Ok(())
        }
        ForgetCallback::OP => {
            let over: ForgetCallback = Reader::new(&body).whole()?;
            session.callbacks.forget(over.callback);
            Ok(())
        }
        Farewell::OP => Err(farewell(&body)?),
        Output::OP => {
            let output: Output<'_> = Reader::new(&body).whole()?;
            print_output(output.descriptor, output.text);
            Ok(())
        }
        op => {
            log::warn(&format!("the node sent op {op}, which this library does not know"));
            Err(DecodeError::Trailing.into())
        }
    }
}

unsafe extern "C" {
    static stdout: *mut libc::FILE;
    static stderr: *mut libc::FILE;
}

/// Prints what the session's worker wrote. The software GPU there reports refused code in its own
/// words. The client may have reported the same reason already, and each is printed once.
fn print_output(descriptor: u8, text: &[u8]) {
    if descriptor != 2 {
        return print(descriptor, text);
    }
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        match unsupported_code::reason_of(line) {
            Some(reason) => unsupported_code::report(reason),
            None => print(descriptor, line),
        }
    }
}

/// Prints through the program's own stdio, so that the kernels' lines are in order with those of
/// the program.
fn print(descriptor: u8, text: &[u8]) {
    // SAFETY: libc's streams are valid while the process runs, and fwrite locks them.
    unsafe {
        let stream = if descriptor == 2 { stderr } else { stdout };
        libc::fwrite(text.as_ptr().cast::<c_void>(), 1, text.len(), stream);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outhaul_transport::Source;
    use outhaul_wire::frame;
    use std::io::{self, Cursor, Read};
    use std::time::Duration;

    /// A source whose bytes arrived before the connection ended.
    struct Come(Cursor<Vec<u8>>);

    impl Read for Come {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.0.read(out)
        }
    }

    impl Source for Come {
        fn try_read(&mut self, out: &mut [u8]) -> io::Result<Option<usize>> {
            self.read(out).map(Some)
        }
    }

    fn farewell_after_a_lost_lane(bytes: Vec<u8>) -> Option<String> {
        let mut reader = LaneReader::new(Box::new(Come(Cursor::new(bytes))), Duration::ZERO);
        read_farewell(&mut reader).map(|error| error.to_string())
    }

    #[test]
    fn a_farewell_is_found_after_other_frames() {
        let mut bytes = Vec::new();
        let data = Data { transfer: 1, status: 0, offset: 0 };
        frame::append(&mut bytes, &data, 7, 0, 3);
        bytes.extend_from_slice(b"abc");
        frame::append(&mut bytes, &Farewell { reason: "bytes changed" }, 0, 0, 0);
        let whole = bytes.len();

        let reason = farewell_after_a_lost_lane(bytes.clone());
        assert_eq!(reason.as_deref(), Some("the other side ended it: bytes changed"));
        let mut silent = Vec::new();
        frame::append(&mut silent, &Farewell { reason: "" }, 0, 0, 0);
        let reason = farewell_after_a_lost_lane(silent);
        assert_eq!(reason.as_deref(), Some("the other side ended it without a reason"));
        (0..whole)
            .for_each(|come| assert_eq!(farewell_after_a_lost_lane(bytes[..come].to_vec()), None));
    }
}
