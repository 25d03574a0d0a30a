//! The keys that one user had acknowledged, a byte each.

/// Sequences that made a key, in the order of acknowledgement.
///
/// Hours of load make tens of millions of keys. Their sequences grow by little from one to the next, so that
/// a byte for the step, and the whole number every 32 keys, is a third of what plain numbers would take.
#[derive(Debug, Clone, Default)]
pub struct AcknowledgedKeys {
    steps: Vec<u8>,
    anchors: Vec<u32>,
    /// Keys whose step is no byte, by index.
    leaps: Vec<(u32, u32)>,
    last: u32,
}

const SPACING: usize = 32;
const LEAP: u8 = u8::MAX;

impl AcknowledgedKeys {
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Adds a key to the end.
    pub fn push(&mut self, sequence: u32) {
        let index = self.steps.len();
        if index.is_multiple_of(SPACING) {
            self.anchors.push(sequence);
            self.steps.push(0);
        } else {
            let step = sequence.checked_sub(self.last).and_then(|step| u8::try_from(step).ok());
            let step = step.filter(|step| *step != LEAP).unwrap_or_else(|| {
                self.leaps.push((index as u32, sequence));
                LEAP
            });
            self.steps.push(step);
        }
        self.last = sequence;
    }

    /// The key at an index below `len`.
    #[must_use]
    pub fn get(&self, index: usize) -> u32 {
        let start = index - index % SPACING;
        let mut sequence = self.anchors[start / SPACING];
        for at in start + 1..=index {
            sequence = match self.steps[at] {
                LEAP => self.leap(at),
                step => sequence + u32::from(step),
            };
        }
        sequence
    }

    fn leap(&self, index: usize) -> u32 {
        let found = self.leaps.binary_search_by_key(&(index as u32), |(at, _)| *at);
        found.map_or(self.last, |at| self.leaps[at].1)
    }

    /// Takes a key out, keeping the order of the others.
    pub fn remove(&mut self, sequence: u32) {
        let rest = (0..self.len()).map(|index| self.get(index)).filter(|known| *known != sequence);
        let mut kept = Self::default();
        rest.for_each(|known| kept.push(known));
        *self = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back_in_order_whatever_their_distance() {
        let mut keys = AcknowledgedKeys::default();
        let mut sequence = 0_u32;
        let expected: Vec<u32> = (0..1_000_u32)
            .map(|index| {
                sequence += match index % 97 {
                    0 => 100_000,
                    1 => 254,
                    2 => 255,
                    3 => 256,
                    other => other,
                };
                sequence
            })
            .collect();
        expected.iter().for_each(|sequence| keys.push(*sequence));
        let found: Vec<u32> = (0..keys.len()).map(|index| keys.get(index)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn an_order_that_goes_back_is_kept() {
        let mut keys = AcknowledgedKeys::default();
        [5, 3, 9, 9, 0].into_iter().for_each(|sequence| keys.push(sequence));
        assert_eq!((0..5).map(|index| keys.get(index)).collect::<Vec<_>>(), [5, 3, 9, 9, 0]);
    }

    #[test]
    fn a_removed_key_leaves_the_others_in_their_order() {
        let mut keys = AcknowledgedKeys::default();
        (0..100).for_each(|sequence| keys.push(sequence * 3));
        keys.remove(150);
        assert_eq!(keys.len(), 99);
        assert_eq!((keys.get(49), keys.get(50), keys.get(98)), (147, 153, 297));
    }
}
