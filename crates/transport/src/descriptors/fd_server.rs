//! The server of a descriptor socket. For each secret key, it sends bytes and possibly a descriptor
//! to other processes of its user on the same machine. Any process can read the socket's name,
//! which contains its number. Only a process that knows a key receives anything.

use crate::descriptors::fd_channel::{receive_fd, send_fds};
use crate::descriptors::unix_socket::{accept_forever, connect, is_trusted};
use crate::os::deadline::Deadline;
use crate::os::send::Sending;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::time::Duration;

/// A secret key.
pub type Key = [u8; 16];

/// Largest number of bytes that the server sends for a key.
const PAYLOAD_BYTES_MAX: usize = 64;
/// Time limit for a client to send its key, and for a server to answer.
const WAIT: Duration = Duration::from_millis(if cfg!(test) { 500 } else { 5_000 });

/// The server of a descriptor socket.
pub struct FdServer {
    listener: UnixListener,
}

fn name(number: u64) -> io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(format!("outhaul/socket/{number:016x}"))
}

impl FdServer {
    /// Opens the socket with this number. Fails if another process has opened it.
    pub fn open(number: u64) -> io::Result<FdServer> {
        Ok(FdServer { listener: UnixListener::bind_addr(&name(number)?)? })
    }

    /// Serves clients one after the other, forever. `find` returns the bytes that belong to a key,
    /// and possibly a descriptor.
    pub fn serve(&self, find: impl Fn(&Key) -> Option<(Vec<u8>, Option<OwnedFd>)>) {
        // A client's error concerns only that client.
        accept_forever(&self.listener, |client| drop(answer(client, &find)));
    }
}

fn answer(
    client: UnixStream,
    find: &impl Fn(&Key) -> Option<(Vec<u8>, Option<OwnedFd>)>,
) -> io::Result<()> {
    if !is_trusted(&client) {
        return Ok(());
    }
    let mut key = Key::default();
    Deadline::after(WAIT).on(&client).read_exact(&mut key)?;
    let Some((payload, fd)) = find(&key) else { return Ok(()) };
    send_fds(&client, &payload, fd.as_ref().map(AsFd::as_fd).as_slice(), 0)
}

/// Connects to another process's descriptor socket. A process can call this function before it
/// loses the right to make connections. Fails with `NotFound` if no trusted process has opened the
/// socket.
pub fn dial_fd_server(number: u64) -> io::Result<UnixStream> {
    let nothing = |_| io::Error::from(io::ErrorKind::NotFound);
    let socket = connect(&name(number)?).map_err(nothing)?;
    if is_trusted(&socket) { Ok(socket) } else { Err(io::ErrorKind::NotFound.into()) }
}

/// Fetches the bytes and the descriptor that belong to `key`. Fails with `NotFound` if the server
/// does not know `key`.
pub fn fetch(socket: &UnixStream, key: &Key) -> io::Result<(Vec<u8>, Option<OwnedFd>)> {
    let nothing = || io::Error::from(io::ErrorKind::NotFound);
    Sending(socket).write_all(key)?;
    Deadline::after(WAIT).wait_for(socket)?;
    let mut payload = vec![0; PAYLOAD_BYTES_MAX];
    let (count, fd) = receive_fd(socket, &mut payload, 0)?;
    payload.truncate(count);
    if count == 0 { Err(nothing()) } else { Ok((payload, fd)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    fn fetch_at(number: u64, key: &Key) -> io::Result<(Vec<u8>, Option<OwnedFd>)> {
        fetch(&dial_fd_server(number)?, key)
    }

    #[test]
    fn a_descriptor_server_answers_to_its_keys_only() {
        // The whole machine shares the names, so each run of the tests takes its own number.
        let number = u64::from(std::process::id()) << 32 | 0xD00F;
        let server = FdServer::open(number).unwrap();
        assert!(FdServer::open(number).is_err());
        let (reading, mut writing) = std::io::pipe().unwrap();
        std::thread::spawn(move || {
            server.serve(|key| match key {
                [7, ..] => Some((b"a pipe".to_vec(), Some(reading.try_clone().unwrap().into()))),
                [6, ..] => Some((b"payload".to_vec(), None)),
                _ => None,
            });
        });
        assert_eq!(fetch_at(number, &[8; 16]).unwrap_err().kind(), io::ErrorKind::NotFound);
        let (payload, descriptor) = fetch_at(number, &[7; 16]).unwrap();
        assert_eq!(payload, b"a pipe");
        writing.write_all(b"through").unwrap();
        let mut text = [0; 7];
        File::from(descriptor.unwrap()).read_exact(&mut text).unwrap();
        assert_eq!(&text, b"through");
        assert!(
            matches!(fetch_at(number, &[6; 16]).unwrap(), (payload, None) if payload == b"payload")
        );
        assert_eq!(fetch_at(number + 1, &[7; 16]).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_client_that_sends_its_key_slowly_does_not_block_the_server() {
        let number = u64::from(std::process::id()) << 32 | 0xD41B;
        let server = FdServer::open(number).unwrap();
        std::thread::spawn(move || server.serve(|_| Some((b"payload".to_vec(), None))));
        let mut client = UnixStream::connect_addr(&name(number).unwrap()).unwrap();
        let dripping = std::thread::spawn(move || {
            let in_time = |_: &i32| client.write_all(&[7]).is_ok();
            (0..15).take_while(in_time).for_each(|_| std::thread::sleep(WAIT / 4));
        });
        std::thread::sleep(WAIT / 8);
        // The server serves the next client after it has given up on the first.
        let payload = std::iter::repeat_with(|| fetch_at(number, &[7; 16])).find_map(Result::ok);
        assert!(payload.is_some());
        dripping.join().unwrap();
    }
}
