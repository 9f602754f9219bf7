//! Shrinks a failing program. Removes ever smaller pieces, as long as the rest is valid and still
//! fails.

use crate::model::Model;
use crate::program::{Deal, Op, Program};
use std::time::Instant;

/// Removes operations from the program until the time `until`. `fails` runs a candidate.
pub fn shrink(
    program: &Program,
    until: Instant,
    mut fails: impl FnMut(&Program) -> bool,
) -> Program {
    let mut best = program.clone();
    let mut piece = (best.ops.len() / 2).max(1);
    loop {
        let mut smaller = false;
        // The loop starts at the end, because later operations depend on earlier ones.
        let mut end = best.ops.len();
        while end > 0 && Instant::now() < until {
            let start = end.saturating_sub(piece);
            if let Some(candidate) = without(&best, start, end)
                && fails(&candidate)
            {
                smaller = true;
                // Operations that were removed together with the piece may be anywhere.
                end = start.min(candidate.ops.len());
                best = candidate;
                continue;
            }
            end = start;
        }
        if Instant::now() >= until || (piece == 1 && !smaller) {
            return best;
        }
        piece = if smaller && piece == 1 { 1 } else { (piece / 2).max(1) };
    }
}

/// Returns the program without a piece and without the operations that need the piece. Returns
/// `None` if the rest is invalid.
fn without(program: &Program, start: usize, end: usize) -> Option<Program> {
    let kept = program.ops[..start].iter().chain(&program.ops[end..]);
    let mut model = Model::new(program.threads);
    let mut ops: Vec<Op> = Vec::new();
    for op in kept {
        // An operation whose object is missing is also removed. If an operation now races, the
        // program needs the piece.
        match model.apply(op) {
            Ok(()) => ops.push(op.clone()),
            Err(crate::model::Refusal::Wrong(_)) => {}
            Err(crate::model::Refusal::Race(_)) => return None,
        }
    }
    let is_capture = |op: &Op| matches!(op.deal, Deal::EndCapture { .. });
    let ended = ops.iter().filter(|op| is_capture(op)).count()
        == ops.iter().filter(|op| matches!(op.deal, Deal::Capture { .. })).count();
    (ended && !model.is_capturing() && ops.len() < program.ops.len())
        .then_some(Program { threads: program.threads, ops })
}
