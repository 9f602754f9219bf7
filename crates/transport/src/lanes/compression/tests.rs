use super::*;
use crate::network::line::{Grace, Line};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// Returns a packer with a given rate, on a connection without measurements.
fn packer(lane_bytes_per_s: f64) -> Packer {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let meter = PaceMeter::new(Line::new(stream.into(), Grace::NONE, Arc::default()));
    assert!(Packer::new(meter.clone()).is_none(), "a connection of this machine to itself");
    Packer {
        meter,
        seen: Pace::default(),
        lane_bytes_per_s: Some(lane_bytes_per_s),
        packed_bytes_per_s: PACKED_BYTES_PER_SECOND,
        compressor: Compressor::new(LEVEL).unwrap(),
        plain: Vec::new(),
        packed: Vec::new(),
    }
}

/// Returns pseudo-random bytes, which do not shrink.
fn random(bytes: usize) -> Vec<u8> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..bytes).map(|_| next()).collect()
}

fn text(bytes: usize) -> Vec<u8> {
    b"what travels is smaller than what it means; ".iter().copied().cycle().take(bytes).collect()
}

const PIECE: usize = 1 << 20;
const SLOW: f64 = 30e6;

#[test]
fn compressible_data_is_packed_on_a_slow_connection_and_unpacks_to_the_same() {
    let mut plain = text(PIECE);
    plain[PIECE / 2..PIECE / 2 + 5000].copy_from_slice(&random(5000));
    let mut packer = packer(SLOW);
    let (first, rest) = plain.split_at(12_345);
    let packed = packer.pack(&[first, &[], rest]).expect("worth it").to_vec();
    assert!(packed.len() < PIECE / 10);
    let mut back = vec![0; PIECE];
    assert!(unpack(&packed, &mut back) && back == plain);
}

#[test]
fn incompressible_data_and_data_on_a_fast_connection_are_not_packed() {
    assert!(packer(SLOW).pack(&[&random(PIECE)]).is_none());
    assert!(packer(200e6).pack(&[&text(PIECE)]).is_none());
    assert!(packer(SLOW).pack(&[&text(4096)]).is_none());
    let half = [text(PIECE / 2), random(PIECE / 2)].concat();
    assert!(packer(SLOW).pack(&[&half]).is_some_and(|packed| packed.len() < PIECE * 6 / 10));
    // A misleading sample costs an attempt, but no additional bytes.
    let mut sly = random(PIECE);
    (0..SAMPLE_PARTS).for_each(|i| {
        sly[i * (PIECE - SAMPLE_PART_BYTES) / (SAMPLE_PARTS - 1)..][..SAMPLE_PART_BYTES].fill(0)
    });
    assert!(packer(SLOW).pack(&[&sly]).is_none());
    assert!(
        Packer { lane_bytes_per_s: None, ..packer(SLOW) }.pack(&[&text(PIECE)]).is_none(),
        "nothing is known of the connection"
    );
}

#[test]
fn that_packing_was_slow_once_is_forgotten() {
    let mut packer = Packer { packed_bytes_per_s: 1e6, ..packer(SLOW) };
    let tries = (1..100).find(|_| packer.pack(&[&text(PIECE)]).is_some());
    assert!(tries.is_some_and(|tries| tries > 1), "{tries:?}");
}

#[test]
fn nothing_is_unpacked_beyond_its_place_nor_short_of_it() {
    let packed = packer(SLOW).pack(&[&vec![0; PIECE]]).expect("zeros").to_vec();
    assert!(packed.len() < 1000, "a bomb");
    let mut place = vec![7; 4096 + 1];
    assert!(!unpack(&packed, &mut place[..4096]));
    assert_eq!(place[4096], 7);
    assert!(!unpack(&packed, &mut vec![0; PIECE + 1]));
    assert!(!unpack(&[], &mut [0]) && !unpack(b"no zstd at all", &mut [0; 64]));
}

/// Changes or truncates a packed piece at random places: `unpack` must return and never write
/// beyond its destination.
#[test]
fn packed_bytes_that_were_changed_get_an_answer() {
    const BYTES: usize = 200_000;
    let plain = [text(BYTES / 2), random(BYTES / 8), text(BYTES * 3 / 8)].concat();
    let packed = packer(SLOW).pack(&[&plain]).expect("worth it").to_vec();
    let mut place = vec![7; BYTES + 64];
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    for turn in 0..4000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = (seed >> 33) as usize % packed.len();
        let mut changed = packed.clone();
        match turn % 4 {
            0 => changed[at % 64] ^= (seed >> 20) as u8 | 1,
            1 => changed.truncate(at),
            2 => changed[at] = changed[at].wrapping_add(1),
            _ => changed[at..].iter_mut().for_each(|byte| *byte ^= (seed >> 12) as u8),
        }
        unpack(&changed, &mut place[..BYTES]);
        assert!(place[BYTES..].iter().all(|byte| *byte == 7));
    }
}
