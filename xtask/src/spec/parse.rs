//! Parses `spec/cuda`.

use crate::hash::fnv1a;
use crate::spec::checks;
use crate::spec::delegation::delegation;
use crate::spec::effect;
use crate::spec::names::{snake, type_text, wire_scalar};
use crate::spec::ops_lock::{Lock, Shape};
use crate::spec::*;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, FnArg, Item, ItemConst, ItemFn, ItemStruct, Lit, Pat, Type};

/// Maximum number of words in the reason why a function is custom.
const CUSTOM_WORDS_MAX: usize = 12;

/// Parses files, each given as path and text. The order of the files determines the order of
/// functions and messages.
pub fn parse(files: &[(String, String)], lock: &mut Lock) -> Result<Spec, String> {
    let mut spec = Spec {
        handles: Vec::new(),
        reasons: Vec::new(),
        functions: Vec::new(),
        messages: Vec::new(),
    };
    for (path, text) in files {
        let file =
            syn::parse_file(text).map_err(|e| format!("{path}:{}: {e}", e.span().start().line))?;
        for item in &file.items {
            add(&mut spec, item, path)?;
        }
    }
    generated_messages(&mut spec, lock)?;
    checks::check(&spec)?;
    let ops: Vec<_> =
        spec.messages.iter().filter_map(|m| Some((m.op?, shape(m, &spec.messages)))).collect();
    lock.keep(&ops)?;
    spec.messages
        .iter_mut()
        .for_each(|message| message.level = message.op.map_or(0, |op| lock.level(op)));
    check_reasons(&spec)?;
    Ok(spec)
}

/// Returns a message's name, and a checksum of its fields and its reply's fields. Includes the
/// fields of records.
fn shape(message: &Message, all: &[Message]) -> Shape {
    let answered = message.answered_like.as_ref().unwrap_or(&message.name);
    let behind = all.iter().position(|m| m.name == *answered).map_or(all.len(), |i| i + 1);
    let reply = all[behind..]
        .iter()
        .find(|m| m.kind != Kind::Part)
        .filter(|m| message.kind == Kind::Call && m.kind == Kind::Reply);
    let mut text = fields(message, all);
    text.extend(reply.map(|reply| format!(" -> {}", fields(reply, all))));
    Shape { name: message.name.clone(), sum: fnv1a(&text) }
}

/// Returns the field types of a message, in order. Omits the names, because names may change.
fn fields(message: &Message, all: &[Message]) -> String {
    let of = |(_, ty): &(String, FieldType)| match ty {
        FieldType::Scalar(ty) => ty.clone(),
        FieldType::Array(ty, count) => format!("[{ty}; {count}]"),
        FieldType::Bytes => "bytes".into(),
        FieldType::Str => "str".into(),
        FieldType::List(part) => {
            let record = all.iter().find(|m| m.name == *part);
            format!("[{}]", record.map_or_else(|| part.clone(), |record| fields(record, all)))
        }
    };
    let payload = if message.payload { " and bytes" } else { "" };
    format!("({}{payload})", message.fields.iter().map(of).collect::<Vec<_>>().join(", "))
}

fn add(spec: &mut Spec, item: &Item, path: &str) -> Result<(), String> {
    let place = |of: &dyn Spanned| format!("{path}:{}", of.span().start().line);
    let here = place(item);
    let at = |e: String| format!("{here}: {e}");
    match item {
        Item::Const(constant) if constant.ident == "REASONS" => {
            spec.reasons = reasons(constant).map_err(at)?
        }
        Item::Const(constant) => spec.handles = handles(constant).map_err(at)?,
        Item::Mod(module) => {
            for item in
                &module.content.as_ref().ok_or_else(|| at("mod messages has no body".into()))?.1
            {
                let Item::Struct(item) = item else {
                    return Err(format!("{}: mod messages has structs only", place(item)));
                };
                spec.messages.push(message(item, place(&item.ident))?);
            }
        }
        Item::Fn(_) => return Err(at("a function of the spec must end in `;`".into())),
        Item::Verbatim(tokens) => spec.functions.push(function(tokens.clone(), here)?),
        _ => {
            return Err(
                at("the spec has HANDLES, REASONS, mod messages and functions only".into()),
            );
        }
    }
    Ok(())
}

