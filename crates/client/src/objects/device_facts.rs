//! Constant facts that each node states when its session begins: its driver version and its
//! devices. The devices of all nodes form one list.

use crate::base::pci::PciAddress;
use crate::session::Session;
use crate::session::connect::node_offer::{DeviceFacts, Offer};
use outhaul_abi::export_tables::export_table::DeviceIdentity;
use outhaul_abi::loading::visible_devices::{RepeatedDevice, visible_devices};
use outhaul_abi::types::{CUdevice, CUresult, values};
use std::sync::Arc;

/// Sentinel for an attribute that the node's driver does not know.
const NO_ATTRIBUTE: i32 = i32::MIN;

/// Numbers of device attributes, as in `CUdevice_attribute`.
#[allow(missing_docs)]
pub mod attribute {
    pub const MAX_THREADS_PER_BLOCK: i32 = 1;
    pub const MAX_BLOCK_DIM_X: i32 = 2;
    pub const MAX_GRID_DIM_X: i32 = 5;
    pub const MAX_SHARED_MEMORY_PER_BLOCK: i32 = 8;
    pub const TOTAL_CONSTANT_MEMORY: i32 = 9;
    pub const WARP_SIZE: i32 = 10;
    pub const MAX_PITCH: i32 = 11;
    pub const MAX_REGISTERS_PER_BLOCK: i32 = 12;
    pub const CLOCK_RATE: i32 = 13;
    pub const TEXTURE_ALIGNMENT: i32 = 14;
    pub const MULTIPROCESSOR_COUNT: i32 = 16;
    pub const COMPUTE_MODE: i32 = 20;
    pub const PCI_BUS_ID: i32 = 33;
    pub const PCI_DEVICE_ID: i32 = 34;
    pub const PCI_DOMAIN_ID: i32 = 50;
    pub const COMPUTE_CAPABILITY_MAJOR: i32 = 75;
    pub const COMPUTE_CAPABILITY_MINOR: i32 = 76;
    pub const HOST_NATIVE_ATOMIC_SUPPORTED: i32 = 86;
    pub const PAGEABLE_MEMORY_ACCESS: i32 = 88;
    pub const CONCURRENT_MANAGED_ACCESS: i32 = 89;
    pub const CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM: i32 = 91;
    pub const COOPERATIVE_MULTI_DEVICE_LAUNCH: i32 = 96;
    pub const CAN_FLUSH_REMOTE_WRITES: i32 = 98;
    pub const PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES: i32 = 100;
    pub const DIRECT_MANAGED_MEM_ACCESS_FROM_HOST: i32 = 101;
    pub const MEMPOOL_SUPPORTED_HANDLE_TYPES: i32 = 119;
    pub const DMA_BUF_SUPPORTED: i32 = 124;
    pub const HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED: i32 = 103;
    pub const SPARSE_CUDA_ARRAY_SUPPORTED: i32 = 112;
    pub const DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED: i32 = 121;
    pub const HANDLE_TYPE_FABRIC_SUPPORTED: i32 = 128;
    pub const UNIFIED_FUNCTION_POINTERS: i32 = 129;
    pub const MULTICAST_SUPPORTED: i32 = 132;
    pub const MEM_DECOMPRESS_ALGORITHM_MASK: i32 = 136;
    pub const GPU_DIRECT_RDMA_SUPPORTED: i32 = 116;
}

/// Device attributes of features that this library cannot support. The client reports 0, so that
/// programs do not try to use the features.
const NOT_PASSED_ON: [i32; 15] = [
    attribute::COOPERATIVE_MULTI_DEVICE_LAUNCH,
    attribute::HOST_NATIVE_ATOMIC_SUPPORTED,
    attribute::PAGEABLE_MEMORY_ACCESS,
    attribute::PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES,
    attribute::DIRECT_MANAGED_MEM_ACCESS_FROM_HOST,
    attribute::CONCURRENT_MANAGED_ACCESS,
    attribute::CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM,
    attribute::DMA_BUF_SUPPORTED,
    attribute::SPARSE_CUDA_ARRAY_SUPPORTED,
    attribute::DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED,
    attribute::HANDLE_TYPE_FABRIC_SUPPORTED,
    attribute::UNIFIED_FUNCTION_POINTERS,
    attribute::MULTICAST_SUPPORTED,
    attribute::MEM_DECOMPRESS_ALGORITHM_MASK,
    attribute::GPU_DIRECT_RDMA_SUPPORTED,
];

#[derive(Default)]
/// The facts of all nodes.
pub struct Facts {
    /// The oldest of the nodes' driver versions.
    pub driver_version: i32,
    /// Devices that CUDA_VISIBLE_DEVICES lets the program see, by ordinal.
    pub devices: Vec<Arc<Device>>,
    /// Whether CUDA_VISIBLE_DEVICES names a device twice. The program then sees none.
    pub names_one_twice: bool,
    /// All devices of the nodes. NVML lists them regardless of CUDA_VISIBLE_DEVICES.
    pub node_devices: Vec<Arc<Device>>,
}

/// A device, with the session that reaches it.
pub struct Device {
    /// Session with the device's node.
    pub session: &'static Session,
    /// The device's ordinal on its node.
    pub node_ordinal: i32,
    facts: DeviceFacts,
}

