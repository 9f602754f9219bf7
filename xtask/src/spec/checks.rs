//! Checks of the whole spec: op numbers and names are unique, and effects and delegations refer to
//! existing fields and parameters.

use crate::spec::delegation::{Argument, Delegation};
use crate::spec::effect::{self, Effect, Lane};
use crate::spec::names::snake;
use crate::spec::{Class, FieldType, Function, Kind, Message, ParamType, Spec};
use std::collections::HashMap;

/// Checks everything. Fails with the first error, its location, and a correction.
pub fn check(spec: &Spec) -> Result<(), String> {
    check_items(spec)?;
    check_effects(spec)?;
    check_delegations(spec)
}

/// Checks that an older form has as many parameters as the later function, and exists only if the
/// later function exists.
fn check_form(spec: &Spec, function: &Function, later: &str) -> Result<(), String> {
    let name = &function.name;
    let later = spec
        .functions
        .iter()
        .find(|f| f.name == *later)
        .ok_or_else(|| format!("{name} is a form of {later}, which the spec lacks"))?;
    let count = |f: &Function| f.params.as_ref().map(Vec::len);
    if count(later).is_none() || count(later) != count(function) {
        return Err(format!("{name} does not take as many parameters as {}", later.name));
    }
    let is_odd = function.per_thread.is_some()
        || (function.soft && !later.soft)
        || later.class == Class::Unsupported;
    if is_odd { Err(format!("{name} cannot be a form of {}", later.name)) } else { Ok(()) }
}

/// Checks that each message from a client declares its effect, and refers only to the message's
/// fields.
fn check_effects(spec: &Spec) -> Result<(), String> {
    for message in &spec.messages {
        let at = |e: &str| Err(format!("{}: {}: {e}", message.place, message.name));
        match &message.effect {
            None if message.is_sent() => return at(effect::HELP),
            Some(_) if !message.is_sent() => {
                return at("only a message that a client sends has an effect");
            }
            None => {}
            Some(effect) => check_fields(message, effect)?,
        }
        if message.lane != Lane::Commands
            && message.effect.as_ref().is_none_or(|effect| !effect.words().is_empty())
        {
            return at(
                "a message on another lane is not a command; it must have the effect nothing",
            );
        }
    }
    match spec.functions.iter().find(|f| f.effect.is_some() && f.message.is_none()) {
        Some(function) => Err(format!(
            "{}: {} has an effect but sends no message of its own",
            function.place, function.name
        )),
        None => Ok(()),
    }
}

fn check_fields(message: &Message, effect: &Effect) -> Result<(), String> {
    let at = |e: &str| Err(format!("{}: {}: {e}", message.place, message.name));
    let has = |name: &str| message.fields.iter().any(|(field, _)| *field == snake(name));
    if let Some(missing) = effect::fields(effect).into_iter().find(|name| !has(name)) {
        return at(&format!("there is no field `{missing}`"));
    }
    let named = |(name, ty): &(String, FieldType)| {
        name == "stream" && *ty == FieldType::Scalar("u64".into())
    };
    let names_stream = message.fields.iter().any(named);
    if effect.goes_to_stream() && !names_stream {
        return at("a message that goes to a stream needs a field `stream`");
    }
    Ok(())
}

fn check_items(spec: &Spec) -> Result<(), String> {
    let mut ops: HashMap<u16, &str> = HashMap::new();
    for message in &spec.messages {
        match (message.kind, message.op) {
            (Kind::Post | Kind::Call | Kind::Push, Some(op)) => {
                if let Some(other) = ops.insert(op, &message.name) {
                    return Err(format!("op {op} belongs to {other} and to {}", message.name));
                }
            }
            (Kind::Post | Kind::Call | Kind::Push, None) => {
                return Err(format!("{} has no op", message.name));
            }
            (Kind::Reply | Kind::Part, Some(_)) => {
                return Err(format!(
                    "{} has an op, which only posts, calls and pushes have",
                    message.name
                ));
            }
            (Kind::Reply | Kind::Part, None) => {}
        }
        if let Some(like) = &message.answered_like
            && !(message.kind == Kind::Call
                && spec.messages.iter().any(|m| m.kind == Kind::Call && m.name == *like))
        {
            return Err(format!(
                "{} is answered like {like}, but one of them is not a call",
                message.name
            ));
        }
    }
    let mut names = std::collections::HashSet::new();
    for function in &spec.functions {
        if !names.insert(&function.name) {
            return Err(format!("the spec has {} twice", function.name));
        }
        if let Class::PostLike { other } = &function.class
            && !spec
                .functions
                .iter()
                .any(|f| f.name == *other && matches!(f.class, Class::Post { .. }))
        {
            return Err(format!("{} is like {other}, which is not a post", function.name));
        }
        if let Class::FormOf { later, .. } = &function.class {
            check_form(spec, function, later)?;
        }
        if !matches!(function.class, Class::Unsupported) && function.params.is_none() {
            return Err(format!("{} is implemented and needs parameters", function.name));
        }
    }
    Ok(())
}

