//! NVML's C ABI: its types with the names from nvml.h, its error codes with their texts, and its
//! function table. Deliberately absent: sensors and connections.

#![allow(non_camel_case_types, non_snake_case)]

pub use crate::generated::nvml::Nvml;
use std::ffi::{CStr, c_char};
use std::fmt;

/// An NVML function's result. Zero is success.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct nvmlReturn_t(pub i32);

impl nvmlReturn_t {
    /// Converts the code into a Result.
    pub fn ok(self) -> Result<(), nvmlReturn_t> {
        if self == nvmlReturn_t::SUCCESS { Ok(()) } else { Err(self) }
    }

    /// Returns the text that nvmlErrorString returns.
    pub fn text(self) -> &'static CStr {
        ROWS.iter().find(|(code, _)| *code == self).map_or(c"Unknown Error", |(_, text)| text)
    }
}

impl From<Result<(), nvmlReturn_t>> for nvmlReturn_t {
    fn from(result: Result<(), nvmlReturn_t>) -> nvmlReturn_t {
        result.err().unwrap_or(nvmlReturn_t::SUCCESS)
    }
}

impl fmt::Debug for nvmlReturn_t {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.text().to_string_lossy(), self.0)
    }
}

macro_rules! codes {
    ($($name:ident = $code:literal, $text:literal;)*) => {
        impl nvmlReturn_t {
            $(
                /// NVML's code of this name; `text` returns its meaning.
                pub const $name: nvmlReturn_t = nvmlReturn_t($code);
            )*
        }

        static ROWS: &[(nvmlReturn_t, &CStr)] = &[$((nvmlReturn_t::$name, $text),)*];
    };
}

codes! {
    SUCCESS = 0, c"Success";
    UNINITIALIZED = 1, c"Uninitialized";
    INVALID_ARGUMENT = 2, c"Invalid Argument";
    NOT_SUPPORTED = 3, c"Not Supported";
    NO_PERMISSION = 4, c"Insufficient Permissions";
    ALREADY_INITIALIZED = 5, c"Already Initialized";
    NOT_FOUND = 6, c"Not Found";
    INSUFFICIENT_SIZE = 7, c"Insufficient Size";
    INSUFFICIENT_POWER = 8, c"Insufficient External Power";
    DRIVER_NOT_LOADED = 9, c"Driver Not Loaded";
    TIMEOUT = 10, c"Timeout";
    IRQ_ISSUE = 11, c"Interrupt Request Issue";
    LIBRARY_NOT_FOUND = 12, c"NVML Shared Library Not Found";
    FUNCTION_NOT_FOUND = 13, c"Function Not Found";
    CORRUPTED_INFOROM = 14, c"Corrupted infoROM";
    GPU_IS_LOST = 15, c"GPU is lost";
    RESET_REQUIRED = 16, c"GPU requires restart";
    OPERATING_SYSTEM = 17, c"The operating system has blocked the request.";
    LIB_RM_VERSION_MISMATCH = 18, c"RM has detected an NVML/RM version mismatch.";
    IN_USE = 19, c"In use by another client";
    MEMORY = 20, c"Insufficient Memory";
    NO_DATA = 21, c"No data";
    INSUFFICIENT_RESOURCES = 23, c"Insufficient Resources";
    ARGUMENT_VERSION_MISMATCH = 25, c"Argument version mismatch";
    NOT_READY = 27, c"Not Ready";
    GPU_NOT_FOUND = 28, c"GPU Not Found";
    INVALID_STATE = 29, c"Invalid State";
    UNKNOWN = 999, c"Unknown Error";
}

/// An opaque pointer that no code dereferences.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct nvmlDevice_t(pub usize);

/// An opaque pointer that no code dereferences.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct nvmlEventSet_t(pub usize);

/// Returns the value of a struct's version field, which combines the struct's size and version.
pub const fn versioned<T>(version: u32) -> u32 {
    size_of::<T>() as u32 | version << 24
}

