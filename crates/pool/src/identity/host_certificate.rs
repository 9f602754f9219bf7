//! The certificate of a pool's own listener. A pool runs for longer than a certificate is valid. So
//! the listener renews the certificate when half of its validity is over by the time of day. The
//! listener also renews the certificate if the clock is set back to before the certificate's
//! creation.

use super::WallTime;
use super::authority::{Authority, NODE_DAYS};
use crate::error::Error;
use outhaul_lock::Mutex;
use rustls::crypto::ring::sign::any_supported_type;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use std::sync::Arc;

const HALF_LIFE_S: u64 = NODE_DAYS * 86_400 / 2;

/// The certificate of one listener.
pub struct HostCertificate {
    authority: Arc<Authority>,
    /// Names and addresses under which clients reach the listener.
    names: Vec<String>,
    wall: WallTime,
    /// The time at which the current certificate was made, and the certificate.
    last: Mutex<(u64, Arc<CertifiedKey>)>,
}

impl HostCertificate {
    /// Makes the first certificate.
    ///
    /// # Errors
    /// A name is invalid.
    pub fn new(
        authority: Arc<Authority>,
        names: Vec<String>,
        wall: WallTime,
    ) -> Result<HostCertificate, Error> {
        let now_s = wall.now_s();
        let first = certify(&authority, &names, now_s)?;
        Ok(HostCertificate { authority, names, wall, last: Mutex::new((now_s, first)) })
    }

    /// Returns the current certificate, which is renewed first if renewal is due.
    pub fn current(&self) -> Arc<CertifiedKey> {
        let now_s = self.wall.now_s();
        let mut last = self.last.lock();
        if !(last.0..last.0 + HALF_LIFE_S).contains(&now_s) {
            // If the renewal fails, the old certificate remains.
            let next = certify(&self.authority, &self.names, now_s);
            next.into_iter().for_each(|next| *last = (now_s, next));
        }
        last.1.clone()
    }
}

fn certify(
    authority: &Authority,
    names: &[String],
    now_s: u64,
) -> Result<Arc<CertifiedKey>, Error> {
    let credentials = authority.certify_pool(names.to_vec(), now_s)?;
    let (chain, key) = credentials
        .certificate()?
        .ok_or_else(|| Error::Identity("the pool has no certificate".into()))?;
    let key = any_supported_type(&key)
        .map_err(|error| Error::Identity(format!("the pool's key: {error}")))?;
    Ok(Arc::new(CertifiedKey::new(chain, key)))
}

impl std::fmt::Debug for HostCertificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "certificate for {}", self.names.join(", "))
    }
}

impl ResolvesServerCert for HostCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn it_is_made_anew_after_half_of_its_life_and_not_before() {
        let folder =
            std::env::temp_dir().join(format!("outhaul-host-certificate-{}", std::process::id()));
        let authority = Arc::new(Authority::create(&folder, 0).unwrap());
        std::fs::remove_dir_all(&folder).unwrap();
        let clock = Arc::new(AtomicU64::new(1000));
        let read = clock.clone();
        let host = HostCertificate::new(
            authority,
            vec!["pool".into()],
            WallTime::of(move || read.load(Ordering::Relaxed)),
        )
        .unwrap();
        let at = |now_s| {
            clock.store(now_s, Ordering::Relaxed);
            host.current().cert[0].to_vec()
        };
        let first = at(1000);
        assert_eq!(at(1000 + HALF_LIFE_S - 1), first);
        let second = at(1000 + HALF_LIFE_S);
        assert!(second != first && at(1000 + 2 * HALF_LIFE_S - 1) == second);
        assert!(at(500) != second, "it would be of the future");
    }
}
