//! Finds the imports between a crate's modules. Reads `use` items, and paths in expressions and
//! types: `crate::`, `super::`, `self::`, groups in braces, and names of child modules. Skips test
//! modules and generated code. If a module only re-exports, an import from it counts as an import
//! of the module that defines the item.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Maximum number of re-exports to follow for one path, so that a cycle of re-exports ends.
const FACADES_MAX: usize = 8;

/// A module's path below the crate's root, joined by `::`.
pub type Name = String;

/// The imports of a crate's modules.
#[derive(Default)]
pub struct Imports {
    /// For each module, the modules that it imports.
    pub edges: BTreeMap<Name, BTreeSet<Name>>,
    facades: BTreeMap<Name, Facade>,
}

/// A module that only re-exports.
#[derive(Default)]
struct Facade {
    /// The path of each re-exported name.
    names: BTreeMap<String, Vec<String>>,
    /// Paths whose items the module re-exports with a glob import.
    globs: Vec<Vec<String>>,
}

struct Source {
    name: Name,
    file: syn::File,
}

/// Reads all modules below `src`.
pub fn read(src: &Path) -> Result<Imports, String> {
    let mut sources = Vec::new();
    collect(src, "", &mut sources)?;
    let mut imports = Imports::default();
    for source in &sources {
        imports.edges.insert(source.name.clone(), BTreeSet::new());
    }
    let (facades, others): (Vec<_>, Vec<_>) = sources.iter().partition(|one| is_facade(one));
    for facade in &facades {
        let Reader { aliases, globs, .. } = Reader::of(facade, &imports);
        imports.facades.insert(facade.name.clone(), Facade { names: aliases, globs });
    }
    for source in others {
        let Reader { paths, globs, .. } = Reader::of(source, &imports);
        let named = paths.iter().flat_map(|path| imports.modules(path, FACADES_MAX));
        let all = globs.iter().flat_map(|path| imports.all_modules(path));
        let found = named.chain(all).filter(|module| *module != source.name).collect();
        imports.edges.insert(source.name.clone(), found);
    }
    for facade in facades {
        imports.edges.remove(&facade.name);
    }
    Ok(imports)
}

fn collect(folder: &Path, prefix: &str, sources: &mut Vec<Source>) -> Result<(), String> {
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        syn::parse_file(&text).map_err(|e| format!("{}: {e}", path.display()))
    };
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if path.is_dir() {
            if stem != "generated" {
                collect(&path, &join(prefix, stem), sources)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") && stem != "tests" {
            let is_folders = ["lib", "main", "mod"].contains(&stem);
            let name = if is_folders { prefix.to_owned() } else { join(prefix, stem) };
            sources.push(Source { name, file: read(&path)? });
        }
    }
    Ok(())
}

fn join(prefix: &str, name: &str) -> Name {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}::{name}") }
}

/// Returns whether the module consists only of re-exports, module declarations and tests.
fn is_facade(source: &Source) -> bool {
    let re_exports = |item: &syn::Item| {
        matches!(item, syn::Item::Use(_)) || is_declaration(item) || is_test(item)
    };
    source.file.items.iter().all(re_exports)
}

fn is_declaration(item: &syn::Item) -> bool {
    matches!(item, syn::Item::Mod(module) if module.content.is_none())
}

fn is_test(item: &syn::Item) -> bool {
    let attributes = match item {
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => return false,
    };
    attributes.iter().any(|one| one.to_token_stream().to_string() == "# [cfg (test)]")
}

fn names(module: &str) -> Vec<String> {
    module.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

impl Imports {
    /// Returns the modules to which a path may refer. Follows at most `facades_max` re-exports.
    fn modules(&self, path: &[String], facades_max: usize) -> Vec<Name> {
        let is_known = |length: &usize| self.edges.contains_key(&path[..*length].join("::"));
        let Some(length) = (0..=path.len()).rev().find(is_known) else { return Vec::new() };
        let module = path[..length].join("::");
        let Some(facade) = self.facades.get(&module) else { return vec![module] };
        let Some(name) = path.get(length).filter(|_| facades_max > 0) else { return Vec::new() };
        let onwards = |start: &[String], rest: &[String]| {
            self.modules(&[start, rest].concat(), facades_max - 1)
        };
        match facade.names.get(name) {
            Some(start) => onwards(start, &path[length + 1..]),
            None => facade.globs.iter().flat_map(|start| onwards(start, &path[length..])).collect(),
        }
    }

    /// Returns the modules of all items that a glob import of this path imports.
    fn all_modules(&self, path: &[String]) -> Vec<Name> {
        match self.facades.get(&path.join("::")) {
            Some(facade) => {
                let named = facade.names.values().flat_map(|path| self.modules(path, FACADES_MAX));
                named.chain(facade.globs.iter().flat_map(|path| self.all_modules(path))).collect()
            }
            None => self.modules(path, FACADES_MAX),
        }
    }
}

struct Reader<'i> {
    imports: &'i Imports,
    /// The path of the module that is being read, including inline modules.
    here: Vec<String>,
    /// Whether the current tokens belong to a `use` item.
    is_use: bool,
    /// The aliases that `use` items define, with their paths.
    aliases: BTreeMap<String, Vec<String>>,
    paths: Vec<Vec<String>>,
    globs: Vec<Vec<String>>,
}

