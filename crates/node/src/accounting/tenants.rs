//! The tenants that pay for sessions. A named tenant has a share of each of the node's GPUs, and so
//! does the tenant of a single session without a name. A pool's lease is a tenant too; the lease
//! defines its share of each GPU.

use crate::accounting::frames::FrameCounts;
use crate::lease::Grant;
use outhaul_share::{
    Configuration, Refusal, Shares, TENANTS_MAX, Tenant as Terms, TenantId, check_name,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Time used in nanoseconds, by engine.
pub type Used = [u64; 3];

/// The tenant or lease whose share a session uses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Payer {
    /// The tenant with this name.
    Named(String),
    /// The lease that the pool granted.
    Lease(Grant),
    /// A tenant for this session only.
    Own,
}

/// Identity of a payer: a tenant's name, or a lease's name with its fencing token.
pub type Holder = (String, Option<u64>);

impl Payer {
    /// Returns the payer's identity, or None for a session without a tenant, because nothing of
    /// such a session outlives it.
    pub fn holder(&self) -> Option<Holder> {
        match self {
            Payer::Named(name) => Some((name.clone(), None)),
            Payer::Lease(grant) => Some((grant.lease.clone(), Some(grant.fence))),
            Payer::Own => None,
        }
    }
}

/// A tenant's part of one GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TenantPart {
    /// Share of the GPU's time in basis points.
    pub share_basis_points: u32,
    /// Priority as it was set. A lease's priority may be below 0.
    pub priority: i16,
}

/// A node's tenants.
#[derive(Default)]
pub struct Tenants {
    /// The shares as administrators set them.
    pub shares: Shares,
    all: BTreeMap<TenantId, Tenant>,
    numbered: u32,
}

/// A tenant.
pub struct Tenant {
    /// The tenant's name.
    pub name: String,
    kind: TenantKind,
    /// Number of the tenant's sessions.
    pub sessions: usize,
    /// Time that ended sessions have used, by GPU.
    pub used: Vec<Used>,
    /// Frames of ended sessions.
    pub frames: FrameCounts,
}

enum TenantKind {
    Named,
    /// The tenant of a single session, which ends with that session.
    Own,
    /// A lease, with its parts by the GPUs' identities.
    Lease(BTreeMap<u64, TenantPart>),
}

/// Returns a number that identifies the GPU with this UUID.
pub fn identity(uuid: &[u8; 16]) -> u64 {
    let half = |bytes: &[u8]| bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    half(&uuid[..8]) ^ half(&uuid[8..]).rotate_left(1)
}

/// Returns the GPU's `identity` from a UUID as in CUDA_VISIBLE_DEVICES: digits after a word and a
/// dash.
pub fn identity_of_text(uuid: &str) -> Option<u64> {
    let (_, digits) = uuid.split_once('-')?;
    let digits = digits.replace('-', "");
    if digits.len() != 32 {
        return None;
    }
    Some(identity(&u128::from_str_radix(&digits, 16).ok()?.to_be_bytes()))
}

fn parts(grant: &Grant) -> BTreeMap<u64, TenantPart> {
    let part = |part: &crate::lease::LeasePart| {
        Some((
            identity_of_text(&part.gpu)?,
            TenantPart {
                share_basis_points: part.share_basis_points(),
                priority: grant.priority.into(),
            },
        ))
    };
    grant.parts.iter().filter_map(part).collect()
}

impl Tenants {
    /// Makes a table with these shares and no tenants.
    pub fn new(shares: Shares) -> Tenants {
        Tenants { shares, ..Tenants::default() }
    }

    /// Returns all tenants.
    pub fn iter(&self) -> impl Iterator<Item = (&TenantId, &Tenant)> {
        self.all.iter()
    }

    /// Returns whether the tenant is a lease.
    pub fn is_lease(&self, id: TenantId) -> bool {
        self.all.get(&id).is_some_and(|tenant| matches!(tenant.kind, TenantKind::Lease(_)))
    }

    /// Returns the tenant's name.
    pub fn name(&self, id: TenantId) -> &str {
        self.all.get(&id).map_or("", |tenant| &tenant.name)
    }

    /// Adds a session to its tenant and returns the tenant. `own` is the tenant's name if the
    /// session names no tenant.
    pub fn join(&mut self, payer: &Payer, own: &str) -> Result<TenantId, Refusal> {
        let (name, kind) = match payer {
            Payer::Named(name) => (name.as_str(), TenantKind::Named),
            Payer::Lease(grant) => (grant.lease.as_str(), TenantKind::Lease(parts(grant))),
            Payer::Own => (own, TenantKind::Own),
        };
        check_name(name)?;
        if let Some((id, tenant)) = self.all.iter_mut().find(|(_, tenant)| tenant.name == name) {
            tenant.sessions += 1;
            tenant.kind = kind;
            return Ok(*id);
        }
        if self.all.len() >= TENANTS_MAX {
            let idle = self.all.iter().find(|(_, tenant)| tenant.sessions == 0).map(|(id, _)| *id);
            self.all.remove(&idle.ok_or(Refusal::TooManyTenants)?);
        }
        self.numbered += 1;
        let id = TenantId(self.numbered);
        self.all.insert(
            id,
            Tenant {
                name: name.to_owned(),
                kind,
                sessions: 1,
                used: Vec::new(),
                frames: FrameCounts::default(),
            },
        );
        Ok(id)
    }

