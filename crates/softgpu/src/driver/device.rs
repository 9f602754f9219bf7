//! The software GPU's devices: identities and consistent attributes.
//!
//! A device has the configured compute capability, by default 12.0. Its multiprocessors are the
//! machine's cores. Its block and texture limits are those of a real GPU with that capability.

use crate::driver::system::settings::Settings;
use crate::driver::system::uuid::uuid_of;
use crate::engine::CLUSTER_BLOCKS_MAX;

/// Threads per warp.
pub const WARP_SIZE: i32 = 32;
/// Maximum number of threads per block.
pub const THREADS_PER_BLOCK_MAX: u32 = 1024;
/// Maximum number of threads per block along each axis.
pub const BLOCK_DIM_MAX: [u32; 3] = [1024, 1024, 64];
/// Maximum number of blocks per grid along each axis.
pub const GRID_DIM_MAX: [u32; 3] = [0x7fff_ffff, 65535, 65535];
/// Shared memory that a block may use without opting in to more.
pub const SHARED_BYTES_DEFAULT: u32 = 48 << 10;
/// Registers per multiprocessor.
pub const REGISTERS_PER_MULTIPROCESSOR: u32 = 65536;
/// Alignment, in bytes, of pitched allocations and texture rows.
pub const PITCH_ALIGNMENT: usize = 512;

const PCI_DOMAIN: i32 = 0;
/// First bus number, high enough that no real GPU of the machine has it.
const PCI_BUS_FIRST: i32 = 0xa0;

/// The capacity of one multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of resident threads.
    pub threads: u32,
    /// Maximum number of resident blocks.
    pub blocks: u32,
    /// Shared memory, in bytes.
    pub shared_bytes: u32,
    /// Maximum shared memory of a block that opts in to more than the default.
    pub shared_bytes_optin: u32,
    /// Shared memory that each resident block occupies in addition to its own.
    pub shared_bytes_reserved: u32,
    /// Maximum number of blocks per cluster, or 0 if clusters are not supported.
    pub cluster_blocks: u32,
}

impl Limits {
    /// Returns the limits for a compute capability.
    pub fn of((major, minor): (u32, u32)) -> Limits {
        let (threads, blocks, shared, optin) = match (major, minor) {
            (..=6, _) => (2048, 32, 96, 48),
            (7, ..=4) => (2048, 32, 96, 96),
            (7, _) => (1024, 16, 64, 64),
            (8, 0) => (2048, 32, 164, 163),
            (8, ..=6) => (1536, 16, 100, 99),
            (8, 7) => (1536, 16, 164, 163),
            (8, _) | (12.., _) => (1536, 24, 100, 99),
            _ => (2048, 32, 228, 227),
        };
        let shared_bytes_reserved = if major < 8 { 0 } else { 1 << 10 };
        let cluster_blocks = match major {
            ..=8 => 0,
            9..=11 => CLUSTER_BLOCKS_MAX,
            12.. => 8,
        };
        Limits {
            threads,
            blocks,
            shared_bytes: shared << 10,
            shared_bytes_optin: optin << 10,
            shared_bytes_reserved,
            cluster_blocks,
        }
    }
}

/// A device of the software GPU.
pub struct Device {
    /// The ordinal: an index into the devices that the program sees.
    pub ordinal: i32,
    /// Index into the machine's devices, independent of `CUDA_VISIBLE_DEVICES`.
    pub physical: u32,
    /// Memory size in bytes.
    pub memory_bytes: u64,
    /// Compute capability: major and minor.
    pub capability: (u32, u32),
    multiprocessors: u32,
}

