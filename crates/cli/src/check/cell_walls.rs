//! Chooses the walls around a node's sessions: those that the machine supports and the driver
//! tolerates. If the driver does not work within a wall, the node serves without that wall, unless
//! the operator requires walls.

use crate::check::driver_probe;
use crate::error::Error;
use outhaul_node::cell::trial::Trial;
use outhaul_node::cell::{Missing, Plan, WALLS, Wall};
use outhaul_node::log::log_event;
use std::path::Path;

/// The result of a cell's trial on this machine.
#[derive(Default)]
pub struct Finding {
    /// Walls that the machine does not support.
    pub missing: Vec<Missing>,
    /// Walls within which the driver does not work, each with the driver's error.
    pub refused: Vec<(Wall, String)>,
    /// The driver's error if the driver does not work even without walls.
    pub broken: Option<String>,
}

/// The operator's options about walls.
pub struct CellOptions {
    pub without: Vec<Wall>,
    pub required: bool,
    pub logs_refusals: bool,
}

/// Chooses the walls for a node that is about to serve. Logs which walls are missing, and why.
pub fn of_node(options: CellOptions, library: &Path, code: &Path) -> Result<Plan, Error> {
    let CellOptions { mut without, required, logs_refusals } = options;
    for wall in &without {
        log_event(&format!(
            "sessions run without the wall '{wall}', as --no-wall says: an attacker in one reaches \
            {}",
            wall.purpose()
        ));
    }
    let plan = |without: Vec<Wall>, missing| Plan { without, missing, logs_refusals };
    let try_out = |without: &[Wall]| {
        driver_probe::cell(&plan(without.to_vec(), Vec::new()), Some((library, code)))
    };
    let finding = test_walls(&without, try_out);
    if required && !(finding.missing.is_empty() && finding.refused.is_empty()) {
        return Err(Error::Walls(finding.words(library).join("; ")));
    }
    finding.words(library).iter().for_each(|words| log_event(words));
    if let Some(words) = &finding.broken {
        log_event(&format!(
            "the driver {} does not fully work, with walls or without: {words}",
            library.display()
        ));
    }
    without.extend(finding.refused.iter().map(|(wall, _)| *wall));
    let missing: Vec<Wall> = finding.missing.iter().map(|one| one.wall).collect();
    let effective = WALLS.iter().filter(|wall| !without.contains(wall) && !missing.contains(wall));
    log_event(&format!(
        "sessions have these walls around them: {}",
        effective.map(|wall| wall.name()).collect::<Vec<_>>().join(", ")
    ));
    Ok(plan(without, missing))
}

/// Tries a driver in a cell with all walls except `without`. If the driver gets further without a
/// cell, tries which walls it tolerates.
pub fn test_walls(without: &[Wall], try_out: impl Fn(&[Wall]) -> Trial) -> Finding {
    let whole = try_out(without);
    let mut finding = Finding { missing: whole.missing, ..Finding::default() };
    if whole.failure.is_none() {
        return finding;
    }
    let bare = try_out(&WALLS);
    finding.broken = bare.failure;
    if whole.steps >= bare.steps {
        return finding;
    }
    let mut left = WALLS.to_vec();
    for wall in WALLS.into_iter().filter(|wall| !without.contains(wall)) {
        let trial = try_out(&left.iter().copied().filter(|one| *one != wall).collect::<Vec<_>>());
        match trial.failure.filter(|_| trial.steps < bare.steps) {
            Some(words) => finding.refused.push((wall, words)),
            None => left.retain(|one| *one != wall),
        }
    }
    finding
}

impl Finding {
    /// Returns one message for each wall that the machine lacks or the driver `library` does not
    /// tolerate.
    pub fn words(&self, library: &Path) -> Vec<String> {
        let missing = self.missing.iter().map(|one| {
            format!(
                "sessions run without a wall that this machine does not have: {one}; an attacker \
                in a session reaches {}",
                one.wall.purpose()
            )
        });
        let refused = self.refused.iter().map(|(wall, words)| {
            format!(
                "WARNING: the driver {} does not work with the wall '{wall}' around it: {words}. \
                So sessions run WITHOUT that wall: an attacker in one reaches {}. The other walls \
                are in force. --require-walls makes this an error; --no-wall {wall} accepts it",
                library.display(),
                wall.purpose()
            )
        });
        missing.chain(refused).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Wall::{Calls, Files, Network, Secrecy};
    use std::cell::Cell;

    /// Simulates a driver that completes `steps` steps if all walls in `needs_down` are down, else
    /// one step.
    fn driver(steps: u32, needs_down: &[Wall], without: &[Wall]) -> Trial {
        let works = needs_down.iter().all(|wall| without.contains(wall));
        Trial {
            missing: Vec::new(),
            steps: if works { steps } else { 1 },
            failure: (!works || steps < 9).then(|| "no".into()),
        }
    }

    fn refused(needs_down: &[Wall], without: &[Wall]) -> Vec<Wall> {
        test_walls(without, |without| driver(9, needs_down, without))
            .refused
            .iter()
            .map(|(wall, _)| *wall)
            .collect()
    }

    #[test]
    fn only_the_walls_that_a_driver_does_not_bear_come_down() {
        assert_eq!(refused(&[], &[]), []);
        assert_eq!(refused(&[Files], &[]), [Files]);
        assert_eq!(refused(&[Calls, Network], &[]), [Network, Calls]);
        assert_eq!(refused(&[Secrecy, Files], &[Files]), [Secrecy]);
    }

    #[test]
    fn no_wall_comes_down_for_a_driver_that_works_nowhere() {
        let tries = Cell::new(0);
        let finding = test_walls(&[], |_| {
            tries.set(tries.get() + 1);
            driver(0, &[], &[])
        });
        assert!(finding.refused.is_empty() && finding.broken.is_some());
        assert_eq!(tries.get(), 2);
        // This driver never completes all steps, but completes more of them without the wall
        // `Files`.
        let finding = test_walls(&[], |without| driver(5, &[Files], without));
        assert_eq!(finding.refused.len(), 1);
    }
}
