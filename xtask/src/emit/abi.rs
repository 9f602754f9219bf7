//! Emits two tables for crates/abi: the exported symbols, and the functions to resolve in an opened
//! libcuda.so.1.

use crate::emit::signature::{HEADER, c_params, c_type, names};
use crate::spec::Spec;
use std::fmt::Write;

/// Returns crates/abi/src/generated/symbols.rs.
pub fn symbols(spec: &Spec) -> String {
    let mut out = format!(
        r"{HEADER}
use crate::loading::symbols::{{Flavour, Symbol}};

"
    );
    let mut rows = Vec::new();
    for f in &spec.functions {
        if f.data {
            continue;
        }
        let row = |name: &str, since: Option<u32>, flavour: &str| {
            format!(
                "Symbol {{ name: {name:?}, base: {:?}, since: {}, flavour: Flavour::{flavour} \
                }},\n",
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
        "/// Every function that the driver exports, in the order of the spec.\npub static \
        SYMBOLS: [Symbol; {}] = [",
        rows.len()
    );
    out.extend(rows);
    out.push_str("];\n");
    out
}

/// Returns crates/abi/src/generated/driver.rs.
pub fn driver(spec: &Spec) -> String {
    let typed: Vec<_> =
        spec.functions.iter().filter_map(|f| Some((f, f.params.as_ref()?))).collect();
    let mut out = format!(
        r"{HEADER}
#![allow(non_snake_case, clippy::too_many_arguments, clippy::type_complexity)]

use crate::types::*;
use crate::{{Library, OpenError}};
use std::ffi::{{c_char, c_void}};

"
    );
    out.push_str(
        r"
/// The functions of one libcuda.so.1, resolved by their exported names. A function that the library
/// lacks returns NOT_SUPPORTED.
pub struct Driver {
    functions: Functions,
    _library: Library,
}

struct Functions {
",
    );
    for (f, params) in &typed {
        let types = params.iter().map(c_type).collect::<Vec<_>>().join(", ");
        let _ =
            writeln!(out, "    {}: Option<unsafe extern \"C\" fn({types}) -> CUresult>,", f.name);
    }
    out.push_str(
        r"}

impl Driver {
    /// Opens the library at `path`. Does not initialise the driver.
    pub fn open(path: &std::path::Path) -> Result<Driver, OpenError> {
        let library = Library::open(path)?;
        // SAFETY: each symbol has the type that cuda.h gives it under that exported name.
        let functions = unsafe {
            Functions {
",
    );
    for (f, _) in &typed {
        let _ = writeln!(out, "                {}: library.symbol(c\"{}\"),", f.name, f.name);
    }
    out.push_str(
        r"            }
        };
        Ok(Driver { functions, _library: library })
    }
}

/// # Safety
/// Each method calls the driver function of its name. Its arguments must meet that function's
/// requirements.
#[allow(missing_docs, clippy::missing_safety_doc)]
impl Driver {
",
    );
    for (f, params) in &typed {
        let (name, list) = (&f.name, c_params(params));
        let _ = writeln!(
            out,
            r"    pub unsafe fn {name}(&self, {list}) -> CUresult {{
        match self.functions.{name} {{
            // SAFETY: the caller upholds this function's contract.
            Some(function) => unsafe {{ function({}) }},
            None => CUresult::NOT_SUPPORTED,
        }}
    }}
",
            names(params)
        );
    }
    out.push_str("}\n");
    out
}
