//! Emits the bodies of exported functions for crates/client, according to their class.

use crate::emit::requirements::requirement_checks;
use crate::emit::signature::c_type;
use crate::spec::delegation::{Argument, Call, Delegation};
use crate::spec::names::{snake, wire_scalar};
use crate::spec::{Class, Flavour, Function, Param, ParamType, Spec};
use std::fmt::Write;

/// The start of a body that only calls hand-written code.
pub const SAFETY: &str = "// SAFETY: the caller upholds the driver API's contract.\n";

/// Returns the statements of a function's body. The last one is the result.
pub fn body(spec: &Spec, f: &Function, params: &[Param], flavour: Option<Flavour>) -> String {
    let checks = requirement_checks(spec, f);
    let body = body_behind_checks(spec, f, params, flavour);
    if checks.is_empty() { body } else { format!("{checks}\n{body}") }
}

fn body_behind_checks(
    spec: &Spec,
    f: &Function,
    params: &[Param],
    flavour: Option<Flavour>,
) -> String {
    match &f.class {
        Class::Local | Class::Custom { .. } => {
            format!("{SAFETY}unsafe {{ api::{}({}) }}", f.name, arguments(f, params, flavour))
        }
        Class::Delegated(delegation) => delegated(spec, f, params, flavour, delegation),
        Class::Post { .. } => {
            let (checks, value) =
                (range_checks(f), message_value(f, params, flavour, &spec.handles));
            match f.stream_param() {
                Some(_) => format!(
                    "{checks} let work_stream; let message = {value}; \
                    submit_here(&work_stream, &message).map(drop)"
                ),
                None => format!("{checks} post(&{value})"),
            }
        }
        Class::PostLike { other } => post_like(spec, f, other, flavour),
        Class::Call { memo, .. } => call_body(f, params, flavour, *memo, spec),
        Class::FormOf { .. } | Class::Unsupported => unreachable!("they have no body"),
    }
}

/// Returns the expression for a parameter. In a per-thread flavour, a null stream becomes the
/// calling thread's stream.
fn with_flavour(f: &Function, param: &Param, flavour: Option<Flavour>) -> String {
    match f.stream_param() {
        Some(stream) if stream.name == param.name && flavour.is_some() => {
            format!("{}.or_per_thread()", param.name)
        }
        _ => param.name.clone(),
    }
}

fn default_stream(flavour: Option<Flavour>) -> &'static str {
    if flavour.is_some() { "CUstream::PER_THREAD" } else { "CUstream::LEGACY" }
}

/// Returns the arguments with which a symbol calls the hand-written function.
pub fn arguments(f: &Function, params: &[Param], flavour: Option<Flavour>) -> String {
    let mut arguments: Vec<String> = params.iter().map(|p| with_flavour(f, p, flavour)).collect();
    if f.takes_default_stream() {
        arguments.push(default_stream(flavour).into());
    }
    arguments.join(", ")
}

/// Returns the call of a delegated function, with the preceding checks and the stores of results.
fn delegated(
    spec: &Spec,
    f: &Function,
    params: &[Param],
    flavour: Option<Flavour>,
    delegation: &Delegation,
) -> String {
    let checks: String = params
        .iter()
        .filter(|p| matches!(p.ty, ParamType::Out(_)))
        .map(|p| format!("marshal::not_null({})?; ", p.name))
        .collect();
    if let Some(name) = delegation.call.driver_function() {
        let target = spec.functions.iter().find(|g| g.name == name).expect("checked");
        let body = as_other(spec, f, &delegation.call, target, flavour);
        return if checks.is_empty() { body } else { format!("{checks}\n{body}") };
    }
    let code = Code { f, params, flavour, file: &delegation.call.path };
    let call = code.call(&delegation.call);
    let is_optional = |name: &str| {
        params.iter().any(|p| p.name == name && matches!(p.ty, ParamType::OptionalOut(_)))
    };
    let put = |(i, name): (usize, &String)| {
        if is_optional(name) {
            format!("marshal::output({name}, found.{i}); ")
        } else {
            format!("arguments::put({name}, found.{i})?; ")
        }
    };
    let call = match delegation.results.as_slice() {
        [] => call,
        [name] if !is_optional(name) => format!("arguments::put({name}, {call}?)"),
        [name] => format!("{call}.map(|found| marshal::output({name}, found))"),
        names => {
            let puts: String = names.iter().enumerate().map(put).collect();
            format!("let found = {call}?; {puts}Ok(())")
        }
    };
    match checks.as_str() {
        "" => format!("{SAFETY}unsafe {{ {call} }}"),
        checks => format!("{checks}\n{SAFETY}unsafe {{ {call} }}"),
    }
}

