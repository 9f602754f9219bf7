//! A node's memory accounts. Each tenant or lease with sessions has a ledger, in which every
//! session has a row. Administrators set the limits.

use crate::accounting::ledger::{Ledger, LedgerRow, MemoryUse, ROWS};
use crate::accounting::tenants::{Holder, Payer};
use outhaul_lock::{Mutex, MutexGuard};
use outhaul_share::{Refusal, check_name};
use outhaul_wire::limits::GPUS_MAX;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

/// Largest number of tenants with a limit.
const LIMITS_MAX: usize = 1024;

/// The memory limits that apply to each GPU. Without a limit, a session may have all of the GPU's
/// memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    /// Limit of each session in bytes.
    pub session_bytes: Option<u64>,
    /// Limits in bytes by tenant, each for all of the tenant's sessions together.
    tenants: BTreeMap<String, u64>,
}

impl Limits {
    /// Returns limits that apply to each session only, without limits by tenant.
    pub fn of_each_session(session_bytes: Option<u64>) -> Limits {
        Limits { session_bytes, tenants: BTreeMap::new() }
    }

    /// Returns the limits by tenant.
    pub fn tenants(&self) -> &BTreeMap<String, u64> {
        &self.tenants
    }

    /// Applies all of `changes` or, on an error, none of them; 0 removes a limit.
    pub fn set(&mut self, changes: &BTreeMap<String, u64>) -> Result<(), Refusal> {
        changes.keys().try_for_each(|name| check_name(name))?;
        let mut tenants = self.tenants.clone();
        tenants.extend(changes.iter().map(|(name, bytes)| (name.clone(), *bytes)));
        tenants.retain(|_, bytes| *bytes > 0);
        if tenants.len() > LIMITS_MAX {
            return Err(Refusal::TooManyTenants);
        }
        self.tenants = tenants;
        Ok(())
    }
}

/// A node's memory accounts.
#[derive(Default)]
pub struct Accounts(Mutex<AccountsState>);

#[derive(Default)]
struct AccountsState {
    limits: Limits,
    books: HashMap<Holder, Weak<Book>>,
    /// The rows of the sessions by their workers' process ids.
    sessions: HashMap<u32, Weak<Row>>,
    oversubscription: Option<Oversubscription>,
}

/// The ledgers of a node that oversubscribes memory. They count movable memory, its part on the
/// devices, and its part in host memory, which is one column.
struct Oversubscription {
    movable: Arc<Book>,
    resident: Arc<Book>,
    host: Arc<Book>,
    /// Whether the ledgers come from an earlier listener.
    is_adopted: bool,
}

struct Book {
    ledger: Ledger,
    descriptor: OwnedFd,
    rows: Mutex<[bool; ROWS]>,
}

/// A row of a session or a segment in a ledger. Dropping the account frees the row, which must not
/// happen before the worker is gone.
pub struct Account(Arc<Row>);

struct Row {
    book: Arc<Book>,
    number: usize,
}

impl Accounts {
    /// Makes accounts without sessions.
    pub fn new(limits: Limits) -> Accounts {
        Accounts(Mutex::new(AccountsState {
            limits,
            books: HashMap::new(),
            sessions: HashMap::new(),
            oversubscription: None,
        }))
    }

    /// Lets sessions together have more memory than the GPUs hold, with at most `host_bytes` of it
    /// in host memory. With `gpu_bytes`, each GPU counts as holding only that much.
    pub fn oversubscribe(&self, host_bytes: u64, gpu_bytes: Option<u64>) -> io::Result<()> {
        let [movable, resident, host] =
            [Book::empty()?, Book::empty()?, Book::empty()?].map(Arc::new);
        resident.limit_all(gpu_bytes);
        host.ledger.set_limit(0, Some(host_bytes));
        self.lock().oversubscription =
            Some(Oversubscription { movable, resident, host, is_adopted: false });
        Ok(())
    }

    /// Opens a row for a new session in each ledger of movable memory. Returns None if the node
    /// does not oversubscribe memory.
    pub fn open_residency(&self) -> io::Result<Option<[Account; 3]>> {
        let state = self.lock();
        let Some(Oversubscription { movable, resident, host, .. }) = &state.oversubscription else {
            return Ok(None);
        };
        Ok(Some([Account::open(movable)?, Account::open(resident)?, Account::open(host)?]))
    }

