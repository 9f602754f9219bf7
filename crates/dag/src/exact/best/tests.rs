use super::*;
use crate::graph::{Home, Keep, Partition, Subtask};
use crate::machine::Sharing;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn tiny(seed: u64) -> (Graph, Machine) {
    let mut random = Random(seed);
    let mut partitions = Vec::new();
    let mut subtasks = Vec::new();
    for index in 0..2 + random.below(3) {
        let (home, keep) = if index < 2 {
            (Home::Host, Keep::No)
        } else {
            (Home::Made, [Keep::No, Keep::Host][random.below(2) as usize])
        };
        let home = if index == 0 && random.below(3) == 0 { Home::File } else { home };
        partitions.push(Partition {
            name: format!("p{index}"),
            bytes: 1 + random.below(3),
            home,
            keep,
        });
        if index >= 1 {
            let mut inputs: Vec<_> =
                (0..2).map(|_| PartitionId(random.below(index.max(1)) as u32)).collect();
            inputs.sort();
            inputs.dedup();
            let outputs = if index < 2 { vec![] } else { vec![PartitionId(index as u32)] };
            subtasks.push(Subtask {
                name: format!("s{index}"),
                inputs,
                outputs,
                compute_ns: 1 + random.below(4),
            });
        }
    }
    let graph = Graph::new(partitions, subtasks).expect("a graph");
    let need = graph.order().iter().map(|s| graph.footprint_bytes(*s)).max().unwrap_or(1);
    let machine = Machine {
        capacity_bytes: need + random.below(3),
        link_bytes_per_s: 1e9,
        store: None,
        file_read_bytes_per_s: 5e8,
        sharing: [Sharing::FullDuplex, Sharing::HalfDuplex, Sharing::SharedBus]
            [random.below(3) as usize],
        ..Machine::victream(1 + random.below(2) as usize)
    };
    (graph, machine)
}

#[test]
fn the_cuts_lose_nothing() {
    let mut compared = 0;
    for seed in 0..600 {
        let (graph, machine) = tiny(seed);
        let cut = best(&graph, &machine, u64::MAX, 1_000_000).expect("small enough");
        assert!(cut.proven, "seed {seed}");
        let instance = Instance::new(&graph, &machine).expect("small enough");
        let mut whole = Search::new(&instance, cut.makespan_ns + 1, 200_000);
        whole.cuts = false;
        whole.decide(Node::start(&instance), 0);
        if whole.points < whole.points_max {
            compared += 1;
            assert_eq!(whole.best_ns, cut.makespan_ns, "seed {seed}");
        } else {
            assert!(whole.best_ns >= cut.makespan_ns, "seed {seed}: {} is shorter", whole.best_ns);
        }
    }
    assert!(compared >= 300, "only {compared} enumerated to the end");
}
