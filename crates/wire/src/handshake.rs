//! How a connection begins. These messages stay as they are when the spec changes, so that two versions can tell each other what is wrong.

use crate::codec::{DecodeError, Field, List, Reader};
use crate::limits::{HELLO_BYTES_MAX, LANES_MAX, WELCOME_BYTES_MAX};
use crate::messages::SPEC_HASH;
use twox_hash::XxHash3_64;

pub const MAGIC: [u8; 8] = *b"OUTHAUL\n";
/// Of the handshake itself. Since 2 a hello says which lease it is of, since 3 which tenant's; since 4 a welcome says whether memory may move; since 5 messages
/// have checksums, and so has what follows them on plain TCP, and a node that starts a session says that it lives; since 6 sessions wait for a place, and a node
/// that can take none in now says so.
pub const PROTOCOL: u16 = 6;
const PROTOCOL_WITH_LEASE: u16 = 2;
const PROTOCOL_WITH_TENANT: u16 = 3;
/// Magic, a kind, a checksum and a length precede every message of the handshake.
pub const PREFIX_BYTES: usize = 16;

/// Lanes of a session, by number.
pub const LANE_COMMANDS: u16 = 0;
/// Host callbacks and their ends, which must not queue behind the commands that wait for them.
pub const LANE_CALLBACKS: u16 = 1;
/// This one and those after it carry pieces of large copies.
pub const LANE_BULK: u16 = 2;

/// The client's first message on every lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Hello<'a> {
    pub protocol: u16,
    pub spec_hash: u64,
    pub release: &'a str,
    /// Chosen by the client, the same on all lanes of a session.
    pub session: [u8; 16],
    pub lane: u16,
    /// How many the session has. None: only whether one would be served is asked, and the answer is an empty welcome or a refusal.
    pub lanes: u16,
    /// Where the first device's memory is to lie.
    pub arena_base: u64,
    /// By what a session proves that it belongs to a lease: the lease's name and key, with a dot between them. Empty where nodes belong to no pool.
    pub lease: &'a str,
    /// Whose share of the node's GPUs the session uses. Empty for a share of its own; of a lease's session it is not asked.
    pub tenant: &'a str,
}

impl Hello<'_> {
    pub fn is_question(&self) -> bool {
        (self.lane, self.lanes) == (LANE_COMMANDS, 0)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Welcome<'a> {
    pub release: &'a str,
    pub driver_version: i32,
    pub devices: List<Device<'a>>,
}

/// What never changes about a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Device<'a> {
    pub name: &'a str,
    pub uuid: [u8; 16],
    pub pci_bus_id: &'a str,
    pub total_bytes: u64,
    /// Of memory that is mapped.
    pub granularity_bytes: u64,
    pub arena_base: u64,
    pub arena_bytes: u64,
    /// Memory that the session may map without asking.
    pub granted_bytes: u64,
    /// Others have the same limit: what is unmapped leaves the grant, and nothing is granted that was not asked for.
    pub is_limited: bool,
    /// Memory may move, so what does not is made only where there is room for it beside what does.
    pub memory_moves: bool,
    /// By CUdevice_attribute; entry 0 is unused.
    pub attributes: List<i32>,
}

/// The first message on a link between two workers, which the one that is called sends back. The session is the called worker's; both know the key
/// from their client.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkHello {
    pub protocol: u16,
    pub spec_hash: u64,
    pub session: [u8; 16],
    pub key: [u8; 16],
}

#[derive(Clone, Debug, PartialEq)]
pub struct Refusal<'a> {
    /// What is wrong and what to do.
    pub reason: &'a str,
}

/// Where a session waits for its turn to begin.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// How many begin before it.
    pub ahead: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum Kind {
    Hello = 1,
    Welcome = 2,
    Refusal = 3,
    Link = 4,
    /// From a node that has a session's hello and is not ready: it lives. There may be several.
    Starting = 5,
    /// From a node where all places are taken: the session begins when one is free. The body is a `Place`.
    Waiting = 6,
    /// A refusal that will soon be over: whoever asks again may be served.
    Busy = 7,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HandshakeError {
    #[error("the other side does not speak Outhaul's protocol")]
    Foreign,
    #[error("a handshake message of {0} bytes is over the limit")]
    TooLong(usize),
    #[error(
        "a message of the handshake was changed on its way, by its checksum: the network or a memory on the way is faulty"
    )]
    Changed,
    #[error("unexpected handshake message {0}")]
    Unexpected(u16),
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

record!(Welcome { release, driver_version, devices });
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

impl<'a> Field<'a> for Place {
    fn put(&self, out: &mut Vec<u8>) {
        self.ahead.put(out);
    }

    fn take(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Place { ahead: Field::take(reader)? })
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
        })
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

pub fn encode<'a>(kind: Kind, body: &impl Field<'a>) -> Vec<u8> {
    let body = body.encoded();
    let mut out = MAGIC.to_vec();
    (kind as u16).put(&mut out);
    checksum(kind, &body).put(&mut out);
    (body.len() as u32).put(&mut out);
    out.extend(body);
    out
}

