//! Places for what clients keep open: connections, and answers without an end. Their number has a
//! limit. An address may have its own limit, or lose a place to one that has fewer. So nobody keeps
//! all others out.

use outhaul_lock::Mutex;
use std::collections::{HashMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use tokio::sync::Notify;

/// The number of low bits of an IPv6 address that its user may choose.
const OWN_BITS: u32 = 64;

/// Limits on the number of places.
#[derive(Debug, Clone, Copy)]
pub(in crate::http) struct Limits {
    /// The most places at once.
    pub all: usize,
    /// The most places at once of one address.
    pub of_one: usize,
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum Full {
    /// All places are taken.
    All,
    /// The address has as many places as it may have.
    OfOne,
}

/// The places that are taken, by the address of their holders.
#[derive(Clone)]
pub(in crate::http) struct Places {
    limits: Limits,
    taken: Arc<Mutex<Taken>>,
}

#[derive(Default)]
struct Taken {
    all: usize,
    /// The places of each address, the oldest first.
    by_address: HashMap<Option<IpAddr>, VecDeque<Arc<Notify>>>,
}

/// A place, which is free again when the value is dropped.
pub(in crate::http) struct Place {
    taken: Arc<Mutex<Taken>>,
    address: Option<IpAddr>,
    /// Notified when the place is lost. It also tells the place from others.
    lost: Arc<Notify>,
}

impl Places {
    /// Returns free places.
    pub fn new(limits: Limits) -> Places {
        Places { limits, taken: Arc::default() }
    }

    /// Takes a place for a client at `address`. Addresses of one IPv6 network of 64 bits count as
    /// one.
    ///
    /// # Errors
    /// There is none.
    pub fn take(&self, address: Option<IpAddr>) -> Result<Place, Full> {
        let mut taken = self.taken.lock();
        self.add(&mut taken, address.map(network))
    }

    /// Takes a place as `take` does. If all are taken, the address that has the most loses its
    /// oldest one, unless it has hardly more than this one.
    ///
    /// # Errors
    /// There is no place, and no address has more.
    pub fn take_from_most(&self, address: Option<IpAddr>) -> Result<Place, Full> {
        let (mut taken, address) = (self.taken.lock(), address.map(network));
        if taken.all >= self.limits.all {
            let own = taken.by_address.get(&address).map_or(0, VecDeque::len);
            let others = taken.by_address.values_mut();
            let lost = others.max_by_key(|places| places.len()).filter(|most| most.len() > own + 1);
            if let Some(lost) = lost.and_then(VecDeque::pop_front) {
                lost.notify_one();
                taken.all -= 1;
            }
        }
        self.add(&mut taken, address)
    }

    fn add(&self, taken: &mut Taken, address: Option<IpAddr>) -> Result<Place, Full> {
        if taken.all >= self.limits.all {
            return Err(Full::All);
        }
        let own = taken.by_address.entry(address).or_default();
        if own.len() >= self.limits.of_one {
            return Err(Full::OfOne);
        }
        let lost = Arc::<Notify>::default();
        own.push_back(lost.clone());
        taken.all += 1;
        Ok(Place { taken: self.taken.clone(), address, lost })
    }
}

impl Place {
    /// Returns once the place is lost to another address. The holder must end then.
    pub async fn lost(&self) {
        self.lost.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.taken.lock();
        let Some(own) = taken.by_address.get_mut(&self.address) else { return };
        let place = own.iter().position(|place| Arc::ptr_eq(place, &self.lost));
        let was_here = place.and_then(|place| own.remove(place)).is_some();
        if own.is_empty() {
            taken.by_address.remove(&self.address);
        }
        taken.all -= usize::from(was_here);
    }
}

/// Returns the address without the bits that its user may choose.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            Ipv6Addr::from_bits(address.to_bits() >> OWN_BITS << OWN_BITS).into()
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([10, 0, 0, last]))
    }

    impl Places {
        fn is_free(&self) -> bool {
            let taken = self.taken.lock();
            taken.all == 0 && taken.by_address.is_empty()
        }
    }

    /// Takes places for as long as there are any. Returns why there are no more.
    fn fill(mut take: impl FnMut() -> Result<Place, Full>, held: &mut Vec<Place>) -> Full {
        loop {
            match take() {
                Ok(place) => held.push(place),
                Err(full) => return full,
            }
        }
    }

    #[test]
    fn an_address_and_all_addresses_have_a_limit_and_places_become_free() {
        let places = Places::new(Limits { all: 256, of_one: 64 });
        let mut held = Vec::new();
        for last in 0..3 {
            assert_eq!(fill(|| places.take(address(last)), &mut held), Full::OfOne);
        }
        assert_eq!((fill(|| places.take(address(3)), &mut held), held.len()), (Full::All, 256));
        held.pop();
        drop(places.take(address(100)).unwrap_or_else(|full| panic!("{full:?}")));
        drop(held);
        assert!(places.is_free());
    }

    #[test]
    fn addresses_that_take_all_they_can_lose_places_to_others() {
        let places = Places::new(Limits { all: 100, of_one: 100 });
        let mut held = Vec::new();
        assert_eq!(fill(|| places.take_from_most(address(0)), &mut held), Full::All);
        assert_eq!(held.len(), 100, "alone, an address may have all");
        for last in 1..100 {
            let place = places.take_from_most(address(last)).map_err(|full| format!("{full:?}"));
            held.push(place.unwrap());
        }
        assert!(places.take_from_most(address(0)).is_err(), "each has one place");
        let count_lost = |held: &[Place]| {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let is_lost = |place: &&Place| {
                runtime.block_on(async {
                    tokio::select! {
                        biased;
                        () = place.lost() => true,
                        () = std::future::ready(()) => false,
                    }
                })
            };
            held.iter().filter(is_lost).count()
        };
        assert_eq!((count_lost(&held[..99]), count_lost(&held[99..])), (99, 0), "the oldest ones");
        assert_eq!(places.taken.lock().all, 100);
        drop(held);
        assert!(places.is_free());
    }

    #[test]
    fn a_network_of_ipv6_counts_as_one_address() {
        let places = Places::new(Limits { all: 8, of_one: 1 });
        let address = |low: u64| Some(Ipv6Addr::from_bits(0xfd00 << 112 | u128::from(low)).into());
        let _place = places.take(address(1));
        assert_eq!(places.take(address(u64::MAX)).err(), Some(Full::OfOne));
    }
}