    fn lock(&self) -> MutexGuard<'_, AccountsState> {
        self.0.lock()
    }

    /// Takes over the row of a session that began under an earlier listener, in that listener's
    /// ledger.
    pub fn adopt(&self, payer: &Payer, row: usize, ledger: OwnedFd) -> io::Result<Account> {
        let mut state = self.lock();
        let holder = payer.holder();
        let known =
            holder.as_ref().and_then(|holder| state.books.get(holder)).and_then(Weak::upgrade);
        let book = match known {
            Some(book) if is_same_file(&book.descriptor, &ledger)? => book,
            Some(_) => return Err(io::Error::other("others have another ledger")),
            None => Arc::new(Book::adopt(ledger, &state.limits, payer)?),
        };
        if let Some(holder) = holder {
            state.books.insert(holder, Arc::downgrade(&book));
        }
        Account::adopt(&book, row)
    }

    /// Takes over a session's rows in the ledgers of movable memory. All sessions of a node have
    /// the same three ledgers.
    pub fn adopt_residency(&self, rows: [LedgerRow<OwnedFd>; 3]) -> io::Result<[Account; 3]> {
        let mut state = self.lock();
        let Some(Oversubscription { movable, resident, host, is_adopted }) =
            &mut state.oversubscription
        else {
            return Err(io::Error::other(
                "its memory moves, and that of this node does not any more",
            ));
        };
        let numbers = rows.each_ref().map(|row| row.row);
        let books = [&mut *movable, &mut *resident, &mut *host];
        if !std::mem::replace(is_adopted, true) {
            for (book, LedgerRow { ledger, .. }) in books.into_iter().zip(rows) {
                let adopted = Book::of(Ledger::adopt(&ledger), ledger)?;
                adopted.ledger.copy_limits(&book.ledger);
                *book = Arc::new(adopted);
            }
        }
        let [of_movable, of_resident, of_host] = numbers;
        Ok([
            Account::adopt(movable, of_movable)?,
            Account::adopt(resident, of_resident)?,
            Account::adopt(host, of_host)?,
        ])
    }

    /// Clears all rows that no session has taken over. The caller has taken over all sessions that
    /// continue.
    pub fn clear_free_rows(&self) {
        let state = self.lock();
        let of_node = state
            .oversubscription
            .iter()
            .flat_map(|all| [&all.movable, &all.resident, &all.host].map(Arc::clone));
        state
            .books
            .values()
            .filter_map(Weak::upgrade)
            .chain(of_node)
            .for_each(|book| book.clear_free_rows());
    }

    /// Returns whether the node oversubscribes memory, so that sessions' memory may move to the
    /// host.
    pub fn is_oversubscribed(&self) -> bool {
        self.lock().oversubscription.is_some()
    }

    /// Returns the limits.
    pub fn limits(&self) -> Limits {
        self.lock().limits.clone()
    }

    /// Changes limits. Running sessions keep their memory, but can allocate no more beyond a new
    /// limit.
    pub fn set(&self, change: &BTreeMap<String, u64>) -> Result<(), Refusal> {
        let mut state = self.lock();
        state.limits.set(change)?;
        for ((name, _), book) in state.books.iter().filter(|((_, fence), _)| fence.is_none()) {
            if let Some(book) = book.upgrade() {
                book.limit_all(state.limits.tenants.get(name).copied());
            }
        }
        Ok(())
    }

    /// Notes the worker that has the account's row, for [`Self::uses`].
    pub fn note_worker(&self, pid: u32, account: &Account) {
        let mut state = self.lock();
        state.sessions.retain(|_, row| row.strong_count() > 0);
        state.sessions.insert(pid, Arc::downgrade(&account.0));
    }

    /// Returns what a worker uses of each GPU's memory, up to the last GPU of which it uses some.
    pub fn uses(&self, pid: u32) -> Vec<MemoryUse> {
        let Some(row) = self.lock().sessions.get(&pid).and_then(Weak::upgrade) else {
            return Vec::new();
        };
        let mut uses: Vec<_> =
            (0..GPUS_MAX).map(|device| row.book.ledger.use_of(row.number, device)).collect();
        uses.truncate(uses.iter().rposition(|one| one.bytes > 0).map_or(0, |last| last + 1));
        uses
    }

    /// Opens a row for a new session.
    pub fn open(&self, payer: &Payer) -> io::Result<Account> {
        let mut state = self.lock();
        state.books.retain(|_, book| book.strong_count() > 0);
        let holder = payer.holder();
        let known =
            holder.as_ref().and_then(|holder| state.books.get(holder)).and_then(Weak::upgrade);
        let book = known.map_or_else(|| Book::new(&state.limits, payer).map(Arc::new), Ok)?;
        if let Some(holder) = holder {
            state.books.insert(holder, Arc::downgrade(&book));
        }
        Account::open(&book)
    }
}

