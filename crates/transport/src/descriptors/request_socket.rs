//! A request socket: a pair of sockets over which a worker asks its listener for something. A
//! question and its answer may each carry a descriptor. The worker asks one question at a time and
//! waits for its answer. Questions have numbers: so a worker can repeat a question to a new
//! listener, and never takes an answer for that to another question.

use crate::descriptors::unix_socket;
use outhaul_lock::{Mutex, MutexGuard};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

/// Largest size of a question or an answer in bytes.
const WORDS_BYTES_MAX: usize = 1024;
const NUMBER_BYTES: usize = size_of::<u64>();
/// Number that a listener sends when it has just replaced another and knows of no question.
const ANEW: u64 = 0;

/// One end of a request socket.
pub struct RequestSocket {
    stream: UnixStream,
    /// Number of the last question. A thread holds the lock as long as it asks or answers.
    number: Mutex<u64>,
}

type Message = (u64, Vec<u8>, Option<OwnedFd>);

impl RequestSocket {
    fn of(stream: UnixStream) -> RequestSocket {
        RequestSocket { stream, number: Mutex::new(ANEW) }
    }

    /// Makes the listener's end and the worker's end.
    pub fn pair() -> io::Result<(RequestSocket, RequestSocket)> {
        let (one, other) = unix_socket::pair_of_packets()?;
        Ok((RequestSocket::of(one), RequestSocket::of(other)))
    }

    /// Takes over the listener's end from another listener.
    pub fn inherit(end: OwnedFd) -> RequestSocket {
        RequestSocket::of(end.into())
    }

    fn number(&self) -> MutexGuard<'_, u64> {
        self.number.lock()
    }

    /// Returns this end, to send it to another process.
    pub fn end(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    /// Returns the descriptor of this end.
    pub fn descriptor(&self) -> RawFd {
        self.stream.as_raw_fd()
    }

    /// Takes over the worker's end in a worker's process.
    ///
    /// # Safety
    /// The descriptor is the worker's end of a request socket, and no other code in this process
    /// owns it.
    pub unsafe fn adopt(descriptor: RawFd) -> RequestSocket {
        // SAFETY: the caller's promise.
        RequestSocket::of(unsafe { OwnedFd::from_raw_fd(descriptor) }.into())
    }

    /// Asks a question and waits for its answer. Asks again when a new listener requests it.
    pub fn ask(
        &self,
        words: &[u8],
        descriptor: Option<BorrowedFd<'_>>,
    ) -> io::Result<(Vec<u8>, Option<OwnedFd>)> {
        let mut own = self.number();
        *own += 1;
        say(&self.stream, *own, words, descriptor)?;
        loop {
            match hear(&self.stream)? {
                (ANEW, ..) => say(&self.stream, *own, words, descriptor)?,
                (number, words, descriptor) if number == *own => return Ok((words, descriptor)),
                _ => {}
            }
        }
    }

    /// Makes the worker repeat a question that it has no answer to. A listener that has replaced
    /// another calls this.
    pub fn ask_for_questions(&self) -> io::Result<()> {
        say(&self.stream, ANEW, &[], None)
    }

    /// Answers each question once, until the other end is gone.
    pub fn serve(
        &self,
        mut answer: impl FnMut(&[u8], Option<OwnedFd>) -> (Vec<u8>, Option<OwnedFd>),
    ) -> io::Result<()> {
        let mut last = self.number();
        loop {
            let (number, words, descriptor) = hear(&self.stream)?;
            if std::mem::replace(&mut *last, number) == number {
                continue;
            }
            let (words, descriptor) = answer(&words, descriptor);
            say(&self.stream, number, &words, descriptor.as_ref().map(AsFd::as_fd))?;
        }
    }
}

fn say(
    stream: &UnixStream,
    number: u64,
    words: &[u8],
    descriptor: Option<BorrowedFd<'_>>,
) -> io::Result<()> {
    if words.len() > WORDS_BYTES_MAX {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let message = [&number.to_le_bytes(), words].concat();
    match descriptor {
        Some(descriptor) => unix_socket::send(stream, &message, descriptor, 0),
        None => send(stream, &message),
    }
}

fn send(stream: &UnixStream, message: &[u8]) -> io::Result<()> {
    // SAFETY: the message lives through the call.
    let sent = unsafe {
        libc::send(stream.as_raw_fd(), message.as_ptr().cast(), message.len(), libc::MSG_NOSIGNAL)
    };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn hear(stream: &UnixStream) -> io::Result<Message> {
    let mut message = vec![0; NUMBER_BYTES + WORDS_BYTES_MAX];
    let (count, descriptor) = unix_socket::receive(stream, &mut message, 0)?;
    message.truncate(count);
    match message.split_first_chunk() {
        Some((number, words)) => Ok((u64::from_le_bytes(*number), words.to_vec(), descriptor)),
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
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
            listener.serve(|words, descriptor| {
                if words == b"keep" {
                    (b"kept".to_vec(), None)
                } else {
                    (b"back".to_vec(), descriptor)
                }
            })
        });
        let (reading, mut writing) = std::io::pipe().unwrap();
        let said = worker.ask(b"keep", Some(reading.as_fd()));
        assert!(matches!(said, Ok((words, None)) if words == b"kept"));
        let (words, descriptor) = worker.ask(b"return", Some(reading.as_fd())).unwrap();
        assert_eq!(words, b"back");
        writing.write_all(b"through").unwrap();
        let mut text = [0; 7];
        File::from(descriptor.unwrap()).read_exact(&mut text).unwrap();
        assert_eq!(&text, b"through");
        drop(worker);
        assert!(serving.join().unwrap().is_err());
    }

    #[test]
    fn a_listener_that_takes_another_ones_place_hears_what_was_not_answered_and_once() {
        let (first, worker) = RequestSocket::pair().unwrap();
        let second = RequestSocket::inherit(first.end().try_clone_to_owned().unwrap());
        let asking = std::thread::spawn(move || {
            (worker.ask(b"one", None).unwrap().0, worker.ask(b"two", None).unwrap().0)
        });
        // The first listener ends before it answers.
        assert_eq!(hear(&first.stream).unwrap().1, b"one");
        second.ask_for_questions().unwrap();
        second.ask_for_questions().unwrap();
        let mut heard = Vec::new();
        let _ = second.serve(|words, _| {
            heard.push(words.to_vec());
            (words.to_vec(), None)
        });
        assert_eq!(
            (asking.join().unwrap(), heard),
            ((b"one".to_vec(), b"two".to_vec()), vec![b"one".to_vec(), b"two".to_vec()])
        );
    }
}
