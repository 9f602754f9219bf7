//! Segments: device memory that the programs of a node share by key. The listener keeps a
//! descriptor of each segment, so that the segment outlives the session that created it. The
//! listener also decides which sessions may use a segment. Workers allocate and map the memory; the
//! listener calls no driver.

use crate::accounting::accounts::{Account, Accounts};
use crate::accounting::tenants::{Holder, Payer};
use crate::keeper::client::{KeeperClient, Left};
use outhaul_abi::types::CUresult;
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_wire::limits::GPUS_MAX;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

/// Largest number of segments on a node; each needs a descriptor.
const SEGMENTS_MAX: usize = 512;
/// Largest number of segments of one tenant or lease.
const SEGMENTS_OF_HOLDER_MAX: usize = 128;

/// Flag of `ShmGet`, in addition to the rights: create the segment if it does not exist.
pub const CREATE: u32 = 0o1000;
/// Flag of `ShmGet`: fail if the segment exists.
pub const EXCLUSIVE: u32 = 0o2000;
/// Rights that can be set: the holder's, and those of all others on the node.
const RIGHTS: u32 = 0o606;
const READ: u32 = 0o4;
const WRITE: u32 = 0o2;
/// The key of segments that can be found only by number.
const KEY_NONE: i32 = 0;

/// A worker's question about segments.
#[derive(Debug, Serialize, Deserialize)]
pub enum Question {
    Find {
        key: i32,
        bytes: u64,
        flags: u32,
    },
    /// Creates a segment. The question carries the memory as a descriptor.
    Put {
        key: i32,
        bytes: u64,
        flags: u32,
        uuid: [u8; 16],
        device: usize,
    },
    Attach {
        id: i32,
        writes: bool,
    },
    Detach {
        id: i32,
    },
    Stat {
        id: i32,
    },
    SetRights {
        id: i32,
        rights: u32,
    },
    Remove {
        id: i32,
    },
}

/// The answer to a question.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SegmentReply {
    Id(i32),
    /// No such segment exists: the worker must allocate the memory and send `Question::Put`.
    Make,
    /// The answer carries the memory as a descriptor.
    Memory {
        uuid: [u8; 16],
        bytes: u64,
    },
    Status(Status),
    Done,
    /// An error, as a CUresult.
    Refused(i32),
}

/// A segment's state.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The segment's key.
    pub key: i32,
    /// The segment's rights.
    pub rights: u32,
    /// The segment's size in bytes.
    pub bytes: u64,
    /// Number of attachments in all sessions.
    pub attached: u32,
    /// Whether the segment was removed.
    pub removed: bool,
}

/// A node's segments.
pub struct Segments {
    accounts: Arc<Accounts>,
    state: Mutex<SegmentsState>,
}

struct SegmentsState {
    segments: BTreeMap<i32, Segment>,
    numbered: i32,
    /// The connection to the keeper, which lets segments outlive this process.
    keeping: Arc<KeeperClient>,
}

struct Segment {
    terms: Terms,
    holder: Holder,
    descriptor: OwnedFd,
    account: Account,
}

/// The keeper's record of a segment, without the descriptors of its memory and its ledger.
#[derive(Clone, Serialize, Deserialize)]
struct Terms {
    key: i32,
    rights: u32,
    bytes: u64,
    uuid: [u8; 16],
    /// Number of attachments by session.
    attached: BTreeMap<u32, u32>,
    /// Whether the segment was removed. A removed segment can no longer be found or attached, and
    /// ends when the last session detaches it.
    removed: bool,
    payer: Payer,
    row: usize,
}

/// Prefix of a segment's number in the name of its keeper's item.
const PREFIX: &str = "segment ";

fn title(id: i32) -> String {
    format!("{PREFIX}{id}")
}

fn id_of(title: &str) -> Option<i32> {
    title.strip_prefix(PREFIX)?.parse().ok()
}

impl Segment {
    fn allows(&self, holder: &Holder, right: u32) -> bool {
        let right = if self.holder == *holder { right << 6 } else { right };
        self.terms.rights & right == right
    }
}

type Result<T> = std::result::Result<T, CUresult>;

