//! A socket through which the two processes of a local lane hand each other further shared memory.
//! The lane's own socket serves for this, because frames no longer need it once they go through
//! shared memory.

use crate::descriptors::fd_channel::{receive_fd, send_fds};
use crate::os::shared_memory::SharedMemory;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// One end of the socket.
pub struct MemorySocket {
    socket: Arc<UnixStream>,
}

impl MemorySocket {
    /// Makes a memory socket from one end of a connected socket.
    pub(crate) fn new(socket: Arc<UnixStream>) -> MemorySocket {
        MemorySocket { socket }
    }

    /// Creates memory of `bytes` bytes, if possible at `address_hint` (0: anywhere). The other side
    /// can take the memory by `number`.
    pub fn give(&self, number: u64, bytes: usize, address_hint: usize) -> io::Result<SharedMemory> {
        let (memory, descriptor) = SharedMemory::create_at(bytes, address_hint)?;
        send_fds(&self.socket, &number.to_le_bytes(), &[descriptor.as_fd()], 0)?;
        Ok(memory)
    }

    /// Takes the memory that the other side gave under `number`. Never blocks, because the other
    /// side gives memory before it mentions the number. Drops memory that was given earlier and not
    /// taken.
    pub fn take(&self, number: u64, bytes: usize, address_hint: usize) -> io::Result<SharedMemory> {
        loop {
            let mut name = [0; size_of::<u64>()];
            let (count, descriptor) = receive_fd(&self.socket, &mut name, libc::MSG_DONTWAIT)?;
            let descriptor =
                descriptor.filter(|_| count == name.len()).ok_or(io::ErrorKind::InvalidData)?;
            if u64::from_le_bytes(name) == number {
                return SharedMemory::adopt_at(&descriptor, bytes, address_hint);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_taken_by_its_number_and_nothing_is_waited_for() {
        let (one, other) = UnixStream::pair().unwrap();
        let (giver, taker) = (MemorySocket::new(Arc::new(one)), MemorySocket::new(Arc::new(other)));
        assert_eq!(taker.take(1, 4096, 0).err().map(|e| e.kind()), Some(io::ErrorKind::WouldBlock));
        giver.give(1, 4096, 0).unwrap();
        let second = giver.give(2, 8192, 0).unwrap();
        let taken = taker.take(2, 8192, 0).unwrap();
        // SAFETY: both addresses are inside their mappings.
        unsafe {
            second.address().add(8191).write(9);
            assert_eq!(taken.address().add(8191).read(), 9);
        }
        giver.give(3, 4096, 0).unwrap();
        assert!(taker.take(3, 1 << 40, 0).is_err());
    }
}