/// Returns the body of another driver function, with the arguments of a delegated call.
fn as_other(
    spec: &Spec,
    f: &Function,
    call: &Call,
    target: &Function,
    flavour: Option<Flavour>,
) -> String {
    let params = f.params.as_deref().expect("checked by the parser");
    let target_params = target.params.as_deref().expect("checked by the parser");
    let code = Code { f, params, flavour, file: &call.path };
    let (mut names, mut types, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (param, argument) in target_params.iter().zip(&call.arguments) {
        let value = code.raw(argument);
        if value != param.name {
            names.push(param.name.clone());
            types.push(c_type(param));
            values.push(value);
        }
    }
    let bindings = match names.as_slice() {
        [] => String::new(),
        [name] => format!("let {name}: {} = {}; ", types[0], values[0]),
        _ => format!(
            "let ({}): ({}) = ({}); ",
            names.join(", "),
            types.join(", "),
            values.join(", ")
        ),
    };
    // The target receives the flavour's stream as an argument if it takes a stream.
    let flavour = flavour.filter(|_| target.takes_default_stream());
    let body = body(spec, target, target_params, flavour);
    if bindings.is_empty() { body } else { format!("{bindings}\n{body}") }
}

/// Generates code for the arguments of a delegated function.
struct Code<'a> {
    f: &'a Function,
    params: &'a [Param],
    flavour: Option<Flavour>,
    /// Path of the outer function. An inner function without a folder and file is in the outer
    /// one's file.
    file: &'a [String],
}

impl Code<'_> {
    fn call(&self, call: &Call) -> String {
        let path = match call.path.as_slice() {
            [name] => [&self.file[..self.file.len() - 1], std::slice::from_ref(name)].concat(),
            path => path.to_vec(),
        };
        let arguments: Vec<String> = call.arguments.iter().map(|a| self.argument(a)).collect();
        format!("{}({})", path.join("::"), arguments.join(", "))
    }

    /// Returns the expression for an argument of a Rust function. Structs are passed by reference.
    fn argument(&self, argument: &Argument) -> String {
        match argument {
            Argument::Parameter(name)
                if self
                    .params
                    .iter()
                    .any(|p| p.name == *name && matches!(p.ty, ParamType::In(_))) =>
            {
                format!("arguments::reference({name})?")
            }
            other => self.raw(other),
        }
    }

    /// Returns the expression for an argument with its C type.
    fn raw(&self, argument: &Argument) -> String {
        match argument {
            Argument::Parameter(name) => {
                let param = self.params.iter().find(|p| p.name == *name).expect("checked");
                with_flavour(self.f, param, self.flavour)
            }
            Argument::Null => "std::ptr::null_mut()".into(),
            Argument::DefaultStream => default_stream(self.flavour).into(),
            Argument::Constant(text) => text.clone(),
            Argument::Array(elements) => {
                let elements: Vec<String> = elements.iter().map(|e| self.argument(e)).collect();
                format!("[{}]", elements.join(", "))
            }
            Argument::Call(call) => format!("{}?", self.call(call)),
        }
    }
}

/// Returns a body that sends another function's message, with the default stream.
fn post_like(spec: &Spec, f: &Function, other: &str, flavour: Option<Flavour>) -> String {
    let target = spec.functions.iter().find(|g| g.name == *other).expect("checked by the parser");
    let stream = &target.stream_param().expect("a like-post has a stream").name;
    let params = target.params.as_deref().expect("typed");
    let value = message_value(target, params, None, &spec.handles);
    let synchronize: String = f
        .touches
        .iter()
        .map(|(address, _)| format!("api::synchronize_if_shared({address}, {stream})?; "))
        .collect();
    format!(
        "let {stream} = {}; {} let work_stream; let message = {value}; \
        submit_here(&work_stream, &message)?; {synchronize} Ok(())",
        default_stream(flavour),
        range_checks(f)
    )
}

/// Object types that belong to a node. A call goes to the node that owns the parameter whose type
/// comes first in this list.
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

/// Returns the code around a body that sends its call to the node of the leading object.
pub fn place(f: &Function, params: &[Param]) -> (String, &'static str) {
    let named = |ty: &str| params.iter().find(|p| p.ty == ParamType::Plain(ty.into()));
    match (LEADING.iter().find_map(|ty| named(ty)), f.touches.first()) {
        (Some(leading), _) => (format!("call_on_its_node({}.0, || ", leading.name), ")"),
        (None, Some((address, _))) => (format!("call_on_node_of_memory({address}, || "), ")"),
        (None, None) => (String::new(), ""),
    }
}