/// A session that uses segments. Dropping the visitor detaches the session's segments.
pub struct Visitor<'a> {
    segments: &'a Segments,
    payer: &'a Payer,
    session: u32,
}

impl Segments {
    /// Makes a node's table without segments.
    pub fn new(accounts: Arc<Accounts>, keeping: Arc<KeeperClient>) -> Segments {
        Segments {
            accounts,
            state: Mutex::new(SegmentsState { segments: BTreeMap::new(), numbered: 0, keeping }),
        }
    }

    /// Takes over a segment from an earlier listener. Sessions that have the segment attached
    /// continue with it.
    pub fn adopt(&self, Left { name, record, descriptors }: Left) -> io::Result<()> {
        let id = id_of(&name)
            .ok_or_else(|| io::Error::other("this release does not know what it is"))?;
        let terms: Terms = serde_json::from_value(record)?;
        let [descriptor, ledger] =
            <[OwnedFd; 2]>::try_from(descriptors).map_err(|_| io::ErrorKind::InvalidData)?;
        let holder = terms.payer.holder().ok_or(io::ErrorKind::InvalidData)?;
        let account = self.accounts.adopt(&terms.payer, terms.row, ledger)?;
        let mut state = self.lock();
        state.numbered = state.numbered.max(id);
        state.segments.insert(id, Segment { terms, holder, descriptor, account });
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, SegmentsState> {
        self.state.lock()
    }

    /// Returns a session's access to the segments. A session without a tenant or lease has no
    /// segments, because no other session could find them.
    pub fn visitor<'a>(&'a self, payer: &'a Payer, session: u32) -> Visitor<'a> {
        Visitor { segments: self, payer, session }
    }

    /// Removes the segments of leases that have ended.
    pub fn forget_leases(&self, holds: impl Fn(&str) -> bool) {
        let mut state = self.lock();
        let over = state
            .segments
            .iter()
            .filter(|(_, segment)| segment.holder.1.is_some() && !holds(&segment.holder.0));
        let over: Vec<i32> = over.map(|(id, _)| *id).collect();
        over.into_iter().for_each(|id| state.remove(id));
    }
}

impl SegmentsState {
    /// Records the present state of a segment with the keeper.
    fn keep(&self, id: i32) {
        let Some(segment) = self.segments.get(&id) else { return };
        self.keeping.keep(
            &title(id),
            &segment.terms,
            &[segment.descriptor.as_fd(), segment.account.descriptor()],
        );
    }

    /// Removes a segment. The keeper must forget the segment before another one can get its row.
    fn remove(&mut self, id: i32) {
        self.keeping.forget(&title(id));
        self.segments.remove(&id);
    }

    /// Returns the segment `id`. Fails if no such segment exists or it was removed.
    fn not_removed(&self, id: i32) -> Result<&Segment> {
        self.segments.get(&id).filter(|segment| !segment.terms.removed).ok_or(CUresult::NOT_FOUND)
    }

    fn find(&self, holder: &Holder, key: i32, bytes: u64, flags: u32) -> Result<Option<i32>> {
        let found = self.segments.iter().find(|(_, segment)| {
            segment.terms.key == key && key != KEY_NONE && !segment.terms.removed
        });
        match found {
            None if flags & CREATE == 0 => Err(CUresult::NOT_FOUND),
            None => Ok(None),
            Some(_) if flags & CREATE != 0 && flags & EXCLUSIVE != 0 => {
                Err(CUresult::ALREADY_ACQUIRED)
            }
            Some((_, segment)) if !segment.allows(holder, READ) => Err(CUresult::NOT_PERMITTED),
            Some((_, segment)) if bytes > segment.terms.bytes => Err(CUresult::INVALID_VALUE),
            Some((id, _)) => Ok(Some(*id)),
        }
    }

