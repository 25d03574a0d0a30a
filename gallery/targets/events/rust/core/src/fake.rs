//! A fake database for tests: records statements and fails on request.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use tokio::sync::{Semaphore, mpsc};

use crate::model::{Entity, Event};
use crate::rows::Rows;
use crate::storage::{Answer, Storage, StorageError};

/// (id, data) of the rows of one statement.
pub type Statement = Vec<(String, String)>;

/// A row with this id is refused.
pub const REFUSED: &str = "refused";

pub struct FakeStorage {
    state: Mutex<State>,
    begun: mpsc::UnboundedSender<Statement>,
    turns: Semaphore,
}

#[derive(Default)]
struct State {
    stored: Vec<Statement>,
    in_flight: HashSet<String>,
    unavailable: bool,
}

impl FakeStorage {
    /// Storage whose statements end at once, and the statements as they begin.
    pub fn free() -> (Arc<Self>, mpsc::UnboundedReceiver<Statement>) {
        Self::with_turns(Semaphore::MAX_PERMITS)
    }

    /// Storage whose statements wait for `release`.
    pub fn blocked() -> (Arc<Self>, mpsc::UnboundedReceiver<Statement>) {
        Self::with_turns(0)
    }

    fn with_turns(turns: usize) -> (Arc<Self>, mpsc::UnboundedReceiver<Statement>) {
        let (begun, statements) = mpsc::unbounded_channel();
        (Arc::new(Self { state: Mutex::default(), begun, turns: Semaphore::new(turns) }), statements)
    }

    /// Lets this many statements end.
    pub fn release(&self, statements: usize) {
        self.turns.add_permits(statements);
    }

    pub fn disconnect(&self) {
        self.lock().unavailable = true;
    }

    /// The stored statements, in their order.
    pub fn stored(&self) -> Vec<Statement> {
        self.lock().stored.clone()
    }

    /// All data of each id, in the order in which they were stored.
    pub fn history(&self) -> BTreeMap<String, String> {
        let mut history = BTreeMap::<String, String>::new();
        for (id, data) in self.stored().concat() {
            history.entry(id).or_default().push_str(&data);
        }
        history
    }

    fn begin(&self, statement: &Statement) -> Result<(), StorageError> {
        let mut state = self.lock();
        if state.unavailable {
            return Err(StorageError::Unavailable("connection refused".to_owned()));
        }
        for (id, _) in statement {
            assert!(state.in_flight.insert(id.clone()), "two statements with {id} are in flight");
        }
        Ok(())
    }

    fn end(&self, statement: Statement) -> Result<(), StorageError> {
        let mut state = self.lock();
        for (id, _) in &statement {
            state.in_flight.remove(id);
        }
        if statement.iter().any(|(id, _)| id == REFUSED) {
            return Err(StorageError::Refused("on request".to_owned()));
        }
        state.stored.push(statement);
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storage for FakeStorage {
    fn store<'a>(&'a self, rows: &'a Rows<'a>) -> Answer<'a> {
        async move {
            let statement: Statement =
                rows.ids.iter().zip(&rows.data).map(|(id, data)| ((*id).to_owned(), data.to_string())).collect();
            self.begin(&statement)?;
            let _unobserved = self.begun.send(statement.clone());
            self.turns.acquire().await.expect("never closed").forget();
            self.end(statement)
        }
        .boxed()
    }

    fn check(&self) -> Answer<'_> {
        let unavailable = self.lock().unavailable;
        async move { if unavailable { Err(StorageError::Unavailable("connection refused".to_owned())) } else { Ok(()) } }.boxed()
    }
}

/// An event that updates one entity.
pub fn event(id: &str, data: &str) -> Event {
    Event::new(vec![Entity::new("Car", id, data)])
}

/// A statement of these rows.
pub fn statement(rows: &[(&str, &str)]) -> Statement {
    rows.iter().map(|(id, data)| ((*id).to_owned(), (*data).to_owned())).collect()
}
