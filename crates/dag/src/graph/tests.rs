use super::*;

fn part(name: &str, home: Home) -> Partition {
    Partition { name: name.into(), bytes: 10, home, keep: Keep::No }
}

fn sub(name: &str, inputs: &[u32], outputs: &[u32]) -> Subtask {
    let ids = |list: &[u32]| list.iter().map(|p| PartitionId(*p)).collect();
    Subtask { name: name.into(), inputs: ids(inputs), outputs: ids(outputs), compute_ns: 1 }
}

#[test]
fn a_cycle_is_refused_and_named() {
    let parts = vec![part("a", Home::Made), part("b", Home::Made), part("c", Home::Made)];
    let subs = vec![sub("tail", &[1], &[2]), sub("x", &[1], &[0]), sub("y", &[0], &[1])];
    let Err(Error::Cycle { subtask }) = Graph::new(parts, subs) else { panic!("cycle accepted") };
    assert!(subtask == "x" || subtask == "y", "{subtask} is not on the cycle");
}

#[test]
fn bad_names_are_refused() {
    let given = || vec![part("a", Home::Host), part("b", Home::Made)];
    assert!(matches!(
        Graph::new(given(), vec![sub("s", &[7], &[1])]),
        Err(Error::UnknownPartition { partition: 7, .. })
    ));
    assert!(matches!(
        Graph::new(given(), vec![sub("s", &[0, 0], &[1])]),
        Err(Error::DuplicateUse { .. })
    ));
    assert!(matches!(
        Graph::new(given(), vec![sub("s", &[], &[0])]),
        Err(Error::SecondWriter { .. })
    ));
    assert!(matches!(Graph::new(given(), vec![sub("s", &[0], &[])]), Err(Error::NoSource { .. })));
}

#[test]
fn an_impossible_working_set_names_its_partition() {
    let mut parts = vec![part("a", Home::Host), part("big", Home::Made)];
    parts[1].bytes = 95;
    let graph = Graph::new(parts, vec![sub("s", &[0], &[1])]).unwrap();
    assert_eq!(graph.check_fits(105), Ok(()));
    let Err(Error::WorkingSet { partition, need_bytes, .. }) = graph.check_fits(104) else {
        panic!("accepted")
    };
    assert_eq!((partition.as_str(), need_bytes), ("big", 105));
}

#[test]
fn levels_and_order_follow_the_data() {
    let parts = vec![part("a", Home::Host), part("b", Home::Made), part("c", Home::Made)];
    let graph = Graph::new(parts, vec![sub("last", &[1], &[2]), sub("first", &[0], &[1])]).unwrap();
    assert_eq!(graph.order(), &[SubtaskId(1), SubtaskId(0)]);
    assert_eq!(graph.level(SubtaskId(0)), 1);
}
