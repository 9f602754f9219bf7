//! Texture and surface references: variables of modules.

/// A texture or surface reference.
pub struct Reference {
    /// The handle that the program holds.
    pub handle: u64,
    /// Handle of the module, and the variable's name; 0 for a reference that the program created.
    pub module: u64,
    pub name: String,
}
