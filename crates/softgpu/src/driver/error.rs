//! What can go wrong inside the driver layer, as one type.
//!
//! The variants carry meaning, and the texts that a person needs; the numbers that CUDA gives
//! them appear once, in `code`, because the C ABI is the only place that speaks in numbers.

use std::fmt;

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    InvalidValue,
    OutOfMemory,
    NotInitialized,
    NoDevice,
    InvalidDevice,
    InvalidImage,
    InvalidContext,
    /// No code in the image that this device can run.
    NoBinary,
    /// PTX that cannot be parsed or linked; the text says where and why.
    InvalidPtx(String),
    /// PTX that is right but uses what the engine does not have; the text names it.
    UnsupportedCode(String),
    UnsupportedPtxVersion(String),
    FileNotFound,
    InvalidHandle,
    /// A call that another must come before, or must not.
    IllegalState,
    /// An answer that would have to leave something out.
    LossyQuery,
    NotFound,
    NotReady,
    IllegalAddress,
    /// Threads that wait for each other for ever; a card would hang or be reset.
    LaunchTimeout,
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
    /// Clusters that the kernel or the device cannot have, or that do not make up the grid.
    InvalidClusterSize,
    /// A call from within a host function.
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
    /// The operating system refused something that has no better name here.
    OperatingSystem,
}

impl Error {
    /// The CUresult number of this error.
    pub const fn code(&self) -> i32 {
        match self {
            Error::InvalidValue => 1,
            Error::OutOfMemory => 2,
            Error::NotInitialized => 3,
            Error::NoDevice => 100,
            Error::InvalidDevice => 101,
            Error::InvalidImage => 200,
            Error::InvalidContext => 201,
            Error::NoBinary => 209,
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
            Error::InvalidPtx(text) => write!(f, "invalid PTX: {text}"),
            Error::UnsupportedCode(text) | Error::UnsupportedPtxVersion(text) => {
                write!(f, "unsupported PTX: {text}")
            }
            other => write!(f, "{other:?} ({})", other.code()),
        }
    }
}

impl std::error::Error for Error {}