/// Returns the expression for an array's bytes, if the parameter `name` is an array.
fn operations(f: &Function, name: &str) -> Option<String> {
    let p = f.params.as_ref()?.iter().find(|p| p.name == name)?;
    let ParamType::InArray { count, count_max, .. } = &p.ty else { return None };
    Some(format!("marshal::input_array(&{name}, ({count}) as usize, {count_max})?"))
}

/// Returns code that rejects a range outside an allocation before the client sends a message.
fn range_checks(f: &Function) -> String {
    let check = |(address, bytes): &(String, String)| match operations(f, address) {
        Some(operations) => format!("ranges::check_operations({operations})?; "),
        None => {
            let is_number = bytes.chars().all(|c| c.is_ascii_digit());
            let bytes = if is_number { bytes.clone() } else { format!("({bytes}) as u64") };
            format!("ranges::check_range({address}, {bytes})?; ")
        }
    };
    f.touches.iter().map(check).collect()
}

/// Returns the expression for a function's message. Evaluates `work_stream` in field order, so that
/// the first invalid argument determines the error.
fn message_value(
    f: &Function,
    params: &[Param],
    flavour: Option<Flavour>,
    handles: &[String],
) -> String {
    let stream = f.stream_param().map(|p| p.name.clone());
    let mut fields = Vec::new();
    for p in params {
        let value = match &p.ty {
            ParamType::Plain(ty) if ty == "CUstream" && stream.as_ref() == Some(&p.name) => {
                let found = with_flavour(f, p, flavour);
                format!("{{ work_stream = marshal::stream({found})?; work_stream.handle }}")
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
            // The generated code checks for null. The program guarantees the rest.
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
    let value = message_value(f, params, flavour, &spec.handles);
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
    let stream = if f.stream_param().is_some() { "let work_stream;" } else { "" };
    let remember = match function {
        Some(function) if memo => Some(format!("call_cached_of({}, ", function.name)),
        _ => memo.then(|| "call_cached(".into()),
    };
    let call = match remember {
        Some(remember) => format!("{remember}&{value}, |reply| {{ {stores} Ok(()) }})"),
        None if stores.is_empty() => format!("call(&{value})?.ok()"),
        None => format!("call(&{value})?.read(|reply| {{ {stores} Ok(()) }})"),
    };
    format!("{checks} {stream} {call}")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::ops_lock::Lock;
    use crate::spec::parse;

    /// Returns the body of the first of the functions, in one line and without comments.
    fn body_of(functions: &str, flavour: Option<Flavour>) -> String {
        let text = [("spec.rs".to_owned(), functions.to_owned())];
        let spec =
            parse::parse(&text, &mut Lock::parse("").unwrap()).unwrap_or_else(|e| panic!("{e}"));
        let first = &spec.functions[0];
        let body = body(&spec, first, first.params.as_ref().unwrap(), flavour);
        let code: Vec<&str> = body.lines().filter(|line| !line.starts_with("//")).collect();
        code.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn null_is_refused_as_the_parameters_type_says() {
        for (place, body) in [
            ("*mut u32", "unsafe { arguments::put(p, a::b::f()?) }"),
            ("Out<u32>", "marshal::not_null(p)?; unsafe { arguments::put(p, a::b::f()?) }"),
            ("Option<Out<u32>>", "unsafe { a::b::f().map(|found| marshal::output(p, found)) }"),
        ] {
            let function = format!("#[is(a::b::f() -> p)] fn cuA(p: {place});");
            assert_eq!(body_of(&function, None), body);
        }
    }

    #[test]
    fn arguments_are_found_from_left_to_right() {
        let function = "#[is(a::b::f(c(n), In::X, d::e::g(s), [n, 1], stream))] #[ptds(1)]
            fn cuA(n: u32, s: In<T>);";
        assert_eq!(
            body_of(function, Some(Flavour::Ptds)),
            "unsafe { a::b::f(a::b::c(n)?, In::X, d::e::g(arguments::reference(s)?)?, [n, 1], \
             CUstream::PER_THREAD) }"
        );
    }

    #[test]
    fn another_driver_function_is_its_body_with_other_arguments() {
        let functions = "#[is(cuB(hStream, 0))] #[ptsz(1)] fn cuA(hStream: CUstream);
            #[is(a::b::f(hStream, flags))] #[ptsz(1)] fn cuB(hStream: CUstream, flags: u32);";
        assert_eq!(
            body_of(functions, Some(Flavour::Ptsz)),
            "let (hStream, flags): (CUstream, u32) = (hStream.or_per_thread(), 0); \
             unsafe { a::b::f(hStream, flags) }"
        );
        assert_eq!(
            body_of(functions, None),
            "let flags: u32 = 0; unsafe { a::b::f(hStream, flags) }"
        );
    }
}
