//! Messages to a client whose session is starting. Until the session is usable, the client
//! regularly hears that the node is still starting it. The start can be slow: the node may ask its
//! pool, wait for earlier sessions on the GPU, and start a driver.

use outhaul_lock::{Condvar, Mutex};
use outhaul_transport::Connection;
use outhaul_transport::network::heartbeat::TICK;
use std::sync::Arc;

/// Sends regular messages to a client whose session is starting.
pub struct HandshakeProgress(Arc<Shared>);

struct Shared {
    /// The client's connection; `None` after `over`.
    commands: Mutex<Option<Connection>>,
    over: Condvar,
}

impl HandshakeProgress {
    /// Starts the messages on `commands`, the connection on which the client waits for its welcome.
    pub fn new(commands: Connection) -> HandshakeProgress {
        let shared =
            Arc::new(Shared { commands: Mutex::new(Some(commands)), over: Condvar::new() });
        let sending = shared.clone();
        // If no thread can be started, the client receives nothing, which it tolerates for some
        // seconds.
        let _ = std::thread::Builder::new().spawn(move || sending.send_regularly());
        HandshakeProgress(shared)
    }

    /// Stops the messages and returns the connection.
    pub fn over(self) -> Connection {
        let commands = self.0.commands.lock().take();
        self.0.over.notify_all();
        commands.expect("taken here only, once")
    }
}

impl Shared {
    fn send_regularly(&self) {
        let mut commands = self.commands.lock();
        while let Some(connection) = &mut *commands {
            // An error is ignored, because the code that sends the welcome will notice that the
            // client is gone.
            let _ = connection.send_starting();
            commands = self.over.wait_timeout(commands, TICK).0;
        }
    }
}
