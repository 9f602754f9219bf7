//! On whose behalf something happens in a pool.

use serde::{Deserialize, Serialize};

/// On whose behalf an event happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor(pub String);

impl Actor {
    /// The pool itself.
    pub fn pool() -> Actor {
        Actor("pool".into())
    }
}
