//! The standard library's locks without poisoning. A panic in a thread ends its session or its
//! program. Until then, other threads continue with the data as it is. No caller in Outhaul could
//! react to a poisoned lock in a better way.

#![forbid(unsafe_code)]

use std::sync::{self, LockResult, TryLockError, WaitTimeoutResult};
pub use std::sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

fn whole<T>(result: LockResult<T>) -> T {
    result.unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A mutex without poisoning.
#[derive(Debug, Default)]
pub struct Mutex<T: ?Sized>(sync::Mutex<T>);

impl<T> Mutex<T> {
    /// Creates an unlocked mutex.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex(sync::Mutex::new(value))
    }

    /// Consumes the mutex, and returns the value.
    pub fn into_inner(self) -> T {
        whole(self.0.into_inner())
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Locks the mutex, and blocks while another thread holds it.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        whole(self.0.lock())
    }

    /// Locks the mutex, or returns None if another thread holds it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Returns the value without locking, because `&mut self` excludes other threads.
    pub fn get_mut(&mut self) -> &mut T {
        whole(self.0.get_mut())
    }
}

/// A read-write lock without poisoning.
#[derive(Debug, Default)]
pub struct RwLock<T: ?Sized>(sync::RwLock<T>);

impl<T> RwLock<T> {
    /// Creates an unlocked lock.
    pub const fn new(value: T) -> RwLock<T> {
        RwLock(sync::RwLock::new(value))
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Locks for reading, and blocks while another thread writes.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        whole(self.0.read())
    }

    /// Locks for reading, or returns None if another thread writes or waits to write.
    pub fn try_read(&self) -> Option<RwLockReadGuard<'_, T>> {
        match self.0.try_read() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Locks for writing, and blocks while other threads read or write.
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        whole(self.0.write())
    }
}

/// A condition variable for these mutexes.
#[derive(Debug, Default)]
pub struct Condvar(sync::Condvar);

impl Condvar {
    /// Creates a condition variable.
    pub const fn new() -> Condvar {
        Condvar(sync::Condvar::new())
    }

    /// Wakes one waiting thread.
    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    /// Wakes all waiting threads.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }

    /// Unlocks the mutex, blocks until this thread is woken, and locks the mutex again.
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        whole(self.0.wait(guard))
    }

    /// Blocks as `wait` does, for at most `limit`.
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        limit: Duration,
    ) -> (MutexGuard<'a, T>, WaitTimeoutResult) {
        whole(self.0.wait_timeout(guard, limit))
    }

    /// Blocks as `wait` does while `condition` returns true, for at most `limit`.
    pub fn wait_timeout_while<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        limit: Duration,
        condition: impl FnMut(&mut T) -> bool,
    ) -> (MutexGuard<'a, T>, WaitTimeoutResult) {
        whole(self.0.wait_timeout_while(guard, limit, condition))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_panicked_leaves_its_lock_to_others() {
        let (mutex, lock) = (Mutex::new(1), RwLock::new(1));
        let panicked = std::thread::scope(|scope| {
            let holder = || {
                let (mut held, mut written) = (mutex.lock(), lock.write());
                (*held, *written) = (2, 2);
                panic!("on purpose");
            };
            scope.spawn(holder).join().is_err()
        });
        assert!(panicked);
        assert_eq!((*mutex.lock(), *lock.read()), (2, 2));
        assert!(mutex.try_lock().is_some() && lock.try_read().is_some());
    }
}
