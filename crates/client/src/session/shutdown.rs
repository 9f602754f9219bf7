//! The program's goodbye to its nodes. Without it a program that ended would look like one whose
//! network broke, and its worker would wait for it.

use crate::objects::driver::{begun, is_forked};

/// Runs when the library ends: after the program's own exit handlers, which may use CUDA.
#[used]
#[unsafe(link_section = ".fini_array")]
static GOODBYE: extern "C" fn() = say_goodbye;

extern "C" fn say_goodbye() {
    // A forked child inherits its parent's connections, but has no sessions of its own.
    if is_forked() {
        return;
    }
    if let Ok(driver) = begun() {
        driver.sessions.iter().for_each(|session| session.end());
    }
}