impl<'i> Reader<'i> {
    fn of(source: &Source, imports: &'i Imports) -> Reader<'i> {
        let mut reader = Reader {
            imports,
            here: names(&source.name),
            is_use: false,
            aliases: BTreeMap::new(),
            paths: Vec::new(),
            globs: Vec::new(),
        };
        let items = source.file.items.iter();
        for item in items.filter(|item| !is_test(item) && !is_declaration(item)) {
            reader.read(item.to_token_stream());
        }
        reader
    }

    fn read(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            if let [TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Group(body), ..] =
                &tokens[at..]
                && word == "mod"
            {
                self.here.push(name.to_string());
                self.read(body.stream());
                self.here.pop();
                at += 3;
                continue;
            }
            match &tokens[at] {
                TokenTree::Group(group) => self.read(group.stream()),
                TokenTree::Ident(word) if word == "use" => self.is_use = true,
                TokenTree::Punct(one) if one.as_char() == ';' => self.is_use = false,
                TokenTree::Ident(word) if self.begins_path(&tokens, at) => {
                    let start = self.start(&word.to_string());
                    at = self.path(&tokens, at + 1, start);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        self.is_use = false;
    }

    fn begins_path(&self, tokens: &[TokenTree], at: usize) -> bool {
        if !is_double_colon(tokens, at + 1) || (at >= 2 && is_double_colon(tokens, at - 2)) {
            return false;
        }
        let word = tokens[at].to_string();
        ["crate", "super", "self"].contains(&word.as_str())
            || self.is_child(&word)
            || self.aliases.contains_key(&word)
    }

    fn is_child(&self, word: &str) -> bool {
        self.imports.edges.contains_key(&join(&self.here.join("::"), word))
    }

    fn start(&self, word: &str) -> Vec<String> {
        let mut here = self.here.clone();
        match word {
            "crate" => Vec::new(),
            "self" => here,
            "super" => {
                here.pop();
                here
            }
            name => self.aliases.get(name).cloned().unwrap_or_else(|| {
                here.push(name.to_owned());
                here
            }),
        }
    }

    /// Reads the rest of a path. Returns the index of the token after the path.
    fn path(&mut self, tokens: &[TokenTree], mut at: usize, mut path: Vec<String>) -> usize {
        while is_double_colon(tokens, at) {
            at += 2;
            match tokens.get(at) {
                Some(TokenTree::Ident(word)) if word == "super" => {
                    path.pop();
                }
                Some(TokenTree::Ident(word)) => path.push(word.to_string()),
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                    self.group(group, &path);
                    return at + 1;
                }
                Some(TokenTree::Punct(one)) if one.as_char() == '*' && self.is_use => {
                    self.globs.push(path);
                    return at + 1;
                }
                _ => break,
            }
            at += 1;
        }
        self.finish(tokens, at, path);
        at
    }

    fn group(&mut self, group: &Group, path: &[String]) {
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        let is_comma =
            |token: &TokenTree| matches!(token, TokenTree::Punct(one) if one.as_char() == ',');
        for part in tokens.split(is_comma) {
            let mut path = path.to_vec();
            match part.first() {
                Some(TokenTree::Ident(word)) if word == "self" => self.finish(part, 1, path),
                Some(TokenTree::Ident(word)) => {
                    path.push(word.to_string());
                    self.path(part, 1, path);
                }
                Some(_) => self.globs.push(path),
                None => {}
            }
        }
    }

    /// Records a path. The tokens at `at` may be `as` and an alias.
    fn finish(&mut self, tokens: &[TokenTree], at: usize, path: Vec<String>) {
        if self.is_use {
            let name = match &tokens[at.min(tokens.len())..] {
                [TokenTree::Ident(word), TokenTree::Ident(name), ..] if word == "as" => {
                    Some(name.to_string())
                }
                _ => path.last().cloned(),
            };
            self.aliases.extend(name.map(|name| (name, path.clone())));
        }
        self.paths.push(path);
    }
}

fn is_double_colon(tokens: &[TokenTree], at: usize) -> bool {
    let is_colon =
        |at| matches!(tokens.get(at), Some(TokenTree::Punct(one)) if one.as_char() == ':');
    is_colon(at) && is_colon(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::import_cycles;

    /// Writes a crate to disk and reads its imports.
    fn imports_of(name: &str, files: &[(&str, &str)]) -> Imports {
        let src = std::env::temp_dir().join(format!("outhaul-xtask-{}-{name}", std::process::id()));
        for (path, code) in files {
            let path = src.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, code).unwrap();
        }
        let imports = read(&src).unwrap();
        std::fs::remove_dir_all(&src).unwrap();
        imports
    }

    fn edges(imports: &Imports, module: &str) -> Vec<Name> {
        imports.edges[module].iter().cloned().collect()
    }

    #[test]
    fn every_form_of_an_import_is_read() {
        let imports = imports_of(
            "forms",
            &[
                ("lib.rs", "mod a; mod b; mod c; mod d; mod facade; pub use d::Deep;"),
                ("a.rs", "use crate::{b::{self, B}, c::C as Other}; fn f() { crate::d::go() }"),
                ("b.rs", "use super::c::*; fn f() { println!(\"{}\", crate::d::N) }"),
                (
                    "c.rs",
                    "mod inner { use super::super::d; }\n#[cfg(test)]\nmod tests { use crate::a; }",
                ),
                ("d.rs", "use crate::facade::Shown; use std::a::b; pub struct Deep;"),
                ("facade/mod.rs", "mod real; pub use real::Shown;"),
                ("facade/real.rs", "use crate::Deep; pub struct Shown;"),
            ],
        );
        assert_eq!(edges(&imports, "a"), ["b", "c", "d"]);
        assert_eq!(edges(&imports, "b"), ["c", "d"]);
        assert_eq!(edges(&imports, "c"), ["d"]);
        assert_eq!(edges(&imports, "d"), ["facade::real"]);
        assert_eq!(edges(&imports, "facade::real"), ["d"]);
        let circles = import_cycles::find(&imports);
        assert_eq!(circles, [["d", "facade::real"]]);
    }

    #[test]
    fn names_that_stand_for_others_are_followed() {
        let imports = imports_of(
            "names",
            &[
                ("lib.rs", "mod a; mod b; mod c; mod d; mod e; mod outer;"),
                ("a.rs", "use crate::outer; fn f() { outer::low::f(); }"),
                ("b.rs", "use crate::outer::Other; use crate::c as see; fn f() { see::g() }"),
                ("c.rs", "use crate::outer::*; pub fn g() {}"),
                ("d.rs", "macro_rules! m { () => { $crate::b::f() } } pub struct D;"),
                ("e.rs", "use crate::outer::Far; use std::fmt::{self, Debug as D}; struct E;"),
                (
                    "outer/mod.rs",
                    "pub mod low; mod inner; pub use low::Low as Other; pub use inner::*;",
                ),
                ("outer/low.rs", "pub struct Low; pub fn f() {}"),
                ("outer/inner/mod.rs", "mod far; pub use far::Far;"),
                ("outer/inner/far.rs", "pub struct Far;"),
            ],
        );
        assert_eq!(edges(&imports, "a"), ["outer::low"]);
        assert_eq!(edges(&imports, "b"), ["c", "outer::low"]);
        assert_eq!(edges(&imports, "c"), ["outer::inner::far", "outer::low"]);
        assert_eq!(edges(&imports, "d"), ["b"]);
        assert_eq!(edges(&imports, "e"), ["outer::inner::far"]);
    }

    #[test]
    fn a_module_that_uses_its_parent_is_in_a_circle_with_it() {
        let imports = imports_of(
            "parent",
            &[
                ("lib.rs", "mod worker;"),
                ("worker/mod.rs", "mod frame; use frame::Frame; pub struct Worker(Frame);"),
                ("worker/frame.rs", "use super::Worker; pub struct Frame;"),
            ],
        );
        assert_eq!(import_cycles::find(&imports).len(), 1);
    }
}
