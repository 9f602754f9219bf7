//! The host side of a program: reads and writes of host memory, host functions, and threads that
//! wait for each other.

use super::Latched;
use crate::content::Run;
use crate::kernels::TURN;
use crate::model::Turn;
use std::collections::HashSet;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// State that all threads share.
#[derive(Clone, Default)]
pub struct Shared {
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    failed: AtomicBool,
    first: Mutex<Option<String>>,
    posted: Mutex<HashSet<Latched>>,
    news: Condvar,
}

impl Shared {
    /// Records a failure.
    pub fn fail(&self, why: String) {
        self.state.first.lock().expect("no holder panics").get_or_insert(why);
        self.state.failed.store(true, SeqCst);
        self.state.news.notify_all();
    }

    /// Returns whether any failure was recorded.
    pub fn has_failed(&self) -> bool {
        self.state.failed.load(SeqCst)
    }

    /// Returns the first failure.
    pub fn first_failure(&self) -> Option<String> {
        self.state.first.lock().expect("no holder panics").clone()
    }

    /// Posts a handover or a token.
    pub fn post(&self, what: Latched) {
        self.state.posted.lock().expect("no holder panics").insert(what);
        self.state.news.notify_all();
    }

    /// Waits until `what` is posted or the program has failed.
    pub fn wait(&self, what: Latched) {
        let mut posted = self.state.posted.lock().expect("no holder panics");
        while !posted.contains(&what) && !self.has_failed() {
            let waited = self.state.news.wait_timeout(posted, Duration::from_millis(50));
            posted = waited.expect("no holder panics").0;
        }
    }
}

/// Compares words with the expected runs and reports wrong words. `offset` is the position of the
/// first word in its buffer.
pub fn compare(words: &[u32], offset: usize, runs: &[Run]) -> Result<(), String> {
    let wrong: Vec<(usize, u32, u32)> = runs
        .iter()
        .flat_map(|run| (0..run.len).map(move |i| (run.start + i, run.at(i))))
        .map(|(place, expected)| (place, words[place - offset], expected))
        .filter(|(_, found, expected)| found != expected)
        .collect();
    let Some((place, found, expected)) = wrong.first() else { return Ok(()) };
    Err(format!(
        "{} words are wrong, first word {place}: found {found:#x}, expected {expected:#x}",
        wrong.len()
    ))
}

/// Returns `len` words at an address. The program owns the words, and no thread writes them now.
pub fn words_at<'a>(address: u64, len: usize) -> &'a [u32] {
    // SAFETY: the model ensures that the program owns the words and no thread writes them now.
    unsafe { std::slice::from_raw_parts(address as *const u32, len) }
}

/// Writes `len` words that count up from `base`.
pub fn write_at(address: u64, len: usize, base: u32) {
    for i in 0..len {
        // SAFETY: the model ensures that the program owns the words and that no other thread
        // accesses them now.
        unsafe { (address as *mut u32).add(i).write(base.wrapping_add(i as u32)) };
    }
}

/// One operation in a host function.
pub enum HostDeed {
    Check { address: u64, start: usize, len: usize },
    Write { address: u64, len: usize, base: u32 },
    Post(usize),
}

/// The argument of a host function.
pub struct HostCall {
    /// Name of the host function in messages.
    pub name: String,
    /// Operations that the host function performs.
    pub deeds: Vec<HostDeed>,
    /// For each call, the expected results of the checks.
    pub turns: Vec<Turn>,
    /// Number of calls so far.
    pub called: AtomicUsize,
    /// State that all threads share.
    pub shared: Shared,
}

impl HostCall {
    fn carry_out(&self) {
        let turn = self.called.fetch_add(1, SeqCst);
        let Some(found) = self.turns.get(turn) else {
            return self.shared.fail(format!(
                "{}: the host function was called more than {} times",
                self.name,
                self.turns.len()
            ));
        };
        let mut expected = found.iter();
        for deed in &self.deeds {
            match deed {
                HostDeed::Check { address, start, len } => {
                    let runs = expected.next().map(Vec::as_slice).unwrap_or_default();
                    if let Err(why) = compare(words_at(*address, *len), *start, runs) {
                        self.shared.fail(format!("{}: call {turn}: {why}", self.name));
                    }
                }
                HostDeed::Write { address, len, base } => {
                    write_at(*address, *len, base.wrapping_add((turn as u32).wrapping_mul(TURN)));
                }
                HostDeed::Post(token) => self.shared.post(Latched::Token(*token)),
            }
        }
    }
}

/// The entry point that CUDA calls for every host function.
pub extern "C" fn called(argument: *mut c_void) {
    // SAFETY: the argument is a `HostCall` that lives as long as the program runs.
    unsafe { &*argument.cast::<HostCall>() }.carry_out();
}
