//! A database for tests: remembers what it was told to store, and does as it is told.

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
    under_way: HashSet<String>,
    away: bool,
}

impl FakeStorage {
    /// Storage that stores at once, and the statements as they begin.
    pub fn free() -> (Arc<Self>, mpsc::UnboundedReceiver<Statement>) {
        Self::with_turns(Semaphore::MAX_PERMITS)
    }

    /// Storage that stores nothing until it is let.
    pub fn held() -> (Arc<Self>, mpsc::UnboundedReceiver<Statement>) {
        Self::with_turns(0)
    }

    fn with_turns(turns: usize) -> (Arc<Self>, mpsc::UnboundedReceiver<Statement>) {
        let (begun, statements) = mpsc::unbounded_channel();
        (Arc::new(Self { state: Mutex::default(), begun, turns: Semaphore::new(turns) }), statements)
    }

    /// Lets so many statements end.
    pub fn let_end(&self, statements: usize) {
        self.turns.add_permits(statements);
    }

    pub fn go_away(&self) {
        self.lock().away = true;
    }

    /// What was stored, in its order.
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
        if state.away {
            return Err(StorageError::Away("gone".to_owned()));
        }
        for (id, _) in statement {
            assert!(state.under_way.insert(id.clone()), "two statements with {id} are under way");
        }
        Ok(())
    }

    fn end(&self, statement: Statement) -> Result<(), StorageError> {
        let mut state = self.lock();
        for (id, _) in &statement {
            state.under_way.remove(id);
        }
        if statement.iter().any(|(id, _)| id == REFUSED) {
            return Err(StorageError::Refused("as told".to_owned()));
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
            let _nobody_looks = self.begun.send(statement.clone());
            self.turns.acquire().await.expect("never closed").forget();
            self.end(statement)
        }
        .boxed()
    }

    fn check(&self) -> Answer<'_> {
        let away = self.lock().away;
        async move { if away { Err(StorageError::Away("gone".to_owned())) } else { Ok(()) } }.boxed()
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
