//! docs/coverage.md: what a program gets from each driver function, remotely and on the software
//! GPU.

use crate::spec::{Class, Spec};
use std::collections::BTreeMap;
use std::fmt::Write;

pub fn page(spec: &Spec) -> String {
    let functions: Vec<_> = spec.functions.iter().filter(|f| !f.data).collect();
    let count = |wanted: fn(&Class) -> bool| functions.iter().filter(|f| wanted(&f.class)).count();
    let mut out = String::from(
        r"# Coverage of the driver API

Written by `cargo xtask codegen` from `spec/cuda`. *Software GPU* says whether `libcuda.so.1` of the
software GPU implements it.

| class | meaning | functions |
|---|---|---|
",
    );
    for (name, meaning, n) in [
        ("local", "answered by the client", count(|c| *c == Class::Local)),
        (
            "post",
            "sent, never waited for",
            count(|c| matches!(c, Class::Post { .. } | Class::PostLike { .. })),
        ),
        ("call", "sent and answered", count(|c| matches!(c, Class::Call { .. }))),
        ("custom", "hand-written, with messages of its own", count(|c| *c == Class::Custom)),
        (
            "older",
            "the older form of another one, with its arguments widened",
            count(|c| matches!(c, Class::FormOf { .. })),
        ),
        ("unsupported", "returns CUDA_ERROR_NOT_SUPPORTED", count(|c| *c == Class::Unsupported)),
    ] {
        let _ = writeln!(out, "| {name} | {meaning} | {n} |");
    }
    let _ = writeln!(
        out,
        r"
Software GPU: {} functions.

| function | since | per-thread flavour | remote | software GPU |
|---|---|---|---|---|",
        functions.iter().filter(|f| f.soft).count()
    );
    for f in functions.iter().filter(|f| f.class != Class::Unsupported) {
        let class = match f.class {
            Class::Local => "local",
            Class::Post { .. } | Class::PostLike { .. } => "post",
            Class::Call { .. } => "call",
            Class::Custom => "custom",
            Class::FormOf { .. } => "older",
            Class::Unsupported => unreachable!("filtered"),
        };
        let since = f.since.map_or("-".into(), |v| format!("{}.{}", v / 1000, v % 1000 / 10));
        let per_thread = f.per_thread.map_or("-", |(flavour, _)| &flavour.suffix()[1..]);
        let _ = writeln!(
            out,
            "| `{}` | {since} | {per_thread} | {class} | {} |",
            f.name,
            if f.soft { "yes" } else { "-" }
        );
    }
    effects(spec, &mut out);
    unsupported(spec, &mut out);
    out
}

/// What is sent, by what it does.
fn effects(spec: &Spec, out: &mut String) {
    out.push_str(
        r"
## What commands do

What the library sends for these functions, as `#[does(...)]` in `spec/cuda` says. `compute`, `to
the device` and `to the host` wait for the session's turn on that engine and are charged.

| does | messages |
|---|---|
",
    );
    let mut by_effect: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for message in spec.messages.iter().filter(|m| m.is_command()) {
        let words =
            message.effect.as_ref().map(|effect| effect.words().join(", ")).unwrap_or_default();
        by_effect.entry(words).or_default().push(&message.name);
    }
    let nothing = by_effect.remove("").unwrap_or_default();
    let lines =
        by_effect.into_iter().chain([("nothing to a stream or an engine".to_owned(), nothing)]);
    for (words, messages) in lines {
        let _ = writeln!(out, "| {words} | {} |", messages.join(", "));
    }
}

/// What is not there, by the reason.
fn unsupported(spec: &Spec, out: &mut String) {
    out.push_str(
        r"
## Unsupported

Called by name, each of these returns `CUDA_ERROR_NOT_SUPPORTED`, but for the debugger's, which are
not exported. `cuGetProcAddress` answers that they do not exist, as an older driver would, so that a
library takes the way that it has for such drivers. Those with a star are handed out, since programs
look them up before they ask whether the device has the feature.
",
    );
    for reason in &spec.reasons {
        let _ = writeln!(
            out,
            r"
### {}

{}
",
            reason.title, reason.text
        );
        let of_it = spec.functions.iter().filter(|f| f.reason.as_deref() == Some(&reason.word));
        let names: Vec<String> =
            of_it.map(|f| format!("`{}`{}", f.name, if f.refused { "\\*" } else { "" })).collect();
        let _ = writeln!(out, "{}", names.join(", "));
    }
}