    fn detach(&mut self, id: i32, session: u32, all: bool) {
        let Some(Segment { terms, .. }) = self.segments.get_mut(&id) else { return };
        let Some(count) = terms.attached.get_mut(&session) else { return };
        *count -= 1;
        if *count == 0 || all {
            terms.attached.remove(&session);
        }
        if terms.removed && terms.attached.is_empty() {
            self.remove(id);
        } else {
            self.keep(id);
        }
    }
}

impl Visitor<'_> {
    /// Answers a question. Returns the answer, and a descriptor if the answer carries one.
    pub fn answer(
        &self,
        question: Question,
        descriptor: Option<OwnedFd>,
    ) -> Result<(SegmentReply, Option<OwnedFd>)> {
        let holder = self.payer.holder().ok_or(CUresult::NOT_PERMITTED)?;
        let mut state = self.segments.lock();
        let answer = match question {
            Question::Find { key, bytes, flags } => {
                state.find(&holder, key, bytes, flags)?.map_or(SegmentReply::Make, SegmentReply::Id)
            }
            Question::Put { key, bytes, flags, uuid, device } => {
                match state.find(&holder, key, bytes, flags | CREATE)? {
                    // Another session has created the segment meanwhile.
                    Some(id) => SegmentReply::Id(id),
                    None => {
                        let descriptor = descriptor.ok_or(CUresult::INVALID_VALUE)?;
                        SegmentReply::Id(self.put(
                            &mut state,
                            holder,
                            (key, bytes, flags & RIGHTS),
                            uuid,
                            device,
                            descriptor,
                        )?)
                    }
                }
            }
            Question::Attach { id, writes } => {
                let right = if writes { READ | WRITE } else { READ };
                state
                    .not_removed(id)?
                    .allows(&holder, right)
                    .then_some(())
                    .ok_or(CUresult::NOT_PERMITTED)?;
                let segment = state.segments.get_mut(&id).ok_or(CUresult::NOT_FOUND)?;
                let descriptor =
                    segment.descriptor.try_clone().map_err(|_| CUresult::OPERATING_SYSTEM)?;
                *segment.terms.attached.entry(self.session).or_default() += 1;
                let answer =
                    SegmentReply::Memory { uuid: segment.terms.uuid, bytes: segment.terms.bytes };
                state.keep(id);
                return Ok((answer, Some(descriptor)));
            }
            Question::Detach { id } => {
                state.detach(id, self.session, false);
                SegmentReply::Done
            }
            Question::Stat { id } => {
                let segment = state.segments.get(&id).ok_or(CUresult::NOT_FOUND)?;
                // A session that has the segment attached sees it even after its removal.
                let terms = &segment.terms;
                let sees = terms.attached.contains_key(&self.session)
                    || !terms.removed && segment.allows(&holder, READ);
                sees.then_some(()).ok_or(CUresult::NOT_PERMITTED)?;
                let Terms { key, rights, bytes, removed, .. } = *terms;
                SegmentReply::Status(Status {
                    key,
                    rights,
                    bytes,
                    attached: terms.attached.values().sum(),
                    removed,
                })
            }
            Question::SetRights { id, rights } => {
                state
                    .not_removed(id)?
                    .holder
                    .eq(&holder)
                    .then_some(())
                    .ok_or(CUresult::NOT_PERMITTED)?;
                if rights & !RIGHTS != 0 {
                    return Err(CUresult::INVALID_VALUE);
                }
                state.segments.get_mut(&id).ok_or(CUresult::NOT_FOUND)?.terms.rights = rights;
                state.keep(id);
                SegmentReply::Done
            }
            Question::Remove { id } => {
                state
                    .not_removed(id)?
                    .holder
                    .eq(&holder)
                    .then_some(())
                    .ok_or(CUresult::NOT_PERMITTED)?;
                let terms = &mut state.segments.get_mut(&id).ok_or(CUresult::NOT_FOUND)?.terms;
                terms.removed = true;
                if terms.attached.is_empty() {
                    state.remove(id);
                } else {
                    state.keep(id);
                }
                SegmentReply::Done
            }
        };
        Ok((answer, None))
    }