impl Book {
    fn new(limits: &Limits, payer: &Payer) -> io::Result<Book> {
        let book = Book::empty()?;
        book.limit(limits, payer);
        Ok(book)
    }

    /// Takes over an earlier listener's ledger, and applies this listener's limits.
    fn adopt(descriptor: OwnedFd, limits: &Limits, payer: &Payer) -> io::Result<Book> {
        let book = Book::of(Ledger::adopt(&descriptor), descriptor)?;
        book.limit(limits, payer);
        Ok(book)
    }

    fn empty() -> io::Result<Book> {
        let (ledger, descriptor) = Ledger::create()?;
        Book::of(Ok(ledger), descriptor)
    }

    fn of(ledger: io::Result<Ledger>, descriptor: OwnedFd) -> io::Result<Book> {
        Ok(Book { ledger: ledger?, descriptor, rows: Mutex::new([false; ROWS]) })
    }

    fn limit(&self, limits: &Limits, payer: &Payer) {
        match payer {
            // The worker sees the lease's GPUs in the order of `parts`.
            Payer::Lease(grant) => {
                let parts = grant.parts.iter().take(GPUS_MAX).enumerate();
                parts.for_each(|(device, part)| {
                    self.ledger.set_limit(device, Some(part.memory_bytes))
                });
            }
            Payer::Named(name) => {
                self.ledger.set_session_limit(limits.session_bytes);
                self.limit_all(limits.tenants.get(name).copied());
            }
            Payer::Own => self.ledger.set_session_limit(limits.session_bytes),
        }
    }

    /// Clears all free rows.
    fn clear_free_rows(&self) {
        let rows = self.rows();
        rows.iter()
            .enumerate()
            .filter(|(_, taken)| !**taken)
            .for_each(|(row, _)| self.ledger.clear(row));
    }

    fn limit_all(&self, bytes: Option<u64>) {
        (0..GPUS_MAX).for_each(|device| self.ledger.set_limit(device, bytes));
    }

    fn rows(&self) -> MutexGuard<'_, [bool; ROWS]> {
        self.rows.lock()
    }

    fn take_row(&self) -> Option<usize> {
        let mut rows = self.rows();
        let row = rows.iter().position(|taken| !taken)?;
        rows[row] = true;
        Some(row)
    }
}

impl Account {
    fn open(book: &Arc<Book>) -> io::Result<Account> {
        let row = book.take_row().ok_or_else(|| {
            io::Error::other(format!("{ROWS} sessions of one tenant run already; end some"))
        })?;
        Ok(Account(Arc::new(Row { book: book.clone(), number: row })))
    }

    fn adopt(book: &Arc<Book>, row: usize) -> io::Result<Account> {
        match book.rows().get_mut(row) {
            Some(taken) if !*taken => *taken = true,
            _ => {
                return Err(io::Error::other(format!(
                    "row {row} of its ledger is another session's"
                )));
            }
        }
        Ok(Account(Arc::new(Row { book: book.clone(), number: row })))
    }

    /// Returns the number of the account's row in the ledger.
    pub fn row(&self) -> usize {
        self.0.number
    }

    /// Charges `bytes` to the row, for memory that belongs to no session.
    pub fn charge(&self, device: usize, bytes: u64) {
        self.0.book.ledger.charge(self.0.number, device, bytes);
    }

    /// Returns a function that returns the pulse of the worker that has the account's row.
    pub fn pulse(&self) -> impl Fn() -> u64 + Send + Sync + use<> {
        let (book, row) = (self.0.book.clone(), self.0.number);
        move || book.ledger.pulse(row).load(Ordering::SeqCst)
    }

    /// Returns the ledger's descriptor.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.book.descriptor.as_fd()
    }

    /// Returns the account's row, for the worker.
    pub fn ledger_row(&self) -> LedgerRow<BorrowedFd<'_>> {
        LedgerRow { ledger: self.descriptor(), row: self.row() }
    }
}

/// Returns whether both descriptors refer to one file. Opens no descriptor, because a listener must
/// be able to adopt sessions when it may open no more files.
fn is_same_file(one: &OwnedFd, other: &OwnedFd) -> io::Result<bool> {
    let file = |descriptor: &OwnedFd| {
        // SAFETY: the descriptor is open, and `ManuallyDrop` keeps the file from closing it.
        let file = ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor.as_raw_fd()) });
        let metadata = file.metadata()?;
        Ok::<_, io::Error>((metadata.dev(), metadata.ino()))
    };
    Ok(file(one)? == file(other)?)
}

