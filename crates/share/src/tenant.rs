//! The tenants that hold shares.

/// The ID of a tenant: a user of the node, with any number of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TenantId(pub u32);

/// A tenant's share and priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tenant {
    /// Share, relative to the shares of the other tenants that want the GPU at the same time.
    pub share_basis_points: u32,
    /// Priority within the share. A larger value goes first, as long as the tenant does not exceed
    /// its share.
    pub priority: u8,
}
