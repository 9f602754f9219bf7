//! A holder of a share.

/// A holder of a share: a user of the node, with any number of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TenantId(pub u32);

/// How large a tenant's share is, and how urgent its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tenant {
    /// Counts relative to the shares of the other tenants that want the GPU at the same time.
    pub share_basis_points: u32,
    /// The larger priority goes first, as long as the tenant is within its share.
    pub priority: u8,
}
