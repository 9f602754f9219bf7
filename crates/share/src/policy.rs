//! Makes policies by name. The module `interface` has the trait that all of them implement.

mod credit;
mod fifo;
mod interface;
mod weighted;

pub use interface::{Choice, Contender, Moment, Policy, Turn};

use super::configuration::PolicyName;
use crate::tenant::Tenant;
use crate::tenant::TenantId;
use std::collections::BTreeMap;

/// Makes the policy called `name` for `tenants`.
pub fn make(name: PolicyName, tenants: &BTreeMap<TenantId, Tenant>) -> Box<dyn Policy> {
    let mut policy: Box<dyn Policy> = match name {
        PolicyName::Fifo => Box::new(fifo::Fifo::default()),
        PolicyName::None | PolicyName::Weighted => Box::new(weighted::Weighted::default()),
        PolicyName::Credit => Box::new(credit::Credit::new(false)),
        PolicyName::Band => Box::new(credit::Credit::new(true)),
    };
    policy.configure(tenants);
    policy
}
