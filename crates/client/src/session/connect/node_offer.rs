//! The offer of a node: its devices and the version of its driver, from its welcome.

use outhaul_wire::handshake::{Device as WireDevice, Welcome};

/// The facts of one node.
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
    /// Identity of the device, the same on each node.
    pub uuid: [u8; 16],
    /// PCI address as text.
    pub pci_bus_id: String,
    /// Bytes of device memory.
    pub total_bytes: u64,
    /// Granularity of device memory.
    pub granularity_bytes: u64,
    /// First address of the device's arena.
    pub arena_base: u64,
    /// Bytes of the arena.
    pub arena_bytes: u64,
    /// Bytes that the session may use before it must ask.
    pub granted_bytes: u64,
    /// Whether the session's memory has a limit.
    pub is_limited: bool,
    /// Whether the node moves memory to the host and back.
    pub memory_moves: bool,
    /// Values by the number of the attribute.
    pub attributes: Vec<i32>,
}

impl Offer {
    /// Reads the node's welcome.
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
