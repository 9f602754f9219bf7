//! The handshake, which begins every connection. These messages do not change with the spec. So two
//! incompatible versions can inform each other about the problem.

use crate::codec::{DecodeError, Field, List, Reader};
use crate::level::{SPEC_HASH, level_of};
use crate::limits::{HELLO_BYTES_MAX, LANES_MAX, WELCOME_BYTES_MAX};
use twox_hash::XxHash3_64;

/// The first bytes of every handshake message.
pub const MAGIC: [u8; 8] = *b"OUTHAUL\n";
/// Version of the handshake itself:
/// - 2: a hello contains the session's lease.
/// - 3: a hello contains the session's tenant.
/// - 4: a welcome tells whether the node may move memory.
/// - 5: messages have checksums, and so has the data that follows them on plain TCP. A node that
///   starts a session sends messages that show that it is alive.
/// - 6: sessions wait for a place, and the node reports their position.
/// - 7: a hello contains how long a session waits for a new connection after one broke.
/// - 8: a node that does not know a client's dialect answers with its own. A reader ignores data
///   after the last field that it knows.
/// - 9: hello and welcome carry key shares. A client that rejoins a lane proves that it has the
///   session's key.
pub const PROTOCOL: u16 = 9;
/// Oldest version of the handshake that this release also accepts.
const PROTOCOL_MIN: u16 = 9;
const PROTOCOL_WITH_LEASE: u16 = 2;
const PROTOCOL_WITH_TENANT: u16 = 3;
const PROTOCOL_WITH_GRACE: u16 = 7;
const PROTOCOL_WITH_DIALECTS: u16 = 8;
const PROTOCOL_WITH_KEY_SHARES: u16 = 9;
/// Size of every handshake message's prefix: magic, kind, checksum and length.
pub const PREFIX_BYTES: usize = 16;

/// Number of the command lane.
pub const LANE_COMMANDS: u16 = 0;
/// Number of the callback lane. Messages about callbacks must not queue after the commands that
/// wait for the callbacks' ends.
pub const LANE_CALLBACKS: u16 = 1;
/// Number of the first bulk lane. All higher numbers are bulk lanes too.
pub const LANE_BULK: u16 = 2;

/// One side's public share in the key exchange between a session's client and worker (X25519, RFC
/// 7748).
pub type KeyShare = [u8; 32];
/// Share of a side that wants no key. No secret key produces this share.
pub const NO_KEY_SHARE: KeyShare = [0; 32];
/// A proof that the sender has the session's key (HMAC-SHA256).
pub type Proof = [u8; 32];
/// Random bytes from a worker. An attacker that overheard an earlier call has no proof for them.
pub type Challenge = [u8; 16];

/// The client's first message on every lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Hello<'a> {
    /// Version of the handshake.
    pub protocol: u16,
    /// Checksum of the spec's level.
    pub spec_hash: u64,
    /// Version of the client's release.
    pub release: &'a str,
    /// The session's id, which the client chooses and sends on all lanes.
    pub session: [u8; 16],
    /// Number of this lane.
    pub lane: u16,
    /// Number of the session's lanes. With 0, the client only asks whether the node would serve a
    /// session. The node then answers with an empty welcome or a refusal.
    pub lanes: u16,
    /// Address at which the first device's memory should begin.
    pub arena_base: u64,
    /// The session's lease: its name and its key, separated by a dot. Empty if the node belongs to
    /// no pool.
    pub lease: &'a str,
    /// The tenant whose share of the node's GPUs the session uses. If empty, the session has its
    /// own share. A session with a lease needs no tenant.
    pub tenant: &'a str,
    /// How long the session waits for a new connection after one broke, in milliseconds. With 0,
    /// the session ends with the first broken connection.
    pub grace_ms: u32,
    /// The client's key share, which is the same on all lanes.
    pub key_share: KeyShare,
}