impl Device {
    /// Returns the devices that the program sees.
    pub fn all(settings: &Settings) -> Vec<Device> {
        let cores =
            std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(1));
        (0..)
            .zip(settings.visible.iter().flatten())
            .map(|(ordinal, physical)| Device {
                ordinal,
                physical: *physical,
                memory_bytes: settings.memory_bytes,
                capability: settings.capability,
                multiprocessors: cores,
            })
            .collect()
    }

    /// Returns the device's name.
    pub fn name(&self) -> String {
        outhaul_abi::SOFTWARE_GPU.to_string()
    }

    /// Returns the number of multiprocessors.
    pub fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    /// Returns a multiprocessor's limits.
    pub fn limits(&self) -> Limits {
        Limits::of(self.capability)
    }

    /// Returns the device's UUID.
    pub fn uuid(&self) -> [u8; 16] {
        uuid_of(self.physical)
    }

    fn pci_bus(&self) -> i32 {
        PCI_BUS_FIRST + i32::try_from(self.physical).unwrap_or(0)
    }

    /// Returns the PCI bus ID.
    pub fn pci_bus_id(&self) -> String {
        format!("{PCI_DOMAIN:08X}:{:02X}:00.0", self.pci_bus())
    }

    /// Returns whether `text` is this device's PCI bus ID.
    pub fn has_pci_bus_id(&self, text: &str) -> bool {
        let mut parts: Vec<&str> = text.split([':', '.']).collect();
        let number = |part: &str| i32::from_str_radix(part, 16).ok();
        if text.contains('.') {
            parts.pop();
        }
        let wanted: Option<Vec<i32>> = parts.into_iter().map(number).collect();
        matches!(wanted.as_deref(), Some([PCI_DOMAIN, bus, 0] | [bus, 0]) if *bus == self.pci_bus())
    }

    /// Returns the attribute with the number `id`, or `None` if the number is unknown.
    pub fn attribute(&self, id: i32) -> Option<i32> {
        let value = match id {
            16 => i32::try_from(self.multiprocessors).unwrap_or(i32::MAX),
            33 => self.pci_bus(),
            39 => self.limits().threads as i32,
            81 => self.limits().shared_bytes as i32,
            97 => self.limits().shared_bytes_optin as i32,
            106 => self.limits().blocks as i32,
            120 => i32::from(self.limits().cluster_blocks > 0),
            111 => self.limits().shared_bytes_reserved as i32,
            75 => self.capability.0 as i32,
            76 => self.capability.1 as i32,
            _ => {
                return FIXED_ATTRIBUTES
                    .iter()
                    .find(|(fixed, _)| *fixed == id)
                    .map(|(_, value)| *value);
            }
        };
        Some(value)
    }
}

