//! Emits, for crates/client and crates/softgpu, one exported C function per symbol, and the address
//! table for cuGetProcAddress.

use crate::emit::bodies;
use crate::emit::requirements::requirement_checks;
use crate::emit::signature::{HEADER, c_params, c_type};
use crate::spec::{Class, Flavour, Function, Spec};
use std::fmt::Write;

const SIGNATURE: &str = "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn";

/// Returns a function's exported symbols: the plain name, and the name of the per-thread flavour.
fn flavours(f: &Function) -> Vec<(String, Option<Flavour>)> {
    let mut all = vec![(f.name.clone(), None)];
    if let Some((flavour, _)) = f.per_thread {
        all.push((format!("{}{}", f.name, flavour.suffix()), Some(flavour)));
    }
    all
}

/// Returns the body of an older form. The body widens the arguments, calls the later function, and
/// narrows the results.
fn form(spec: &Spec, index: usize, f: &Function, later: &str, narrow: bool) -> String {
    let later = spec.functions.iter().find(|g| g.name == *later).expect("checked by the parser");
    let pairs = f.params.iter().flatten().zip(later.params.iter().flatten());
    let (mut before, mut arguments, mut after) = (String::new(), Vec::new(), String::new());
    for (older, later) in pairs {
        let (name, ty) = (&older.name, c_type(older));
        if ty == c_type(later) {
            arguments.push(name.clone());
        } else if ty.starts_with("*const ") {
            let _ = write!(before, "let {name} = legacy_32bit::read({name}); ");
            arguments.push(format!("legacy_32bit::pointer(&{name})"));
        } else if ty.starts_with("*mut ") {
            let _ = write!(before, "let mut {name}_later = legacy_32bit::room({name}); ");
            arguments.push(format!("legacy_32bit::place(&mut {name}_later)"));
            let _ = write!(after, "legacy_32bit::give({name}, {name}_later)?; ");
        } else {
            arguments.push(format!("legacy_32bit::widen({name})"));
        }
    }
    format!(
        "legacy_abi::carry_out({index}, {narrow}, || \
        {{\n// SAFETY: the caller upholds the driver API's contract.\nunsafe {{ {before} \
        {}({}).ok()?; {after} }} Ok(()) }})",
        later.name,
        arguments.join(", ")
    )
}

/// Returns each exported symbol with its row number in `SYMBOLS` of crates/abi.
fn numbered(spec: &Spec) -> Vec<(usize, &Function, String, Option<Flavour>)> {
    let functions = spec.functions.iter().filter(|f| !f.data);
    functions
        .flat_map(|f| flavours(f).into_iter().map(move |(name, flavour)| (f, name, flavour)))
        .enumerate()
        .map(|(i, (f, n, v))| (i, f, n, v))
        .collect()
}

fn address_table(out: &mut String, implemented: &[String]) {
    let mut sorted = implemented.to_vec();
    sorted.sort();
    let _ = writeln!(
        out,
        "/// The implemented symbols by name, sorted.\nstatic ADDRESSES: [(&str, Address); {}] = [",
        sorted.len()
    );
    for name in &sorted {
        let _ = writeln!(out, "    ({name:?}, Address({name} as *const c_void)),");
    }
    out.push_str(
        r"];

/// Returns the address of an implemented symbol.
pub fn address(symbol: &str) -> Option<*const c_void> {
    let found = ADDRESSES.binary_search_by(|(name, _)| (*name).cmp(symbol)).ok()?;
    Some(ADDRESSES[found].1.0)
}

/// A function's address, in a table that all threads read.
struct Address(*const c_void);

// SAFETY: the address of a function is never written through.
unsafe impl Sync for Address {}
",
    );
}