impl Hello<'_> {
    /// Returns the client's dialect.
    pub fn dialect(&self) -> Dialect {
        Dialect { protocol: self.protocol, spec_hash: self.spec_hash }
    }

    /// Returns whether the client only asks whether the node would serve a session.
    pub fn is_question(&self) -> bool {
        (self.lane, self.lanes) == (LANE_COMMANDS, 0)
    }
}

/// A dialect: a version of the handshake, and the checksum of a level of the spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Version of the handshake.
    pub protocol: u16,
    /// Checksum of the spec's level.
    pub spec_hash: u64,
}

impl Dialect {
    /// The dialect of this release.
    pub const OWN: Dialect = Dialect { protocol: PROTOCOL, spec_hash: SPEC_HASH };

    /// Returns the dialect's level of the spec, or None if this release does not know the dialect.
    pub fn level(&self) -> Option<u16> {
        level_of(self.spec_hash).filter(|_| (PROTOCOL_MIN..=PROTOCOL).contains(&self.protocol))
    }
}

/// A node's answer to a hello in an unknown dialect. It contains the node's own dialect.
#[derive(Clone, Debug, PartialEq)]
pub struct Speaks<'a> {
    /// Version of the handshake.
    pub protocol: u16,
    /// Checksum of the spec's level.
    pub spec_hash: u64,
    /// Version of the node's release.
    pub release: &'a str,
}

impl Speaks<'_> {
    /// Returns the node's dialect.
    pub fn dialect(&self) -> Dialect {
        Dialect { protocol: self.protocol, spec_hash: self.spec_hash }
    }
}

/// A node's answer to a hello, if the node serves the session.
#[derive(Clone, Debug, PartialEq)]
pub struct Welcome<'a> {
    /// Version of the node's release.
    pub release: &'a str,
    /// Version of the node's driver, as cuDriverGetVersion returns it.
    pub driver_version: i32,
    /// The devices that the session may use.
    pub devices: List<Device<'a>>,
    /// The worker's key share.
    pub key_share: KeyShare,
}

/// The constant facts about a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Device<'a> {
    /// Name, as cuDeviceGetName returns it.
    pub name: &'a str,
    /// UUID, as cuDeviceGetUuid returns it.
    pub uuid: [u8; 16],
    /// PCI bus id, as cuDeviceGetPCIBusId returns it.
    pub pci_bus_id: &'a str,
    /// Size of the device's memory in bytes.
    pub total_bytes: u64,
    /// Mapping granularity of the device's memory in bytes.
    pub granularity_bytes: u64,
    /// First address of the device's arena.
    pub arena_base: u64,
    /// Size of the device's arena in bytes.
    pub arena_bytes: u64,
    /// Number of bytes that the session may map without asking.
    pub granted_bytes: u64,
    /// Whether other sessions count against the same limit. If so, unmapped memory leaves the
    /// grant, and the worker grants only as much as the client requests.
    pub is_limited: bool,
    /// Whether the node may move the session's memory. If so, the worker allocates memory that
    /// cannot move only if it fits in addition to all movable memory.
    pub memory_moves: bool,
    /// Attribute values, indexed by CUdevice_attribute; entry 0 is unused.
    pub attributes: List<i32>,
}

/// The first message on a link between two workers, which the called worker sends back. `session`
/// is the called worker's. Both workers get the key from their client.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkHello {
    /// Version of the handshake.
    pub protocol: u16,
    /// Checksum of the spec's level.
    pub spec_hash: u64,
    /// The called worker's session.
    pub session: [u8; 16],
    /// The link's key.
    pub key: [u8; 16],
}

impl LinkHello {
    /// Returns whether both hellos belong to one link. The two sides' dialects may differ.
    pub fn is_of(&self, other: &LinkHello) -> bool {
        (self.session, self.key) == (other.session, other.key)
    }
}

