//! The answers without an end or of any length: the log as it grows, and backups. Each costs the
//! pool a connection and buffers for as long as its reader likes, so their number is limited.

use crate::error::Error;
use outhaul_lock::Mutex;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

/// The most streams at once.
const STREAMS_MAX: usize = 256;
/// The most streams at once to one address.
const STREAMS_PER_ADDRESS_MAX: usize = 64;

/// The number of streams, by the address of their readers.
#[derive(Default)]
pub(super) struct Streams {
    by_address: Arc<Mutex<HashMap<Option<IpAddr>, usize>>>,
}

/// A stream's place, which is free again when the value is dropped.
pub(super) struct Place {
    by_address: Arc<Mutex<HashMap<Option<IpAddr>, usize>>>,
    address: Option<IpAddr>,
}

impl Streams {
    /// Returns a place for a stream to `address`.
    ///
    /// # Errors
    /// `TooMany` if the address, and `Busy` if the pool has as many streams as it may.
    pub fn begin(&self, address: Option<IpAddr>) -> Result<Place, Error> {
        let mut counts = self.by_address.lock();
        if counts.values().sum::<usize>() >= STREAMS_MAX {
            return Err(Error::Busy(format!(
                "{STREAMS_MAX} readers follow its log or take backups already"
            )));
        }
        let own = counts.entry(address).or_default();
        if *own >= STREAMS_PER_ADDRESS_MAX {
            return Err(Error::TooMany(format!(
                "your address has {STREAMS_PER_ADDRESS_MAX} streams of the pool's log or backups \
                already; end one, or ask for entries without `follow`"
            )));
        }
        *own += 1;
        Ok(Place { by_address: self.by_address.clone(), address })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.by_address.lock();
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_and_all_addresses_have_a_limit_and_places_become_free() {
        let streams = Streams::default();
        let address = |last| Some(IpAddr::from([10, 0, 0, last]));
        let mut places: Vec<Place> = Vec::new();
        for last in 0..STREAMS_MAX / STREAMS_PER_ADDRESS_MAX {
            let mut of_one =
                (0..STREAMS_PER_ADDRESS_MAX).map(|_| streams.begin(address(last as u8)));
            assert!(of_one.all(|place| place.map(|place| places.push(place)).is_ok()));
            if places.len() < STREAMS_MAX {
                assert!(matches!(streams.begin(address(last as u8)), Err(Error::TooMany(_))));
            }
        }
        assert!(matches!(streams.begin(address(100)), Err(Error::Busy(_))));
        places.pop();
        drop(streams.begin(address(100)).unwrap());
        drop(places);
        assert!(streams.by_address.lock().is_empty());
    }
}