impl std::ops::Deref for Device {
    type Target = DeviceFacts;

    fn deref(&self) -> &DeviceFacts {
        &self.facts
    }
}

impl Facts {
    /// Appends a node's devices to those of the earlier nodes.
    pub fn add(&mut self, session: &'static Session, offer: Offer) {
        let is_first = self.node_devices.is_empty();
        self.driver_version = if is_first {
            offer.driver_version
        } else {
            self.driver_version.min(offer.driver_version)
        };
        let device = |(ordinal, mut facts): (usize, DeviceFacts)| {
            facts.move_to(session.number);
            Arc::new(Device { session, node_ordinal: ordinal as i32, facts })
        };
        self.node_devices.extend(offer.devices.into_iter().enumerate().map(device));
    }

    /// Fills `devices` with those that CUDA_VISIBLE_DEVICES selects.
    pub fn apply_visible_devices(&mut self) {
        let seen = visible(&self.node_devices);
        self.names_one_twice = seen.is_err();
        self.devices = seen.unwrap_or_default();
    }

    /// Returns whether CUDA_VISIBLE_DEVICES still selects the same devices as when the sessions
    /// began.
    pub fn is_current(&self) -> bool {
        let now = visible(&self.node_devices);
        if now.is_err() != self.names_one_twice {
            return false;
        }
        let now = now.unwrap_or_default();
        now.len() == self.devices.len()
            && now.iter().zip(&self.devices).all(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// Returns the device with this ordinal, or `INVALID_DEVICE`.
    pub fn device(&self, ordinal: CUdevice) -> Result<&Device, CUresult> {
        usize::try_from(ordinal)
            .ok()
            .and_then(|i| self.devices.get(i))
            .map(Arc::as_ref)
            .ok_or(CUresult::INVALID_DEVICE)
    }

    /// Returns the device's ordinal on its node.
    pub fn on_node(&self, ordinal: CUdevice) -> Result<i32, CUresult> {
        Ok(self.device(ordinal)?.node_ordinal)
    }
}

fn visible(devices: &[Arc<Device>]) -> Result<Vec<Arc<Device>>, RepeatedDevice> {
    let uuids: Vec<_> = devices.iter().map(|d| d.uuid).collect();
    let seen = visible_devices(std::env::var("CUDA_VISIBLE_DEVICES").ok().as_deref(), &uuids)?;
    Ok(seen.into_iter().map(|i| devices[i].clone()).collect())
}

/// Number of PCI domains that each node's devices may use.
const PCI_DOMAINS: u32 = 0x1000;

impl DeviceFacts {
    /// Moves the device's PCI address to the node's own range of domains. Devices of two machines
    /// may have the same addresses, and programs treat one address as one device. Each node's
    /// domains follow those of the previous node.
    fn move_to(&mut self, node: u8) {
        let domain = self.pci_address().domain.wrapping_add(u32::from(node) * PCI_DOMAINS);
        if let Some(place) =
            self.attributes.get_mut(attribute::PCI_DOMAIN_ID as usize).filter(|_| node > 0)
        {
            *place = domain as i32;
            if let Some((digits, rest)) = self.pci_bus_id.split_once(':') {
                self.pci_bus_id = format!("{domain:0width$x}:{rest}", width = digits.len());
            }
        }
    }

    /// Returns the value of an attribute, or `INVALID_VALUE`.
    pub fn attribute(&self, id: i32) -> Result<i32, CUresult> {
        if NOT_PASSED_ON.contains(&id) {
            return Ok(0);
        }
        if id == attribute::MEMPOOL_SUPPORTED_HANDLE_TYPES {
            // The client implements memory pools and shares their memory in the way of other device
            // memory.
            let shares = !self.memory_moves
                && self.attribute(attribute::HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED)? != 0;
            return Ok(i32::from(shares) * values::MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
        }
        let value = usize::try_from(id)
            .ok()
            .filter(|i| *i > 0)
            .and_then(|i| self.attributes.get(i))
            .copied();
        value.filter(|v| *v != NO_ATTRIBUTE).ok_or(CUresult::INVALID_VALUE)
    }

    /// Returns the compute capability as a number, for instance 90 for 9.0.
    pub fn capability(&self) -> u32 {
        let number = |id| self.attribute(id).unwrap_or(0) as u32;
        number(attribute::COMPUTE_CAPABILITY_MAJOR) * 10
            + number(attribute::COMPUTE_CAPABILITY_MINOR)
    }

    /// Returns the PCI address, which `move_to` may have changed.
    pub fn pci_address(&self) -> PciAddress {
        let number = |id| self.attribute(id).unwrap_or(0) as u32;
        PciAddress {
            domain: number(attribute::PCI_DOMAIN_ID),
            bus: number(attribute::PCI_BUS_ID),
            device: number(attribute::PCI_DEVICE_ID),
        }
    }

    /// Returns the numbers by which other processes identify the device.
    pub fn identity(&self) -> DeviceIdentity {
        let PciAddress { domain, bus, device } = self.pci_address();
        DeviceIdentity {
            uuid: self.uuid,
            pci_domain: domain as i32,
            pci_bus: bus as i32,
            pci_device: device as i32,
        }
    }
}
