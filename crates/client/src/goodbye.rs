//! The program's last word to its nodes. Without it a program that ended would look like one whose
//! network broke, and be waited for.

use crate::driver::{begun, is_forked};

/// Runs when the library ends: behind the program's own exit handlers, which may use CUDA.
#[used]
#[unsafe(link_section = ".fini_array")]
static GOODBYE: extern "C" fn() = say_goodbye;

extern "C" fn say_goodbye() {
    // The child of a fork has its parent's connections, and no sessions of its own.
    if is_forked() {
        return;
    }
    if let Ok(driver) = begun() {
        driver.sessions.iter().for_each(|session| session.end());
    }
}
