//! The driver layer's errors, as one type.
//!
//! The variants carry the meaning and the texts for users. CUDA's numbers appear only in `code`,
//! because only the C ABI uses them.

use std::fmt;

/// The result of a driver function.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the driver layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    InvalidValue,
    OutOfMemory,
    NotInitialized,
    NoDevice,
    InvalidDevice,
    InvalidImage,
    InvalidContext,
    /// The image has no code that this device can run. The text says what it has.
    NoBinary(String),
    /// PTX that cannot be parsed or linked. The text says where and why.
    InvalidPtx(String),
    /// Valid PTX that uses a feature that the engine lacks. The text names the feature.
    UnsupportedCode(String),
    UnsupportedPtxVersion(String),
    FileNotFound,
    InvalidHandle,
    /// A call out of order: an earlier call is missing or forbids this one.
    IllegalState,
    /// The query's result would have to omit edge data.
    LossyQuery,
    NotFound,
    NotReady,
    IllegalAddress,
    /// Threads wait for each other forever. A real GPU would hang or be reset.
    LaunchTimeout,
    UnsupportedLimit,
    PeerAccessUnsupported,
    PeerAccessAlreadyEnabled,
    PeerAccessNotEnabled,
    ContextIsDestroyed,
    AssertFailed,
    HostMemoryAlreadyRegistered,
    HostMemoryNotRegistered,
    StackOverflow,
    Misaligned,
    LaunchFailed,
    CooperativeLaunchTooLarge,
    /// Clusters that the kernel or the device does not support, or that do not divide the grid.
    InvalidClusterSize,
    /// A call from a host function.
    NotPermitted,
    NotSupported,
    /// A call that a capture forbids.
    StreamCaptureUnsupported,
    StreamCaptureInvalidated,
    StreamCaptureMerge,
    StreamCaptureUnmatched,
    StreamCaptureUnjoined,
    StreamCaptureIsolation,
    StreamCaptureImplicit,
    CapturedEvent,
    StreamCaptureWrongThread,
    GraphExecUpdateFailure,
    InvalidResourceType,
    InvalidResourceConfiguration,
    /// The operating system rejected a request, and no other variant fits.
    OperatingSystem,
}

impl Error {
    /// Returns the error's `CUresult` number.
    pub const fn code(&self) -> i32 {
        match self {
            Error::InvalidValue => 1,
            Error::OutOfMemory => 2,
            Error::NotInitialized => 3,
            Error::NoDevice => 100,
            Error::InvalidDevice => 101,
            Error::InvalidImage => 200,
            Error::InvalidContext => 201,
            Error::NoBinary(_) => 209,
            Error::InvalidPtx(_) => 218,
            Error::UnsupportedPtxVersion(_) => 222,
            Error::FileNotFound => 301,
            Error::OperatingSystem => 304,
            Error::InvalidHandle => 400,
            Error::IllegalState => 401,
            Error::LossyQuery => 402,
            Error::NotFound => 500,
            Error::NotReady => 600,
            Error::IllegalAddress => 700,
            Error::LaunchTimeout => 702,
            Error::UnsupportedLimit => 215,
            Error::PeerAccessUnsupported => 217,
            Error::PeerAccessAlreadyEnabled => 704,
            Error::PeerAccessNotEnabled => 705,
            Error::ContextIsDestroyed => 709,
            Error::AssertFailed => 710,
            Error::HostMemoryAlreadyRegistered => 712,
            Error::HostMemoryNotRegistered => 713,
            Error::StackOverflow => 714,
            Error::Misaligned => 716,
            Error::LaunchFailed => 719,
            Error::CooperativeLaunchTooLarge => 720,
            Error::NotPermitted => 800,
            Error::NotSupported | Error::UnsupportedCode(_) => 801,
            Error::StreamCaptureUnsupported => 900,
            Error::StreamCaptureInvalidated => 901,
            Error::StreamCaptureMerge => 902,
            Error::StreamCaptureUnmatched => 903,
            Error::StreamCaptureUnjoined => 904,
            Error::StreamCaptureIsolation => 905,
            Error::StreamCaptureImplicit => 906,
            Error::CapturedEvent => 907,
            Error::StreamCaptureWrongThread => 908,
            Error::GraphExecUpdateFailure => 910,
            Error::InvalidClusterSize => 912,
            Error::InvalidResourceType => 914,
            Error::InvalidResourceConfiguration => 915,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoBinary(text) => f.write_str(text),
            Error::InvalidPtx(text) => write!(f, "invalid PTX: {text}"),
            Error::UnsupportedCode(text) | Error::UnsupportedPtxVersion(text) => {
                write!(f, "unsupported PTX: {text}")
            }
            other => write!(f, "{other:?} ({})", other.code()),
        }
    }
}

impl std::error::Error for Error {}
