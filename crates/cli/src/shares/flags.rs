//! Command-line options for GPU shares.

use crate::quantity::bytes;
use clap::ValueEnum;
use outhaul_node::sharing::admin_socket::Change;
use outhaul_share::{PolicyName, check_name};

/// Options for the shares of a node's GPUs, and the policy.
#[derive(clap::Args)]
pub struct SharingFlags {
    /// Sharing policy: none (all at once), fifo, credit, band, or weighted [a node's default:
    /// weighted].
    #[arg(long, value_name = "NAME", value_parser = policy)]
    policy: Option<String>,
    /// Share of a tenant in percent; 0 removes it. Tenants without a share divide the rest equally.
    #[arg(long = "share", value_name = "TENANT=PERCENT", value_parser = number::<u32>)]
    shares: Vec<(String, u32)>,
    /// Priority of a tenant that has a share [default: 0]. The tenant with the larger priority goes
    /// first, as long as it is within its share.
    #[arg(long = "priority", value_name = "TENANT=N", value_parser = number::<u8>)]
    priorities: Vec<(String, u8)>,
    /// Maximum memory of each GPU for all programs of a tenant; 0 removes the limit [default: no
    /// limit].
    #[arg(long = "memory", value_name = "TENANT=10GiB", value_parser = memory)]
    memory: Vec<(String, u64)>,
    /// Whether copies take turns together with kernels (joint) or have turns of their own
    /// (separate) [a node's default: separate].
    #[arg(long, value_name = "joint|separate")]
    copies: Option<Copies>,
    /// Handling of a kernel that takes too long: others wait for it (wait), or share the GPU with
    /// it by the driver's time slices (slices) [a node's default: slices].
    #[arg(long, value_name = "wait|slices")]
    long_kernels: Option<LongKernels>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Copies {
    Joint,
    Separate,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LongKernels {
    Wait,
    Slices,
}

/// Parses the name of a tenant.
pub fn tenant_name(text: &str) -> Result<String, String> {
    check_name(text).map(|()| text.to_owned()).map_err(|e| e.to_string())
}

/// Parses the name of a policy.
fn policy(text: &str) -> Result<String, String> {
    text.parse::<PolicyName>().map(|policy| policy.to_string()).map_err(|e| e.to_string())
}

fn number<T: std::str::FromStr>(text: &str) -> Result<(String, T), String> {
    let wrong =
        || format!("'{text}' does not set a number; write TENANT=NUMBER, for example research=70");
    let (name, number) = text.split_once('=').ok_or_else(wrong)?;
    Ok((tenant_name(name)?, number.parse().map_err(|_| wrong())?))
}

fn memory(text: &str) -> Result<(String, u64), String> {
    let (name, limit) = text
        .split_once('=')
        .ok_or_else(|| format!("'{text}' does not set an amount; write TENANT=10GiB"))?;
    Ok((tenant_name(name)?, if limit == "0" { 0 } else { bytes(limit)? }))
}

impl SharingFlags {
    /// Returns the change that the options ask for.
    pub fn change(&self) -> Change {
        Change {
            policy: self.policy.clone(),
            shares: self.shares.iter().cloned().collect(),
            priorities: self.priorities.iter().cloned().collect(),
            memory: self.memory.iter().cloned().collect(),
            joint: self.copies.map(|copies| copies == Copies::Joint),
            exclusive: self.long_kernels.map(|long| long == LongKernels::Wait),
        }
    }
}
