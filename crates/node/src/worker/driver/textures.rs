//! The session's texture and surface objects, and its references to textures and surfaces in
//! modules.

use crate::worker::io::frame::Refusal;
use outhaul_abi::types::{CUsurfObject, CUtexObject};
use outhaul_wire::limits::OBJECTS_MAX;
use std::collections::HashSet;

/// The session's texture and surface objects, with the contexts that created them, because two
/// contexts may produce the same number.
#[derive(Default)]
pub struct Textures {
    textures: HashSet<(u16, CUtexObject)>,
    surfaces: HashSet<(u16, CUsurfObject)>,
    /// Texture and surface references, which are variables of modules, each with its module. They
    /// end with the module.
    references: Vec<(u64, u64)>,
}

impl Textures {
    /// Returns an error if the session has too many objects.
    pub fn check_room(&self) -> Result<(), Refusal> {
        let held = self.textures.len() + self.surfaces.len() + self.references.len();
        if held < OBJECTS_MAX {
            Ok(())
        } else {
            Err(Refusal::Violation(format!("{held} textures are too many")))
        }
    }

    /// Forgets the objects of a context that is being destroyed.
    pub fn forget(&mut self, context: u16) {
        self.textures.retain(|(of, _)| *of != context);
        self.surfaces.retain(|(of, _)| *of != context);
    }

    /// Stores a context's texture object.
    pub fn put_texture(&mut self, context: u16, texture: CUtexObject) {
        self.textures.insert((context, texture));
    }

    /// Removes a context's texture object. Returns whether the context had that object.
    pub fn take_texture(&mut self, context: u16, texture: CUtexObject) -> bool {
        self.textures.remove(&(context, texture))
    }

    /// Stores a context's surface object.
    pub fn put_surface(&mut self, context: u16, surface: CUsurfObject) {
        self.surfaces.insert((context, surface));
    }

    /// Removes a context's surface object. Returns whether the context had that object.
    pub fn take_surface(&mut self, context: u16, surface: CUsurfObject) -> bool {
        self.surfaces.remove(&(context, surface))
    }

    /// Stores a module's reference. Both values are handles.
    pub fn put_reference(&mut self, module: u64, reference: u64) {
        self.references.push((module, reference));
    }

    /// Removes and returns the references of a module that is being unloaded.
    pub fn take_references(&mut self, module: u64) -> impl Iterator<Item = u64> {
        let of_module = self.references.extract_if(.., move |(of, _)| *of == module);
        of_module.map(|(_, reference)| reference)
    }
}
