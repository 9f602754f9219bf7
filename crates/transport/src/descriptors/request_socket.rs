//! A request socket: a pair of sockets over which a worker asks its listener for something. A
//! question and its answer may each carry a descriptor. The worker asks one question at a time and
//! waits for its answer. Questions are numbered, so that a worker can repeat a question to a new
//! listener without mistaking another question's answer for its own.

use crate::descriptors::fd_channel::{FdChannel, at_most_one};
use outhaul_lock::Mutex;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Number with which a listener that has just replaced another asks for the pending question.
const ANEW: u64 = 0;
/// Largest size of a question or an answer in bytes.
const PAYLOAD_BYTES_MAX: usize = 1024;
/// Error for a question that the listener did not receive whole. The listener answers such a
/// question without a payload.
const NOT_RECEIVED: &str = "the listener did not receive the whole question: it may open no more \
                            files, or the question is too long";

/// One end of a request socket.
pub struct RequestSocket {
    channel: FdChannel,
    /// Number of the last question. A thread holds the lock while it asks or answers.
    number: Mutex<u64>,
}

impl From<FdChannel> for RequestSocket {
    fn from(channel: FdChannel) -> RequestSocket {
        RequestSocket { channel, number: Mutex::new(ANEW) }
    }
}

impl From<OwnedFd> for RequestSocket {
    fn from(end: OwnedFd) -> RequestSocket {
        FdChannel::from(end).into()
    }
}

impl AsFd for RequestSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.channel.as_fd()
    }
}

impl RequestSocket {
    /// Makes the listener's end and the worker's end.
    pub fn pair() -> io::Result<(RequestSocket, RequestSocket)> {
        let (one, other) = FdChannel::pair()?;
        Ok((one.into(), other.into()))
    }

    /// Asks a question and waits for its answer. Repeats the question when a new listener requests
    /// that. Fails if a descriptor was lost because one side has too many files open.
    pub fn ask(
        &self,
        payload: &[u8],
        descriptor: Option<BorrowedFd<'_>>,
    ) -> io::Result<(Vec<u8>, Option<OwnedFd>)> {
        let mut own = self.number.lock();
        *own += 1;
        send_message(&self.channel, *own, payload, descriptor)?;
        loop {
            match receive_message(&self.channel)? {
                (ANEW, ..) => send_message(&self.channel, *own, payload, descriptor)?,
                (number, payload, _) if number == *own && payload.is_empty() => {
                    return Err(io::Error::other(NOT_RECEIVED));
                }
                (number, payload, descriptor) if number == *own => {
                    return Ok((payload, descriptor?));
                }
                _ => {}
            }
        }
    }

    /// Makes the worker repeat a question that has no answer yet. A listener calls this after it
    /// has replaced another.
    pub fn ask_for_questions(&self) -> io::Result<()> {
        send_message(&self.channel, ANEW, &[], None)
    }

    /// Answers each question once, until the other end is gone.
    pub fn serve(
        &self,
        mut answer: impl FnMut(&[u8], Option<OwnedFd>) -> (Vec<u8>, Option<OwnedFd>),
    ) -> io::Result<()> {
        let mut last = self.number.lock();
        loop {
            let (number, payload, descriptor) = receive_message(&self.channel)?;
            if std::mem::replace(&mut *last, number) == number {
                continue;
            }
            let (payload, descriptor) = match descriptor {
                Ok(descriptor) if payload.len() <= PAYLOAD_BYTES_MAX => {
                    answer(&payload, descriptor)
                }
                _ => (Vec::new(), None),
            };
            send_message(&self.channel, number, &payload, descriptor.as_ref().map(AsFd::as_fd))?;
        }
    }
}

