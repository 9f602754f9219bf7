//! Links the library under the name that programs look for. The library is never unloaded, because
//! its threads outlive a dlclose, as those of a driver do.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rerun-if-changed=build.rs");
}