fn handles(constant: &ItemConst) -> Result<Vec<String>, String> {
    let Expr::Array(array) = constant.expr.as_ref() else {
        return Err("HANDLES must be an array".into());
    };
    array
        .elems
        .iter()
        .map(|e| match e {
            Expr::Lit(lit) => match &lit.lit {
                Lit::Str(s) => Ok(s.value()),
                _ => Err("HANDLES must have strings only".to_owned()),
            },
            _ => Err("HANDLES must have strings only".to_owned()),
        })
        .collect()
}

fn reasons(constant: &ItemConst) -> Result<Vec<Reason>, String> {
    let wrong = || "REASONS must have words, each with a title and a text".to_owned();
    let Expr::Array(array) = constant.expr.as_ref() else { return Err(wrong()) };
    let reason = |element: &Expr| {
        let Expr::Tuple(tuple) = element else { return None };
        let text = |e: &Expr| match e {
            Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        };
        let [word, title, text] =
            tuple.elems.iter().map(text).collect::<Option<Vec<_>>>()?.try_into().ok()?;
        Some(Reason { word, title, text })
    };
    array.elems.iter().map(|element| reason(element).ok_or_else(wrong)).collect()
}

/// Checks that every reason has functions, and that every function's keyword names a reason.
fn check_reasons(spec: &Spec) -> Result<(), String> {
    let used: std::collections::HashSet<&str> =
        spec.functions.iter().filter_map(|f| f.reason.as_deref()).collect();
    let known: std::collections::HashSet<&str> =
        spec.reasons.iter().map(|r| r.word.as_str()).collect();
    match used.symmetric_difference(&known).next() {
        Some(word) if used.contains(word) => Err(format!("{word} is not one of REASONS")),
        Some(word) => Err(format!("no function has the reason {word}")),
        None => Ok(()),
    }
}

fn number(attribute: &Attribute) -> Result<u32, String> {
    let lit: syn::LitInt = attribute.parse_args().map_err(|e| e.to_string())?;
    lit.base10_parse().map_err(|e| e.to_string())
}

/// Parses `#[custom("why")]`.
fn why_custom(attribute: &Attribute) -> Result<String, String> {
    let why = attribute.parse_args::<syn::LitStr>().map_or(String::new(), |text| text.value());
    if (1..=CUSTOM_WORDS_MAX).contains(&why.split_whitespace().count()) {
        return Ok(why);
    }
    Err(format!(
        "say in at most {CUSTOM_WORDS_MAX} words why #[is(...)] cannot describe it: \
         #[custom(\"...\")]"
    ))
}

#[derive(Default)]
struct ClassArguments {
    op: Option<u16>,
    memo: bool,
    like: Option<String>,
}

fn class_arguments(attribute: &Attribute) -> Result<ClassArguments, String> {
    let mut found = ClassArguments::default();
    if matches!(attribute.meta, syn::Meta::Path(_)) {
        return Ok(found);
    }
    attribute
        .parse_nested_meta(|meta| {
            if meta.path.is_ident("op") {
                found.op = Some(meta.value()?.parse::<syn::LitInt>()?.base10_parse()?);
            } else if meta.path.is_ident("memo") {
                found.memo = true;
            } else if meta.path.is_ident("like") {
                found.like = Some(meta.value()?.parse::<syn::Ident>()?.to_string());
            } else {
                return Err(meta.error("unknown word"));
            }
            Ok(())
        })
        .map_err(|e| e.to_string())?;
    Ok(found)
}

