//! The graphs of the data-flow benchmark: nodes that each add two matrices, and the expected
//! results. A place is the number of a matrix. The inputs have the first places; the nodes' results
//! follow.

use serde::{Deserialize, Serialize};

/// Number of different factors for inputs. The factors are small, so that sums over all levels are
/// exact.
const FACTORS: u64 = 100;

/// The shape of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Each level is half as wide as the one before. The last level is one node.
    Tree,
    /// All levels are equally wide. A node adds two results of the level above: the one above it,
    /// and the next one.
    Rectangle,
}

/// A graph of nodes.
pub struct Graph {
    pub inputs: usize,
    /// The two places that each node adds. The nodes are in an order in which they can run.
    pub nodes: Vec<[usize; 2]>,
    /// Number of nodes at the end whose results no other node adds.
    pub ends: usize,
}

impl Shape {
    /// Creates the graph. `width` applies to a rectangle; the width of a tree follows from its
    /// levels.
    pub fn graph(self, levels: u32, width: usize) -> Graph {
        match self {
            Shape::Tree => {
                let inputs = 1 << levels;
                Graph {
                    inputs,
                    nodes: (0..inputs - 1).map(|node| [2 * node, 2 * node + 1]).collect(),
                    ends: 1,
                }
            }
            Shape::Rectangle => {
                let inputs = 2 * width;
                let above = |level: usize| inputs + (level - 1) * width;
                let node = |level: usize, i: usize| match level {
                    0 => [2 * i, 2 * i + 1],
                    _ => [above(level) + i, above(level) + (i + 1) % width],
                };
                let level = |level: usize| (0..width).map(move |i| node(level, i));
                Graph { inputs, nodes: (0..levels as usize).flat_map(level).collect(), ends: width }
            }
        }
    }
}

impl Graph {
    /// Returns the factor of each place: the matrix there is the pattern times this factor. Factors
    /// differ in every run, so that the check detects an old result.
    pub fn factors(&self, run: u64) -> Vec<u64> {
        let mut factors: Vec<u64> =
            (0..self.inputs as u64).map(|input| 1 + (7 * input + 13 * run) % FACTORS).collect();
        self.nodes.iter().for_each(|[a, b]| factors.push(factors[*a] + factors[*b]));
        factors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_are_those_of_the_gdev_paper() {
        let (tree, rectangle) = (Shape::Tree.graph(6, 10), Shape::Rectangle.graph(6, 10));
        assert_eq!((tree.inputs, tree.nodes.len()), (64, 63));
        assert_eq!((rectangle.inputs, rectangle.nodes.len()), (20, 60));
        for graph in [tree, rectangle] {
            let places = graph.inputs + graph.nodes.len();
            let used: Vec<bool> = (0..places)
                .map(|place| graph.nodes.iter().any(|inputs| inputs.contains(&place)))
                .collect();
            assert!(
                used[..places - graph.ends].iter().all(|used| *used)
                    && used[places - graph.ends..].iter().all(|used| !used)
            );
            assert!(
                graph
                    .nodes
                    .iter()
                    .enumerate()
                    .all(|(node, inputs)| inputs.iter().all(|place| *place < graph.inputs + node))
            );
        }
    }

    #[test]
    fn a_result_is_the_sum_of_all_inputs_under_it() {
        let graph = Shape::Tree.graph(3, 0);
        let factors = graph.factors(1);
        assert_eq!(factors[graph.inputs..].last(), Some(&factors[..graph.inputs].iter().sum()));
        assert_ne!(factors, graph.factors(2));
    }
}
