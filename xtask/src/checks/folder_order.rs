//! The order of the folders in a crate. A folder may import only folders below it. An upward import
//! violates the architecture. The known ones are counted, and their number may only shrink.

use crate::checks::imports::{Imports, Name};

/// For each crate with folders: the folders and the modules next to them, lowest first, and the
/// number of upward imports. "." is the crate's root, and every module that the order does not
/// name.
pub const ORDERS: [(&str, &str, usize); 8] = [
    ("abi", ". < memory < nvml < loading < code < export_tables", 0),
    ("transport", "os < descriptors < network < lanes < replicas < connect < .", 0),
    (
        "client",
        "base < session < objects < managed < driver::state < driver < entry < marshal < \
         sessions < api < nvml < own_exports < .",
        1,
    ),
    (
        "node",
        ". < accounting < cell < keeper < sharing < meter < worker::ending < worker::log < \
         worker::replicas < worker::io < worker::driver < worker::memory < worker::managed < \
         worker::copies < worker::streams < worker::graphs < worker::scheduling < \
         worker::state < worker::commands < worker < listener",
        0,
    ),
    (
        "softgpu",
        ". < engine < engine::syntax < engine::exec < engine::link < engine::runtime_use < \
         engine::lower < engine::program < engine::launch < driver < driver::system < \
         driver::device < driver::green < driver::objects::memory < driver::objects::code < \
         driver::objects::graphs::edge < driver::objects::streams < \
         driver::objects::graphs < driver::state < driver::streams < driver::memory < \
         driver::graphs < driver::code < driver::abi < driver::api",
        0,
    ),
    ("pool", "error < model < identity < log < liveness < http < .", 0),
    (
        "bench",
        "error < byte_sizes < links < measurement < report < measurement::compare < cases < \
         shared < cases::run < .",
        0,
    ),
    (
        "cli",
        "error < notice < signals < install < table < quantity < local_time < address < shares < \
         check < internal < pool < commands < .",
        0,
    ),
];

/// The upward imports, each as the importing and the imported module.
pub fn upward(order: &str, imports: &Imports) -> Vec<(Name, Name)> {
    let folders: Vec<&str> =
        order.split('<').map(|folder| folder.trim().trim_matches('.')).collect();
    let floor = |module: &str| {
        let found = (0..).zip(&folders).filter(|(_, folder)| is_in(module, folder));
        found.max_by_key(|(_, folder)| folder.len()).map_or(usize::MAX, |(floor, _)| floor)
    };
    let mut found = Vec::new();
    for (from, targets) in &imports.edges {
        for to in targets.iter().filter(|to| floor(to) > floor(from)) {
            found.push((from.clone(), to.clone()));
        }
    }
    found
}

fn is_in(module: &str, folder: &str) -> bool {
    let rest = module.strip_prefix(folder);
    folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_of_higher_folders_are_found() {
        let mut imports = Imports::default();
        for (from, to) in [("low::a", "low::high::b"), ("low::high", "low::a"), ("lower", "low")] {
            imports.edges.entry(from.into()).or_default().insert(to.into());
        }
        assert_eq!(
            upward("low < low::high < .", &imports),
            [("low::a".into(), "low::high::b".into())]
        );
    }
}