/// The first message on a connection that replaces a lane's broken one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rejoin {
    /// Version of the handshake.
    pub protocol: u16,
    /// Checksum of the spec's level.
    pub spec_hash: u64,
    /// The session.
    pub session: [u8; 16],
    /// Number of the lane.
    pub lane: u16,
    /// Number of the attempt. It grows with each rejoin of the lane, so that the worker can ignore
    /// a late one.
    pub attempt: u64,
    /// Position up to which the client has received all records of the lane.
    pub received: u64,
    /// Proof over all fields above, made with the session's key.
    pub proof: Proof,
}

/// The worker's answer to a rejoin.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejoined {
    /// Position up to which the worker has received all records of the lane.
    pub received: u64,
    /// Random bytes that the client's confirmation must cover.
    pub challenge: Challenge,
    /// Proof over both fields above and the rejoin, made with the session's key.
    pub proof: Proof,
}

/// The client's confirmation of a `Rejoined`, after which the lane continues.
#[derive(Clone, Debug, PartialEq)]
pub struct Confirm {
    /// Proof over the rejoin and its answer, made with the session's key.
    pub proof: Proof,
}

/// The reason why a node does not serve a client.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal<'a> {
    /// The problem, and advice for the user.
    pub reason: &'a str,
}

/// A session's position among those that wait to begin.
#[derive(Clone, Debug, PartialEq)]
pub struct QueuePosition {
    /// Number of sessions that begin before this one.
    pub ahead: u32,
}

/// The kind of a handshake message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum HandshakeKind {
    /// A client opens a lane, or asks whether the node would serve it.
    Hello = 1,
    /// A node accepts a hello.
    Welcome = 2,
    /// A node does not serve the client. The body contains the reason.
    Refusal = 3,
    /// A worker opens a link to the worker of another node, or accepts one.
    Link = 4,
    /// A node has received a session's hello and is alive, but not ready yet. It may send several
    /// of these.
    Starting = 5,
    /// All places of the node are taken, and the session begins when one is free. The body is a
    /// `QueuePosition`.
    Waiting = 6,
    /// A node refuses for now. It may serve a client that retries soon.
    Busy = 7,
    /// A client continues a lane on a new connection.
    Rejoin = 8,
    /// A node answers a rejoin.
    Rejoined = 9,
    /// A node does not know the hello's dialect. The client may repeat the hello in the dialect
    /// that the body contains.
    Speaks = 10,
    /// A client confirms a node's answer to its rejoin.
    Confirm = 11,
}

/// The reason why a handshake message is invalid.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HandshakeError {
    /// The first bytes are not those of a handshake message.
    #[error("the other side does not speak Outhaul's protocol")]
    Foreign,
    /// The size of the body in bytes, which exceeds its limit.
    #[error("a handshake message of {0} bytes is over the limit")]
    TooLong(usize),
    /// The checksum does not match the body.
    #[error(
        "a handshake message was changed on its way, as its checksum shows: the network or a \
        memory on the way is faulty"
    )]
    Changed,
    /// The number of a kind that is unknown or unexpected.
    #[error("unexpected handshake message {0}")]
    Unexpected(u16),
    /// The body's fields cannot be decoded.
    #[error(transparent)]
    Malformed(#[from] DecodeError),
}

macro_rules! record {
    ($name:ident { $($field:ident),* }) => {
        impl<'a> Field<'a> for $name<'a> {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)*
            }

            fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
                Ok($name { $($field: Field::take(reader)?),* })
            }
        }
    };
}

record!(Welcome { release, driver_version, devices, key_share });
record!(Device {
    name,
    uuid,
    pci_bus_id,
    total_bytes,
    granularity_bytes,
    arena_base,
    arena_bytes,
    granted_bytes,
    is_limited,
    memory_moves,
    attributes
});
record!(Refusal { reason });
record!(Speaks { protocol, spec_hash, release });

