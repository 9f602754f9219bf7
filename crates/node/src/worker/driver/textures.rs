//! The texture and surface objects of a session, and the references that modules have to them.

use crate::worker::io::frame::Refusal;
use outhaul_abi::types::{CUsurfObject, CUtexObject};
use outhaul_wire::limits::OBJECTS_MAX;
use std::collections::HashSet;

/// The session's texture and surface objects with the contexts in which they were made, because two
/// contexts may give the same number.
#[derive(Default)]
pub struct Textures {
    textures: HashSet<(u16, CUtexObject)>,
    surfaces: HashSet<(u16, CUsurfObject)>,
    /// References that are variables of modules, each with its module. They end with the module.
    references: Vec<(u64, u64)>,
}

impl Textures {
    /// Fails if there are too many.
    pub fn check_room(&self) -> Result<(), Refusal> {
        let held = self.textures.len() + self.surfaces.len() + self.references.len();
        if held < OBJECTS_MAX {
            Ok(())
        } else {
            Err(Refusal::Violation(format!("{held} textures are too many")))
        }
    }

    /// Forgets the objects of a context that ends.
    pub fn forget(&mut self, context: u16) {
        self.textures.retain(|(of, _)| *of != context);
        self.surfaces.retain(|(of, _)| *of != context);
    }

    /// Enters a texture object of a context.
    pub fn put_texture(&mut self, context: u16, texture: CUtexObject) {
        self.textures.insert((context, texture));
    }

    /// Removes a texture object of a context. Returns whether there was one.
    pub fn take_texture(&mut self, context: u16, texture: CUtexObject) -> bool {
        self.textures.remove(&(context, texture))
    }

    /// Enters a surface object of a context.
    pub fn put_surface(&mut self, context: u16, surface: CUsurfObject) {
        self.surfaces.insert((context, surface));
    }

    /// Removes a surface object of a context. Returns whether there was one.
    pub fn take_surface(&mut self, context: u16, surface: CUsurfObject) -> bool {
        self.surfaces.remove(&(context, surface))
    }

    /// Enters a reference of a module, by their handles.
    pub fn put_reference(&mut self, module: u64, reference: u64) {
        self.references.push((module, reference));
    }

    /// Removes the references of a module that ends.
    pub fn take_references(&mut self, module: u64) -> impl Iterator<Item = u64> {
        let of_module = self.references.extract_if(.., move |(of, _)| *of == module);
        of_module.map(|(_, reference)| reference)
    }
}
