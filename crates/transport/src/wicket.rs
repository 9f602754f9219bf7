//! A wicket: the pair of sockets over which a worker asks its listener for something, with a descriptor either way or none. One question is asked
//! at a time, and answered before the next.

use crate::local;
use crate::send::Sending;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::Mutex;

/// A question or an answer. Larger ones are not sent.
const WORDS_BYTES_MAX: usize = 1024;

pub struct Wicket(Mutex<UnixStream>);

impl Wicket {
    /// The listener's end and the worker's.
    pub fn pair() -> io::Result<(Wicket, Wicket)> {
        let (one, other) = UnixStream::pair()?;
        Ok((Wicket(Mutex::new(one)), Wicket(Mutex::new(other))))
    }

    pub fn descriptor(&self) -> RawFd {
        self.0.lock().unwrap_or_else(|e| e.into_inner()).as_raw_fd()
    }

    /// # Safety
    /// The descriptor is the worker's end of a wicket that nobody else in this process owns.
    pub unsafe fn adopt(descriptor: RawFd) -> Wicket {
        // SAFETY: the caller's promise.
        Wicket(Mutex::new(unsafe { OwnedFd::from_raw_fd(descriptor) }.into()))
    }

    pub fn ask(
        &self,
        words: &[u8],
        descriptor: Option<BorrowedFd<'_>>,
    ) -> io::Result<(Vec<u8>, Option<OwnedFd>)> {
        let stream = self.0.lock().unwrap_or_else(|e| e.into_inner());
        say(&stream, words, descriptor)?;
        hear(&stream)
    }

    /// Answers until the other end is gone.
    pub fn serve(
        &self,
        mut answer: impl FnMut(&[u8], Option<OwnedFd>) -> (Vec<u8>, Option<OwnedFd>),
    ) -> io::Result<()> {
        let stream = self.0.lock().unwrap_or_else(|e| e.into_inner());
        loop {
            let (words, descriptor) = hear(&stream)?;
            let (words, descriptor) = answer(&words, descriptor);
            say(&stream, &words, descriptor.as_ref().map(AsFd::as_fd))?;
        }
    }
}

fn say(stream: &UnixStream, words: &[u8], descriptor: Option<BorrowedFd<'_>>) -> io::Result<()> {
    if words.len() > WORDS_BYTES_MAX {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    match descriptor {
        Some(descriptor) => local::send(stream, words, descriptor),
        None => Sending(stream).write_all(words),
    }
}

/// What was sent at once is there at once, since nothing else was sent.
fn hear(stream: &UnixStream) -> io::Result<(Vec<u8>, Option<OwnedFd>)> {
    let mut words = vec![0; WORDS_BYTES_MAX];
    let (count, descriptor) = local::receive(stream, &mut words, 0)?;
    words.truncate(count);
    if count == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok((words, descriptor)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Read, Write};

    #[test]
    fn words_and_descriptors_go_both_ways() {
        let (listener, worker) = Wicket::pair().unwrap();
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
        assert!(
            matches!(worker.ask(b"keep", Some(reading.as_fd())), Ok((words, None)) if words == b"kept")
        );
        let (words, descriptor) = worker.ask(b"return", Some(reading.as_fd())).unwrap();
        assert_eq!(words, b"back");
        writing.write_all(b"through").unwrap();
        let mut text = [0; 7];
        File::from(descriptor.unwrap()).read_exact(&mut text).unwrap();
        assert_eq!(&text, b"through");
        drop(worker);
        assert!(serving.join().unwrap().is_err());
    }
}