    /// Removes a session from its tenant. A named tenant keeps the time that the session used.
    pub fn quit(&mut self, id: TenantId, used: &[Used], frames: FrameCounts) {
        let Some(tenant) = self.all.get_mut(&id) else { return };
        tenant.sessions -= 1;
        add(&mut tenant.used, used);
        tenant.frames.add(frames);
        if matches!(tenant.kind, TenantKind::Own) && tenant.sessions == 0 {
            self.all.remove(&id);
        }
    }

    /// Forgets leases that have ended, together with their used time.
    pub fn forget_leases(&mut self, holds: impl Fn(&str) -> bool) {
        self.all.retain(|_, tenant| {
            tenant.sessions > 0
                || !matches!(tenant.kind, TenantKind::Lease(_))
                || holds(&tenant.name)
        });
    }

    fn leased(&self, gpu: u64) -> impl Iterator<Item = (TenantId, TenantPart)> {
        let part = move |(id, tenant): (&TenantId, &Tenant)| match &tenant.kind {
            TenantKind::Lease(parts) => Some((*id, *parts.get(&gpu)?)),
            _ => None,
        };
        self.all.iter().filter_map(part)
    }

    /// Returns each tenant's terms for the GPU with this identity. Only the order of priorities
    /// counts, so the lowest priority becomes 0.
    pub fn configuration(&self, gpu: u64) -> Result<Configuration, Refusal> {
        let named =
            self.all.iter().filter(|(_, tenant)| !matches!(tenant.kind, TenantKind::Lease(_)));
        let named = named.map(|(id, tenant)| (*id, tenant.name.as_str())).collect();
        let lowest = self.leased(gpu).map(|(_, part)| part.priority).min().unwrap_or(0);
        let terms = |part: TenantPart| Terms {
            share_basis_points: part.share_basis_points,
            priority: (part.priority - lowest) as u8,
        };
        self.shares
            .configuration(&named, &self.leased(gpu).map(|(id, part)| (id, terms(part))).collect())
    }

    /// Returns a tenant's part of the GPU with this identity, or None if its lease does not include
    /// the GPU.
    pub fn part(&self, id: TenantId, gpu: u64) -> Option<TenantPart> {
        let tenant = self.all.get(&id)?;
        if let TenantKind::Lease(parts) = &tenant.kind {
            return parts.get(&gpu).copied();
        }
        let terms = self.configuration(gpu).ok()?.tenant(id)?;
        Some(TenantPart {
            share_basis_points: terms.share_basis_points,
            priority: terms.priority.into(),
        })
    }
}

/// Adds the times in `used` to those in `to`, by GPU.
pub fn add(to: &mut Vec<Used>, used: &[Used]) {
    to.resize(to.len().max(used.len()), Used::default());
    for (sum, used) in to.iter_mut().zip(used) {
        sum.iter_mut().zip(used).for_each(|(sum, used)| *sum += used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SECOND_NS;

    const GPUS: [&str; 2] =
        ["GPU-00000000-0000-0000-0000-000000000001", "GPU-01020304-0506-0708-090a-0b0c0d0e0f10"];

    fn lease(name: &str, priority: i8, percents: &[(usize, u64)]) -> Payer {
        let part = |(gpu, percent): &(usize, u64)| crate::lease::LeasePart {
            gpu: GPUS[*gpu].into(),
            memory_bytes: 1,
            time_ns: percent * SECOND_NS / 100,
        };
        let (fence, key_hash) = (1, String::new());
        Payer::Lease(Grant {
            lease: name.into(),
            fence,
            key_hash,
            priority,
            parts: percents.iter().map(part).collect(),
            grace_s: None,
            frames_per_s: None,
        })
    }

    #[test]
    fn a_lease_has_its_share_of_each_gpu_and_of_no_other() {
        let gpus = GPUS.map(|uuid| identity_of_text(uuid).unwrap());
        assert_eq!(gpus[1], identity(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]));
        let mut tenants = Tenants::default();
        let both = tenants.join(&lease("both", -3, &[(0, 70), (1, 20)]), "").unwrap();
        let one = tenants.join(&lease("one", 2, &[(1, 80)]), "").unwrap();
        let terms = |id, gpu: usize| tenants.configuration(gpus[gpu]).unwrap().tenant(id);
        let of = |share_basis_points, priority| Some(Terms { share_basis_points, priority });
        assert_eq!((terms(both, 0), terms(one, 0)), (of(7000, 0), None));
        assert_eq!((terms(both, 1), terms(one, 1)), (of(2000, 0), of(8000, 5)));
        assert_eq!(
            tenants.part(both, gpus[1]),
            Some(TenantPart { share_basis_points: 2000, priority: -3 })
        );
    }

    #[test]
    fn a_lease_owes_as_long_as_it_lasts() {
        let mut tenants = Tenants::default();
        let first = tenants.join(&lease("a", 0, &[(0, 50)]), "").unwrap();
        tenants.quit(first, &[], FrameCounts::default());
        tenants.forget_leases(|_| true);
        assert_eq!(
            tenants.join(&lease("a", 0, &[(0, 50)]), "").unwrap(),
            first,
            "its next session pays what the first one owed"
        );
        tenants.quit(first, &[], FrameCounts::default());
        tenants.forget_leases(|_| false);
        assert_ne!(tenants.join(&lease("a", 0, &[(0, 50)]), "").unwrap(), first);
    }
}
