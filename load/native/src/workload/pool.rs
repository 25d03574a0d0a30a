//! Captured entities of all users of an engine, for operations that use those of other users.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::event::Entity;

/// Entities of one kind, in the order of acknowledgement as long as none is removed.
#[derive(Debug, Default)]
pub struct Pool(RwLock<Members>);

#[derive(Debug, Default)]
struct Members {
    entities: Vec<Arc<Entity>>,
    /// Where each is, by its address.
    places: FxHashMap<usize, usize>,
}

impl Pool {
    /// Adds an entity that a user created.
    pub fn add(&self, entity: &Arc<Entity>) {
        let mut members = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let place = members.entities.len();
        members.places.insert(address(entity), place);
        members.entities.push(Arc::clone(entity));
    }

    /// Removes an entity; the last one stays, so that a pool that has had one is never empty.
    pub fn remove(&self, entity: &Arc<Entity>) {
        let mut members = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if members.entities.len() < 2 {
            return;
        }
        if let Some(place) = members.places.remove(&address(entity)) {
            members.entities.swap_remove(place);
            if let Some(moved) = members.entities.get(place).map(address) {
                members.places.insert(moved, place);
            }
        }
    }

    /// One of the entities, by a function of how many there are; none before the first.
    pub fn pick(&self, index: impl FnOnce(usize) -> usize) -> Option<Arc<Entity>> {
        let members = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let count = members.entities.len();
        if count == 0 { None } else { members.entities.get(index(count).min(count - 1)).cloned() }
    }
}

fn address(entity: &Arc<Entity>) -> usize {
    Arc::as_ptr(entity) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_added_picked_and_removed() {
        let pool = Pool::default();
        assert!(pool.pick(|_| 0).is_none());
        let entity = |id: &str| Arc::new(Entity { captured: vec![("id".into(), id.into())], origin: None });
        let all = ["a", "b", "c"].map(entity);
        all.iter().for_each(|entity| pool.add(entity));
        pool.remove(&all[0]);
        let picked = |at: usize| pool.pick(|_| at).map(|entity| entity.captured[0].1.to_string());
        assert_eq!((picked(0), picked(1), picked(9)), (Some("c".into()), Some("b".into()), Some("b".into())));
        pool.remove(&all[2]);
        pool.remove(&all[1]);
        assert_eq!(picked(0), Some("b".into()), "the last one stays");
    }
}
