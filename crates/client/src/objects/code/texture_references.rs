//! Texture and surface references, which are variables of modules.

/// A texture or surface reference.
pub struct Reference {
    /// The handle that the program holds.
    pub handle: u64,
    /// Handle of the module that declares `name`; 0 for a reference that the program created.
    pub module: u64,
    pub name: String,
}