fn send_message(
    channel: &FdChannel,
    number: u64,
    payload: &[u8],
    descriptor: Option<BorrowedFd<'_>>,
) -> io::Result<()> {
    if payload.len() > PAYLOAD_BYTES_MAX {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    channel.send(&[&number.to_le_bytes(), payload].concat(), descriptor.as_slice())
}

/// Receives a message. Returns its number, its payload, and its descriptor or the reason why the
/// descriptor was lost.
fn receive_message(channel: &FdChannel) -> io::Result<(u64, Vec<u8>, io::Result<Option<OwnedFd>>)> {
    let (bytes, fds) = channel.receive_bytes()?.ok_or(io::ErrorKind::UnexpectedEof)?;
    let (number, payload) = bytes.split_first_chunk().ok_or(io::ErrorKind::InvalidData)?;
    Ok((u64::from_le_bytes(*number), payload.to_vec(), fds.and_then(at_most_one)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Read, Write};

    #[test]
    fn words_and_descriptors_go_both_ways() {
        let (listener, worker) = RequestSocket::pair().unwrap();
        let serving = std::thread::spawn(move || {
            listener.serve(|payload, descriptor| {
                if payload == b"keep" {
                    (b"kept".to_vec(), None)
                } else {
                    (b"back".to_vec(), descriptor)
                }
            })
        });
        let (reading, mut writing) = std::io::pipe().unwrap();
        let answer = worker.ask(b"keep", Some(reading.as_fd()));
        assert!(matches!(answer, Ok((payload, None)) if payload == b"kept"));
        let (payload, descriptor) = worker.ask(b"return", Some(reading.as_fd())).unwrap();
        assert_eq!(payload, b"back");
        writing.write_all(b"through").unwrap();
        let mut text = [0; 7];
        File::from(descriptor.unwrap()).read_exact(&mut text).unwrap();
        assert_eq!(&text, b"through");
        drop(worker);
        assert!(serving.join().unwrap().is_err());
    }

    #[test]
    fn a_question_that_did_not_come_whole_fails_and_the_next_is_answered() {
        let (listener, worker) = RequestSocket::pair().unwrap();
        let serving =
            std::thread::spawn(move || listener.serve(|payload, _| (payload.to_vec(), None)));
        let stdin = std::io::stdin();
        let mut question = 1u64.to_le_bytes().to_vec();
        question.extend(b"two descriptors");
        worker.channel.send(&question, &[stdin.as_fd(); 2]).unwrap();
        let (number, payload, _) = receive_message(&worker.channel).unwrap();
        assert_eq!((number, payload.as_slice()), (1, &b""[..]));
        question = 2u64.to_le_bytes().to_vec();
        question.extend([7; PAYLOAD_BYTES_MAX + 1]);
        worker.channel.send(&question, &[]).unwrap();
        let (number, payload, _) = receive_message(&worker.channel).unwrap();
        assert_eq!((number, payload.as_slice()), (2, &b""[..]));
        *worker.number.lock() = 2;
        assert_eq!(worker.ask(b"one", Some(stdin.as_fd())).unwrap().0, b"one");
        drop(worker);
        assert!(serving.join().unwrap().is_err());
    }

    #[test]
    fn a_new_listener_receives_each_unanswered_request_once() {
        let (first, worker) = RequestSocket::pair().unwrap();
        let second = RequestSocket::from(first.as_fd().try_clone_to_owned().unwrap());
        let asking = std::thread::spawn(move || {
            (worker.ask(b"one", None).unwrap().0, worker.ask(b"two", None).unwrap().0)
        });
        // The first listener ends before it answers.
        assert_eq!(receive_message(&first.channel).unwrap().1, b"one");
        second.ask_for_questions().unwrap();
        second.ask_for_questions().unwrap();
        let mut received = Vec::new();
        let _ = second.serve(|payload, _| {
            received.push(payload.to_vec());
            (payload.to_vec(), None)
        });
        assert_eq!(
            (asking.join().unwrap(), received),
            ((b"one".to_vec(), b"two".to_vec()), vec![b"one".to_vec(), b"two".to_vec()])
        );
    }
}
