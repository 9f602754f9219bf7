//! Says what a waiting request waits for: what it wants, who holds that, and until when.

use crate::local_time::time_of_day;
use crate::quantity::counted;
use outhaul_pool::http::api::{LeaseView, Occupant, Occupants, OccupiedGpu};
use outhaul_pool::model::lease::{Amount, Ask};
use std::collections::BTreeMap;

const GIB: f64 = (1u64 << 30) as f64;
/// The most GPUs that are named one by one.
const NAMED_MAX: usize = 3;
/// The most users that are named.
const USERS_MAX: usize = 3;

/// Describes the resources of a request.
pub fn wanted(ask: &Ask) -> String {
    let memory = ask.memory.map(|memory| match memory {
        Amount::Bytes(bytes) => format!("{:.1} GiB", bytes as f64 / GIB),
        Amount::Percent(percent) => format!("{percent} % of the memory"),
    });
    let share = ask.share_percent.map(|percent| format!("{percent} % of the time"));
    let parts: Vec<String> = memory.into_iter().chain(share).collect();
    let gpus = match (ask.gpus, parts.is_empty()) {
        (1, true) => "1 GPU".to_owned(),
        (1, false) => format!("{} of a GPU", parts.join(" and ")),
        (gpus, true) => format!("{gpus} GPUs"),
        (gpus, false) => format!("{} of {gpus} GPUs each", parts.join(" and ")),
    };
    let model = ask.model.as_ref().map_or(String::new(), |model| format!(" ({model})"));
    let frames = ask.frames.map_or(String::new(), |frames| {
        format!(" for {} frames a second of {} ms", frames.per_s, frames.reference_ms)
    });
    gpus + &model + &frames
}

/// Says what a request with `ahead` requests before it waits for.
pub fn waiting(view: &LeaseView, ahead: usize) -> String {
    let queue = match ahead {
        0 => "no request is ahead".to_owned(),
        1 => "1 request is ahead".to_owned(),
        _ => format!("{ahead} requests are ahead"),
    };
    let held = view.occupants.as_ref().map(held).unwrap_or_default();
    let why: Vec<String> = view.reason.iter().cloned().chain(held).chain([queue]).collect();
    format!("waiting for {}: {}", wanted(&view.ask), why.join("; "))
}

/// Says who holds the GPUs, and which nodes are closed.
fn held(occupants: &Occupants) -> Vec<String> {
    let (open, closed): (Vec<&OccupiedGpu>, Vec<&OccupiedGpu>) =
        occupants.gpus.iter().partition(|gpu| !gpu.down && !gpu.draining);
    let mut texts = if open.len() + occupants.more <= NAMED_MAX {
        open.iter()
            .map(|gpu| format!("{} is held by {}", name(gpu), holders(&gpu.leases)))
            .collect()
    } else {
        vec![together(&open, occupants.more)]
    };
    let mut nodes: BTreeMap<&str, &str> = BTreeMap::new();
    for gpu in closed {
        nodes.insert(&gpu.node, if gpu.down { "is down" } else { "takes no new leases" });
    }
    let more = nodes.len().saturating_sub(NAMED_MAX);
    texts.extend(nodes.iter().take(NAMED_MAX).map(|(node, why)| format!("node {node} {why}")));
    texts.extend((more > 0).then(|| {
        let verbs = if more == 1 { "is down or takes" } else { "are down or take" };
        format!("{} {verbs} no leases", counted(more, "more node"))
    }));
    texts
}

fn name(gpu: &OccupiedGpu) -> String {
    gpu.ordinal.map_or_else(|| gpu.node.clone(), |number| format!("GPU {number} of {}", gpu.node))
}

/// Names the users of a GPU's leases, and when the first of these ends.
fn holders(leases: &[Occupant]) -> String {
    let until = leases.iter().filter_map(|lease| lease.until_ms).min();
    let until = until.map(time_of_day);
    let until = match (leases.len(), until) {
        (_, None) => String::new(),
        (1, Some(time)) => format!(" until {time}"),
        (_, Some(time)) => format!(", one until {time}"),
    };
    users(leases.iter()) + &until
}

fn users<'a>(leases: impl Iterator<Item = &'a Occupant>) -> String {
    let mut users: Vec<&str> = Vec::new();
    for lease in leases {
        if !users.contains(&lease.user.as_str()) {
            users.push(&lease.user);
        }
    }
    let more = users.len().saturating_sub(USERS_MAX);
    users.truncate(USERS_MAX);
    match (users.as_slice(), more) {
        ([one], 0) => (*one).to_owned(),
        ([first @ .., last], 0) => format!("{} and {last}", first.join(", ")),
        (_, more) => format!("{} and {more} more", users.join(", ")),
    }
}

/// Summarises many GPUs.
fn together(gpus: &[&OccupiedGpu], more: usize) -> String {
    let leases = || gpus.iter().flat_map(|gpu| &gpu.leases);
    let first = leases().filter_map(|lease| lease.until_ms).min();
    let first =
        first.map_or(String::new(), |at_ms| format!(", the first until {}", time_of_day(at_ms)));
    format!("{} GPUs are held by {}{first}", gpus.len() + more, users(leases()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpu(node: &str, ordinal: Option<usize>, users: &[(&str, Option<u64>)]) -> OccupiedGpu {
        let occupant = |(user, until_ms): &(&str, Option<u64>)| Occupant {
            user: (*user).into(),
            until_ms: *until_ms,
        };
        let leases = users.iter().map(occupant).collect();
        OccupiedGpu { node: node.into(), ordinal, down: false, draining: false, leases }
    }

    #[test]
    fn few_gpus_are_named_with_their_holders_and_many_are_counted() {
        let at_ms = crate::local_time::now_ms();
        let time = time_of_day(at_ms);
        let mut gpus = vec![
            gpu("gpu0", None, &[("alice", Some(at_ms))]),
            gpu("gpu1", Some(3), &[("bob", None), ("carol", Some(at_ms))]),
            OccupiedGpu { down: true, ..gpu("gpu2", None, &[]) },
        ];
        assert_eq!(
            held(&Occupants { gpus: gpus.clone(), more: 0 }),
            [
                format!("gpu0 is held by alice until {time}"),
                format!("GPU 3 of gpu1 is held by bob and carol, one until {time}"),
                "node gpu2 is down".to_owned()
            ]
        );
        gpus.push(gpu("gpu4", None, &[("dora", None), ("emil", None)]));
        assert_eq!(
            held(&Occupants { gpus, more: 7 }),
            [
                format!("10 GPUs are held by alice, bob, carol and 2 more, the first until {time}"),
                "node gpu2 is down".to_owned()
            ]
        );
    }

    #[test]
    fn a_request_is_described_by_what_it_asks_for() {
        let ask = |ask: Ask| wanted(&ask);
        assert_eq!(ask(Ask::default()), "1 GPU");
        assert_eq!(
            ask(Ask { gpus: 2, model: Some("H200".into()), ..Ask::default() }),
            "2 GPUs (H200)"
        );
        let memory = Some(Amount::Bytes(10 << 30));
        assert_eq!(
            ask(Ask { memory, share_percent: Some(50), ..Ask::default() }),
            "10.0 GiB and 50 % of the time of a GPU"
        );
    }
}
