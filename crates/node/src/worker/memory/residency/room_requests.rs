//! Requests for room on a device, and the listener's answers. The lock is held only briefly, so
//! that moves of memory never delay the thread that reads from the listener.

use crate::sharing::scheduler_channel::{Note, NoteKind, SchedulerChannel};
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_share::Engine;
use std::time::{Duration, Instant};

/// Maximum wait for an answer while no memory moves.
pub const ANSWER_WAIT: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 20 });

/// The listener's answer to a request for room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// Other sessions are moving memory, and some of it has left.
    Moving,
    /// Other sessions have moved this many bytes, and will not move more for this request.
    Made(u64),
}

#[derive(Default)]
struct RoomState {
    moving: bool,
    made_bytes: Option<u64>,
    /// Bytes of the current request that has not been answered.
    asked_bytes: Option<u64>,
}

/// A session's requests for room on one device.
pub struct RoomRequests {
    control: SchedulerChannel,
    ordinal: u8,
    state: Mutex<RoomState>,
    news: Condvar,
}

impl RoomRequests {
    /// Creates the state without a request.
    pub fn new(control: SchedulerChannel, ordinal: u8) -> RoomRequests {
        RoomRequests { control, ordinal, state: Mutex::default(), news: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, RoomState> {
        self.state.lock()
    }

    /// Requests room for `bytes` bytes. Returns whether the request could be sent to the listener.
    pub fn ask(&self, bytes: u64) -> bool {
        *self.lock() = RoomState { asked_bytes: Some(bytes), ..RoomState::default() };
        self.send_request(bytes)
    }

    /// Repeats a pending request to a new listener, which does not know of it.
    pub fn ask_anew(&self) {
        let mut state = self.lock();
        if let Some(bytes) = state.asked_bytes.filter(|bytes| self.send_request(*bytes)) {
            // The waiting thread's time limit starts again.
            *state = RoomState { moving: true, asked_bytes: Some(bytes), made_bytes: None };
            self.news.notify_all();
        }
    }

    fn send_request(&self, bytes: u64) -> bool {
        self.control
            .send(&[Note::new(NoteKind::Misses, self.ordinal, Engine::Compute, bytes)])
            .is_ok()
    }

    /// Notes how many bytes were moved.
    pub fn note_made(&self, bytes: u64) {
        *self.lock() = RoomState { made_bytes: Some(bytes), ..RoomState::default() };
        self.news.notify_all();
    }

    /// Notes that memory is being moved.
    pub fn note_moving(&self) {
        self.lock().moving = true;
        self.news.notify_all();
    }

    /// Waits for the next answer. Returns `None` if no answer arrives within `ANSWER_WAIT`.
    pub fn listen(&self) -> Option<News> {
        let (mut state, since) = (self.lock(), Instant::now());
        loop {
            if let Some(bytes) = state.made_bytes.take() {
                return Some(News::Made(bytes));
            }
            if std::mem::take(&mut state.moving) {
                return Some(News::Moving);
            }
            let left = ANSWER_WAIT.checked_sub(since.elapsed())?;
            state = self.news.wait_timeout(state, left).0;
        }
    }

    /// Waits until other sessions have moved memory. Returns the number of bytes that they moved.
    pub fn wait(&self) -> u64 {
        loop {
            match self.listen() {
                Some(News::Moving) => {}
                Some(News::Made(bytes)) => return bytes,
                None => return 0,
            }
        }
    }
}
