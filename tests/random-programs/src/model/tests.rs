//! Tests which programs the model accepts and rejects, with programs as text. Also tests that a
//! generated program survives being written and parsed.

use super::{Model, Refusal};
use crate::features::Features;
use crate::generate::generate;
use crate::shrink::shrink;
use crate::text::parse;
use std::time::{Duration, Instant};

/// Returns the index of the rejected operation, and whether it would race.
fn refused(text: &str) -> Option<(usize, bool)> {
    let program = parse(text).expect("the text is a program");
    Model::of(&program).err().map(|(index, refusal)| (index, matches!(refusal, Refusal::Race(_))))
}

const TWO_STREAMS: &str = "threads 1\nt0 new-stream s0 0 0\nt0 new-stream s1 0 0\nt0 new-event e0 \
0\nt0 alloc b0 device 100\nt0 alloc b1 pinned 100\n\
                           t0 do s0 stamp b0 0 100 7 1\n";

#[test]
fn work_of_two_streams_races_until_one_waits() {
    let copy = "t0 do s1 copy directed b1 0 10 1 10 from b0 5 10 1 10\n";
    assert_eq!(refused(&format!("{TWO_STREAMS}{copy}")), Some((6, true)));
    assert_eq!(refused(&format!("{TWO_STREAMS}t0 record e0 s0\nt0 wait s1 e0\n{copy}")), None);
    // An event that is recorded before the stamp does not order the stamp.
    let early = TWO_STREAMS.replace("t0 do s0", "t0 record e0 s0\nt0 do s0");
    assert_eq!(refused(&format!("{early}t0 wait s1 e0\n{copy}")), Some((8, true)));
}

#[test]
fn the_legacy_stream_orders_streams_that_block_and_no_others() {
    let text = |blocking: u8| {
        format!(
            "threads 1\nt0 new-stream s0 {blocking} 0\nt0 alloc b0 device 10\nt0 do s0 stamp b0 0 \
            10 7 1\nt0 do legacy spin 1\nt0 do own check b0 0 10\n"
        )
    };
    assert_eq!(refused(&text(1)), None);
    assert_eq!(refused(&text(0)), Some((4, true)));
}

#[test]
fn a_wait_for_one_stream_is_none_for_another() {
    let copied = format!("{TWO_STREAMS}t0 do s0 copy directed b1 0 10 1 10 from b0 5 10 1 10\n");
    assert_eq!(
        refused(&format!("{copied}t0 stream-sync s1\nt0 check-host b1 0 10\n")),
        Some((8, true))
    );
    assert_eq!(
        refused(&format!(
            "{copied}t0 record e0 s0\nt0 wait s1 e0\nt0 stream-sync s1\nt0 check-host b1 0 10\n"
        )),
        None
    );
}

#[test]
fn threads_hand_over_before_they_touch_each_others() {
    let text = "threads 2\nt0 alloc b0 pageable 10\nt0 write-host b0 0 10 1\n";
    assert_eq!(refused(&format!("{text}t1 check-host b0 0 10\n")), Some((2, true)));
    assert_eq!(refused(&format!("{text}t0 hand t1\nt1 check-host b0 0 10\n")), None);
}

#[test]
fn values_follow_copies_and_turns_of_graphs() {
    let text = format!(
        "{TWO_STREAMS}t0 new-graph g0\nt0 node g0 after= stamp b0 0 100 50 1\nt0 node g0 after=0 \
        copy directed b1 0 10 1 10 from b0 5 10 1 10\n\
         t0 instantiate x0 g0\nt0 launch x0 s0\nt0 launch x0 s0\nt0 stream-sync s0\nt0 check-host \
         b1 2 3\n"
    );
    let model = Model::of(&parse(&text).expect("a program"))
        .unwrap_or_else(|(index, refusal)| panic!("{index}: {refusal:?}"));
    let found = &model.sites.last().expect("there are operations").turns[0][0];
    let second = 50 + crate::kernels::TURN;
    assert_eq!(
        found.iter().map(|run| (run.start, run.len, run.base, run.step)).collect::<Vec<_>>(),
        [(2, 3, second + 7, 1)]
    );
}

#[test]
fn generated_programs_are_valid_and_read_back_as_they_were_written() {
    let features = Features::choose("pooled-legacy", "").expect("no feature is unknown");
    for seed in 0..200 {
        let (program, _) = generate(seed, &features);
        assert_eq!(parse(&program.to_string()), Ok(program.clone()));
        assert!(Model::of(&program).is_ok(), "seed {seed}");
    }
}

#[test]
fn irrelevant_operations_are_removed() {
    let features = Features::choose("pooled-legacy", "").expect("no feature is unknown");
    let (program, _) = generate(5, &features);
    let fails = |program: &crate::program::Program| {
        program.ops.iter().any(|op| op.to_string().contains(" check "))
    };
    assert!(fails(&program));
    let small = shrink(&program, Instant::now() + Duration::from_secs(20), fails);
    assert!(fails(&small) && Model::of(&small).is_ok() && small.ops.len() <= 10, "{small}");
}