/// Parses `fn name(params);`. syn returns an item without a body as tokens. So this function adds a
/// body and parses the result as a function.
fn function(tokens: proc_macro2::TokenStream, place: String) -> Result<Function, String> {
    let at = |e: String| format!("{place}: {e}");
    let text = tokens.to_string();
    let body =
        text.strip_suffix(';').ok_or_else(|| format!("expected `fn name(...);`, found {text}"))?;
    let item: ItemFn =
        syn::parse_str(&format!("{body} {{}}")).map_err(|e| format!("{e} in {text}"))?;
    let name = item.sig.ident.to_string();
    let mut function = Function {
        name,
        since: None,
        per_thread: None,
        class: Class::Unsupported,
        soft: false,
        params: None,
        data: false,
        touches: Vec::new(),
        requires: Vec::new(),
        supports: Vec::new(),
        unsafe_in_capture: false,
        refused: false,
        reason: None,
        message: None,
        effect: None,
        place: place.clone(),
    };
    let (mut classes, mut typed) = (0, true);
    for attribute in &item.attrs {
        let word = attribute.path().get_ident().map(ToString::to_string).unwrap_or_default();
        let class = match word.as_str() {
            "since" => {
                function.since = Some(number(attribute)?);
                continue;
            }
            "ptsz" => {
                function.per_thread = Some((Flavour::Ptsz, number(attribute)?));
                continue;
            }
            "ptds" => {
                function.per_thread = Some((Flavour::Ptds, number(attribute)?));
                continue;
            }
            "soft" => {
                function.soft = true;
                continue;
            }
            "unsafe_in_capture" => {
                function.unsafe_in_capture = true;
                continue;
            }
            "refused" => {
                function.refused = true;
                continue;
            }
            "untyped" => {
                typed = false;
                continue;
            }
            "data" => {
                function.data = true;
                continue;
            }
            "touches" => {
                let parser = syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated;
                let range = attribute.parse_args_with(parser).map_err(|e| e.to_string())?;
                let [address, bytes] = range.iter().collect::<Vec<_>>()[..] else {
                    return Err(format!("{}: touches takes an address and a size", function.name));
                };
                function
                    .touches
                    .push((quote::quote!(#address).to_string(), quote::quote!(#bytes).to_string()));
                continue;
            }
            "requires" => {
                function.requires.push(requirements::of_function(attribute)?);
                continue;
            }
            "supports" => {
                function.supports.push(requirements::of_function(attribute)?);
                continue;
            }
            "doc" => continue,
            "does" => {
                function.effect = Some(
                    effect::does(attribute).map_err(|e| at(format!("{}: {e}", function.name)))?,
                );
                continue;
            }
            "form_of" => {
                let parser =
                    syn::punctuated::Punctuated::<syn::Ident, syn::Token![,]>::parse_terminated;
                let words = attribute.parse_args_with(parser).map_err(|e| e.to_string())?;
                match words.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice() {
                    [later] => Class::FormOf { later: later.clone(), narrow: false },
                    [later, word] if word == "narrow" => {
                        Class::FormOf { later: later.clone(), narrow: true }
                    }
                    _ => {
                        return Err(format!(
                            "{}: form_of takes a function, and optionally `narrow`",
                            function.name
                        ));
                    }
                }
            }
            "local" => Class::Local,
            "is" => Class::Delegated(
                delegation(attribute).map_err(|e| at(format!("{}: {e}", function.name)))?,
            ),
            "custom" => Class::Custom {
                why: why_custom(attribute).map_err(|e| at(format!("{}: {e}", function.name)))?,
            },
            "unsupported" => {
                let word: syn::Ident = attribute
                    .parse_args()
                    .map_err(|e| format!("{}: unsupported takes a reason: {e}", function.name))?;
                function.reason = Some(word.to_string());
                Class::Unsupported
            }
            "post" => {
                let found = class_arguments(attribute)?;
                match (found.op, found.like) {
                    (Some(op), None) => Class::Post { op },
                    (None, Some(other)) => Class::PostLike { other },
                    _ => return Err(format!("{}: post takes op or like", function.name)),
                }
            }
            "call" => {
                let found = class_arguments(attribute)?;
                Class::Call {
                    op: found.op.ok_or_else(|| format!("{}: call takes op", function.name))?,
                    memo: found.memo,
                }
            }
            other => return Err(format!("{}: unknown attribute {other}", function.name)),
        };
        function.class = class;
        classes += 1;
    }
    if classes != 1 {
        return Err(format!(
            "{} has {classes} classes; each function has exactly one",
            function.name
        ));
    }
    if typed {
        function.params = Some(
            item.sig
                .inputs
                .iter()
                .map(param)
                .collect::<Result<_, _>>()
                .map_err(|e| format!("{}: {e}", function.name))?,
        );
    }
    Ok(function)
}

fn param(argument: &FnArg) -> Result<Param, String> {
    let FnArg::Typed(typed) = argument else { return Err("self is not allowed".into()) };
    let Pat::Ident(name) = typed.pat.as_ref() else {
        return Err("a parameter must be a name".into());
    };
    let text = type_text(&typed.ty);
    let inner = |prefix: &str, end: &str| {
        text.strip_prefix(prefix).and_then(|t| t.strip_suffix(end)).map(str::to_owned)
    };
    let ty = if let Some(array) = input_array(&typed.ty) {
        array
    } else if let Some(t) = inner("Option<Out<", ">>") {
        ParamType::OptionalOut(t)
    } else if let Some(t) = inner("Out<", ">") {
        ParamType::Out(t)
    } else if let Some(t) = inner("In<", ">") {
        ParamType::In(t)
    } else {
        ParamType::Plain(text)
    };
    let requirements = requirements::of_parameter(&typed.attrs)?;
    Ok(Param { name: name.ident.to_string(), ty, requirements })
}

/// Parses `In<[T; count], MAX>`.
fn input_array(ty: &Type) -> Option<ParamType> {
    let Type::Path(path) = ty else { return None };
    let segment = path.path.segments.last().filter(|s| s.ident == "In")?;
    let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
    let (
        Some(syn::GenericArgument::Type(Type::Array(array))),
        Some(syn::GenericArgument::Const(max)),
    ) = (arguments.args.first(), arguments.args.get(1))
    else {
        return None;
    };
    let text = |expression: &Expr| quote::quote!(#expression).to_string().replace(' ', "");
    Some(ParamType::InArray {
        element: type_text(&array.elem),
        count: text(&array.len),
        count_max: text(max),
    })
}

fn message(item: &ItemStruct, place: String) -> Result<Message, String> {
    let name = item.ident.to_string();
    let at = |e: String| format!("{place}: {name}: {e}");
    let mut message = Message::new(name.clone(), Kind::Part, place.clone());
    for attribute in &item.attrs {
        let word = attribute.path().get_ident().map(ToString::to_string).unwrap_or_default();
        message.kind = match word.as_str() {
            "post" => Kind::Post,
            "call" => Kind::Call,
            "push" => Kind::Push,
            "reply" => Kind::Reply,
            "part" => Kind::Part,
            "payload" => {
                message.payload = true;
                continue;
            }
            "does" => {
                message.effect = Some(effect::does(attribute).map_err(at)?);
                continue;
            }
            "lane" => {
                message.lane = effect::lane(attribute).map_err(at)?;
                continue;
            }
            "doc" => {
                if let syn::Meta::NameValue(pair) = &attribute.meta
                    && let Expr::Lit(lit) = &pair.value
                    && let Lit::Str(s) = &lit.lit
                {
                    let space = if message.doc.is_empty() { "" } else { " " };
                    message.doc += &format!("{space}{}", s.value().trim());
                }
                continue;
            }
            other => return Err(at(format!("unknown attribute {other}"))),
        };
        let arguments = class_arguments(attribute).map_err(at)?;
        (message.op, message.answered_like) = (arguments.op, arguments.like);
    }
    for field in &item.fields {
        let name = field
            .ident
            .as_ref()
            .ok_or_else(|| at("a message must have named fields".into()))?
            .to_string();
        let ty = field_type(&field.ty).map_err(at)?;
        message.memory |= type_text(&field.ty) == ADDRESS;
        message.graph |= type_text(&field.ty) == GRAPH;
        message.fields.push((name, ty));
    }
    Ok(message)
}

fn field_type(ty: &Type) -> Result<FieldType, String> {
    let text = type_text(ty);
    if let Type::Array(array) = ty {
        let Expr::Lit(lit) = &array.len else {
            return Err("an array needs a literal length".into());
        };
        let Lit::Int(length) = &lit.lit else {
            return Err("an array needs a literal length".into());
        };
        return Ok(FieldType::Array(
            type_text(&array.elem),
            length.base10_parse().map_err(|e| e.to_string())?,
        ));
    }
    if let Some(part) = text.strip_prefix("List<").and_then(|t| t.strip_suffix('>')) {
        return Ok(FieldType::List(part.to_owned()));
    }
    Ok(match text.as_str() {
        "Bytes" => FieldType::Bytes,
        "Str" => FieldType::Str,
        "u8" | "u16" | "u32" | "u64" | "i32" | "f32" | "bool" => FieldType::Scalar(text),
        ADDRESS | GRAPH => FieldType::Scalar("u64".into()),
        _ => return Err(format!("{text} is not a type that a message can carry")),
    })
}

/// Adds the messages for generated posts and calls.
fn generated_messages(spec: &mut Spec, lock: &Lock) -> Result<(), String> {
    let mut taken: std::collections::HashSet<String> =
        spec.messages.iter().map(|m| m.name.clone()).collect();
    let mut made = Vec::new();
    for function in &mut spec.functions {
        let (kind, op) = match function.class {
            Class::Post { op } => (Kind::Post, op),
            Class::Call { op, .. } => (Kind::Call, op),
            _ => continue,
        };
        let name = match lock.name(op) {
            Some(name) => name.to_owned(),
            None => {
                function.new_message_name(|name| taken.contains(name) || lock.op(name).is_some())?
            }
        };
        taken.insert(name.clone());
        let (message, reply) = messages_of(
            function,
            Message::new(name.clone(), kind, function.place.clone()),
            op,
            &spec.handles,
        )?;
        function.message = Some(name);
        made.push(message);
        made.extend(reply);
    }
    spec.messages.extend(made);
    Ok(())
}

/// Returns the message that a generated function sends, and the reply if the message has one.
fn messages_of(
    function: &Function,
    mut message: Message,
    op: u16,
    handles: &[String],
) -> Result<(Message, Option<Message>), String> {
    let params = function.params.as_ref().ok_or_else(|| {
        format!("{}: {} is generated and needs parameters", function.place, function.name)
    })?;
    let mut answers = Vec::new();
    for param in params {
        let field = snake(&param.name);
        match &param.ty {
            ParamType::Plain(ty) => {
                message.fields.push((field, FieldType::Scalar(wire_scalar(ty, handles))))
            }
            ParamType::In(_) | ParamType::InArray { .. } => {
                message.fields.push((field, FieldType::Bytes))
            }
            ParamType::Out(ty) | ParamType::OptionalOut(ty) => {
                answers.push((field, answer_type(ty, handles)))
            }
        }
    }
    let takes = |types: &[&str]| {
        params.iter().any(|param| param.ty.input().is_some_and(|ty| types.contains(&ty)))
    };
    (message.memory, message.graph) = (takes(&MEMORY), takes(&GRAPHS));
    (message.op, message.doc, message.effect) =
        (Some(op), format!("`{}`", function.name), function.effect.clone());
    let reply = (!answers.is_empty()).then(|| {
        let name = format!("{}Reply", message.name);
        Message { fields: answers, ..Message::new(name, Kind::Reply, function.place.clone()) }
    });
    Ok((message, reply))
}

fn answer_type(ty: &str, handles: &[String]) -> FieldType {
    if ty.starts_with("CU")
        && ty != "CUdevice"
        && ty != "CUdeviceptr"
        && !handles.iter().any(|h| h == ty)
    {
        FieldType::Bytes
    } else {
        FieldType::Scalar(wire_scalar(ty, handles))
    }
}
