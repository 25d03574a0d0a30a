//! Verifies what reads show, while the load runs: a document must be in a state that the user's own writes allow.

use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

use crate::audit::json::Pointer;
use crate::audit::judge::{Judgement, Step, judge_reply};
use crate::mismatch::{WrongContent, shown_content};
use crate::template::Slot;
use crate::wire::Code;
use crate::workload::{EffectKind, Entity, Event, Renderer, Workload};

/// Documents of a user that are followed at any rate, so that short runs verify reads too.
const ALWAYS: u32 = 8;
/// Writes to a document beyond which it is followed no longer: each read would render all of them.
const MOST_WRITES: usize = 256;

/// A write to a document, acknowledged or not.
#[derive(Debug)]
struct Write {
    event: Event,
    is_unknown: bool,
}

/// Where the replies of an operation show a document.
#[derive(Debug)]
pub struct ReadRules {
    pub document: Pointer,
    /// The pointer as it is written.
    pub place: String,
    /// The status that stands for a document that does not exist.
    pub absent: Option<Code>,
}

/// The writes to a fraction of all documents, by user and key.
#[derive(Debug)]
pub struct VerifiedReads {
    share: f64,
    renderer: Renderer,
    rules: Vec<Option<ReadRules>>,
    /// None for a document with too many writes.
    documents: FxHashMap<Box<[u8]>, Option<Vec<Write>>>,
    followed: FxHashMap<u32, u32>,
    key: Vec<u8>,
    message: Vec<u8>,
}

impl VerifiedReads {
    /// None where no operation's reads are verified.
    #[must_use]
    pub fn new(workload: &Arc<Workload>, rules: Vec<Option<ReadRules>>, share: f64) -> Option<Self> {
        if share <= 0.0 || rules.iter().all(Option::is_none) {
            return None;
        }
        Some(Self {
            share,
            renderer: Renderer::new(Arc::clone(workload)),
            rules,
            documents: FxHashMap::default(),
            followed: FxHashMap::default(),
            key: Vec::new(),
            message: Vec::new(),
        })
    }

    /// Records a write that was sent; `own` is what its reply captured.
    pub fn record(&mut self, user: u32, event: &Event, own: Option<&Entity>, is_unknown: bool) {
        if event.is_shared || !self.effect_key(user, event, own) {
            return;
        }
        if !self.documents.contains_key(self.key.as_slice()) {
            if !self.follows(user) {
                return;
            }
            self.documents.insert(self.key.as_slice().into(), Some(Vec::new()));
        }
        let Some(Some(writes)) = self.documents.get_mut(self.key.as_slice()) else { return };
        writes.push(Write { event: event.clone(), is_unknown });
        if writes.len() > MOST_WRITES {
            self.documents.insert(self.key.as_slice().into(), None);
        }
    }

    /// Checks that a reply shows a possible state; none where it is not verified. `content` is the reply as JSON.
    pub fn check(
        &mut self,
        user: u32,
        event: &Event,
        code: Code,
        content: impl FnOnce() -> Vec<u8>,
    ) -> Option<Result<(), WrongContent>> {
        let workload = Arc::clone(self.renderer.workload());
        let operation = usize::from(event.operation);
        let (key, rules) = (workload.operations[operation].reads.as_ref()?, self.rules[operation].as_ref()?);
        if event.is_shared {
            return None;
        }
        self.key.clear();
        self.key.extend_from_slice(&user.to_le_bytes());
        self.renderer.texts(user, event, None, key, &mut self.key);
        let writes = self.documents.get(self.key.as_slice())?.as_ref()?;
        let content = if rules.absent == Some(code) { None } else { Some(content()) };
        let shown = match &content {
            None => None,
            // A reply without the document shows a state that is never possible.
            Some(content) => Some(rules.document.find(content).unwrap_or(b"\"\"")),
        };
        let mut steps = Vec::with_capacity(writes.len());
        for write in writes {
            let operation = usize::from(write.event.operation);
            let effect = workload.operations[operation].effect.as_ref()?;
            self.renderer.recall(user, &write.event);
            self.message.clear();
            self.renderer.json(&mut self.message);
            let mut document = Vec::new();
            effect.document.copy(&self.message, &mut document);
            steps.push(Step { user, kind: effect.kind, document, is_unknown: write.is_unknown });
        }
        let judgement = judge_reply(&steps, shown);
        if matches!(judgement, Judgement::Right | Judgement::RightWithUnacknowledged) {
            return Some(Ok(()));
        }
        let last = steps.last().filter(|step| step.kind != EffectKind::Delete);
        let last = last.map_or_else(|| "a deletion".to_owned(), |step| shown_content(&step.document));
        let expected = format!("a state that this user's writes allow; the last was {last}");
        Some(Err(WrongContent::wrong_read(&rules.place, expected, shown.map_or("nothing".to_owned(), shown_content))))
    }

    /// Renders the user and the key of a write into `key`; false where it has none, or one that only a reply shows.
    fn effect_key(&mut self, user: u32, event: &Event, own: Option<&Entity>) -> bool {
        let workload = Arc::clone(self.renderer.workload());
        let Some(effect) = &workload.operations[usize::from(event.operation)].effect else { return false };
        let is_known = |slot: &Slot| match slot {
            Slot::Captured(name) => own.into_iter().chain(event.entity.as_deref()).any(|e| e.value(name).is_some()),
            _ => true,
        };
        if !effect.key.slots.slots().iter().all(is_known) {
            return false;
        }
        self.key.clear();
        self.key.extend_from_slice(&user.to_le_bytes());
        self.renderer.effect_key(user, event, own, &mut self.key)
    }

    /// Whether the user's new document is followed.
    fn follows(&mut self, user: u32) -> bool {
        let followed = self.followed.entry(user).or_default();
        let drawn = FxBuildHasher.hash_one(self.key.as_slice()) >> 11;
        let is_followed = *followed < ALWAYS || (drawn as f64) < self.share * (1_u64 << 53) as f64;
        *followed += u32::from(is_followed);
        is_followed
    }
}
