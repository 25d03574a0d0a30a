use std::cell::Cell;

/// Counts a call until it is dropped, whether it was answered or given up.
#[derive(Debug)]
pub struct Counted<'a>(&'a Cell<usize>);

impl<'a> Counted<'a> {
    /// Adds one to the count.
    pub fn one_of(count: &'a Cell<usize>) -> Self {
        count.set(count.get() + 1);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}
