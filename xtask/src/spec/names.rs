//! Converts names in the spec to the spelling in generated code.

use syn::Type;

/// Returns a C parameter's name in Rust style: `dstDevice` becomes `dst_device`, `N` becomes `n`,
/// `hStream` becomes `stream`.
pub fn snake(name: &str) -> String {
    let name = match name {
        "hStream" => "stream",
        "hEvent" => "event",
        other => other,
    };
    let mut out = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (i, c) in chars.iter().enumerate() {
        if c.is_ascii_uppercase() {
            if i > 0 && !chars[i - 1].is_ascii_uppercase() && !out.ends_with('_') {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        } else {
            out.push(*c);
        }
    }
    out
}

/// Returns a type as text without superfluous spaces.
pub fn type_text(ty: &Type) -> String {
    quote::quote!(#ty)
        .to_string()
        .replace(" <", "<")
        .replace("< ", "<")
        .replace(" >", ">")
        .replace("* mut", "*mut")
        .replace("* const", "*const")
}

/// Returns the message field type for a plain parameter.
pub fn wire_scalar(ty: &str, handles: &[String]) -> String {
    match ty {
        "u8" | "u16" | "u32" | "u64" | "i32" | "f32" => ty.to_owned(),
        "usize" | "CUdeviceptr" | "CUmemGenericAllocationHandle" => "u64".into(),
        _ if handles.iter().any(|h| h == ty) => "u64".into(),
        _ => "i32".into(),
    }
}