impl<'a> Field<'a> for QueuePosition {
    fn put(&self, out: &mut Vec<u8>) {
        self.ahead.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(QueuePosition { ahead: Field::take(reader)? })
    }
}

impl<'a> Field<'a> for Hello<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        self.protocol.put(out);
        self.spec_hash.put(out);
        self.release.put(out);
        self.session.put(out);
        self.lane.put(out);
        self.lanes.put(out);
        self.arena_base.put(out);
        if self.protocol >= PROTOCOL_WITH_LEASE {
            self.lease.put(out);
        }
        if self.protocol >= PROTOCOL_WITH_TENANT {
            self.tenant.put(out);
        }
        if self.protocol >= PROTOCOL_WITH_GRACE {
            self.grace_ms.put(out);
        }
        if self.protocol >= PROTOCOL_WITH_KEY_SHARES {
            self.key_share.put(out);
        }
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let protocol = Field::take(reader)?;
        Ok(Hello {
            protocol,
            spec_hash: Field::take(reader)?,
            release: Field::take(reader)?,
            session: Field::take(reader)?,
            lane: Field::take(reader)?,
            lanes: Field::take(reader)?,
            arena_base: Field::take(reader)?,
            lease: if protocol >= PROTOCOL_WITH_LEASE { Field::take(reader)? } else { "" },
            tenant: if protocol >= PROTOCOL_WITH_TENANT { Field::take(reader)? } else { "" },
            grace_ms: if protocol >= PROTOCOL_WITH_GRACE { Field::take(reader)? } else { 0 },
            key_share: if protocol >= PROTOCOL_WITH_KEY_SHARES {
                Field::take(reader)?
            } else {
                NO_KEY_SHARE
            },
        })
    }
}

impl<'a> Field<'a> for Rejoin {
    fn put(&self, out: &mut Vec<u8>) {
        self.protocol.put(out);
        self.spec_hash.put(out);
        self.session.put(out);
        self.lane.put(out);
        self.attempt.put(out);
        self.received.put(out);
        self.proof.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Rejoin {
            protocol: Field::take(reader)?,
            spec_hash: Field::take(reader)?,
            session: Field::take(reader)?,
            lane: Field::take(reader)?,
            attempt: Field::take(reader)?,
            received: Field::take(reader)?,
            proof: Field::take(reader)?,
        })
    }
}

impl<'a> Field<'a> for Rejoined {
    fn put(&self, out: &mut Vec<u8>) {
        self.received.put(out);
        self.challenge.put(out);
        self.proof.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Rejoined {
            received: Field::take(reader)?,
            challenge: Field::take(reader)?,
            proof: Field::take(reader)?,
        })
    }
}

impl<'a> Field<'a> for Confirm {
    fn put(&self, out: &mut Vec<u8>) {
        self.proof.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Confirm { proof: Field::take(reader)? })
    }
}

impl<'a> Field<'a> for LinkHello {
    fn put(&self, out: &mut Vec<u8>) {
        self.protocol.put(out);
        self.spec_hash.put(out);
        self.session.put(out);
        self.key.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(LinkHello {
            protocol: Field::take(reader)?,
            spec_hash: Field::take(reader)?,
            session: Field::take(reader)?,
            key: Field::take(reader)?,
        })
    }
}

/// Encodes a message, including its prefix.
pub fn encode<'a>(kind: HandshakeKind, body: &impl Field<'a>) -> Vec<u8> {
    let body = body.encoded();
    let mut out = MAGIC.to_vec();
    (kind as u16).put(&mut out);
    checksum(kind, &body).put(&mut out);
    (body.len() as u32).put(&mut out);
    out.extend(body);
    out
}

/// Returns the checksum of a message. It is never 0, because older releases send 0.
fn checksum(kind: HandshakeKind, body: &[u8]) -> u16 {
    (XxHash3_64::oneshot_with_seed(kind as u64, body) as u16).max(1)
}

