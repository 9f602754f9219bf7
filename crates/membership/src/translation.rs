//! Translates between the node's types and the pool's: orders into grants, and the node's accounts
//! into heartbeat reports.

use outhaul_node::accounting::energy::Account;
use outhaul_node::accounting::frames::FrameCounts;
use outhaul_node::lease::{Activity, Grant, LeasePart};
use outhaul_node::meter::{GpuUse, LeaseUse, Source};
use outhaul_pool::http::api::{self, Order};
use outhaul_pool::model;
use outhaul_pool::model::bill::Method;

/// Translates the pool's order for a lease into the node's grant.
pub fn grant(order: &Order) -> Grant {
    let part = |part: &model::lease::Part| LeasePart {
        gpu: part.gpu.clone(),
        memory_bytes: part.memory_bytes,
        time_ns: part.time_ns,
    };
    Grant {
        lease: order.id.clone(),
        fence: order.fence,
        key_hash: order.key_hash.clone(),
        priority: order.priority,
        parts: order.parts.iter().map(part).collect(),
        grace_s: order.grace_s,
        frames_per_s: order.frames_per_s,
    }
}

/// Translates a lease's activity for the heartbeat.
pub fn activity(one: Activity) -> api::Activity {
    let Activity { lease: id, fence, sessions, unused_s, idle_s } = one;
    api::Activity { id, fence, sessions: sessions as u32, unused_s, idle_s }
}

/// Translates a GPU's use for the heartbeat.
pub fn gpu_use(one: &GpuUse) -> api::GpuUse {
    let GpuUse { gpu, source, busy_ns, total_mj, unleased_mj } = one.clone();
    api::GpuUse { gpu, busy_ns, total_mj, unleased_mj, method: method(source) }
}

/// Translates a lease's use of a GPU for the heartbeat.
pub fn lease_use(one: &LeaseUse) -> api::LeaseUse {
    let LeaseUse {
        lease: id,
        gpu,
        source,
        account: Account { busy_ns, active_mj, idle_mj },
        frames: FrameCounts { seen, late, skipped, worst_us },
        is_final,
    } = one.clone();
    let frames = model::bill::FrameCounts { seen, late, skipped, worst_us };
    let method = method(source);
    api::LeaseUse { id, gpu, busy_ns, active_mj, idle_mj, method, frames, is_final }
}

fn method(source: Source) -> Option<Method> {
    match source {
        Source::Board => Some(Method::Nvml),
        Source::Synthetic => Some(Method::Synthetic),
        Source::None => None,
    }
}