    fn put(
        &self,
        state: &mut SegmentsState,
        holder: Holder,
        (key, bytes, rights): (i32, u64, u32),
        uuid: [u8; 16],
        device: usize,
        descriptor: OwnedFd,
    ) -> Result<i32> {
        let own = state.segments.values().filter(|segment| segment.holder == holder).count();
        if own >= SEGMENTS_OF_HOLDER_MAX
            || state.segments.len() >= SEGMENTS_MAX
            || device >= GPUS_MAX
        {
            return Err(CUresult::OUT_OF_MEMORY);
        }
        let account =
            self.segments.accounts.open(self.payer).map_err(|_| CUresult::OPERATING_SYSTEM)?;
        account.charge(device, bytes);
        state.numbered += 1;
        let id = state.numbered;
        let (attached, payer, row) = (BTreeMap::new(), self.payer.clone(), account.row());
        let terms = Terms { key, rights, bytes, uuid, attached, removed: false, payer, row };
        state.segments.insert(id, Segment { terms, holder, descriptor, account });
        state.keep(id);
        Ok(id)
    }
}

impl Drop for Visitor<'_> {
    fn drop(&mut self) {
        let mut state = self.segments.lock();
        let ids: Vec<i32> = state.segments.keys().copied().collect();
        ids.into_iter().for_each(|id| state.detach(id, self.session, true));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHTS_OWN: u32 = 0o600;

    fn segments() -> Segments {
        Segments::new(Arc::default(), Arc::default())
    }

    fn named(name: &str) -> Payer {
        Payer::Named(name.into())
    }

    fn ask(visitor: &Visitor<'_>, question: Question) -> Result<SegmentReply> {
        let descriptor = std::io::pipe().unwrap().0.into();
        visitor.answer(question, Some(descriptor)).map(|(answer, _)| answer)
    }

    fn put(visitor: &Visitor<'_>, key: i32, rights: u32) -> i32 {
        let question =
            Question::Put { key, bytes: 100, flags: CREATE | rights, uuid: [1; 16], device: 0 };
        let Ok(SegmentReply::Id(id)) = ask(visitor, question) else { panic!("not put") };
        id
    }

    #[test]
    fn a_segment_is_found_by_its_key_and_outlives_its_maker() {
        let (segments, payer) = (segments(), named("a"));
        let maker = Visitor { segments: &segments, payer: &payer, session: 1 };
        let find = |key, bytes, flags| Question::Find { key, bytes, flags };
        assert_eq!(ask(&maker, find(7, 100, 0)), Err(CUresult::NOT_FOUND));
        assert_eq!(ask(&maker, find(7, 100, CREATE)), Ok(SegmentReply::Make));
        let id = put(&maker, 7, RIGHTS_OWN);
        drop(maker);
        let other = Visitor { segments: &segments, payer: &payer, session: 2 };
        assert_eq!(ask(&other, find(7, 100, 0)), Ok(SegmentReply::Id(id)));
        assert_eq!(ask(&other, find(7, 101, 0)), Err(CUresult::INVALID_VALUE), "more than it has");
        assert_eq!(ask(&other, find(7, 0, CREATE | EXCLUSIVE)), Err(CUresult::ALREADY_ACQUIRED));
        assert_eq!(
            ask(&other, find(0, 0, 0)),
            Err(CUresult::NOT_FOUND),
            "nothing is found without a key"
        );
        assert_ne!(put(&other, 0, RIGHTS_OWN), put(&other, 0, RIGHTS_OWN));
    }

    #[test]
    fn others_have_the_rights_that_they_were_given() {
        let segments = segments();
        let (payers, own) = ([named("a"), named("b")], Payer::Own);
        let [a, b] =
            [0, 1].map(|i| Visitor { segments: &segments, payer: &payers[i], session: i as u32 });
        let id = put(&a, 7, RIGHTS_OWN);
        let attach = |writes| Question::Attach { id, writes };
        let denied = || Err(CUresult::NOT_PERMITTED);
        assert_eq!(ask(&b, Question::Find { key: 7, bytes: 0, flags: 0 }), denied());
        assert_eq!(
            (
                ask(&b, attach(false)),
                ask(&b, Question::Stat { id }),
                ask(&b, Question::Remove { id })
            ),
            (denied(), denied(), denied())
        );
        assert_eq!(ask(&a, Question::SetRights { id, rights: 0o604 }), Ok(SegmentReply::Done));
        assert!(ask(&b, attach(false)).is_ok());
        assert_eq!(
            (ask(&b, attach(true)), ask(&b, Question::SetRights { id, rights: 0o606 })),
            (denied(), denied())
        );
        assert_eq!(
            ask(&a, Question::SetRights { id, rights: 0o777 }),
            Err(CUresult::INVALID_VALUE)
        );
        let unnamed = Visitor { segments: &segments, payer: &own, session: 9 };
        assert_eq!(ask(&unnamed, Question::Find { key: 8, bytes: 1, flags: CREATE }), denied());
    }

    #[test]
    fn a_removed_segment_stays_until_its_last_detach() {
        let (segments, payer) = (segments(), named("a"));
        let [one, two] =
            [1, 2].map(|session| Visitor { segments: &segments, payer: &payer, session });
        let id = put(&one, 7, RIGHTS_OWN);
        let attached = |visitor: &Visitor<'_>| match ask(visitor, Question::Stat { id }) {
            Ok(SegmentReply::Status(status)) => Some((status.attached, status.removed)),
            _ => None,
        };
        for visitor in [&one, &two, &two] {
            ask(visitor, Question::Attach { id, writes: true }).unwrap();
        }
        assert_eq!(ask(&one, Question::Remove { id }), Ok(SegmentReply::Done));
        assert_eq!(
            (attached(&one), ask(&one, Question::Remove { id })),
            (Some((3, true)), Err(CUresult::NOT_FOUND))
        );
        assert_eq!(ask(&one, Question::Attach { id, writes: true }), Err(CUresult::NOT_FOUND));
        assert_eq!(
            ask(&one, Question::Find { key: 7, bytes: 1, flags: CREATE }),
            Ok(SegmentReply::Make),
            "the key is free"
        );
        ask(&one, Question::Detach { id }).unwrap();
        assert_eq!(attached(&two), Some((2, true)));
        drop(two);
        assert!(segments.lock().segments.is_empty(), "its session has ended");
    }

    #[test]
    fn another_listener_has_the_segments_of_the_one_before() {
        let accounts = Arc::new(Accounts::default());
        let (before, after) = (Segments::new(accounts, Arc::default()), segments());
        let payer = named("a");
        let maker = Visitor { segments: &before, payer: &payer, session: 1 };
        let id = put(&maker, 7, RIGHTS_OWN);
        ask(&maker, Question::Attach { id, writes: true }).unwrap();
        let left = |segments: &Segments| {
            let state = segments.lock();
            let Segment { terms, descriptor, account, .. } = &state.segments[&id];
            let descriptors = vec![
                descriptor.try_clone().unwrap(),
                account.descriptor().try_clone_to_owned().unwrap(),
            ];
            Left { name: title(id), record: serde_json::to_value(terms).unwrap(), descriptors }
        };
        after.adopt(left(&before)).unwrap();
        assert!(after.adopt(left(&before)).is_err(), "its row is taken");
        let next = Visitor { segments: &after, payer: &payer, session: 2 };
        assert_eq!(
            ask(&next, Question::Find { key: 7, bytes: 100, flags: 0 }),
            Ok(SegmentReply::Id(id))
        );
        assert_ne!(put(&next, 8, RIGHTS_OWN), id, "its number is its own");
        // The session that has the segment attached continues.
        let again = Visitor { segments: &after, payer: &payer, session: 1 };
        assert_eq!(ask(&next, Question::Remove { id }), Ok(SegmentReply::Done));
        assert!(after.lock().segments.contains_key(&id));
        drop(again);
        assert!(!after.lock().segments.contains_key(&id));
    }

    #[test]
    fn segments_of_a_lease_go_with_it() {
        let segments = segments();
        let grant = crate::lease::Grant {
            lease: "l".into(),
            fence: 3,
            key_hash: String::new(),
            priority: 0,
            parts: Vec::new(),
            grace_s: None,
            frames_per_s: None,
        };
        let (lease, tenant) = (Payer::Lease(grant), named("l"));
        put(&Visitor { segments: &segments, payer: &lease, session: 1 }, 7, RIGHTS_OWN);
        let kept = put(&Visitor { segments: &segments, payer: &tenant, session: 2 }, 8, RIGHTS_OWN);
        segments.forget_leases(|_| true);
        assert_eq!(segments.lock().segments.len(), 2);
        segments.forget_leases(|_| false);
        assert_eq!(segments.lock().segments.keys().collect::<Vec<_>>(), [&kept]);
    }
}
