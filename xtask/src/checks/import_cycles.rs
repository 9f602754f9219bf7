//! Finds cycles of modules that import each other, with Tarjan's algorithm for strongly connected
//! components (R. Tarjan, "Depth-first search and linear graph algorithms", 1972).

use crate::checks::imports::{Imports, Name};
use std::collections::BTreeMap;

/// Returns the cycles of at least two modules, largest first.
pub fn find(imports: &Imports) -> Vec<Vec<Name>> {
    let mut search = Search::new(imports);
    for module in imports.edges.keys() {
        if !search.numbers.contains_key(module.as_str()) {
            search.visit(module);
        }
    }
    search.found.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    search.found
}

struct Search<'i> {
    imports: &'i Imports,
    /// Position of each module in the order of first visits.
    numbers: BTreeMap<&'i str, usize>,
    /// Lowest position among the modules that each module can reach.
    lowest: BTreeMap<&'i str, usize>,
    open: Vec<&'i str>,
    found: Vec<Vec<Name>>,
}

impl<'i> Search<'i> {
    fn new(imports: &'i Imports) -> Search<'i> {
        Search {
            imports,
            numbers: BTreeMap::new(),
            lowest: BTreeMap::new(),
            open: Vec::new(),
            found: Vec::new(),
        }
    }

    fn visit(&mut self, module: &'i str) {
        let number = self.numbers.len();
        self.numbers.insert(module, number);
        self.lowest.insert(module, number);
        self.open.push(module);
        for next in &self.imports.edges[module] {
            let Some((next, _)) = self.imports.edges.get_key_value(next) else { continue };
            if !self.numbers.contains_key(next.as_str()) {
                self.visit(next);
                let lowest = self.lowest[next.as_str()].min(self.lowest[module]);
                self.lowest.insert(module, lowest);
            } else if self.open.contains(&next.as_str()) {
                let lowest = self.numbers[next.as_str()].min(self.lowest[module]);
                self.lowest.insert(module, lowest);
            }
        }
        if self.lowest[module] == number {
            let start = self.open.iter().position(|one| *one == module).unwrap_or_default();
            let circle: Vec<Name> = self.open.drain(start..).map(str::to_owned).collect();
            if circle.len() > 1 {
                self.found.push(circle);
            }
        }
    }
}
