//! Graphs as text for Graphviz, in the form of cuGraphDebugDotPrint. Each graph is a cluster, and
//! each node a box.

use std::fmt::Write;

/// A graph.
#[derive(Default)]
pub struct Graph {
    /// The nodes of the graph.
    pub nodes: Vec<Node>,
}

/// A node of a graph.
#[derive(Default)]
pub struct Node {
    /// The text in the node's box.
    pub label: String,
    /// Indexes of the nodes on which the node depends.
    pub after: Vec<usize>,
    /// The graphs inside the node.
    pub inside: Vec<Graph>,
}

/// Returns the name of a node type.
pub fn name_of(kind: i32) -> &'static str {
    const NAMES: [&str; 14] = [
        "KERNEL",
        "MEMCPY",
        "MEMSET",
        "HOST",
        "GRAPH",
        "EMPTY",
        "EVENT_WAIT",
        "EVENT_RECORD",
        "EXT_SEMAS_SIGNAL",
        "EXT_SEMAS_WAIT",
        "MEM_ALLOC",
        "MEM_FREE",
        "BATCH_MEM_OP",
        "CONDITIONAL",
    ];
    usize::try_from(kind).ok().and_then(|kind| NAMES.get(kind)).copied().unwrap_or("UNKNOWN")
}

/// Returns the graph as text for Graphviz.
pub fn text(graph: &Graph) -> String {
    let mut out = String::from("digraph dot {\n");
    cluster(&mut out, graph, &mut 0);
    out.push_str("}\n");
    out
}

/// Writes a graph and then the graphs inside it. Each graph gets the next number when it is
/// reached.
fn cluster(out: &mut String, graph: &Graph, numbered: &mut usize) {
    *numbered += 1;
    let number = *numbered;
    let _ = writeln!(
        out,
        "subgraph cluster_{number} {{\nlabel=\"graph_{number}\" graph[style=\"dashed\"];"
    );
    let mut inner_clusters = String::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        let mut label = node.label.replace('\\', "\\\\").replace('"', "\\\"");
        for inside in &node.inside {
            let _ = write!(label, "\ngraph_{}", *numbered + 1);
            cluster(&mut inner_clusters, inside, numbered);
        }
        let _ = writeln!(
            out,
            "\"graph_{number}_node_{place}\"[style=\"solid\" shape=\"rectangle\" \
            label=\"{place}\n{label}\n\"];\n"
        );
    }
    for (place, node) in graph.nodes.iter().enumerate() {
        for before in &node.after {
            let _ = writeln!(
                out,
                "\"graph_{number}_node_{before}\" -> \"graph_{number}_node_{place}\";"
            );
        }
    }
    out.push_str("}\n");
    out.push_str(&inner_clusters);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_and_graphs_inside_are_named() {
        let node = |label: &str, after: &[usize], inside| Node {
            label: label.into(),
            after: after.to_vec(),
            inside,
        };
        let inside = Graph { nodes: vec![node("MEMSET", &[], Vec::new())] };
        let text = text(&Graph {
            nodes: vec![node("a \"kernel\"", &[], Vec::new()), node("GRAPH", &[0], vec![inside])],
        });
        for part in [
            "digraph dot {",
            "a \\\"kernel\\\"",
            "\"graph_1_node_0\" -> \"graph_1_node_1\";",
            "GRAPH\ngraph_2",
            "\"graph_2_node_0\"",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert_eq!(text.matches('{').count(), text.matches('}').count());
    }
}
