//! Code images. The client reduces an image to the code for the devices and identifies it by a
//! hash. It sends the image if the node does not have it.

use crate::session::Target;
use crate::session::outbox::{Payload, Sent};
use outhaul_abi::types::*;
use outhaul_wire::limits::PIECE_BYTES;
use outhaul_wire::messages::CodePut;
use std::sync::Arc;

/// A code image in the form in which the client sends it, and its hash.
pub struct Image {
    /// The bytes that the client sends.
    pub bytes: Vec<u8>,
    /// Hash by which the node knows the image.
    pub hash: [u8; 32],
}

impl Image {
    /// Creates an image and computes the hash of `bytes`.
    pub fn new(bytes: Vec<u8>) -> Image {
        Image { hash: *blake3::hash(&bytes).as_bytes(), bytes }
    }

    /// Sends the image, and blocks until the sender has read all its bytes.
    pub fn send(&self, target: Target) -> Result<(), CUresult> {
        let mut last = None;
        for (i, piece) in self.bytes.chunks(PIECE_BYTES).enumerate() {
            let sent = Arc::new(Sent::of(1));
            let message = CodePut {
                hash: self.hash,
                total_bytes: self.bytes.len() as u64,
                offset: (i * PIECE_BYTES) as u64,
            };
            target
                .post_payload(
                    &message,
                    Payload::Borrowed {
                        address: piece.as_ptr(),
                        bytes: piece.len(),
                        sent: sent.clone(),
                    },
                )
                .inspect_err(|_| last.take().iter().for_each(|s: &Arc<Sent>| s.wait()))?;
            last = Some(sent);
        }
        if let Some(last) = last {
            last.wait();
        }
        Ok(())
    }
}