/// Numbers of `CUdevice_attribute`, with the values that are equal on all software GPUs.
const FIXED_ATTRIBUTES: &[(i32, i32)] = &[
    // Launch shape.
    (1, THREADS_PER_BLOCK_MAX as i32),
    (2, BLOCK_DIM_MAX[0] as i32),
    (3, BLOCK_DIM_MAX[1] as i32),
    (4, BLOCK_DIM_MAX[2] as i32),
    (5, GRID_DIM_MAX[0] as i32),
    (6, GRID_DIM_MAX[1] as i32),
    (7, GRID_DIM_MAX[2] as i32),
    (8, SHARED_BYTES_DEFAULT as i32),
    (9, 65536), // constant memory
    (10, WARP_SIZE),
    (11, i32::MAX), // largest pitch
    (12, 65536),    // registers per block
    (82, REGISTERS_PER_MULTIPROCESSOR as i32),
    // Clocks, buses and caches: plausible values that nothing depends on.
    (13, 1_000_000),
    (36, 1_000_000),
    (37, 64),
    (38, 4 << 20),
    (79, 1),
    (80, 1),
    (87, 2),
    (108, 0),
    (109, 0),
    // Identity.
    (18, 0), // integrated
    (20, 0), // compute mode: default
    (32, 0), // ECC
    (34, 0), // PCI device
    (35, 0), // TCC
    (50, PCI_DOMAIN),
    (84, 0), // multi-GPU board
    (85, 0),
    (130, 0), // NUMA configuration: none
    (131, -1),
    (134, -1),
    (139, 0),
    (140, 0),
    // Concurrency.
    (15, 1),
    (17, 0), // no kernel time limit
    (31, 1),
    (40, 2),
    (78, 1),
    (90, 0),
    (92, 0), // stream memory operations, version 1
    (93, 0),
    (94, 0),
    (95, 1), // cooperative launch
    (96, 0),
    (122, 1), // 64-bit stream memory operations
    (123, 1), // stream waits for NOR
    (126, 1),
    (129, 0),
    (133, 0),
    // Memory.
    (19, 1), // map host memory
    (41, 1), // unified addressing
    (83, 1), // managed memory
    (86, 1), // host atomics: device memory is host memory
    (88, 0),
    (89, 1), // host and device may touch managed memory at the same time
    (91, 1), // registered host pointers are device pointers
    (98, 0),
    (99, 1), // host register
    (100, 0),
    (101, 1), // host access to managed memory without migration
    (102, 1), // virtual memory management
    (103, 1), // POSIX file descriptors
    (104, 0),
    (105, 0),
    (107, 0),
    (110, 0),
    (112, 0),
    (113, 0), // read-only host register
    (114, 0),
    (115, 1), // memory pools
    (116, 0),
    (117, 0),
    (118, 0),
    (119, 0),
    (121, 0),
    (124, 0),
    (125, 1),
    (127, 0),
    (128, 0),
    (132, 0),
    (135, 0),
    (136, 0),
    (137, 0),
    (138, 0),
    (141, 0),
    (142, 0),
    (143, 0),
    (144, 0),
    (145, 0),
    (146, 0),
    (147, 0),
    (148, 0),
    // Textures and surfaces.
    (14, 512),
    (21, 131_072),
    (22, 131_072),
    (23, 65_536),
    (24, 16_384),
    (25, 16_384),
    (26, 16_384),
    (27, 32_768),
    (28, 32_768),
    (29, 2_048),
    (30, 512),
    (42, 32_768),
    (43, 2_048),
    (44, 1),
    (45, 32_768),
    (46, 32_768),
    (47, 8_192),
    (48, 8_192),
    (49, 32_768),
    (51, 32),
    (52, 32_768),
    (53, 32_768),
    (54, 2_046),
    (55, 32_768),
    (56, 131_072),
    (57, 65_536),
    (58, 16_384),
    (59, 16_384),
    (60, 16_384),
    (61, 32_768),
    (62, 2_048),
    (63, 32_768),
    (64, 32_768),
    (65, 2_048),
    (66, 32_768),
    (67, 32_768),
    (68, 2_046),
    (69, 268_435_456),
    (70, 131_072),
    (71, 65_000),
    (72, 2_097_120),
    (73, 32_768),
    (74, 32_768),
    (77, 32_768),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn device() -> Device {
        Device {
            ordinal: 0,
            physical: 1,
            memory_bytes: 1 << 30,
            capability: (7, 5),
            multiprocessors: 4,
        }
    }

    #[test]
    fn every_attribute_up_to_148_has_one_answer() {
        for id in 1..=148 {
            assert!(device().attribute(id).is_some(), "attribute {id}");
            assert!(
                FIXED_ATTRIBUTES.iter().filter(|(fixed, _)| *fixed == id).count() <= 1,
                "attribute {id}"
            );
        }
        assert_eq!(device().attribute(0), None);
        assert_eq!(device().attribute(149), None);
    }

    #[test]
    fn every_capability_has_room_for_a_block() {
        for capability in [
            (5, 2),
            (7, 0),
            (7, 5),
            (8, 0),
            (8, 6),
            (8, 7),
            (8, 9),
            (9, 0),
            (10, 0),
            (12, 0),
            (13, 1),
        ] {
            let limits = Limits::of(capability);
            assert!(
                limits.threads >= THREADS_PER_BLOCK_MAX
                    && limits.shared_bytes_optin >= SHARED_BYTES_DEFAULT,
                "{capability:?}"
            );
            assert!(
                limits.shared_bytes_optin + limits.shared_bytes_reserved <= limits.shared_bytes,
                "{capability:?}"
            );
        }
        assert_eq!(Limits::of((9, 0)).shared_bytes_optin, 227 << 10);
        assert_eq!(
            [(8, 9), (9, 0), (12, 0)].map(|capability| Limits::of(capability).cluster_blocks),
            [0, 16, 8]
        );
    }

    #[test]
    fn pci_bus_id_is_recognised_in_its_forms() {
        let device = device();
        assert_eq!(device.pci_bus_id(), "00000000:A1:00.0");
        for form in ["00000000:A1:00.0", "0000:a1:00.0", "a1:00.0", "A1:00"] {
            assert!(device.has_pci_bus_id(form), "{form}");
        }
        for form in ["0000:A0:00.0", "", "nonsense", "1:A1:0.0"] {
            assert!(!device.has_pci_bus_id(form), "{form}");
        }
    }
}