/// Never 0, which older releases send.
fn checksum(kind: Kind, body: &[u8]) -> u16 {
    (XxHash3_64::oneshot_with_seed(kind as u64, body) as u16).max(1)
}

/// What a prefix announces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prefix {
    pub kind: Kind,
    pub body_bytes: usize,
    checksum: u16,
}

impl Prefix {
    /// Whether this is the body that was sent.
    pub fn check(&self, body: &[u8]) -> Result<(), HandshakeError> {
        if self.checksum == 0 || self.checksum == checksum(self.kind, body) {
            Ok(())
        } else {
            Err(HandshakeError::Changed)
        }
    }
}

pub fn decode_prefix(prefix: &[u8; PREFIX_BYTES]) -> Result<Prefix, HandshakeError> {
    let mut reader = Reader::new(prefix);
    if reader.bytes(MAGIC.len())? != MAGIC {
        return Err(HandshakeError::Foreign);
    }
    let kind = match u16::take(&mut reader)? {
        1 => Kind::Hello,
        2 => Kind::Welcome,
        3 => Kind::Refusal,
        4 => Kind::Link,
        5 => Kind::Starting,
        6 => Kind::Waiting,
        7 => Kind::Busy,
        other => return Err(HandshakeError::Unexpected(other)),
    };
    let checksum = u16::take(&mut reader)?;
    let body_bytes = u32::take(&mut reader)? as usize;
    let max = if kind == Kind::Welcome { WELCOME_BYTES_MAX } else { HELLO_BYTES_MAX };
    if body_bytes > max {
        Err(HandshakeError::TooLong(body_bytes))
    } else {
        Ok(Prefix { kind, body_bytes, checksum })
    }
}

/// Why a node does not take this client, in words for the person who runs it.
pub fn objection(hello: &Hello<'_>, own_release: &str) -> Option<String> {
    let theirs: String = hello.release.chars().filter(|c| !c.is_control()).take(64).collect();
    if hello.protocol != PROTOCOL || hello.spec_hash != SPEC_HASH {
        return Some(format!(
            "the client library is Outhaul {theirs} (spec {:016x}) and the node is Outhaul {own_release} (spec {SPEC_HASH:016x}): install the same release on both",
            hello.spec_hash
        ));
    }
    if hello.is_question() {
        return None;
    }
    if hello.lanes < 2 || hello.lanes > LANES_MAX || hello.lane >= hello.lanes {
        return Some(format!(
            "lane {} of {} is outside the limits (2 to {LANES_MAX} lanes)",
            hello.lane, hello.lanes
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello() -> Hello<'static> {
        let (session, lease, tenant) = ([9; 16], "name.key", "research");
        Hello {
            protocol: PROTOCOL,
            spec_hash: SPEC_HASH,
            release: "1.2.3",
            session,
            lane: 0,
            lanes: 2,
            arena_base: 4096,
            lease,
            tenant,
        }
    }

    #[test]
    fn a_hello_survives_and_strangers_are_named() {
        let bytes = encode(Kind::Hello, &hello());
        let prefix = decode_prefix(bytes[..PREFIX_BYTES].try_into().unwrap()).unwrap();
        assert_eq!((prefix.kind, prefix.body_bytes), (Kind::Hello, bytes.len() - PREFIX_BYTES));
        assert_eq!(prefix.check(&bytes[PREFIX_BYTES..]), Ok(()));
        assert_eq!(Reader::new(&bytes[PREFIX_BYTES..]).whole::<Hello>(), Ok(hello()));
        for older in [
            Hello { protocol: 1, lease: "", tenant: "", ..hello() },
            Hello { protocol: 2, tenant: "", ..hello() },
        ] {
            assert_eq!(
                Reader::new(&older.encoded()).whole::<Hello>(),
                Ok(older),
                "so that it can be told what is wrong"
            );
        }
        assert_eq!(decode_prefix(b"HTTP/1.1 400 Bad"), Err(HandshakeError::Foreign));
    }

    #[test]
    fn a_flipped_bit_is_noticed() {
        let bytes = encode(Kind::Hello, &hello());
        // The checksum of a message without one.
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
    fn a_mismatch_names_both_versions() {
        let other = Hello { spec_hash: 1, release: "0.9.0", ..hello() };
        let reason = objection(&other, "1.0.0").unwrap();
        assert!(reason.contains("0.9.0") && reason.contains("1.0.0"), "{reason}");
        assert_eq!(objection(&hello(), "1.0.0"), None);
        assert!(objection(&Hello { lane: 2, ..hello() }, "1.0.0").is_some());
        assert_eq!(objection(&Hello { lanes: LANES_MAX, ..hello() }, "1.0.0"), None);
        assert_eq!(objection(&Hello { lanes: 0, ..hello() }, "1.0.0"), None);
        assert!(objection(&Hello { lanes: 0, lane: 1, ..hello() }, "1.0.0").is_some());
        assert!(objection(&Hello { lanes: LANES_MAX + 1, ..hello() }, "1.0.0").is_some());
    }
}
