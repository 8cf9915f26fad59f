//! Names of blocks, decoded blocks, and where decoded blocks are kept.

use super::order::Half;
use super::{Part, TableError};
use crate::Value;
use crate::values::Distance;
use std::sync::Arc;

/// Names a block of a table: a row of a slice, in one chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockId {
    slice: u32,
    row: u32,
    chunk: u32,
    half: Half,
}

impl BlockId {
    pub(super) fn new(slice: usize, row: usize, half: Half, chunk: usize) -> BlockId {
        BlockId { slice: slice as u32, row: row as u32, chunk: chunk as u32, half }
    }

    /// The slice's place in the directory of the WDL file.
    #[inline]
    pub(super) fn slice(self) -> usize {
        self.slice as usize
    }

    #[inline]
    pub(super) fn row(self) -> usize {
        self.row as usize
    }

    #[inline]
    pub(super) fn half(self) -> Half {
        self.half
    }

    #[inline]
    pub(super) fn chunk(self) -> usize {
        self.chunk as usize
    }

    /// For errors: the block, with the place that its slice has in a file's directory.
    pub(super) fn part(self, slice: usize) -> Part {
        let (row, half, chunk) = (self.row(), self.half, self.chunk());
        Part::Block { slice, row, half, chunk }
    }
}

/// The values of a block, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedBlock {
    /// The distance in each cell.
    distances: Vec<Distance>,
}

impl DecodedBlock {
    pub(super) fn new(distances: Vec<Distance>) -> DecodedBlock {
        DecodedBlock { distances }
    }

    /// The value at a place in the block; `None` if the block is shorter.
    #[inline]
    pub(super) fn value(&self, place: usize) -> Option<Value> {
        self.distances.get(place).map(|distance| distance.value())
    }

    /// How many bytes of memory it takes.
    pub fn bytes(&self) -> u64 {
        size_of::<DecodedBlock>() as u64 + size_of_val(&*self.distances) as u64
    }
}

/// A cache of decoded blocks.
pub trait BlockCache {
    /// Returns the block if the cache holds it. Otherwise calls `decode`, and may keep the result.
    ///
    /// # Errors
    /// The errors of `decode`.
    fn block(
        &self,
        id: BlockId,
        decode: &mut dyn FnMut() -> Result<DecodedBlock, TableError>,
    ) -> Result<Arc<DecodedBlock>, TableError>;
}

/// A cache that keeps nothing: every block is decoded each time.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCache;

impl BlockCache for NoCache {
    fn block(
        &self,
        _: BlockId,
        decode: &mut dyn FnMut() -> Result<DecodedBlock, TableError>,
    ) -> Result<Arc<DecodedBlock>, TableError> {
        decode().map(Arc::new)
    }
}
