//! Which replies are checked.

/// Picks a share of the replies, evenly and without drawing numbers; the first one is picked.
#[derive(Debug, Clone)]
pub struct Sampler {
    pub(super) share: f64,
    due: f64,
}

impl Sampler {
    #[must_use]
    pub fn new(share: f64) -> Self {
        Self { share, due: if share > 0.0 { 1.0 - share } else { 0.0 } }
    }

    /// Whether the next reply is picked.
    #[inline]
    pub fn picks_next(&mut self) -> bool {
        self.due += self.share;
        let picked = self.due >= 1.0;
        if picked {
            self.due -= 1.0;
        }
        picked
    }
}