/// The decoded prefix of a handshake message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prefix {
    /// The kind of the message.
    pub kind: HandshakeKind,
    /// Size of the body in bytes.
    pub body_bytes: usize,
    checksum: u16,
}

impl Prefix {
    /// Checks that `body` matches the prefix's checksum. Accepts any body if the checksum is 0.
    pub fn check(&self, body: &[u8]) -> Result<(), HandshakeError> {
        if self.checksum == 0 || self.checksum == checksum(self.kind, body) {
            Ok(())
        } else {
            Err(HandshakeError::Changed)
        }
    }
}

/// Decodes a prefix. Fails if the magic is wrong, the kind is unknown, or the body is too long.
pub fn decode_prefix(prefix: &[u8; PREFIX_BYTES]) -> Result<Prefix, HandshakeError> {
    let mut reader = Reader::new(prefix);
    if reader.bytes(MAGIC.len())? != MAGIC {
        return Err(HandshakeError::Foreign);
    }
    let kind = match u16::take(&mut reader)? {
        1 => HandshakeKind::Hello,
        2 => HandshakeKind::Welcome,
        3 => HandshakeKind::Refusal,
        4 => HandshakeKind::Link,
        5 => HandshakeKind::Starting,
        6 => HandshakeKind::Waiting,
        7 => HandshakeKind::Busy,
        8 => HandshakeKind::Rejoin,
        9 => HandshakeKind::Rejoined,
        10 => HandshakeKind::Speaks,
        11 => HandshakeKind::Confirm,
        other => return Err(HandshakeError::Unexpected(other)),
    };
    let checksum = u16::take(&mut reader)?;
    let body_bytes = u32::take(&mut reader)? as usize;
    let max = if kind == HandshakeKind::Welcome { WELCOME_BYTES_MAX } else { HELLO_BYTES_MAX };
    if body_bytes > max {
        Err(HandshakeError::TooLong(body_bytes))
    } else {
        Ok(Prefix { kind, body_bytes, checksum })
    }
}

/// The reason why a node does not accept a hello.
#[derive(Clone, Debug, PartialEq)]
pub enum Objection {
    /// A text for the user.
    Words(String),
    /// The node does not know the dialect. The client may repeat its hello in the node's dialect.
    Dialect,
}

/// Returns a text for the user about two releases that have no dialect in common.
pub fn strangers(client: (&str, u64), node: (&str, u64)) -> String {
    format!(
        "the client library is Outhaul {} (spec {:016x}) and the node is Outhaul {} (spec \
        {:016x}): install the same release on both",
        client.0, client.1, node.0, node.1
    )
}