macro_rules! structs {
    ($(struct $name:ident { $($field:ident: $ty:ty,)* })*) => {$(
        // NVIDIA's documents describe each struct.
        #[allow(missing_docs)]
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct $name {
            $(pub $field: $ty,)*
        }

        // SAFETY: repr(C), and all fields are numbers and arrays of numbers.
        unsafe impl crate::types::Plain for $name {}
    )*};
}

structs! {
    struct nvmlMemory_t { total: u64, free: u64, used: u64, }
    struct nvmlMemory_v2_t { version: u32, total: u64, reserved: u64, free: u64, used: u64, }
    struct nvmlBAR1Memory_t { bar1Total: u64, bar1Free: u64, bar1Used: u64, }
    struct nvmlUtilization_t { gpu: u32, memory: u32, }
    struct nvmlFBCStats_t { sessionsCount: u32, averageFPS: u32, averageLatency: u32, }
    struct nvmlViolationTime_t { referenceTime: u64, violationTime: u64, }
    struct nvmlRowRemapperHistogramValues_t {
        max: u32, high: u32, partial: u32, low: u32, none: u32,
    }
    struct nvmlPciInfo_t {
        busIdLegacy: [c_char; 16], domain: u32, bus: u32, device: u32, pciDeviceId: u32,
        pciSubSystemId: u32, busId: [c_char; 32],
    }
    struct nvmlPciInfoExt_v1_t {
        version: u32, domain: u32, bus: u32, device: u32, pciDeviceId: u32, pciSubSystemId: u32,
        baseClass: u32, subClass: u32, busId: [c_char; 32],
    }
    struct nvmlPciInfo_v2_t {
        busIdLegacy: [c_char; 16], domain: u32, bus: u32, device: u32, pciDeviceId: u32,
        pciSubSystemId: u32, reserved: [u32; 4],
    }
    struct nvmlProcessInfo_v1_t { pid: u32, usedGpuMemory: u64, }
    struct nvmlProcessInfo_t {
        pid: u32, usedGpuMemory: u64, gpuInstanceId: u32, computeInstanceId: u32,
    }
    struct nvmlTemperature_t { version: u32, sensorType: u32, temperature: i32, }
    struct nvmlMarginTemperature_v1_t { version: u32, marginTemperature: i32, }
    struct nvmlDeviceAddressingMode_v1_t { version: u32, value: u32, }
    struct nvmlPdi_v1_t { version: u32, value: u64, }
    struct nvmlRepairStatus_v1_t {
        version: u32, bChannelRepairPending: u32, bTpcRepairPending: u32,
    }
    struct nvmlDeviceCapabilities_v1_t { version: u32, capMask: u32, }
    struct nvmlEccSramErrorStatus_v1_t {
        version: u32, aggregateUncParity: u64, aggregateUncSecDed: u64, aggregateCor: u64,
        volatileUncParity: u64, volatileUncSecDed: u64,
        volatileCor: u64, aggregateUncBucketL2: u64, aggregateUncBucketSm: u64,
        aggregateUncBucketPcie: u64, aggregateUncBucketMcu: u64,
        aggregateUncBucketOther: u64, bThresholdExceeded: u32,
    }
    struct nvmlFieldValue_t {
        fieldId: u32, scopeId: u32, timestamp: i64, latencyUsec: i64, valueType: u32,
        nvmlReturn: i32, value: u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_those_of_c() {
        assert_eq!((size_of::<nvmlPciInfo_t>(), size_of::<nvmlPciInfo_v2_t>()), (68, 52));
        assert_eq!((size_of::<nvmlProcessInfo_v1_t>(), size_of::<nvmlProcessInfo_t>()), (16, 24));
        assert_eq!(size_of::<nvmlFieldValue_t>(), 40);
        assert_eq!(
            (versioned::<nvmlMemory_v2_t>(2), versioned::<nvmlTemperature_t>(1)),
            (0x0200_0028, 0x0100_000C)
        );
    }

    #[test]
    fn codes_have_texts() {
        assert_eq!(nvmlReturn_t::NOT_SUPPORTED.text(), c"Not Supported");
        assert_eq!(nvmlReturn_t(4242).text(), c"Unknown Error");
    }
}
