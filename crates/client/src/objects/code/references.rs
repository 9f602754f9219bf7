//! Texture and surface references: variables of modules.

use crate::objects::driver::driver;

/// A texture or surface reference.
pub struct Reference {
    /// What the program holds.
    pub handle: u64,
    /// Handle of the module, and the variable's name; 0 for a reference that the program created.
    pub module: u64,
    pub name: String,
}

/// Forgets the references of a module that is unloaded.
pub fn forget(of: u64) {
    let Ok(driver) = driver() else { return };
    for known in [&driver.texture_references, &driver.surface_references] {
        for gone in known.all().into_iter().filter(|found| found.module == of) {
            known.remove(gone.handle);
        }
    }
}
