//! A session that asks a node what it offers, and then ends. No program runs in it.

use crate::address::node::NodeAddress;
use crate::check::link;
use crate::check::link::LinkMeasurement;
use crate::error::SessionError;
use outhaul_node::RELEASE;
use outhaul_transport::{
    HelloError, LEASE_VARIABLE, Lane, LaneError, Transport, arena_base, connect, in_common,
    retry_while_busy,
};
use outhaul_wire::codec::Reader;
use outhaul_wire::handshake::{
    Dialect, Hello, LANE_CALLBACKS, LANE_COMMANDS, NO_KEY_SHARE, Welcome,
};
use std::io::Read;
use std::time::Duration;

const CONNECT_SECONDS_MAX: u64 = 5;
const LANES: u16 = 2;
/// Values of `CUdevice_attribute` for the compute capability.
const CAPABILITY_MAJOR: usize = 75;
const CAPABILITY_MINOR: usize = 76;

/// A session of this process on a node.
pub struct Session {
    commands: Lane,
    callbacks: Lane,
    welcome: Vec<u8>,
}

/// The node's description of itself.
#[derive(Clone)]
pub struct Offer {
    pub release: String,
    pub driver_version: i32,
    pub devices: Vec<NodeGpu>,
}

/// A GPU of a node.
#[derive(Clone)]
pub struct NodeGpu {
    pub name: String,
    pub uuid: String,
    pub pci_bus_id: String,
    pub memory_bytes: u64,
    pub capability: (i32, i32),
}

/// Checks whether the node would serve a session now. Begins no session, so that the GPU stays
/// untouched.
pub fn would_serve(node: &str, lease: &str, tenant: &str) -> Result<(), SessionError> {
    let (release, session, lane, lanes, arena_base) =
        (RELEASE, [0; 16], LANE_COMMANDS, 0, arena_base()?);
    let question = |Dialect { protocol, spec_hash }| Hello {
        protocol,
        spec_hash,
        release,
        session,
        lane,
        lanes,
        arena_base,
        lease,
        tenant,
        grace_ms: 0,
        key_share: NO_KEY_SHARE,
    };
    let transport = Transport::from_environment()?;
    let mut said = false;
    let busy = |reason: &str| {
        if !std::mem::replace(&mut said, true) {
            eprintln!(
                "outhaul: the node at {node} is busy: {reason}; asking again until it has room"
            );
        }
    };
    let timeout = Duration::from_secs(CONNECT_SECONDS_MAX);
    retry_while_busy(busy, || {
        in_common(|dialect| connect(node, &question(dialect), transport, timeout))
    })?;
    Ok(())
}

impl Session {
    /// Opens a session. Uses the environment's lease if it names one.
    pub fn open(node: &NodeAddress) -> Result<Session, SessionError> {
        Session::of_lease(node.as_str(), &std::env::var(LEASE_VARIABLE).unwrap_or_default())
    }

    /// Opens a session. `lease` is a lease's credential, or empty without a lease.
    pub fn of_lease(node: &str, lease: &str) -> Result<Session, SessionError> {
        let mut session = [0; 16];
        std::fs::File::open("/dev/urandom")
            .and_then(|mut file| file.read_exact(&mut session))
            .map_err(HelloError::from)?;
        let arena_base = arena_base()?;
        let (release, lanes, tenant) = (RELEASE, LANES, "");
        let hello = |lane, Dialect { protocol, spec_hash }| Hello {
            protocol,
            spec_hash,
            release,
            session,
            lane,
            lanes,
            arena_base,
            lease,
            tenant,
            grace_ms: 0,
            key_share: NO_KEY_SHARE,
        };
        let transport = Transport::from_environment()?;
        let timeout = Duration::from_secs(CONNECT_SECONDS_MAX);
        // The node answers on the command lane once both lanes are open. So this code opens the
        // callback lane first.
        let ((callbacks, _), (commands, welcome)) = in_common(|dialect| {
            let callbacks = connect(node, &hello(LANE_CALLBACKS, dialect), transport, timeout)?;
            Ok((callbacks, connect(node, &hello(LANE_COMMANDS, dialect), transport, timeout)?))
        })?;
        Ok(Session { commands, callbacks, welcome })
    }

    /// Returns the node's description of itself.
    pub fn offer(&self) -> Result<Offer, SessionError> {
        let welcome: Welcome<'_> = Reader::new(&self.welcome)
            .beginning()
            .map_err(|e| HelloError::from(outhaul_wire::handshake::HandshakeError::from(e)))?;
        let devices = welcome.devices.0.iter().map(|device| NodeGpu {
            name: device.name.to_owned(),
            uuid: uuid(&device.uuid),
            pci_bus_id: device.pci_bus_id.to_owned(),
            memory_bytes: device.total_bytes,
            capability: [CAPABILITY_MAJOR, CAPABILITY_MINOR]
                .map(|a| device.attributes.0.get(a).copied().unwrap_or(0))
                .into(),
        });
        Ok(Offer {
            release: welcome.release.to_owned(),
            driver_version: welcome.driver_version,
            devices: devices.collect(),
        })
    }

    /// Measures the connection to the worker.
    pub fn link(&mut self) -> Result<LinkMeasurement, LaneError> {
        link::measure(&mut self.commands)
    }

    /// Ends the session and returns when its worker has ended.
    pub fn end(self) {
        let Session { commands, mut callbacks, .. } = self;
        drop(commands);
        while callbacks.reader.header().is_ok() {}
    }
}

/// Formats a UUID as nvidia-smi does.
fn uuid(bytes: &[u8; 16]) -> String {
    let hex = bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    format!("GPU-{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
