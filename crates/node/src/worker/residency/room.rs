//! Room on a device that a session asks the listener for, and what it hears of it. Its lock is held
//! for moments only: who reads from the listener is never held up by memory that moves.

use crate::control::{Control, Note, Word};
use outhaul_lock::{Condvar, Mutex, MutexGuard};
use outhaul_share::Engine;
use std::time::{Duration, Instant};

/// How long an answer is waited for, while no memory moves.
pub const ANSWER_WAIT: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 20 });

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// Others are moving memory, some of which has left.
    Moving,
    /// They have moved so much, and no more will come of this asking.
    Made(u64),
}

#[derive(Default)]
struct Heard {
    moving: bool,
    made_bytes: Option<u64>,
    /// For how much others are to make room, as long as they have not.
    asked_bytes: Option<u64>,
}

pub struct Room {
    control: Control,
    ordinal: u8,
    heard: Mutex<Heard>,
    news: Condvar,
}

impl Room {
    pub fn new(control: Control, ordinal: u8) -> Room {
        Room { control, ordinal, heard: Mutex::default(), news: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock()
    }

    /// Has others make room for so much. Whether the listener is there to do it.
    pub fn ask(&self, bytes: u64) -> bool {
        *self.lock() = Heard { asked_bytes: Some(bytes), ..Heard::default() };
        self.say_misses(bytes)
    }

    /// The listener is another, and knows nothing of it.
    pub fn ask_anew(&self) {
        let mut heard = self.lock();
        if let Some(bytes) = heard.asked_bytes.filter(|bytes| self.say_misses(*bytes)) {
            // Whoever waits does so as if it had just begun.
            *heard = Heard { moving: true, asked_bytes: Some(bytes), made_bytes: None };
            self.news.notify_all();
        }
    }

    fn say_misses(&self, bytes: u64) -> bool {
        self.control.send(&[Note::new(Word::Misses, self.ordinal, Engine::Compute, bytes)]).is_ok()
    }

    pub fn hear_made(&self, bytes: u64) {
        *self.lock() = Heard { made_bytes: Some(bytes), ..Heard::default() };
        self.news.notify_all();
    }

    pub fn hear_moving(&self) {
        self.lock().moving = true;
        self.news.notify_all();
    }

    /// Waits for what comes next. None: nothing came for too long.
    pub fn listen(&self) -> Option<News> {
        let (mut heard, since) = (self.lock(), Instant::now());
        loop {
            if let Some(bytes) = heard.made_bytes.take() {
                return Some(News::Made(bytes));
            }
            if std::mem::take(&mut heard.moving) {
                return Some(News::Moving);
            }
            let left = ANSWER_WAIT.checked_sub(since.elapsed())?;
            heard = self.news.wait_timeout(heard, left).0;
        }
    }

    /// What others have moved, once they have.
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
