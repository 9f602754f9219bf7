//! For crates/client and crates/softgpu: one exported C function per symbol, and the table of
//! addresses that cuGetProcAddress returns.

use super::{HEADER, c_params, c_type};
use crate::spec::{Class, Flavour, Function, Param, ParamType, Spec, snake, wire_scalar};
use std::fmt::Write;

const SIGNATURE: &str = "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn";

/// Returns the exported symbols of a function: its own name, and its per-thread flavour's.
fn flavours(f: &Function) -> Vec<(String, Option<Flavour>)> {
    let mut all = vec![(f.name.clone(), None)];
    if let Some((flavour, _)) = f.per_thread {
        all.push((format!("{}{}", f.name, flavour.suffix()), Some(flavour)));
    }
    all
}

/// Returns the arguments of the hand-written body that a symbol calls.
fn body_arguments(f: &Function, params: &[Param], flavour: Option<Flavour>) -> String {
    let stream = f.stream_param().map(|p| p.name.clone());
    let mut arguments: Vec<String> = params
        .iter()
        .map(|p| match (&stream, flavour) {
            (Some(s), Some(_)) if *s == p.name => format!("{s}.or_per_thread()"),
            _ => p.name.clone(),
        })
        .collect();
    if f.takes_default_stream() {
        arguments.push(
            if flavour.is_some() { "CUstream::PER_THREAD" } else { "CUstream::LEGACY" }.into(),
        );
    }
    arguments.join(", ")
}

/// Returns the body of an older form. It widens the arguments for the later function, and narrows
/// the results.
fn form(spec: &Spec, index: usize, f: &Function, later: &str, narrow: bool) -> String {
    let later = spec.functions.iter().find(|g| g.name == *later).expect("checked by the parser");
    let pairs = f.params.iter().flatten().zip(later.params.iter().flatten());
    let (mut before, mut arguments, mut after) = (String::new(), Vec::new(), String::new());
    for (older, later) in pairs {
        let (name, ty) = (&older.name, c_type(older));
        if ty == c_type(later) {
            arguments.push(name.clone());
        } else if ty.starts_with("*const ") {
            let _ = write!(before, "let {name} = older::read({name}); ");
            arguments.push(format!("older::pointer(&{name})"));
        } else if ty.starts_with("*mut ") {
            let _ = write!(before, "let mut {name}_later = older::room({name}); ");
            arguments.push(format!("older::place(&mut {name}_later)"));
            let _ = write!(after, "older::give({name}, {name}_later)?; ");
        } else {
            arguments.push(format!("older::widen({name})"));
        }
    }
    format!(
        "legacy_abi::carry_out({index}, {narrow}, || \
        {{\n// SAFETY: the caller's promise, as the driver API states it.\nunsafe {{ {before} \
        {}({}).ok()?; {after} }} Ok(()) }})",
        later.name,
        arguments.join(", ")
    )
}

/// Returns each exported symbol with its row in `SYMBOLS` of crates/abi.
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

