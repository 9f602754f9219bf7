//! Messages about failed connections: the cause, and advice for the user.

use outhaul_transport::HelloError;
use outhaul_wire::handshake::HandshakeError;

/// Returns a message with the cause of the error and advice for the user.
pub fn explain(address: &str, error: &HelloError) -> String {
    match error {
        _ if error.is_out_of_descriptors() => {
            format!(
                "no session with {address}: {error}: this process may open no more files; raise \
                its limit (`ulimit -n`)"
            )
        }
        HelloError::Unreachable { .. } | HelloError::Unresolvable { .. } => {
            format!(
                "{error}; start one there with `outhaul serve`, or name another with \
                OUTHAUL_NODE=HOST:PORT"
            )
        }
        HelloError::Handshake(HandshakeError::Foreign) => {
            format!(
                "what listens at {address} is not an Outhaul node; check the port (`outhaul serve` \
                prints its own)"
            )
        }
        HelloError::Silent { .. } => {
            format!("{error}; check that node, or name another with OUTHAUL_NODE=HOST:PORT")
        }
        HelloError::Refused(reason) => format!("the node at {address} refuses: {reason}"),
        HelloError::Speaks { .. } => format!("the node at {address} refuses: {error}"),
        HelloError::Busy(reason) => {
            format!("the node at {address} has been busy for too long: {reason}")
        }
        HelloError::Unproven { .. } | HelloError::NoTrust(_) => error.to_string(),
        HelloError::Thread(_) | HelloError::Transport(_) | HelloError::Arena(_) => {
            error.to_string()
        }
        HelloError::NotLocal { .. } | HelloError::Unshared { .. } => {
            format!("{error}; leave OUTHAUL_TRANSPORT out to reach it over TCP")
        }
        _ => format!(
            "no session with {address}: {error}; `outhaul doctor --node {address}` shows more"
        ),
    }
}