impl Drop for Row {
    fn drop(&mut self) {
        self.book.ledger.clear(self.number);
        self.book.rows()[self.number] = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounting::ledger::Allowance;
    use crate::lease::Grant;

    fn allowance(account: &Account) -> Allowance {
        let ledger = Ledger::adopt(&account.0.book.descriptor.try_clone().unwrap()).unwrap();
        Allowance::new(Arc::new(ledger), account.row(), 0)
    }

    #[test]
    fn a_limit_holds_for_a_tenants_sessions_together_and_changes_while_they_run() {
        let mut limits = Limits::of_each_session(Some(70));
        limits.set(&[("a".to_owned(), 100)].into()).unwrap();
        let accounts = Accounts::new(limits);
        let [a, b] = ["a", "b"].map(|name| Payer::Named(name.into()));
        let (first, second) = (accounts.open(&a).unwrap(), accounts.open(&a).unwrap());
        let (one, two) = (allowance(&first), allowance(&second));
        assert!(!one.take(71) && one.take(70) && !two.take(31) && two.take(30));
        assert!(allowance(&accounts.open(&b).unwrap()).take(70), "another tenant");
        assert!(accounts.set(&[("no spaces".to_owned(), 1), ("a".to_owned(), 1)].into()).is_err());
        accounts.set(&[("a".to_owned(), 110)].into()).unwrap();
        assert!(two.take(10) && !two.take(1));
        drop(first);
        assert_eq!(two.left_bytes(), 30, "of its own 70, and 70 of the tenant's");
        accounts.set(&[("a".to_owned(), 0)].into()).unwrap();
        assert!(accounts.limits().tenants().is_empty());
        let part = crate::lease::LeasePart { gpu: "GPU-0".into(), memory_bytes: 500, time_ns: 1 };
        let grant = Grant {
            lease: "a".into(),
            fence: 1,
            key_hash: String::new(),
            priority: 0,
            parts: vec![part],
            grace_s: None,
            frames_per_s: None,
        };
        let lease = accounts.open(&Payer::Lease(grant)).unwrap();
        assert_eq!(allowance(&lease).limit_bytes(), 500, "a lease is promised its memory");
    }

    fn copy(account: &Account) -> OwnedFd {
        account.descriptor().try_clone_to_owned().unwrap()
    }

    #[test]
    fn the_next_listener_continues_the_sessions_accounts() {
        let mut limits = Limits::default();
        limits.set(&[("a".to_owned(), 100)].into()).unwrap();
        let (before, after) = (Accounts::new(limits.clone()), Accounts::new(limits));
        let payer = Payer::Named("a".into());
        let [first, second, ended] = [(); 3].map(|()| before.open(&payer).unwrap());
        assert!(
            allowance(&first).take(40) && allowance(&second).take(30) && allowance(&ended).take(20)
        );
        let kept = [&first, &second]
            .map(|account| after.adopt(&payer, account.row(), copy(account)).unwrap());
        assert!(after.adopt(&payer, first.row(), copy(&first)).is_err(), "it is adopted");
        let other = before.open(&Payer::Own).unwrap();
        assert!(
            after.adopt(&payer, 9, copy(&other)).is_err()
                && after.adopt(&payer, ROWS, copy(&first)).is_err()
        );
        after.clear_free_rows();
        let next = after.open(&payer).unwrap();
        assert!(
            next.row() == ended.row() && !allowance(&next).take(31) && allowance(&next).take(30)
        );
        drop(kept);
        assert!(allowance(&next).take(70), "they have ended");
    }

    #[test]
    fn the_residency_ledgers_are_adopted_once() {
        let [before, after] = [(); 2].map(|()| Accounts::default());
        before.oversubscribe(100, None).unwrap();
        let [first, second] = [(); 2].map(|()| before.open_residency().unwrap().unwrap());
        let rows = |accounts: &[Account; 3]| {
            accounts
                .each_ref()
                .map(|account| LedgerRow { ledger: copy(account), row: account.row() })
        };
        assert!(
            after.adopt_residency(rows(&first)).is_err(),
            "the node promises no more than it has"
        );
        after.oversubscribe(60, None).unwrap();
        let _kept = [&first, &second].map(|session| after.adopt_residency(rows(session)).unwrap());
        let next = after.open_residency().unwrap().unwrap();
        assert!(
            allowance(&first[2]).take(50) && !allowance(&next[2]).take(11),
            "the node's limit is a new one"
        );
    }
}
