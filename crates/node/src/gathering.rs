//! Sessions whose connections have not all come. A session is taken in only where there is room for
//! all of it, so that some become complete rather than all remain half; one that does not in time
//! gives back what it holds.

use crate::descriptors::Descriptors;
use crate::log::say;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_transport::Connection;
use outhaul_wire::handshake::{Hello, KeyShare, LANE_COMMANDS};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Sessions that are being gathered.
const SESSIONS_MAX: usize = 2048;
/// Less than what a client waits for a sign.
const SECONDS_MAX: u64 = 5;
/// How often they are looked after.
const LOOK: Duration = Duration::from_secs(1);
/// For starting a session's worker, beside its lanes.
const WORKER_DESCRIPTORS: usize = 12;
const TOO_MANY: &str = "the node is starting too many sessions at once";

/// All lanes of a session.
pub struct Complete {
    pub peer: String,
    pub name: [u8; 16],
    pub lanes: Vec<Connection>,
    pub lease: String,
    pub tenant: String,
    pub wishes: Wishes,
}

/// What a client asks of its worker.
#[derive(Clone, Copy, PartialEq)]
pub struct Wishes {
    /// Where the first device's memory is to lie.
    pub arena_base: u64,
    /// For how long a lane is to wait for another connection where one broke.
    pub grace: Duration,
    /// The client's, for the session's key.
    pub key_share: KeyShare,
}

pub struct Gatherings {
    descriptors: Descriptors,
    sessions: Mutex<HashMap<[u8; 16], Gathering>>,
}

struct Gathering {
    lanes: Vec<Option<Connection>>,
    lease: String,
    tenant: String,
    wishes: Wishes,
    since: Instant,
    /// Why it is not taken in. Its lanes come one by one, and hear it one by one.
    refusal: Option<String>,
}

impl Gathering {
    fn missing(&self) -> usize {
        self.lanes.iter().filter(|lane| lane.is_none() && self.refusal.is_none()).count()
    }
}

impl Gatherings {
    pub fn new(descriptors: Descriptors) -> Gatherings {
        Gatherings { descriptors, sessions: Mutex::default() }
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<[u8; 16], Gathering>> {
        self.sessions.lock()
    }

    /// Adds a lane to its session; gives all of them once they are there.
    pub fn add(
        &self,
        hello: &Hello<'_>,
        peer: String,
        mut connection: Connection,
    ) -> Option<Complete> {
        let mut sessions = self.sessions();
        if sessions.len() >= SESSIONS_MAX && !sessions.contains_key(&hello.session) {
            let _ = connection.say_busy(TOO_MANY);
            return None;
        }
        if !sessions.contains_key(&hello.session) {
            let refusal = self.has_no_room(&sessions, hello, &connection);
            sessions.insert(hello.session, begin(hello, refusal));
        }
        let entry = sessions.get_mut(&hello.session)?;
        if let Some(refusal) = &entry.refusal {
            let _ = connection.say_busy(refusal);
            return None;
        }
        match entry.lanes.get_mut(usize::from(hello.lane)) {
            Some(place @ None)
                if entry.lease == hello.lease
                    && entry.tenant == hello.tenant
                    && entry.wishes == wishes_of(hello) =>
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
        let Gathering { lanes, lease, tenant, wishes, .. } = sessions.remove(&hello.session)?;
        let lanes = lanes.into_iter().flatten().collect();
        Some(Complete { peer, name: hello.session, lanes, lease, tenant, wishes })
    }

    /// Those that were taken in before it get all of theirs.
    fn has_no_room(
        &self,
        sessions: &HashMap<[u8; 16], Gathering>,
        hello: &Hello<'_>,
        first: &Connection,
    ) -> Option<String> {
        let promised: usize = sessions.values().map(Gathering::missing).sum();
        let lanes = (promised + usize::from(hello.lanes)) * first.descriptors().count();
        let before = sessions.values().filter(|entry| entry.refusal.is_none()).count();
        let wanted = lanes + (before + 1) * WORKER_DESCRIPTORS;
        (!self.descriptors.has_room_for(wanted)).then(|| self.descriptors.words())
    }

    /// Sessions that do not become complete give back what they hold, whether others come or not.
    pub fn give_up_on_incomplete(&self) {
        loop {
            std::thread::sleep(LOOK);
            let is_late = |_: &[u8; 16], entry: &mut Gathering| {
                entry.since.elapsed() >= Duration::from_secs(SECONDS_MAX)
            };
            let mut sessions = self.sessions();
            let late: Vec<Gathering> =
                sessions.extract_if(is_late).map(|(_, entry)| entry).collect();
            for commands in sessions
                .values_mut()
                .filter_map(|entry| entry.lanes[usize::from(LANE_COMMANDS)].as_mut())
            {
                // A client that is gone is noticed by whoever serves it.
                let _ = commands.say_starting();
            }
            drop(sessions);
            for mut entry in late.into_iter().filter(|entry| entry.refusal.is_none()) {
                let (all, came) = (entry.lanes.len(), entry.lanes.iter().flatten().count());
                let reason = format!(
                    "{came} of the session's {all} connections came within {SECONDS_MAX} s"
                );
                say(&format!("turned away a session: {reason}"));
                let commands = &mut entry.lanes[usize::from(LANE_COMMANDS)];
                let _ = commands.as_mut().map(|commands| commands.say_busy(&reason));
            }
        }
    }
}

fn begin(hello: &Hello<'_>, refusal: Option<String>) -> Gathering {
    Gathering {
        lanes: (0..hello.lanes).map(|_| None).collect(),
        lease: hello.lease.to_owned(),
        tenant: hello.tenant.to_owned(),
        wishes: wishes_of(hello),
        since: Instant::now(),
        refusal,
    }
}

fn wishes_of(hello: &Hello<'_>) -> Wishes {
    Wishes {
        arena_base: hello.arena_base,
        grace: Duration::from_millis(hello.grace_ms.into()),
        key_share: hello.key_share,
    }
}
