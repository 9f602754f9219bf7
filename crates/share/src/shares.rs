//! The settings of a node's operators: the policy, and each tenant's share of the GPUs, by name.
//! `Shares::set` validates the shares, so later code need not.

use super::configuration::{Configuration, PolicyName, Refusal, TENANTS_MAX, WHOLE_BASIS_POINTS};
use crate::tenant::Tenant;
use crate::tenant::TenantId;
use std::collections::BTreeMap;

/// The minimum share of a tenant without a share of its own.
const BASIS_POINTS_MIN: u32 = 100;

/// A tenant's share of the node's GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Percentage of each GPU, 1 to 100; 0 in an order removes the share.
    pub percent: u32,
    /// Priority within the share. A larger value goes first, as long as the tenant does not exceed
    /// its share.
    pub priority: u8,
}

/// The sharing settings of a node's GPUs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shares {
    /// The rule by which the arbiters choose the next tenant.
    pub policy: PolicyName,
    /// The tenants' shares by name. Tenants not listed here divide the remainder equally.
    tenants: BTreeMap<String, Share>,
    /// Whether compute and copies share one queue instead of having one each.
    pub joint: bool,
    /// Whether time slices are never used: all sessions wait for a kernel that is longer than its
    /// turn.
    pub exclusive: bool,
    /// Whether the memory of sessions without the turn may be evicted, so that a GPU runs one
    /// session at a time.
    pub oversubscribed: bool,
}

impl Default for Shares {
    fn default() -> Shares {
        Shares {
            policy: PolicyName::Weighted,
            tenants: BTreeMap::new(),
            joint: false,
            exclusive: false,
            oversubscribed: false,
        }
    }
}

/// Checks the name of a tenant.
pub fn check_name(name: &str) -> Result<(), Refusal> {
    Ok(outhaul_wire::name::check_name("tenant", name)?)
}

impl Shares {
    /// Returns the tenants with shares of their own, sorted by name.
    pub fn tenants(&self) -> impl Iterator<Item = (&str, Share)> {
        self.tenants.iter().map(|(name, share)| (name.as_str(), *share))
    }

    /// Sets all of `shares`, or none if one is refused. Tenants that are not named keep their
    /// shares; a share of 0 removes a tenant's.
    pub fn set(&mut self, shares: &[(String, Share)]) -> Result<(), Refusal> {
        let mut tenants = self.tenants.clone();
        for (at, (name, share)) in shares.iter().enumerate() {
            check_name(name)?;
            if shares[..at].iter().any(|(other, _)| other == name) {
                return Err(Refusal::TenantTwice { name: name.clone() });
            }
            match share.percent {
                0 => drop(tenants.remove(name)),
                1..=100 => drop(tenants.insert(name.clone(), *share)),
                percent => return Err(Refusal::ShareOutOfRange { name: name.clone(), percent }),
            }
        }
        let sum_percent = tenants.values().map(|share| u64::from(share.percent)).sum();
        if sum_percent > 100 {
            return Err(Refusal::SharesOver { sum_percent });
        }
        if tenants.len() > TENANTS_MAX {
            return Err(Refusal::TooManyTenants);
        }
        self.tenants = tenants;
        Ok(())
    }

    /// Returns one GPU's configuration, with the shares of its named tenants and of its leases'
    /// tenants.
    pub fn configuration(
        &self,
        named: &BTreeMap<TenantId, &str>,
        leased: &BTreeMap<TenantId, Tenant>,
    ) -> Result<Configuration, Refusal> {
        if self.oversubscribed
            && (!self.joint || !self.exclusive || self.policy == PolicyName::None)
        {
            return Err(Refusal::Oversubscribed);
        }
        let by_name: u32 = self.tenants.values().map(|share| share.percent * 100).sum();
        let by_lease: u32 = leased.values().map(|tenant| tenant.share_basis_points).sum();
        let others =
            named.values().filter(|name| !self.tenants.contains_key(**name)).count() as u32;
        let each = (WHOLE_BASIS_POINTS.saturating_sub(by_name + by_lease) / others.max(1))
            .max(BASIS_POINTS_MIN);
        let tenant = |name: &str| match self.tenants.get(name) {
            Some(share) => {
                Tenant { share_basis_points: share.percent * 100, priority: share.priority }
            }
            None => Tenant { share_basis_points: each, priority: 0 },
        };
        let tenants = named
            .iter()
            .map(|(id, name)| (*id, tenant(name)))
            .chain(leased.iter().map(|(id, tenant)| (*id, *tenant)))
            .collect();
        Ok(Configuration::new(self.policy, tenants)?.joint(self.joint).exclusive(self.exclusive))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(list: &[(&str, u32)]) -> Vec<(String, Share)> {
        list.iter()
            .map(|(name, percent)| (name.to_string(), Share { percent: *percent, priority: 0 }))
            .collect()
    }

    #[test]
    fn invalid_shares_are_refused_with_a_reason_and_change_nothing() {
        let mut set = Shares::default();
        set.set(&shares(&[("a", 60)])).unwrap();
        let before = set.clone();
        let over = set.set(&shares(&[("b", 50)])).unwrap_err();
        assert_eq!(
            over.to_string(),
            "the shares add up to 110 %; lower some until they are at most 100 %"
        );
        assert!(set.set(&shares(&[("b", 101)])).is_err());
        assert!(set.set(&shares(&[("b", 10), ("b", 20)])).is_err());
        assert!(set.set(&shares(&[("no spaces", 10)])).is_err());
        assert_eq!(set, before);
        let unknown = "lottery".parse::<PolicyName>().unwrap_err();
        assert_eq!(
            unknown.to_string(),
            "policy `lottery` is not known; choose one of none, fifo, credit, band, weighted"
        );
    }

    #[test]
    fn tenants_without_a_share_divide_the_rest() {
        let mut set = Shares::default();
        set.set(&shares(&[("a", 70), ("absent", 10)])).unwrap();
        let names = |list: &[&'static str]| {
            list.iter().enumerate().map(|(i, name)| (TenantId(i as u32), *name)).collect()
        };
        let no_leases = BTreeMap::new();
        let of = |configuration: &Configuration| {
            configuration.tenants.values().map(|t| t.share_basis_points).collect::<Vec<_>>()
        };
        assert_eq!(
            of(&set.configuration(&names(&["a", "x", "y"]), &no_leases).unwrap()),
            [7000, 1000, 1000]
        );
        set.set(&shares(&[("absent", 30)])).unwrap();
        assert_eq!(of(&set.configuration(&names(&["a", "x"]), &no_leases).unwrap()), [7000, 100]);
        set.set(&shares(&[("absent", 0), ("a", 0)])).unwrap();
        assert_eq!(of(&set.configuration(&names(&["a", "x"]), &no_leases).unwrap()), [5000, 5000]);
    }
}
