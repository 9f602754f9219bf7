//! Records of TLS 1.3 (RFC 8446, 5.2) for one direction of a lane, with AES-128-GCM. After many
//! records under one key, the sender announces the next key and changes to it (4.6.3). Deliberately
//! absent: all other messages that may come after a handshake, which a lane does not use.

use ring::aead::{AES_128_GCM, Aad, LessSafeKey, MAX_TAG_LEN, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, KeyType, Prk};
use rustls::crypto::CryptoProvider;
use std::io;
use std::ops::Range;

/// Size of a record's header in bytes.
pub const HEADER_BYTES: usize = 5;
/// Size of a direction's secret in bytes.
pub const SECRET_BYTES: usize = 32;
/// Largest payload of a record in bytes.
pub const PLAIN_BYTES_MAX: usize = 16 << 10;
/// Largest encrypted part of a record in bytes.
const SEALED_BYTES_MAX: usize = PLAIN_BYTES_MAX + 256;
/// Largest whole record in bytes.
pub const RECORD_BYTES_MAX: usize = HEADER_BYTES + SEALED_BYTES_MAX;
/// Size of a record without its payload, in bytes.
pub const EXTRA_BYTES: usize = HEADER_BYTES + 1 + MAX_TAG_LEN;
/// Number of records after which the key changes. AES-GCM is safe for 2^24.5 full records under one
/// key.
const RECORDS_PER_KEY: u64 = 1 << 23;

const HANDSHAKE: u8 = 22;
const ALERT: u8 = 21;
const DATA: u8 = 23;
/// A key update that requests no key update in return.
const KEY_UPDATE: [u8; 5] = [24, 0, 0, 1, 0];
const VERSION: [u8; 2] = [3, 3];

/// Makes the error for data that does not follow TLS.
pub(super) fn invalid(reason: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.to_string())
}

/// Returns rustls's `ring` provider, restricted to the cipher suite of these records.
pub fn provider() -> CryptoProvider {
    let mut provider = rustls::crypto::ring::default_provider();
    provider.cipher_suites = vec![rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256];
    provider
}

/// Returns the length that a record's header announces. Fails if the header is not a valid TLS
/// header.
pub fn length(header: &[u8]) -> io::Result<usize> {
    let length = usize::from(u16::from_be_bytes([header[3], header[4]]));
    if header[1] != VERSION[0] || length == 0 || length > SEALED_BYTES_MAX {
        return Err(invalid("the other side does not speak TLS"));
    }
    Ok(length)
}

/// The state of one direction, in a form that another process can take over.
#[derive(Clone, Copy)]
struct Secret {
    secret: [u8; SECRET_BYTES],
    /// Number of the next record.
    sequence: u64,
}

const ONE_BYTES: usize = SECRET_BYTES + size_of::<u64>();
/// Size of the encoded keys in bytes.
pub const KEYS_BYTES: usize = 2 * ONE_BYTES;

/// The secrets of both directions of a connection.
pub struct Keys {
    send: Secret,
    receive: Secret,
}

impl Keys {
    /// Makes keys from fresh secrets.
    pub fn new(send: [u8; SECRET_BYTES], receive: [u8; SECRET_BYTES]) -> Keys {
        let fresh = |secret| Secret { secret, sequence: 0 };
        Keys { send: fresh(send), receive: fresh(receive) }
    }

    /// Returns the present state of both directions.
    pub fn of(sealer: &Sealer, opener: &Opener) -> Keys {
        Keys { send: sealer.0.secret(), receive: opener.0.secret() }
    }

    /// Splits the keys into the two directions.
    pub fn halves(self) -> (Sealer, Opener) {
        (Sealer(Cipher::new(self.send)), Opener(Cipher::new(self.receive)))
    }

    /// Encodes the keys.
    pub fn to_bytes(&self) -> [u8; KEYS_BYTES] {
        let mut bytes = [0; KEYS_BYTES];
        for (place, one) in bytes.chunks_exact_mut(ONE_BYTES).zip([self.send, self.receive]) {
            place[..SECRET_BYTES].copy_from_slice(&one.secret);
            place[SECRET_BYTES..].copy_from_slice(&one.sequence.to_le_bytes());
        }
        bytes
    }

