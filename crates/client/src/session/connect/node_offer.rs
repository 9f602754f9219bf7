//! The node's offer in its welcome: its devices and its driver version.

use outhaul_wire::handshake::{Device as WireDevice, Welcome};

/// The driver version and the devices of one node.
#[derive(Default)]
pub struct Offer {
    /// Version of the node's driver.
    pub driver_version: i32,
    /// The node's devices.
    pub devices: Vec<DeviceFacts>,
}

/// A node's description of one device.
pub struct DeviceFacts {
    /// Product name.
    pub name: String,
    /// The device's UUID, which is the same on every node.
    pub uuid: [u8; 16],
    /// PCI address as text.
    pub pci_bus_id: String,
    /// Size of the device memory in bytes.
    pub total_bytes: u64,
    /// Allocation granularity of the device memory.
    pub granularity_bytes: u64,
    /// First address of the device's arena.
    pub arena_base: u64,
    /// Size of the arena in bytes.
    pub arena_bytes: u64,
    /// Number of bytes that the session may use before it must ask for more.
    pub granted_bytes: u64,
    /// Whether the node limits the session's device memory.
    pub is_limited: bool,
    /// Whether the node may move the session's device memory to the host and back.
    pub memory_moves: bool,
    /// Attribute values, indexed by attribute number.
    pub attributes: Vec<i32>,
}

impl Offer {
    /// Reads the offer from the node's welcome.
    pub fn new(welcome: &Welcome<'_>) -> Offer {
        let device = |d: &WireDevice<'_>| DeviceFacts {
            name: d.name.to_owned(),
            uuid: d.uuid,
            pci_bus_id: d.pci_bus_id.to_owned(),
            total_bytes: d.total_bytes,
            granularity_bytes: d.granularity_bytes,
            arena_base: d.arena_base,
            arena_bytes: d.arena_bytes,
            granted_bytes: d.granted_bytes,
            is_limited: d.is_limited,
            memory_moves: d.memory_moves,
            attributes: d.attributes.0.clone(),
        };
        Offer {
            driver_version: welcome.driver_version,
            devices: welcome.devices.0.iter().map(device).collect(),
        }
    }
}