/// Returns the reason why a node does not accept this hello, if any.
pub fn objection(hello: &Hello<'_>, own_release: &str) -> Option<Objection> {
    if hello.dialect().level().is_none() {
        let theirs: String = hello.release.chars().filter(|c| !c.is_control()).take(64).collect();
        let words = || strangers((&theirs, hello.spec_hash), (own_release, SPEC_HASH));
        return Some(if hello.protocol >= PROTOCOL_WITH_DIALECTS {
            Objection::Dialect
        } else {
            Objection::Words(words())
        });
    }
    if hello.is_question() {
        return None;
    }
    if hello.lanes < 2 || hello.lanes > LANES_MAX || hello.lane >= hello.lanes {
        return Some(Objection::Words(format!(
            "lane {} of {} is outside the limits (2 to {LANES_MAX} lanes)",
            hello.lane, hello.lanes
        )));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello() -> Hello<'static> {
        let (session, lease, tenant, grace_ms) = ([9; 16], "name.key", "research", 1500);
        let (protocol, spec_hash, release) = (PROTOCOL, SPEC_HASH, "1.2.3");
        Hello {
            protocol,
            spec_hash,
            release,
            session,
            lane: 0,
            lanes: 2,
            arena_base: 4096,
            lease,
            tenant,
            grace_ms,
            key_share: [5; 32],
        }
    }

    #[test]
    fn a_hello_survives_and_strangers_are_named() {
        let bytes = encode(HandshakeKind::Hello, &hello());
        let prefix = decode_prefix(bytes[..PREFIX_BYTES].try_into().unwrap()).unwrap();
        assert_eq!(
            (prefix.kind, prefix.body_bytes),
            (HandshakeKind::Hello, bytes.len() - PREFIX_BYTES)
        );
        assert_eq!(prefix.check(&bytes[PREFIX_BYTES..]), Ok(()));
        assert_eq!(Reader::new(&bytes[PREFIX_BYTES..]).whole::<Hello>(), Ok(hello()));
        for older in [
            Hello {
                protocol: 1,
                lease: "",
                tenant: "",
                grace_ms: 0,
                key_share: NO_KEY_SHARE,
                ..hello()
            },
            Hello { protocol: 2, tenant: "", grace_ms: 0, key_share: NO_KEY_SHARE, ..hello() },
            Hello { protocol: 6, grace_ms: 0, key_share: NO_KEY_SHARE, ..hello() },
            Hello { protocol: 8, key_share: NO_KEY_SHARE, ..hello() },
        ] {
            assert_eq!(
                Reader::new(&older.encoded()).whole::<Hello>(),
                Ok(older),
                "so that a refusal can name the reason"
            );
        }
        assert_eq!(decode_prefix(b"HTTP/1.1 400 Bad"), Err(HandshakeError::Foreign));
    }

    #[test]
    fn a_flipped_bit_is_noticed() {
        let bytes = encode(HandshakeKind::Hello, &hello());
        // A message with checksum 0 counts as one without a checksum, so its bits are not tested.
        let unchecked = 10 * 8..12 * 8;
        for bit in (0..bytes.len() * 8).filter(|bit| !unchecked.contains(bit)) {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let is_whole = |prefix: &Prefix| prefix.body_bytes == bytes.len() - PREFIX_BYTES;
            let prefix =
                decode_prefix(changed[..PREFIX_BYTES].try_into().unwrap()).ok().filter(is_whole);
            assert!(
                prefix
                    .is_none_or(|prefix| prefix.check(&changed[PREFIX_BYTES..])
                        == Err(HandshakeError::Changed)),
                "bit {bit}"
            );
        }
    }

    #[test]
    fn an_objection_names_the_own_dialect_or_the_reason() {
        let objection = |hello: Hello<'_>| objection(&hello, "1.0.0");
        let Some(Objection::Words(reason)) =
            objection(Hello { protocol: 7, spec_hash: 1, release: "0.9.0", ..hello() })
        else {
            panic!()
        };
        assert!(reason.contains("0.9.0") && reason.contains("1.0.0"), "{reason}");
        assert_eq!(objection(Hello { spec_hash: 1, ..hello() }), Some(Objection::Dialect));
        assert_eq!(
            objection(Hello { protocol: PROTOCOL + 1, ..hello() }),
            Some(Objection::Dialect)
        );
        assert_eq!(objection(hello()), None);
        assert!(objection(Hello { lane: 2, ..hello() }).is_some());
        assert_eq!(objection(Hello { lanes: LANES_MAX, ..hello() }), None);
        assert_eq!(objection(Hello { lanes: 0, ..hello() }), None);
        assert!(objection(Hello { lanes: 0, lane: 1, ..hello() }).is_some());
        assert!(objection(Hello { lanes: LANES_MAX + 1, ..hello() }).is_some());
    }

    #[test]
    fn trailing_fields_of_a_later_releases_hello_are_ignored() {
        let mut later = Hello { protocol: PROTOCOL + 1, ..hello() }.encoded();
        later.extend(b"and more");
        assert_eq!(Reader::new(&later).beginning::<Hello>().unwrap().session, hello().session);
    }

    /// Every release must decode the messages of all earlier ones.
    #[test]
    fn recorded_messages_of_earlier_releases_are_decoded() {
        for line in
            include_str!("../tests/handshakes.txt").lines().filter(|line| !line.starts_with('#'))
        {
            let [release, name, hex] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
            let bytes: Vec<u8> = (0..hex.len())
                .step_by(2)
                .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
                .collect();
            let prefix = decode_prefix(bytes[..PREFIX_BYTES].try_into().unwrap()).unwrap();
            let body = &bytes[PREFIX_BYTES..];
            prefix.check(body).unwrap();
            let (kind, is_read) = match name {
                "hello" => (
                    HandshakeKind::Hello,
                    Reader::new(body).whole::<Hello>().is_ok_and(|hello| hello.session == [9; 16]),
                ),
                "welcome" => (
                    HandshakeKind::Welcome,
                    Reader::new(body).beginning::<Welcome>().is_ok_and(|w| w.devices.0.len() == 1),
                ),
                "speaks" => {
                    (HandshakeKind::Speaks, Reader::new(body).beginning::<Speaks>().is_ok())
                }
                "rejoin" => (
                    HandshakeKind::Rejoin,
                    Reader::new(body).whole::<Rejoin>().is_ok_and(|rejoin| rejoin.received == 77),
                ),
                "rejoined" => (
                    HandshakeKind::Rejoined,
                    Reader::new(body)
                        .whole::<Rejoined>()
                        .is_ok_and(|rejoined| rejoined.received == 78),
                ),
                "confirm" => (
                    HandshakeKind::Confirm,
                    Reader::new(body)
                        .whole::<Confirm>()
                        .is_ok_and(|confirm| confirm.proof == [5; 32]),
                ),
                "refusal" => (HandshakeKind::Refusal, Reader::new(body).whole::<Refusal>().is_ok()),
                other => panic!("{other}"),
            };
            assert!(prefix.kind == kind && is_read, "{release} {name}");
        }
    }

    /// Prints the lines that a release adds to `tests/handshakes.txt`: `cargo test -p outhaul-wire
    /// record -- --ignored --nocapture`.
    #[test]
    #[ignore = "prints what a new release says"]
    fn record() {
        let release = env!("CARGO_PKG_VERSION");
        let device = Device {
            name: "a GPU",
            uuid: [7; 16],
            pci_bus_id: "0000:01:00.0",
            total_bytes: 1 << 36,
            granularity_bytes: 2 << 20,
            arena_base: 1 << 40,
            arena_bytes: 1 << 39,
            granted_bytes: 0,
            is_limited: true,
            memory_moves: false,
            attributes: List(vec![0, 1024]),
        };
        let Dialect { protocol, spec_hash } = Dialect::OWN;
        let rejoin = Rejoin {
            protocol,
            spec_hash,
            session: [9; 16],
            lane: 2,
            attempt: 3,
            received: 77,
            proof: [3; 32],
        };
        let messages = [
            ("hello", encode(HandshakeKind::Hello, &hello())),
            (
                "welcome",
                encode(
                    HandshakeKind::Welcome,
                    &Welcome {
                        release,
                        driver_version: 13000,
                        devices: List(vec![device]),
                        key_share: [6; 32],
                    },
                ),
            ),
            ("speaks", encode(HandshakeKind::Speaks, &Speaks { protocol, spec_hash, release })),
            ("rejoin", encode(HandshakeKind::Rejoin, &rejoin)),
            (
                "rejoined",
                encode(
                    HandshakeKind::Rejoined,
                    &Rejoined { received: 78, challenge: [2; 16], proof: [4; 32] },
                ),
            ),
            ("confirm", encode(HandshakeKind::Confirm, &Confirm { proof: [5; 32] })),
            ("refusal", encode(HandshakeKind::Refusal, &Refusal { reason: "no" })),
        ];
        for (name, bytes) in messages {
            println!(
                "{release} {name} {}",
                bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
            );
        }
    }
}
