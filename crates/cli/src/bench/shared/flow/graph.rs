//! The graphs of the data-flow benchmark: nodes that add two matrices each, and the expected
//! results. A place is where a matrix is: first the inputs' places, then one for each node's
//! result.

use serde::{Deserialize, Serialize};

/// Factors of inputs; small enough that sums over all levels are exact.
const FACTORS: u64 = 100;

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Each level is half as wide as the one before; the last is one node.
    Tree,
    /// All levels are equally wide; a node adds the results of the one above it and of that one's
    /// neighbour.
    Rectangle,
}

pub struct Graph {
    pub inputs: usize,
    /// The two places that each adds, in an order in which they can run.
    pub nodes: Vec<[usize; 2]>,
    /// How many nodes, the last ones, give what nobody else adds.
    pub ends: usize,
}

impl Shape {
    /// A tree is as wide as its levels say.
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
    /// Of every place, by which the matrix that lies there is a multiple of one and the same;
    /// others in every run, so that an old result is found.
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
