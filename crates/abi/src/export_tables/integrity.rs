//! The answer to cudart's integrity check: HMAC-MD2 over facts about this process and its devices.
//! cudart computes the same value and compares the two. So the facts must be exactly those that
//! cudart gets from the public functions.

use crate::export_tables::table_host::DeviceIdentity;
use hmac::{KeyInit, Mac, SimpleHmac};

const KEY: [u8; 16] = [
    0x14, 0x6A, 0xDD, 0xAE, 0x53, 0xA9, 0xA7, 0x52, 0xAA, 0x08, 0x41, 0x36, 0x0B, 0xF5, 0x5A, 0x9F,
];

/// The facts that the answer authenticates.
pub struct Question<'a> {
    /// Version of the driver.
    pub driver_version: u32,
    /// Version that cudart's request contains.
    pub version: u32,
    /// Id of this process.
    pub pid: u32,
    /// Low half of the calling thread's pthread id.
    pub thread: u32,
    /// Address of the cudart interface table.
    pub cudart_interface: u64,
    /// Address of the integrity table.
    pub integrity_table: u64,
    /// Address of the integrity function.
    pub integrity_function: u64,
    /// Time of the request in seconds since 1970.
    pub unix_seconds: u64,
    /// The devices in the order of their ordinals.
    pub devices: &'a [DeviceIdentity],
}

/// Returns the answer to the check. Two versions of the request expect constants.
pub fn answer(question: &Question<'_>) -> [u64; 2] {
    match question.version % 10 {
        0 => [0x3341_181C_03CB_675C, 0x8ED3_83AA_1F4C_D1E8],
        1 => [0x1841_181C_03CB_675C, 0x8ED3_83AA_1F4C_D1E8],
        _ => signature(question),
    }
}

fn signature(question: &Question<'_>) -> [u64; 2] {
    let mut mac =
        SimpleHmac::<md2::Md2>::new_from_slice(&KEY).expect("HMAC takes a key of any length");
    for number in [question.driver_version, question.version, question.pid, question.thread] {
        mac.update(&number.to_le_bytes());
    }
    for number in [
        question.cudart_interface,
        question.integrity_table,
        question.integrity_function,
        question.unix_seconds,
    ] {
        mac.update(&number.to_le_bytes());
    }
    for device in question.devices {
        mac.update(&device.uuid);
        for number in [device.pci_domain, device.pci_bus, device.pci_device] {
            mac.update(&number.to_le_bytes());
        }
    }
    let digest = mac.finalize().into_bytes();
    let half = |range: std::ops::Range<usize>| {
        u64::from_le_bytes(digest[range].try_into().expect("eight bytes"))
    };
    [half(0..8), half(8..16)]
}
