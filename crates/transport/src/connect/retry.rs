//! Retrying while a node is busy. A node starts programs one after the other, so it may serve a
//! moment later a program that it cannot serve now. A node that starts hundreds of programs at once
//! may also be too busy to answer in time.

use crate::connect::connection::is_broken;
use crate::connect::hello_error::HelloError;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

/// Time after which a client gives up on a busy node.
const BUSY_WAIT: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 300 });
/// Largest number of broken connections before the client gives up.
const BROKEN_MAX: u32 = 3;
/// Largest number of connections that fall silent before the client gives up.
const SILENT_MAX: u32 = 2;
/// First pause; each pause doubles, up to `PAUSE_MAX`.
const PAUSE_MIN: Duration = Duration::from_millis(if cfg!(test) { 10 } else { 200 });
const PAUSE_MAX: Duration = Duration::from_secs(5);

/// Calls `ask` until the node is not busy or has been busy for `BUSY_WAIT`. Calls `busy` with the
/// node's reason before each retry.
pub fn retry_while_busy<T>(
    mut busy: impl FnMut(&str),
    mut ask: impl FnMut() -> Result<T, HelloError>,
) -> Result<T, HelloError> {
    let (start, mut pauses) = (Instant::now(), Pauses { next: PAUSE_MIN });
    let (mut broken, mut silent) = (0, 0);
    loop {
        match ask() {
            Err(HelloError::Busy(reason)) if start.elapsed() < BUSY_WAIT => busy(&reason),
            Err(error @ HelloError::Silent { has_answered: true, .. }) if silent < SILENT_MAX => {
                silent += 1;
                busy(&error.to_string());
            }
            // A full accept queue causes this error, and so does a node that is shutting down.
            Err(HelloError::Io(error)) if is_broken(&error) && broken < BROKEN_MAX => broken += 1,
            answered => return answered,
        }
        pauses.sleep();
    }
}

/// The pauses before the retries.
struct Pauses {
    next: Duration,
}

impl Pauses {
    /// Sleeps for a random time between half of the next pause and all of it. Clients that were
    /// rejected together thus do not retry together.
    fn sleep(&mut self) {
        let drawn = RandomState::new().hash_one(0) as f64 / u64::MAX as f64;
        std::thread::sleep(self.next.mul_f64(0.5 + drawn / 2.0));
        self.next = (2 * self.next).min(PAUSE_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_client_retries_until_its_deadline() {
        let busy = || Err::<(), _>(HelloError::Busy("later".into()));
        let (mut retries, mut asked) = (0, 0);
        let served = retry_while_busy(
            |_| retries += 1,
            || {
                asked += 1;
                if asked < 4 { busy().map(|()| 0) } else { Ok(asked) }
            },
        );
        assert_eq!((served.unwrap(), retries), (4, 3));
        let start = Instant::now();
        assert!(matches!(
            retry_while_busy(|_| {}, || busy().map(|()| 0)),
            Err(HelloError::Busy(_))
        ));
        assert!(start.elapsed() >= BUSY_WAIT);
        let mut asked = 0;
        let mut silent_until = |last: u32, has_answered| {
            asked = 0;
            retry_while_busy(
                |reason| assert!(reason.contains("no sign of life"), "{reason}"),
                || {
                    asked += 1;
                    if asked < last {
                        Err(HelloError::Silent { address: "n:1".into(), has_answered })
                    } else {
                        Ok(asked)
                    }
                },
            )
        };
        assert_eq!(silent_until(1 + SILENT_MAX, true).unwrap(), 1 + SILENT_MAX);
        assert!(matches!(silent_until(u32::MAX, true), Err(HelloError::Silent { .. })));
        assert!(matches!(silent_until(2, false), Err(HelloError::Silent { .. })), "it is stopped");
        let refused = || Err::<(), _>(HelloError::Refused("never".into()));
        assert!(matches!(
            retry_while_busy(|_| panic!("it is not busy"), refused),
            Err(HelloError::Refused(_))
        ));
    }
}
