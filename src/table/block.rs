//! Names of blocks, decoded blocks, and where decoded blocks are kept.

use super::order::Half;
use crate::values::Distance;
use std::sync::Arc;

/// Names a block of a table: a row of a slice, in one chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockId {
    /// The slice's place in the directory of the WDL file.
    pub(super) slice: usize,
    pub(super) row: usize,
    pub(super) half: Half,
    pub(super) chunk: usize,
}

impl BlockId {
    /// For errors: the block, with the place that its slice has in a file's directory. All numbers are from 0.
    pub(super) fn name(self, slice: usize) -> String {
        let BlockId { row, half, chunk, .. } = self;
        format!("the block of row {row} in chunk {chunk} of half {half}, slice {slice}")
    }
}

/// A decoded block: the distance in each cell.
pub type DecodedBlock = Vec<Distance>;

/// A cache of decoded blocks. By default it keeps none, so that every block is decoded each time.
pub trait BlockCache {
    /// The block, if the cache holds it.
    fn get(&self, _: BlockId) -> Option<Arc<DecodedBlock>> {
        None
    }

    /// Takes a block that was decoded, and may keep it.
    fn put(&self, _: BlockId, _: &Arc<DecodedBlock>) {}
}

/// A cache that keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCache;

impl BlockCache for NoCache {}