/// Checks that each delegated function's call uses all of the function's parameters, and no others.
fn check_delegations(spec: &Spec) -> Result<(), String> {
    for function in &spec.functions {
        if let Class::Delegated(delegation) = &function.class {
            check_delegation(spec, function, delegation)
                .map_err(|e| format!("{}: {}: {e}", function.place, function.name))?;
        }
    }
    Ok(())
}

fn check_delegation(spec: &Spec, function: &Function, of: &Delegation) -> Result<(), String> {
    let params = function.params.as_deref().unwrap_or_default();
    let leaves = of.call.leaves();
    let mut used: Vec<&str> = leaves
        .iter()
        .filter_map(|leaf| match leaf {
            Argument::Parameter(name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    for result in &of.results {
        let ty = params.iter().find(|param| param.name == *result).map(|param| &param.ty);
        match ty {
            None => return Err(format!("there is no parameter `{result}` to take a result")),
            Some(ParamType::Plain(ty)) if !ty.starts_with("*mut ") => {
                return Err(format!("`{result}` cannot take a result; make it *mut T or Out<T>"));
            }
            Some(_) => used.push(result),
        }
    }
    if let Some(name) = used.iter().find(|name| params.iter().all(|param| param.name != **name)) {
        return Err(format!(
            "there is no parameter `{name}`; constants are paths, `null` or `stream`"
        ));
    }
    if let Some(left) = params.iter().find(|param| !used.contains(&param.name.as_str())) {
        return Err(format!(
            "the call leaves out `{}`; pass every parameter, or write #[custom(\"why\")]",
            left.name
        ));
    }
    if leaves.contains(&&Argument::DefaultStream) && !function.takes_default_stream() {
        return Err(
            "`stream` is for functions with #[ptds] or #[ptsz] and without a stream; write \
                    CUstream::NULL"
                .into(),
        );
    }
    match of.call.driver_function() {
        Some(name) => check_target(spec, function, of, name),
        None => Ok(()),
    }
}

/// Checks that the call of a driver function passes all arguments, and does not lead back to the
/// delegated function.
fn check_target(
    spec: &Spec,
    function: &Function,
    of: &Delegation,
    name: &str,
) -> Result<(), String> {
    let find = |name: &str| spec.functions.iter().find(|f| f.name == name);
    let target = find(name).ok_or_else(|| format!("the spec lacks {name}"))?;
    let count = target.params.as_ref().map_or(0, Vec::len);
    if matches!(target.class, Class::FormOf { .. } | Class::Unsupported) {
        return Err(format!("{name} is an older form or unsupported"));
    }
    if count != of.call.arguments.len() {
        return Err(format!("{name} takes {count} arguments"));
    }
    if of.call.arguments.iter().any(|argument| matches!(argument, Argument::Call(_))) {
        return Err(format!("{name} takes no calls as arguments"));
    }
    if !of.results.is_empty() {
        return Err(format!("{name} writes its results itself; pass their places to it"));
    }
    let mut next = Some(target);
    for _ in &spec.functions {
        next = match next.map(|f| &f.class) {
            Some(Class::Delegated(of)) => of.call.driver_function().and_then(find),
            _ => return Ok(()),
        };
        if next.is_some_and(|f| f.name == function.name) {
            break;
        }
    }
    Err(format!("{name} leads back to it"))
}
