//! What modules are loaded from.

use crate::objects::code::function::{Described, Facts};
use crate::objects::code::image::{Parcel, refused_there};
use crate::objects::code::jit_options::Options;
use crate::session::Place;
use outhaul_abi::types::*;
use outhaul_wire::codec::{List, Reader};
use outhaul_wire::messages::{ModuleLoad, ModuleLoadReply};
use std::sync::Arc;

/// Largest image that is sent with the first question, which costs less than a round trip. A small
/// image has most likely just been compiled, so the node does not have it.
const SENT_AHEAD_BYTES_MAX: usize = 64 << 10;

/// What a module is loaded from: the image, and the options for its compilation.
pub struct Source {
    /// The image.
    pub parcel: Parcel,
    /// The options.
    pub options: Options,
}

// SAFETY: the options' pointers are the program's log buffers, which are written while a load call
// is under way and never after it.
unsafe impl Send for Source {}
// SAFETY: as above.
unsafe impl Sync for Source {}

impl Source {
    /// Loads the image under a handle, in the place's context and on its node.
    pub fn load(&self, handle: u64, place: Place, library: bool) -> Result<Described, CUresult> {
        let options = List(self.options.with_an_error_log());
        let question = ModuleLoad { module: handle, hash: self.parcel.hash, options, library };
        let mut sent = self.parcel.bytes.len() <= SENT_AHEAD_BYTES_MAX;
        if sent {
            self.parcel.send(place)?;
        }
        loop {
            let (status, body) = place.ask(&question)?;
            let reply = Reader::new(&body).whole::<ModuleLoadReply<'_>>();
            if !sent && matches!(&reply, Ok(reply) if reply.missing) {
                self.parcel.send(place)?;
                sent = true;
                continue;
            }
            let Ok(reply) = reply else { return status.ok().map(|()| Described::default()) };
            if reply.missing {
                // The image was sent, so it is empty.
                return Err(CUresult::INVALID_IMAGE);
            }
            self.options.write_logs(reply.info_log, reply.error_log);
            status.ok().inspect_err(|code| refused_there(*code, reply.error_log))?;
            let kernels = reply.kernels.0.into_iter();
            let kernels = kernels
                .map(|k| (k.name.to_owned(), Arc::new(Facts::new(&k.params.0, k.attributes.0))))
                .collect();
            return Ok(Described { context: place.context, kernels });
        }
    }
}
