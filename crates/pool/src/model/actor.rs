//! The actors on whose behalf something happens in a pool.

use serde::{Deserialize, Serialize};

/// The name of an actor on whose behalf an event happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor(pub String);

impl Actor {
    /// Returns the pool itself as an actor.
    pub fn pool() -> Actor {
        Actor("pool".into())
    }
}
