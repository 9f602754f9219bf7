//! Sessions whose connections have not all arrived. The node begins to gather a session only if it
//! has enough descriptors for the whole session. So some sessions become complete, instead of all
//! remaining incomplete. The node gives up a session that is late.

use crate::listener::descriptor_limit::Descriptors;
use crate::log::log_event;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_transport::Connection;
use outhaul_wire::handshake::{Hello, KeyShare, LANE_COMMANDS};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Largest number of sessions that are being gathered.
const SESSIONS_MAX: usize = 2048;
/// Time in seconds within which a session must be complete, less than a client waits for a sign of
/// life.
const SECONDS_MAX: u64 = 5;
/// Interval at which the node checks all sessions that are being gathered.
const CHECK_PERIOD: Duration = Duration::from_secs(1);
/// Number of descriptors for starting a session's worker, in addition to its lanes.
const WORKER_DESCRIPTORS: usize = 12;
const TOO_MANY: &str = "the node is starting too many sessions at once";

/// All of a session's lanes.
pub struct Complete {
    /// The client's address.
    pub peer: String,
    /// The session's name.
    pub name: [u8; 16],
    /// The lanes, in order of their numbers.
    pub lanes: Vec<Connection>,
    /// The lease, with its key.
    pub lease: String,
    /// The tenant.
    pub tenant: String,
    /// The client's options.
    pub options: SessionOptions,
}

/// A client's options for its worker.
#[derive(Clone, Copy, PartialEq)]
pub struct SessionOptions {
    /// Address at which the first device's memory should begin.
    pub arena_base: u64,
    /// How long a lane should wait for another connection after one broke.
    pub grace: Duration,
    /// The client's share of the session's key.
    pub key_share: KeyShare,
}

/// The sessions that are being gathered.
pub struct Assemblies {
    descriptors: Descriptors,
    sessions: Mutex<HashMap<[u8; 16], Assembly>>,
}

struct Assembly {
    lanes: Vec<Option<Connection>>,
    lease: String,
    tenant: String,
    options: SessionOptions,
    since: Instant,
    /// Why the node rejects the session. Its lanes arrive one by one, and each gets this answer.
    refusal: Option<String>,
}

impl Assembly {
    fn missing(&self) -> usize {
        self.lanes.iter().filter(|lane| lane.is_none() && self.refusal.is_none()).count()
    }
}

impl Assemblies {
    /// Makes an empty table, whose sessions share the limit on descriptors.
    pub fn new(descriptors: Descriptors) -> Assemblies {
        Assemblies { descriptors, sessions: Mutex::default() }
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<[u8; 16], Assembly>> {
        self.sessions.lock()
    }

    /// Adds a lane to its session. Returns all lanes once they are complete.
    pub fn add(
        &self,
        hello: &Hello<'_>,
        peer: String,
        mut connection: Connection,
    ) -> Option<Complete> {
        let mut sessions = self.sessions();
        if sessions.len() >= SESSIONS_MAX && !sessions.contains_key(&hello.session) {
            let _ = connection.send_busy(TOO_MANY);
            return None;
        }
        if !sessions.contains_key(&hello.session) {
            let refusal = self.has_no_room(&sessions, hello, &connection);
            sessions.insert(hello.session, begin(hello, refusal));
        }
        let entry = sessions.get_mut(&hello.session)?;
        if let Some(refusal) = &entry.refusal {
            let _ = connection.send_busy(refusal);
            return None;
        }
        match entry.lanes.get_mut(usize::from(hello.lane)) {
            Some(place @ None)
                if entry.lease == hello.lease
                    && entry.tenant == hello.tenant
                    && entry.options == options_of(hello) =>
            {
                *place = Some(connection)
            }
            _ => {
                let _ = connection.refuse("the lane belongs to another session; connect anew");
                return None;
            }
        }
        if entry.missing() > 0 {
            return None;
        }
        let Assembly { lanes, lease, tenant, options, .. } = sessions.remove(&hello.session)?;
        let lanes = lanes.into_iter().flatten().collect();
        Some(Complete { peer, name: hello.session, lanes, lease, tenant, options })
    }

    /// Returns a refusal if the descriptors do not suffice for the session. Descriptors for the
    /// missing lanes of earlier sessions are reserved.
    fn has_no_room(
        &self,
        sessions: &HashMap<[u8; 16], Assembly>,
        hello: &Hello<'_>,
        first: &Connection,
    ) -> Option<String> {
        let promised: usize = sessions.values().map(Assembly::missing).sum();
        let of_each = 1 + first.descriptors().1.iter().count();
        let lanes = (promised + usize::from(hello.lanes)) * of_each;
        let before = sessions.values().filter(|entry| entry.refusal.is_none()).count();
        let wanted = lanes + (before + 1) * WORKER_DESCRIPTORS;
        (!self.descriptors.has_room_for(wanted)).then(|| self.descriptors.refusal())
    }

    /// Gives up late sessions in an endless loop, so that they end even when no other connection
    /// arrives.
    pub fn give_up_on_incomplete(&self) {
        loop {
            std::thread::sleep(CHECK_PERIOD);
            let is_late = |_: &[u8; 16], entry: &mut Assembly| {
                entry.since.elapsed() >= Duration::from_secs(SECONDS_MAX)
            };
            let mut sessions = self.sessions();
            let late: Vec<Assembly> =
                sessions.extract_if(is_late).map(|(_, entry)| entry).collect();
            for commands in sessions
                .values_mut()
                .filter_map(|entry| entry.lanes[usize::from(LANE_COMMANDS)].as_mut())
            {
                // The worker notices later if the client is gone.
                let _ = commands.send_starting();
            }
            drop(sessions);
            for mut entry in late.into_iter().filter(|entry| entry.refusal.is_none()) {
                let (all, came) = (entry.lanes.len(), entry.lanes.iter().flatten().count());
                let reason = format!(
                    "{came} of the session's {all} connections came within {SECONDS_MAX} s"
                );
                log_event(&format!("turned away a session: {reason}"));
                let commands = &mut entry.lanes[usize::from(LANE_COMMANDS)];
                let _ = commands.as_mut().map(|commands| commands.send_busy(&reason));
            }
        }
    }
}

fn begin(hello: &Hello<'_>, refusal: Option<String>) -> Assembly {
    Assembly {
        lanes: (0..hello.lanes).map(|_| None).collect(),
        lease: hello.lease.to_owned(),
        tenant: hello.tenant.to_owned(),
        options: options_of(hello),
        since: Instant::now(),
        refusal,
    }
}

fn options_of(hello: &Hello<'_>) -> SessionOptions {
    SessionOptions {
        arena_base: hello.arena_base,
        grace: Duration::from_millis(hello.grace_ms.into()),
        key_share: hello.key_share,
    }
}
