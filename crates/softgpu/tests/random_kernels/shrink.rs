//! Makes a failing kernel smaller for as long as it fails.

use crate::kernel::Statement;

/// Returns the smallest failing kernel found. It removes statements, and replaces statements by the
/// statements inside them.
pub fn smallest(body: Vec<Statement>, fails: &dyn Fn(&[Statement]) -> bool) -> Vec<Statement> {
    let mut smallest = body;
    while let Some(smaller) = smaller(&smallest).into_iter().find(|body| fails(body)) {
        smallest = smaller;
    }
    smallest
}

fn smaller(body: &[Statement]) -> Vec<Vec<Statement>> {
    let mut all = Vec::new();
    let mut replace = |first: usize, end: usize, by: Vec<Statement>| {
        let mut changed = body.to_vec();
        changed.splice(first..end, by);
        all.push(changed);
    };
    // Halves first, then quarters, then one at a time.
    let mut length = body.len() / 2;
    while length > 1 {
        (0..body.len())
            .step_by(length)
            .for_each(|first| replace(first, (first + length).min(body.len()), Vec::new()));
        length /= 2;
    }
    for (index, statement) in body.iter().enumerate() {
        replace(index, index + 1, Vec::new());
        match statement {
            Statement::If { on, then, other } => {
                replace(index, index + 1, then.clone());
                for then in smaller(then) {
                    replace(
                        index,
                        index + 1,
                        vec![Statement::If { on: *on, then, other: other.clone() }],
                    );
                }
                for other in smaller(other) {
                    replace(
                        index,
                        index + 1,
                        vec![Statement::If { on: *on, then: then.clone(), other }],
                    );
                }
            }
            Statement::Loop { times, by, body } => {
                replace(index, index + 1, body.clone());
                for body in smaller(body) {
                    replace(
                        index,
                        index + 1,
                        vec![Statement::Loop { times: *times, by: *by, body }],
                    );
                }
            }
            Statement::Call { to, of, body } => {
                for body in smaller(body) {
                    replace(index, index + 1, vec![Statement::Call { to: *to, of: *of, body }]);
                }
            }
            Statement::Op { op, to, beside, from, guard: Some(_) } => {
                let (op, from) = (op.clone(), from.clone());
                replace(
                    index,
                    index + 1,
                    vec![Statement::Op { op, to: *to, beside: *beside, from, guard: None }],
                );
            }
            _ => {}
        }
    }
    all
}
