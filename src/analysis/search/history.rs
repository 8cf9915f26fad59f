//! What the numbers of the questions were during a search, from which samples are made.

use super::numbers::{Attacker, Numbers};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The past of all questions.
#[derive(Debug, Default)]
pub(super) struct History(Mutex<Vec<[Past; 2]>>);

/// One question's past.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Past {
    /// The greatest number of a proof; 0 if the position was never on a line with this attacker.
    pub(super) greatest: u16,
    /// How many positions were expanded beneath it.
    pub(super) beneath: u32,
}

impl History {
    pub(super) fn pasts(&self) -> MutexGuard<'_, Vec<[Past; 2]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A question on the line has these numbers.
    pub(super) fn enter(&self, node: usize, attacker: Attacker, numbers: Numbers) {
        if numbers.is_final() {
            return;
        }
        let mut pasts = self.pasts();
        if pasts.len() <= node {
            pasts.resize(node + 1, Default::default());
        }
        let past = &mut pasts[node][attacker as usize];
        past.greatest = past.greatest.max(numbers.of_win(attacker).0);
    }

    /// The last position of this line was expanded.
    pub(super) fn expanded(&self, line: impl Iterator<Item = (usize, Attacker)>) {
        let mut pasts = self.pasts();
        line.for_each(|(node, attacker)| pasts[node][attacker as usize].beneath += 1);
    }
}