    /// Decodes the keys.
    pub fn from_bytes(bytes: &[u8; KEYS_BYTES]) -> Keys {
        let one = |at: usize| {
            let (mut secret, mut sequence) = ([0; SECRET_BYTES], [0; 8]);
            secret.copy_from_slice(&bytes[at..at + SECRET_BYTES]);
            sequence.copy_from_slice(&bytes[at + SECRET_BYTES..at + ONE_BYTES]);
            Secret { secret, sequence: u64::from_le_bytes(sequence) }
        };
        Keys { send: one(0), receive: one(ONE_BYTES) }
    }
}

struct Bytes(usize);

impl KeyType for Bytes {
    fn len(&self) -> usize {
        self.0
    }
}

/// HKDF-Expand-Label with an empty context (RFC 8446, 7.1).
fn expand(secret: &[u8; SECRET_BYTES], label: &str, out: &mut [u8]) {
    let label = [b"tls13 ", label.as_bytes()].concat();
    let info = [&(out.len() as u16).to_be_bytes()[..], &[label.len() as u8], &label, &[0]];
    let prk = Prk::new_less_safe(HKDF_SHA256, secret);
    let filled = prk.expand(&info, Bytes(out.len())).and_then(|okm| okm.fill(out));
    filled.expect("a few bytes are never too many");
}

struct Cipher {
    secret: [u8; SECRET_BYTES],
    key: LessSafeKey,
    iv: [u8; NONCE_LEN],
    sequence: u64,
}

impl Cipher {
    fn new(Secret { secret, sequence }: Secret) -> Cipher {
        let (mut key, mut iv) = ([0; 16], [0; NONCE_LEN]);
        expand(&secret, "key", &mut key);
        expand(&secret, "iv", &mut iv);
        let key = UnboundKey::new(&AES_128_GCM, &key).expect("the key has the algorithm's length");
        Cipher { secret, key: LessSafeKey::new(key), iv, sequence }
    }

    /// Returns the direction's cipher with its next key.
    fn next(&self) -> Cipher {
        let mut secret = [0; SECRET_BYTES];
        expand(&self.secret, "traffic upd", &mut secret);
        Cipher::new(Secret { secret, sequence: 0 })
    }

    fn secret(&self) -> Secret {
        Secret { secret: self.secret, sequence: self.sequence }
    }

    /// Returns a nonce that no other record has.
    fn nonce(&mut self) -> Nonce {
        let mut nonce = self.iv;
        for (byte, digit) in nonce[4..].iter_mut().zip(self.sequence.to_be_bytes()) {
            *byte ^= digit;
        }
        self.sequence += 1;
        Nonce::assume_unique_for_key(nonce)
    }
}

/// Encrypts the records of one direction.
pub struct Sealer(Cipher);

impl Sealer {
    /// Appends a record whose payload `fill` appends, at most `PLAIN_BYTES_MAX` bytes.
    pub fn seal(&mut self, out: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
        if self.0.sequence >= RECORDS_PER_KEY {
            self.renew(out);
        }
        self.seal_as(DATA, out, fill);
    }

    /// Announces the next key and uses it from now on.
    fn renew(&mut self, out: &mut Vec<u8>) {
        self.seal_as(HANDSHAKE, out, |out| out.extend(KEY_UPDATE));
        self.0 = self.0.next();
    }

    fn seal_as(&mut self, kind: u8, out: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
        let start = out.len();
        out.extend([DATA, VERSION[0], VERSION[1], 0, 0]);
        fill(out);
        out.push(kind);
        let length = out.len() - start - HEADER_BYTES + MAX_TAG_LEN;
        out[start + 3..start + HEADER_BYTES].copy_from_slice(&(length as u16).to_be_bytes());
        let (header, body) = out[start..].split_at_mut(HEADER_BYTES);
        let nonce = self.0.nonce();
        let tag = self.0.key.seal_in_place_separate_tag(nonce, Aad::from(&*header), body);
        out.extend(tag.expect("a record is never too long").as_ref());
    }
}

/// Decrypts the records of one direction.
pub struct Opener(Cipher);

