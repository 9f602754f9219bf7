//! The tables of texture and surface objects. An object's number is the address of the engine's
//! structure, because kernels receive only the number.

use crate::driver::lock;
use crate::driver::system::error::{Error, Result};
use crate::engine::{Surface, Texture};
use outhaul_abi::types::{CUDA_RESOURCE_DESC, CUDA_RESOURCE_VIEW_DESC, CUDA_TEXTURE_DESC};
use outhaul_lock::Mutex;
use std::collections::HashMap;

/// A texture with the descriptions from which it was created.
#[derive(Clone, Copy)]
pub struct Described {
    /// The resource's description.
    pub resource: CUDA_RESOURCE_DESC,
    /// The texture's description.
    pub texture: CUDA_TEXTURE_DESC,
    /// The view's description, if any.
    pub view: Option<CUDA_RESOURCE_VIEW_DESC>,
}

/// An object and the descriptions from which it was created.
pub struct Made<T, D> {
    /// Handle of the object's context.
    pub context: u64,
    /// The engine's structure, boxed so that its address does not change.
    pub engine: Box<T>,
    /// The descriptions from which the object was created.
    pub description: D,
}

/// Objects by number.
pub type Table<T, D> = Mutex<HashMap<u64, Made<T, D>>>;

/// All texture and surface objects.
#[derive(Default)]
pub struct Textures {
    /// Textures.
    pub textures: Table<Texture, Described>,
    /// Surfaces.
    pub surfaces: Table<Surface, CUDA_RESOURCE_DESC>,
    /// Destroyed objects and their contexts. Kernels launched earlier may still use these objects,
    /// because destroying an object does not wait.
    pub retired: Mutex<Vec<(u64, Box<dyn Send>)>>,
}

/// Adds an object to a context and returns the object's number.
pub fn insert<T, D>(table: &Table<T, D>, context: u64, engine: T, description: D) -> u64 {
    let engine = Box::new(engine);
    let object = (&raw const *engine).expose_provenance() as u64;
    lock(table).insert(object, Made { context, engine, description });
    object
}

fn description<T, D: Copy>(table: &Table<T, D>, object: u64) -> Result<D> {
    lock(table).get(&object).map(|made| made.description).ok_or(Error::InvalidValue)
}

impl Textures {
    /// Returns a texture's descriptions.
    pub fn texture(&self, object: u64) -> Result<Described> {
        description(&self.textures, object)
    }

    /// Returns a surface's description.
    pub fn surface(&self, object: u64) -> Result<CUDA_RESOURCE_DESC> {
        description(&self.surfaces, object)
    }

    /// Removes the objects of a context that has ended.
    pub fn forget(&self, context: u64) {
        lock(&self.textures).retain(|_, made| made.context != context);
        lock(&self.surfaces).retain(|_, made| made.context != context);
        lock(&self.retired).retain(|(of, _)| *of != context);
    }
}
