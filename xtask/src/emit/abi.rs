//! For crates/abi: the table of exported symbols, and the table of functions that a libcuda.so.1 is opened into.

use super::{HEADER, c_params, c_type, names};
use crate::spec::{Class, Spec};
use std::fmt::Write;

pub fn symbols(spec: &Spec) -> String {
    let mut out = format!("{HEADER}\nuse crate::symbols::{{Class, Flavour, Symbol}};\n\n");
    let mut rows = Vec::new();
    for f in &spec.functions {
        if f.data {
            continue;
        }
        let class = match f.class {
            Class::Local => "Local",
            Class::Post { .. } | Class::PostLike { .. } => "Post",
            Class::Call { .. } => "Call",
            Class::Custom => "Custom",
            Class::FormOf { .. } => "Local",
            Class::Unsupported => "Unsupported",
        };
        let row = |name: &str, since: Option<u32>, flavour: &str| {
            format!(
                "Symbol {{ name: {name:?}, base: {:?}, since: {}, flavour: Flavour::{flavour}, class: Class::{class} }},\n",
                f.base(),
                since.unwrap_or(u32::MAX)
            )
        };
        rows.push(row(&f.name, f.since, "Legacy"));
        if let Some((flavour, since)) = f.per_thread {
            rows.push(row(&format!("{}{}", f.name, flavour.suffix()), Some(since), "PerThread"));
        }
    }
    let _ = writeln!(
        out,
        "/// Every function that the driver exports, in the order of the spec.\npub static SYMBOLS: [Symbol; {}] = [",
        rows.len()
    );
    out.extend(rows);
    out.push_str("];\n");
    out
}

pub fn driver(spec: &Spec) -> String {
    let typed: Vec<_> =
        spec.functions.iter().filter_map(|f| Some((f, f.params.as_ref()?))).collect();
    let mut out = format!(
        "{HEADER}\n#![allow(non_snake_case, clippy::too_many_arguments, clippy::type_complexity)]\n\nuse crate::types::*;\nuse crate::{{Library, OpenError}};\nuse std::ffi::{{c_char, c_void}};\n\n"
    );
    out.push_str("/// The functions of one libcuda.so.1, resolved by their exported names. A function that the library lacks answers NOT_SUPPORTED.\npub struct Driver {\n    functions: Functions,\n    _library: Library,\n}\n\nstruct Functions {\n");
    for (f, params) in &typed {
        let types = params.iter().map(c_type).collect::<Vec<_>>().join(", ");
        let _ =
            writeln!(out, "    {}: Option<unsafe extern \"C\" fn({types}) -> CUresult>,", f.name);
    }
    out.push_str("}\n\nimpl Driver {\n    /// Opens the library at `path`. Nothing is initialised.\n    pub fn open(path: &std::path::Path) -> Result<Driver, OpenError> {\n        let library = Library::open(path)?;\n        // SAFETY: each symbol has the type that cuda.h gives it under that exported name.\n        let functions = unsafe {\n            Functions {\n");
    for (f, _) in &typed {
        let _ = writeln!(out, "                {}: library.symbol(c\"{}\"),", f.name, f.name);
    }
    out.push_str("            }\n        };\n        Ok(Driver { functions, _library: library })\n    }\n}\n\n/// # Safety\n/// Each method is the driver function of its name and asks what that function asks of its arguments.\n#[allow(clippy::missing_safety_doc)]\nimpl Driver {\n");
    for (f, params) in &typed {
        let (name, list) = (&f.name, c_params(params));
        let _ = writeln!(
            out,
            "    pub unsafe fn {name}(&self, {list}) -> CUresult {{\n        match self.functions.{name} {{\n            // SAFETY: the caller's promise.\n            Some(function) => unsafe {{ function({}) }},\n            None => CUresult::NOT_SUPPORTED,\n        }}\n    }}\n",
            names(params)
        );
    }
    out.push_str("}\n");
    out
}
