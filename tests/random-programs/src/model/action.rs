//! Actions: the memory that each action accesses, the order that it requires, and its results.

use super::{Model, Turn, Verdict, wrong};
use crate::clock::{Atom, Clock};
use crate::content::Run;
use crate::kernels::TURN;
use crate::program::{Action, Deed, Range, Rows};

/// Maximum number of rows in a copy or fill.
pub const ROWS_MAX: usize = 64;
/// Maximum spin time. Its nanoseconds must fit in a kernel's 32-bit argument.
const SPIN_US_MAX: u32 = 20_000;

/// Returns all ranges that an action accesses, and whether the action writes each of them.
pub fn accesses(action: &Action) -> Vec<(Range, bool)> {
    match action {
        Action::Stamp { to, .. } | Action::Bump { to, .. } => vec![(*to, true)],
        Action::Check { of } => vec![(*of, false)],
        Action::Spin { .. } => Vec::new(),
        Action::Fill { to, .. } => to.ranges().map(|range| (range, true)).collect(),
        Action::Copy { to, from, .. } => from
            .ranges()
            .map(|range| (range, false))
            .chain(to.ranges().map(|range| (range, true)))
            .collect(),
        Action::Host { deeds } => deeds
            .iter()
            .filter_map(|deed| match deed {
                Deed::Check(range) => Some((*range, false)),
                Deed::Write(range, _) => Some((*range, true)),
                Deed::Post(_) => None,
            })
            .collect(),
    }
}

/// Returns whether two actions conflict, so that they must not run concurrently.
pub fn conflict(one: &Action, other: &Action) -> bool {
    let others = accesses(other);
    accesses(one).iter().any(|(range, writes)| {
        others.iter().any(|(with, too)| {
            (*writes || *too)
                && range.buffer == with.buffer
                && range.start < with.end()
                && with.start < range.end()
        })
    })
}

impl Model {
    /// Fails if CUDA would reject the action, regardless of order.
    pub(super) fn is_sound(&self, action: &Action) -> Verdict {
        match action {
            Action::Stamp { to, .. } | Action::Bump { to, .. } => self.kernel_reaches(to.buffer)?,
            Action::Check { of } => self.kernel_reaches(of.buffer)?,
            Action::Spin { us } if *us > SPIN_US_MAX => {
                return wrong("the kernel spins for too long");
            }
            Action::Spin { .. } => {}
            Action::Fill { to, value, unit } => {
                self.rows_fit(to)?;
                self.kernel_reaches(to.buffer)?;
                if !matches!(unit, 1 | 2 | 4) || (*unit < 4 && value >> (8 * unit) != 0) {
                    return wrong("fills repeat numbers of 1, 2 or 4 bytes");
                }
            }
            Action::Copy { to, from, .. } => {
                self.rows_fit(to)?;
                self.rows_fit(from)?;
                if (to.width, to.rows) != (from.width, from.rows) {
                    return wrong("both sides of a copy have the same size");
                }
                if to.buffer == from.buffer && self.overlap(to, from) {
                    return wrong("a copy does not overlap itself");
                }
            }
            Action::Host { deeds } => {
                for (range, _) in accesses(action) {
                    if !self.buffer(range.buffer)?.is_host() {
                        return wrong("host functions touch host memory");
                    }
                }
                let twice = deeds.iter().enumerate().any(|(index, deed)| match deed {
                    Deed::Post(token) => {
                        self.tokens.contains_key(token) || deeds[..index].contains(deed)
                    }
                    _ => false,
                });
                if twice {
                    return wrong("a token is posted once");
                }
            }
        }
        Ok(())
    }

    fn overlap(&self, to: &Rows, from: &Rows) -> bool {
        from.ranges().any(|range| {
            to.ranges().any(|with| range.start < with.end() && with.start < range.end())
        })
    }

    fn kernel_reaches(&self, buffer: usize) -> Verdict {
        if self.buffer(buffer)?.kernels_reach_it() {
            Ok(())
        } else {
            wrong("kernels do not reach that memory")
        }
    }

    fn rows_fit(&self, rows: &Rows) -> Verdict {
        self.buffer(rows.buffer)?;
        if rows.rows == 0 || rows.rows > ROWS_MAX || rows.width == 0 || rows.pitch < rows.width {
            return wrong("rows are not empty and do not overlap");
        }
        Ok(())
    }

    /// Fails unless every access of the action may follow the atoms in `before`.
    pub(super) fn may_act(&self, before: &Clock, action: &Action) -> Verdict {
        accesses(action)
            .into_iter()
            .try_for_each(|(range, write)| self.may_touch(before, range, write))
    }

    pub(super) fn note(&mut self, atom: Atom, action: &Action) {
        for (range, write) in accesses(action) {
            self.touch(atom, range, write);
        }
    }

    /// Applies the action's changes to the contents, and adds the expected results to the site.
    pub(super) fn perform(&mut self, site: usize, action: &Action) {
        let turn = self.sites[site].turns.len() as u32;
        let mut found: Turn = Vec::new();
        match action {
            Action::Stamp { to, base, step } => {
                self.put(*to, base.wrapping_add(turn.wrapping_mul(TURN)), *step)
            }
            Action::Bump { to, more } => self.content(to).add(to.start, to.len, *more),
            Action::Check { of } => found.push(self.known(of)),
            Action::Spin { .. } => {}
            Action::Fill { to, value, unit } => {
                let word = match unit {
                    1 => value * 0x0101_0101,
                    2 => value * 0x0001_0001,
                    _ => *value,
                };
                to.ranges().for_each(|range| self.put(range, word, 0));
            }
            Action::Copy { to, from, .. } => {
                let rows: Vec<Vec<Run>> = from.ranges().map(|range| self.known(&range)).collect();
                for ((range, source), runs) in to.ranges().zip(from.ranges()).zip(rows) {
                    let content = self.content(&range);
                    content.forget(range.start, range.len);
                    runs.into_iter().for_each(|run| {
                        content.put(Run { start: run.start - source.start + range.start, ..run })
                    });
                }
            }
            Action::Host { deeds } => {
                for deed in deeds {
                    match deed {
                        Deed::Check(range) => found.push(self.known(range)),
                        Deed::Write(range, base) => {
                            self.put(*range, base.wrapping_add(turn.wrapping_mul(TURN)), 1)
                        }
                        Deed::Post(_) => {}
                    }
                }
            }
        }
        self.sites[site].turns.push(found);
    }

    fn content(&mut self, range: &Range) -> &mut crate::content::Content {
        &mut self.buffers.get_mut(&range.buffer).expect("the buffer was looked up").content
    }

    pub(super) fn known(&self, range: &Range) -> Vec<Run> {
        self.buffers[&range.buffer].content.known(range.start, range.len)
    }

    pub(super) fn put(&mut self, range: Range, base: u32, step: u32) {
        self.content(&range).put(Run { start: range.start, len: range.len, base, step });
    }
}
