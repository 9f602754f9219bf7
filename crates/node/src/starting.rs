//! A session that is being started. Until it can be used its client hears every so often that
//! somebody is at it: a pool may be asked, who had the GPU before may be waited for, and a driver
//! takes its time.

use outhaul_lock::{Condvar, Mutex};
use outhaul_transport::Connection;
use outhaul_transport::life::TICK;
use std::sync::Arc;

pub struct Starting(Arc<Shared>);

struct Shared {
    /// Until it is over.
    commands: Mutex<Option<Connection>>,
    over: Condvar,
}

impl Starting {
    /// `commands`: on which the client waits to be welcome.
    pub fn new(commands: Connection) -> Starting {
        let shared =
            Arc::new(Shared { commands: Mutex::new(Some(commands)), over: Condvar::new() });
        let saying = shared.clone();
        // Without a thread the client hears nothing, which it bears for some seconds.
        let _ = std::thread::Builder::new().spawn(move || saying.say());
        Starting(shared)
    }

    pub fn over(self) -> Connection {
        let commands = self.0.commands.lock().take();
        self.0.over.notify_all();
        commands.expect("taken here only, once")
    }
}

impl Shared {
    fn say(&self) {
        let mut commands = self.commands.lock();
        while let Some(connection) = &mut *commands {
            // That the client is gone is noticed by whoever welcomes it.
            let _ = connection.say_starting();
            commands = self.over.wait_timeout(commands, TICK).0;
        }
    }
}