impl Opener {
    /// Decrypts a whole record in place. Returns the range of its data, or None if the record
    /// carries no data.
    pub fn open(&mut self, record: &mut [u8]) -> io::Result<Option<Range<usize>>> {
        let (header, body) = record.split_at_mut(HEADER_BYTES);
        if header[0] != DATA {
            return Err(invalid("a TLS record that does not belong to a lane"));
        }
        let nonce = self.0.nonce();
        let plain = self
            .0
            .key
            .open_in_place(nonce, Aad::from(&*header), body)
            .map_err(|_| invalid("a TLS record was changed on its way"))?;
        let end = plain
            .iter()
            .rposition(|byte| *byte != 0)
            .ok_or_else(|| invalid("a TLS record without a kind"))?;
        match (plain[end], &plain[..end]) {
            (DATA, _) => Ok(Some(HEADER_BYTES..HEADER_BYTES + end)),
            (HANDSHAKE, update) if *update == KEY_UPDATE => {
                self.0 = self.0.next();
                Ok(None)
            }
            // Any alert ends the connection.
            (ALERT, _) => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Err(invalid("a TLS message that does not belong to a lane")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (Sealer, Opener) {
        let (sealer, _) = Keys::new([7; SECRET_BYTES], [8; SECRET_BYTES]).halves();
        let (_, opener) = Keys::new([8; SECRET_BYTES], [7; SECRET_BYTES]).halves();
        (sealer, opener)
    }

    fn record(sealer: &mut Sealer, plain: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        sealer.seal(&mut out, |out| out.extend(plain));
        out
    }

    #[test]
    fn keys_are_renewed_and_both_sides_know() {
        let (mut sealer, mut opener) = pair();
        sealer.0.sequence = RECORDS_PER_KEY - 1;
        opener.0.sequence = RECORDS_PER_KEY - 1;
        for plain in [&b"under the old key"[..], b"under the new one"] {
            let mut out = record(&mut sealer, plain);
            let mut seen = Vec::new();
            let mut rest = &mut out[..];
            while !rest.is_empty() {
                let bytes = HEADER_BYTES + length(rest).unwrap();
                let (one, behind) = rest.split_at_mut(bytes);
                seen.extend(opener.open(one).unwrap().map(|place| one[place].to_vec()));
                rest = behind;
            }
            assert_eq!(seen, [plain]);
        }
        assert_eq!((sealer.0.sequence, opener.0.sequence), (1, 1));
    }

    #[test]
    fn changed_repeated_and_missing_records_are_noticed() {
        let (mut sealer, mut opener) = pair();
        let first = record(&mut sealer, b"first");
        let second = record(&mut sealer, b"second");
        for at in 0..first.len() {
            let mut changed = first.clone();
            changed[at] ^= 1;
            let (_, mut opener) = Keys::from_bytes(&Keys::of(&sealer, &opener).to_bytes()).halves();
            assert!(opener.open(&mut changed).is_err(), "byte {at}");
        }
        assert!(opener.open(&mut second.clone()).is_err(), "the first is left out");
        let (_, mut opener) = pair();
        assert!(opener.open(&mut first.clone()).is_ok());
        assert!(opener.open(&mut first.clone()).is_err(), "the first comes again");
    }

    #[test]
    fn handed_on_keys_go_on_where_they_were() {
        let (mut sealer, mut opener) = pair();
        opener.open(&mut record(&mut sealer, b"one")).unwrap();
        let (_, mut other) = Keys::from_bytes(&Keys::of(&sealer, &opener).to_bytes()).halves();
        let mut two = record(&mut sealer, b"two");
        let place = other.open(&mut two).unwrap().unwrap();
        assert_eq!(&two[place], b"two");
    }

    #[test]
    fn a_header_that_cannot_be_is_refused() {
        for header in [&b"HTTP/"[..], b"OUTHA", &[23, 3, 3, 0, 0], &[23, 3, 3, 0xFF, 0xFF]] {
            assert!(length(header).is_err(), "{header:?}");
        }
        let (mut sealer, mut opener) = pair();
        let mut alert = Vec::new();
        sealer.seal_as(ALERT, &mut alert, |out| out.extend([1, 0]));
        assert!(
            opener
                .open(&mut alert)
                .is_err_and(|error| error.kind() == io::ErrorKind::UnexpectedEof)
        );
        let mut ticket = Vec::new();
        sealer.seal_as(HANDSHAKE, &mut ticket, |out| out.extend([4, 0, 0, 0]));
        assert!(opener.open(&mut ticket).is_err());
    }
}
