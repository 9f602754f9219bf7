//! A view of the log for audits: the entries since a time, of all users or about one.

use crate::log::entry::{Entry, Event, Logged};
use crate::log::state::State;
use crate::model::actor::Actor;
use std::collections::HashSet;

/// Selects the events of an audit.
pub struct Audit {
    /// The user whose events are selected; `None` selects all.
    user: Option<String>,
    since_ms: u64,
    /// The names of the user's leases and requests.
    leases: HashSet<String>,
}

impl Audit {
    /// Returns an audit of all events since a time, in milliseconds since 1970, or of those about
    /// one user.
    pub fn new(state: &State, user: Option<String>, since_ms: u64) -> Audit {
        let mut leases = HashSet::new();
        if let Some(user) = &user {
            let held = state.leases.iter().filter(|(_, lease)| lease.holder.user == *user);
            leases.extend(held.map(|(id, _)| id.clone()));
            let ended = state.bills.iter().filter(|bill| bill.user == *user);
            leases.extend(ended.map(|bill| bill.id.clone()));
        }
        Audit { user, since_ms, leases }
    }

    /// Returns the selected events of an entry, without hashes of keys; `None` if there are none.
    pub fn select(&mut self, index: u64, mut entry: Entry) -> Option<Logged> {
        entry.events.retain(|(actor, event)| self.concerns(actor, event));
        for (_, event) in &mut entry.events {
            if let Event::Asked { key_hash, .. } = event {
                key_hash.clear();
            }
        }
        let is_selected = entry.at_ms >= self.since_ms && !entry.events.is_empty();
        is_selected.then_some(Logged { index, entry })
    }

    fn concerns(&mut self, actor: &Actor, event: &Event) -> bool {
        let Some(user) = &self.user else { return true };
        let subject = format!("user:{user}");
        let is_about = match event {
            Event::Asked { id, holder, .. } if holder.user == *user => {
                self.leases.insert(id.clone());
                true
            }
            Event::Granted { id, .. }
            | Event::Returned { id }
            | Event::Ended { id, .. }
            | Event::Billed { id, .. } => self.leases.contains(id),
            Event::QuotaSet { subject: about, .. } => *about == subject,
            _ => false,
        };
        is_about || actor.0 == subject
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::lease::{Ask, End, Holder};

    fn asked(id: &str, user: &str) -> Event {
        let (holder, ask) = (Holder { user: user.into(), group: None }, Ask::default());
        Event::Asked { id: id.into(), holder, ask, key_hash: "abc".into(), limits: None }
    }

    #[test]
    fn a_user_sees_what_is_about_that_user_and_an_operator_all_but_keys() {
        let pool = Actor::pool;
        let events = vec![
            (Actor("user:alice".into()), asked("a", "alice")),
            (Actor("user:bob".into()), asked("b", "bob")),
            (pool(), Event::Ended { id: "a".into(), end: End::TimeUp }),
            (pool(), Event::Ended { id: "b".into(), end: End::TimeUp }),
            (pool(), Event::Left { node: "n".into() }),
            (
                Actor("user:root".into()),
                Event::QuotaSet { subject: "user:alice".into(), quota: None },
            ),
        ];
        let entry = Entry { at_ms: 5, nonce: String::new(), events };
        let select = |user: Option<&str>, since_ms| {
            Audit::new(&State::default(), user.map(str::to_owned), since_ms)
                .select(1, entry.clone())
        };
        assert_eq!(select(None, 5).unwrap().entry.events.len(), 6);
        let own = select(Some("alice"), 0).unwrap().entry.events;
        assert_eq!(own.len(), 3, "{own:?}");
        assert!(matches!(&own[0].1, Event::Asked { key_hash, .. } if key_hash.is_empty()));
        assert!(select(Some("carol"), 0).is_none() && select(None, 6).is_none());
    }
}
