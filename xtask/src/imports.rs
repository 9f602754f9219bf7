//! Which modules of a crate import which. Reads `use` items and paths in expressions and types:
//! `crate::`, `super::`, `self::`, groups in braces, and names of child modules. Test modules and
//! generated code are left out, and a module that only re-exports counts as what it re-exports.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A module's names below its crate's root, joined by `::`.
pub type Name = String;

/// The imports of a crate's modules.
#[derive(Default)]
pub struct Imports {
    /// Each module, with those that it imports.
    pub edges: BTreeMap<Name, BTreeSet<Name>>,
    /// For a module that only re-exports, the module of each name.
    facades: BTreeMap<Name, BTreeMap<String, Name>>,
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
        let names = imports.re_exports(facade);
        imports.facades.insert(facade.name.clone(), names);
    }
    for source in others {
        let paths = paths_of(source, &imports);
        let found = paths.iter().filter_map(|path| imports.module(path));
        let found = found.filter(|module| *module != source.name).collect();
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

/// Whether the module holds nothing of its own.
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

fn paths_of(source: &Source, imports: &Imports) -> Vec<Vec<String>> {
    let mut reader = Reader { imports, here: names(&source.name), paths: Vec::new() };
    for item in source.file.items.iter().filter(|item| !is_test(item) && !is_declaration(item)) {
        reader.read(item.to_token_stream());
    }
    reader.paths
}

fn names(module: &str) -> Vec<String> {
    module.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

impl Imports {
    /// The module that a path leads into, behind re-exports.
    fn module(&self, path: &[String]) -> Option<Name> {
        let known = |length: &usize| self.edges.contains_key(&path[..*length].join("::"));
        let length = (0..=path.len()).rev().find(known)?;
        let module = path[..length].join("::");
        let Some(names) = self.facades.get(&module) else { return Some(module) };
        let target = names.get(path.get(length)?)?;
        // What it re-exports may itself be re-exported.
        let rest: Vec<String> = names_below(target, &path[length + 1..]);
        if self.facades.contains_key(target) { self.module(&rest) } else { Some(target.clone()) }
    }

    fn re_exports(&self, facade: &Source) -> BTreeMap<String, Name> {
        let paths = paths_of(facade, self);
        let target = |path: &[String]| {
            let known = |length: &usize| self.edges.contains_key(&path[..*length].join("::"));
            (0..path.len()).rev().find(known).map(|length| path[..length].join("::"))
        };
        let named = paths.iter().filter_map(|path| Some((path.last()?.clone(), target(path)?)));
        named.filter(|(_, module)| *module != facade.name).collect()
    }
}

fn names_below(module: &str, rest: &[String]) -> Vec<String> {
    names(module).into_iter().chain(rest.iter().cloned()).collect()
}

struct Reader<'i> {
    imports: &'i Imports,
    /// The module that is read, inline modules included.
    here: Vec<String>,
    paths: Vec<Vec<String>>,
}

impl Reader<'_> {
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
                TokenTree::Ident(word) if self.begins_path(&tokens, at) => {
                    let start = self.start(&word.to_string());
                    at = self.path(&tokens, at + 1, start);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn begins_path(&self, tokens: &[TokenTree], at: usize) -> bool {
        if !is_double_colon(tokens, at + 1) || (at >= 2 && is_double_colon(tokens, at - 2)) {
            return false;
        }
        // `$crate` is the crate of whoever calls the macro.
        if at >= 1 && matches!(&tokens[at - 1], TokenTree::Punct(one) if one.as_char() == '$') {
            return false;
        }
        let word = tokens[at].to_string();
        ["crate", "super", "self"].contains(&word.as_str()) || self.is_child(&word)
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
            child => {
                here.push(child.to_owned());
                here
            }
        }
    }

    /// Reads on from behind a path's first words, and returns where it ends.
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
                _ => break,
            }
            at += 1;
        }
        self.paths.push(path);
        at
    }

    fn group(&mut self, group: &Group, path: &[String]) {
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        let is_comma =
            |token: &TokenTree| matches!(token, TokenTree::Punct(one) if one.as_char() == ',');
        for part in tokens.split(is_comma) {
            let mut path = path.to_vec();
            match part.first() {
                Some(TokenTree::Ident(word)) if word == "self" => self.paths.push(path),
                Some(TokenTree::Ident(word)) => {
                    path.push(word.to_string());
                    self.path(part, 1, path);
                }
                // Everything.
                Some(_) => self.paths.push(path),
                None => {}
            }
        }
    }
}

fn is_double_colon(tokens: &[TokenTree], at: usize) -> bool {
    let is_colon =
        |at| matches!(tokens.get(at), Some(TokenTree::Punct(one)) if one.as_char() == ':');
    is_colon(at) && is_colon(at + 1)
}