/// Returns the text of crates/softgpu/src/generated/exports.rs.
pub fn softgpu(spec: &Spec) -> String {
    let mut out = format!(
        r"{HEADER}
// NVIDIA's documents describe each function.
#![allow(missing_docs)]
#![allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)]

use crate::driver::api;
use crate::driver::api::arguments;
use crate::driver::abi::entry::{{enter, unsupported}};
use crate::driver::abi::legacy_abi;
use crate::driver::objects::streams::capture;
use outhaul_abi::legacy_32bit;
use outhaul_abi::types::*;
use std::ffi::{{c_char, c_void}};

"
    );
    let mut implemented = Vec::new();
    for (index, f, name, flavour) in numbered(spec) {
        let (true, Some(params)) = (f.soft, &f.params) else {
            let _ = writeln!(
                out,
                r"{SIGNATURE} {name}() -> CUresult {{
    unsupported({index})
}}
"
            );
            continue;
        };
        implemented.push(name.clone());
        if let Class::FormOf { later, narrow } = &f.class {
            let _ = writeln!(
                out,
                r"{SIGNATURE} {name}({}) -> CUresult {{
    {}
}}
",
                c_params(params),
                form(spec, index, f, later, *narrow)
            );
            continue;
        }
        let later = if spec.has_narrow_form(f) { "legacy_abi::check_later()?; " } else { "" };
        let thread = if f.unsafe_in_capture { "capture::check_thread()?; " } else { "" };
        let check = format!("{later}{thread}{}", requirement_checks(spec, f));
        let call =
            format!("unsafe {{ api::{}({}) }}", f.name, bodies::arguments(f, params, flavour));
        let body = if check.is_empty() {
            call
        } else {
            format!(
                "{{ {check}\n// SAFETY: the caller upholds the driver API's contract.\n \
                {call} }}"
            )
        };
        let safety = if check.is_empty() {
            "    // SAFETY: the caller upholds the driver API's contract.\n"
        } else {
            ""
        };
        let _ = writeln!(
            out,
            r"{SIGNATURE} {name}({}) -> CUresult {{
{safety}    enter({index}, || {body})
}}
",
            c_params(params)
        );
    }
    address_table(&mut out, &implemented);
    out
}

/// Returns the text of crates/client/src/generated/exports.rs.
pub fn client(spec: &Spec) -> String {
    let mut out = format!(
        r"{HEADER}
// NVIDIA's documents describe each function.
#![allow(missing_docs)]
#![allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)]
// Some of the functions that they call take no pointers.
#![allow(unused_unsafe)]

use crate::api;
use crate::api::{{arguments, code, copies, devices, graphs, memory, streams}};
use crate::driver::other_node::{{call_on_its_node, call_on_node_of_memory}};
use crate::driver::{{contexts, handles}};
use crate::entry::{{enter, unsupported}};
use crate::entry::legacy_abi;
use crate::marshal;
use crate::driver::memory::ranges;
use crate::driver::answer_cache::{{call_cached, call_cached_of}};
use crate::driver::submit::submit_here;
use crate::objects::context_stack::{{call, post}};
use crate::objects::copy_shape::Mode;
use outhaul_abi::legacy_32bit;
use outhaul_abi::types::*;
use outhaul_wire::messages as wire;
use std::ffi::{{c_char, c_void}};

"
    );
    let mut implemented = Vec::new();
    for (index, f, name, flavour) in numbered(spec) {
        let (Some(params), false) = (&f.params, f.class == Class::Unsupported) else {
            if f.refused {
                implemented.push(name.clone());
            }
            let _ = writeln!(
                out,
                r"{SIGNATURE} {name}() -> CUresult {{
    unsupported({index})
}}
"
            );
            continue;
        };
        implemented.push(name.clone());
        if let Class::FormOf { later, narrow } = &f.class {
            let _ = writeln!(
                out,
                r"{SIGNATURE} {name}({}) -> CUresult {{
    {}
}}
",
                c_params(params),
                form(spec, index, f, later, *narrow)
            );
            continue;
        }
        let (near, end) = bodies::place(f, params);
        let (near, end) = if spec.has_narrow_form(f) {
            (format!("legacy_abi::later(|| {near}"), format!("{end})"))
        } else {
            (near, end.into())
        };
        let body = bodies::body(spec, f, params, flavour);
        let (near, end) = if f.unsafe_in_capture {
            (format!("{{ graphs::capture::check_thread()?; {near}"), format!("{end} }}"))
        } else {
            (near, end)
        };
        let body = match body.strip_prefix(bodies::SAFETY).filter(|_| near.is_empty()) {
            Some(call) => format!("{}    enter({index}, || {call})", bodies::SAFETY),
            None => format!("enter({index}, || {near}{{ {body} }}{end})"),
        };
        let _ = writeln!(
            out,
            r"{SIGNATURE} {name}({}) -> CUresult {{
    {body}
}}
",
            c_params(params)
        );
    }
    address_table(&mut out, &implemented);
    out
}