/// Returns crates/softgpu/src/generated/exports.rs.
pub fn softgpu(spec: &Spec) -> String {
    let mut out = format!(
        r"{HEADER}
#![allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)]

use crate::driver::api;
use crate::driver::abi::entry::{{enter, unsupported}};
use crate::driver::abi::legacy_abi;
use outhaul_abi::older;
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
        let check = if spec.has_narrow_form(f) { "legacy_abi::check_later()?; " } else { "" };
        let call = format!("unsafe {{ api::{}({}) }}", f.name, body_arguments(f, params, flavour));
        let body = if check.is_empty() {
            call
        } else {
            format!(
                "{{ {check}\n// SAFETY: the caller's promise, as the driver API states it.\n \
                {call} }}"
            )
        };
        let safety = if check.is_empty() {
            "    // SAFETY: the caller's promise, as the driver API states it.\n"
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

/// Returns crates/client/src/generated/exports.rs.
pub fn client(spec: &Spec) -> String {
    let mut out = format!(
        r"{HEADER}
// NVIDIA's documents describe each function.
#![allow(missing_docs)]
#![allow(non_snake_case, clippy::too_many_arguments, clippy::missing_safety_doc)]

use crate::api;
use crate::driver::near::{{near, near_memory}};
use crate::entry::{{enter, unsupported}};
use crate::entry::legacy_abi;
use crate::marshal;
use crate::driver::memory::ranges;
use crate::driver::memo::{{call_memo, call_memo_of}};
use crate::objects::context_stack::target;
use crate::driver::submit::submit_here;
use outhaul_abi::older;
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
        let (near, end) = place(f, params);
        let (near, end) = if spec.has_narrow_form(f) {
            (format!("legacy_abi::later(|| {near}"), format!("{end})"))
        } else {
            (near, end.into())
        };
        let body = match &f.class {
            Class::Local | Class::Custom => {
                let safety = "// SAFETY: the caller's promise, as the driver API states it.\n";
                let call =
                    format!("unsafe {{ api::{}({}) }}", f.name, body_arguments(f, params, flavour));
                if near.is_empty() {
                    format!("{safety}    enter({index}, || {call})")
                } else {
                    format!("enter({index}, || {near}{{\n{safety}{call} }}{end})")
                }
            }
            Class::Post { .. } => {
                let value = message_value(f, params, &spec.handles);
                match f.stream_param() {
                    Some(p) => {
                        let stream = find_stream(p, flavour);
                        let checks = range_checks(f);
                        format!(
                            "enter({index}, || {near}{{ {checks} {stream} submit_here(&stream, \
                            &{value}).map(drop) }}{end})"
                        )
                    }
                    None => format!(
                        "enter({index}, || {near}{{ {} target()?.post(&{value}) }}{end})",
                        range_checks(f)
                    ),
                }
            }
            Class::PostLike { other } => {
                let target = spec
                    .functions
                    .iter()
                    .find(|g| g.name == *other)
                    .expect("checked by the parser");
                let default = if flavour.is_some() { "PER_THREAD" } else { "LEGACY" };
                let stream = target.stream_param().expect("a like-post has a stream").name.clone();
                let value =
                    message_value(target, target.params.as_ref().expect("typed"), &spec.handles);
                let settled: String = f
                    .touches
                    .iter()
                    .map(|(address, _)| format!("api::settle_seen({address}, {stream})?; "))
                    .collect();
                format!(
                    "let {stream} = CUstream::{default};\n    enter({index}, || {near}{{ {} \
                    let stream = marshal::stream({stream})?; submit_here(&stream, &{value})?; \
                    {settled} Ok(()) }}{end})",
                    range_checks(f)
                )
            }
            Class::Call { memo, .. } => {
                format!(
                    "enter({index}, || {near}{}{end})",
                    call_body(f, params, flavour, *memo, spec)
                )
            }
            Class::FormOf { .. } | Class::Unsupported => unreachable!("handled above"),
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

/// Types of objects that belong to a node. The first of these types that a function takes
/// determines the node that its call goes to.
const LEADING: [&str; 10] = [
    "CUstream",
    "CUevent",
    "CUgraphExec",
    "CUgraph",
    "CUgraphNode",
    "CUmodule",
    "CUarray",
    "CUmipmappedArray",
    "CUuserObject",
    "CUfunction",
];

/// Returns the code before and after a body that sends its call to the node of that object.
fn place(f: &Function, params: &[Param]) -> (String, &'static str) {
    let named = |ty: &str| params.iter().find(|p| p.ty == ParamType::Plain(ty.into()));
    match (LEADING.iter().find_map(|ty| named(ty)), f.touches.first()) {
        (Some(leading), _) => (format!("near({}.0, || ", leading.name), ")"),
        (None, Some((address, _))) => (format!("near_memory({address}, || "), ")"),
        (None, None) => (String::new(), ""),
    }
}

/// Returns code that finds the stream of a call.
fn find_stream(param: &Param, flavour: Option<Flavour>) -> String {
    let per_thread = if flavour.is_some() { ".or_per_thread()" } else { "" };
    format!("let stream = marshal::stream({}{per_thread})?; ", param.name)
}

/// Returns code that refuses a range outside an allocation before the client sends anything.
fn range_checks(f: &Function) -> String {
    f.touches
        .iter()
        .map(|(address, bytes)| format!("ranges::check_range({address}, ({bytes}) as u64)?; "))
        .collect()
}

fn message_value(f: &Function, params: &[Param], handles: &[String]) -> String {
    let stream = f.stream_param().map(|p| p.name.clone());
    let mut fields = Vec::new();
    for p in params {
        let value = match &p.ty {
            ParamType::Plain(ty) if ty == "CUstream" && stream.as_ref() == Some(&p.name) => {
                "stream.handle".into()
            }
            ParamType::Plain(ty) if ty == "CUstream" => {
                format!("marshal::stream({})?.handle", p.name)
            }
            ParamType::Plain(ty) if handles.iter().any(|h| h == ty) => {
                format!("marshal::{}({})?", snake(&ty[2..]), p.name)
            }
            ParamType::Plain(ty) if ty == "usize" => format!("{} as u64", p.name),
            ParamType::Plain(ty) if ty == "CUdevice" => format!("marshal::device({})?", p.name),
            ParamType::Plain(ty) if wire_scalar(ty, handles) == *ty || ty.starts_with("CU") => {
                p.name.clone()
            }
            ParamType::Plain(_) => p.name.clone(),
            // The generated code checks for null; the caller promises the rest.
            ParamType::In(_) => format!("marshal::input(&{})?", p.name),
            ParamType::InArray { count, count_max, .. } => {
                format!("marshal::input_array(&{}, ({count}) as usize, {count_max})?", p.name)
            }
            ParamType::Out(_) | ParamType::OptionalOut(_) => continue,
        };
        let field = snake(&p.name);
        fields.push(if field == value { field } else { format!("{field}: {value}") });
    }
    let message = f.message.as_ref().expect("a generated function has a message");
    format!("wire::{message} {{ {} }}", fields.join(", "))
}

fn call_body(
    f: &Function,
    params: &[Param],
    flavour: Option<Flavour>,
    memo: bool,
    spec: &Spec,
) -> String {
    let value = message_value(f, params, &spec.handles);
    let mut stores = String::new();
    let mut checks = String::new();
    for p in params {
        match &p.ty {
            ParamType::Out(ty) => {
                let _ = write!(checks, "marshal::not_null({})?; ", p.name);
                stores.push_str(&store(p, ty, spec));
            }
            ParamType::OptionalOut(ty) => stores.push_str(&store(p, ty, spec)),
            _ => {}
        }
    }
    let function = params.iter().find(|p| p.ty == ParamType::Plain("CUfunction".into()));
    let stream = f.stream_param().map_or_else(String::new, |p| find_stream(p, flavour));
    let remember = match function {
        Some(function) if memo => Some(format!("call_memo_of({}, ", function.name)),
        _ => memo.then(|| "call_memo(".into()),
    };
    let call = match remember {
        Some(remember) => format!("{remember}&{value}, |reply| {{ {stores} Ok(()) }})"),
        None if stores.is_empty() => format!("target()?.call(&{value})?.ok()"),
        None => format!("target()?.call(&{value})?.read(|reply| {{ {stores} Ok(()) }})"),
    };
    format!("{{ {checks} {stream} {call} }}")
}

fn store(p: &Param, ty: &str, spec: &Spec) -> String {
    let field = snake(&p.name);
    let is_struct = ty.starts_with("CU")
        && ty != "CUdevice"
        && ty != "CUdeviceptr"
        && !spec.handles.iter().any(|h| h == ty);
    if is_struct {
        return format!("marshal::output_struct({}, reply.{field})?; ", p.name);
    }
    let cast = if ty == "usize" { " as usize" } else { "" };
    format!("marshal::output({}, reply.{field}{cast}); ", p.name)
}
