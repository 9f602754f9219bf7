//! A node's name in its certificate.

use crate::error::Error;
use outhaul_wire::name::check_name;

/// Returns the host name in a node's certificate.
pub fn node_host(name: &str) -> String {
    format!("{name}{NODE_DOMAIN}")
}

/// Returns the name of the node that a certificate belongs to, if it is a node's certificate.
pub fn node_of(certificate: &webpki::EndEntityCert<'_>) -> Option<String> {
    certificate.valid_dns_names().find_map(|name| name.strip_suffix(NODE_DOMAIN).map(str::to_owned))
}

/// The domain of nodes' host names; no machine of a pool uses it for another purpose.
/// `outhaul-transport`, which does not know of pools, has a constant with this value.
pub(super) const NODE_DOMAIN: &str = ".node.outhaul";

/// Checks that a certificate can contain a node's name.
///
/// # Errors
/// `Asked`, with the reason.
pub fn check_node_name(name: &str) -> Result<(), Error> {
    let label = |label: &str| {
        let plain = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        (1..=63).contains(&label.len()) && plain && !label.starts_with('-') && !label.ends_with('-')
    };
    check_name("node", name)?;
    if name.split('.').all(label) {
        return Ok(());
    }
    Err(Error::Asked(format!(
        "'{name}' cannot name a node that has a certificate; use letters, digits and hyphens, in \
        parts separated by dots"
    )))
}
