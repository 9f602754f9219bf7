//! The URLs of a pool's processes. A client sends each request to one process, and to the next if
//! the first cannot answer.

use super::error::ClientError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The processes of one pool. All clones of a client share this value, so each learns which
/// processes fail.
pub struct Processes {
    urls: Vec<String>,
    /// Index of the process that answered last.
    current: AtomicUsize,
}

impl Processes {
    /// Parses URLs separated by commas.
    pub fn new(urls: &str) -> Processes {
        let urls = urls.split(',').map(|url| url.trim().trim_end_matches('/').to_owned()).collect();
        Processes { urls, current: AtomicUsize::new(0) }
    }

    /// Returns the URL of each process.
    pub fn urls(&self) -> &[String] {
        &self.urls
    }

    /// Returns the URL of the process that answered last.
    pub fn url(&self) -> &str {
        &self.urls[self.current.load(Ordering::Relaxed) % self.urls.len()]
    }

    /// Returns whether the pool has several processes.
    pub fn are_several(&self) -> bool {
        self.urls.len() > 1
    }

    /// Asks one process after another until one answers or refuses. The request must be safe to
    /// repeat, because a process that did not answer may have carried it out.
    pub fn ask<T>(&self, ask: impl Fn(&str) -> Result<T, ClientError>) -> Result<T, ClientError> {
        let mut kept: Option<ClientError> = None;
        for _ in 0..self.urls.len() {
            let current = self.current.load(Ordering::Relaxed);
            let answer = ask(&self.urls[current % self.urls.len()]);
            let Err(error) = answer else { return answer };
            if matches!(error, ClientError::Gone(_) | ClientError::Refused(_)) {
                return Err(error);
            }
            // Another thread may have advanced the index already; then the exchange fails.
            let _ = self.current.compare_exchange(
                current,
                current.wrapping_add(1),
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            // A transient error takes precedence over a permanent one, because a retry may then
            // succeed.
            kept = Some(
                kept.filter(|known| known.is_passing() || !error.is_passing()).unwrap_or(error),
            );
        }
        Err(kept.expect("there is one process at least"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn away(url: &str) -> ClientError {
        ClientError::Unreachable { url: url.into(), reason: String::new() }
    }

    #[test]
    fn the_next_is_asked_where_one_cannot_answer_and_first_from_then_on() {
        let processes = Processes::new("http://a:1/, http://b:2,http://c:3");
        let answer =
            |url: &str| if url == "http://b:2" { Ok(url.to_owned()) } else { Err(away(url)) };
        assert_eq!(processes.ask(answer).as_deref(), Ok("http://b:2"));
        assert_eq!(processes.ask(|url| Ok(url.to_owned())).as_deref(), Ok("http://b:2"));
        let refused = ClientError::Refused("no".into());
        assert_eq!(
            processes.ask(|_| Err::<(), _>(refused.clone())),
            Err(refused),
            "a refusal is an answer"
        );
        assert_eq!(processes.url(), "http://b:2");
    }

    #[test]
    fn all_are_asked_and_a_passing_error_is_returned() {
        let processes = Processes::new("http://a:1,http://b:2");
        let unproven = |url: &str| ClientError::Unproven { url: url.into(), reason: String::new() };
        let answer =
            |url: &str| Err::<(), _>(if url == "http://a:1" { unproven(url) } else { away(url) });
        for _ in 0..2 {
            assert_eq!(processes.ask(answer), Err(away("http://b:2")));
        }
        assert_eq!(processes.ask(|url| Err::<(), _>(unproven(url))), Err(unproven("http://a:1")));
    }
}
