//! Room on a device that a session asks the listener for, and what it hears of it. Its lock is held for moments only: who reads from the listener is
//! never held up by memory that moves.

use crate::arbiter::Engine;
use crate::control::{Control, Note, Word};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
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
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has others make room for so much. Whether the listener is there to do it.
    pub fn ask(&self, bytes: u64) -> bool {
        *self.lock() = Heard::default();
        self.control.send(&[Note::new(Word::Misses, self.ordinal, Engine::Compute, bytes)]).is_ok()
    }

    pub fn hear_made(&self, bytes: u64) {
        self.lock().made_bytes = Some(bytes);
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
            heard = self.news.wait_timeout(heard, left).unwrap_or_else(PoisonError::into_inner).0;
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
