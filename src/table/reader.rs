//! Reading a table: the values that its two files store.

use super::block::{BlockCache, BlockId, DecodedBlock};
use super::file_reader::{FileReader, FileSlice};
use super::order::{Half, OrbitOrder};
use super::pages::Pages;
use super::quiet::{self, WORDS};
use super::source::Source;
use super::symbols::{self, DRAW, DtwReader, StoredWdl};
use super::{FileKind, SliceStats, TableError};
use crate::index::{Extent, MaskRows, Material, SliceIndex};
use crate::prefetch::prefetch;
use crate::rules::{OfficerPosition, RuleSet};
use crate::values::Distance;
use crate::{Value, Wdl};
use std::borrow::Cow;
use std::sync::Arc;

/// A table, in files or in memory.
///
/// The files hold the WDL of every quiet position, and the DTW of about half of those. All other
/// values follow by the rules from these after a few moves. [`Table::wdl`] and [`Table::value`] give
/// the values of all positions alike; [`capture_search`](crate::capture_search) has the code for those that
/// follow.
///
/// Opening a table reads and checks the headers, the directories and the lists of checksums. All
/// other bytes are checked when they are first read.
#[derive(Debug)]
pub struct Table {
    wdl: FileReader,
    dtw: Option<FileReader>,
    slices: Vec<SliceInfo>,
    /// The place of each slice, by stored side and number of columns.
    places: [[Option<u8>; Extent::MAX_COLUMNS + 1]; 2],
}

/// What a table says of one of its slices: the positions of one stored side to move and number of
/// columns.
#[derive(Clone, Debug)]
pub struct SliceInfo {
    wdl: FileSlice,
    dtw: Option<FileSlice>,
}

/// The place of a stored value: the cell of a position.
#[derive(Clone, Copy)]
pub(crate) struct Cell<'a> {
    slice: &'a SliceInfo,
    block: BlockId,
    mask: u32,
    /// The place of the orbit in the chunk.
    orbit: usize,
}

impl Cell<'_> {
    /// The place in the block.
    #[inline]
    fn place(&self) -> usize {
        if self.slice.is_full() {
            return self.orbit;
        }
        let sets = self.slice.index().sets();
        let quiet = quiet::chunk_of(sets, self.block.half, self.block.chunk);
        quiet::bit_and_rank(quiet.of_mask(self.mask), self.orbit).1
    }
}

impl SliceInfo {
    /// The stored side to move: its place among [`Material::stored_sides`].
    pub fn side(&self) -> usize {
        usize::from(self.wdl.entry.side)
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.index().columns()
    }

    /// The numbering of the slice's positions.
    #[inline]
    pub fn index(&self) -> &SliceIndex {
        &self.wdl.index
    }

    /// Counts over the slice's positions, unfolded. Without a DTW file the histogram is empty.
    pub fn stats(&self) -> &SliceStats {
        &self.dtw.as_ref().unwrap_or(&self.wdl).entry.stats
    }

    /// Whether the slice is full: every position has a stored value, capture positions included. If
    /// not, it was proved when the table was made that every sequence of captures ends.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.wdl.entry.full
    }

    /// The halves that have DTWs.
    ///
    /// # Errors
    /// [`TableError::NoDtw`] if the table has no DTW file.
    pub(crate) fn dtw_halves(&self) -> Result<&'static [Half], TableError> {
        let dtw = self.dtw.as_ref().ok_or(TableError::NoDtw)?;
        Ok(match dtw.entry.halves {
            1 => &[0],
            2 => &[1],
            _ => &[0, 1],
        })
    }

    /// Calls `visit` with each block of a chunk and the places of the chunk that have cells in it.
    fn each_block(
        &self,
        half: Half,
        chunk: usize,
        mut visit: impl FnMut(BlockId, &[u16]) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        let cells = self.cells(half, chunk);
        let mut places = Vec::new();
        for MaskRows { mask, rows } in self.index().mask_rows() {
            places.clear();
            places.extend(quiet::places(&cells(mask)).map(|p| p as u16));
            for row in rows {
                visit(BlockId { slice: self.wdl.number, row, half, chunk }, &places)?;
            }
        }
        Ok(())
    }

    /// For errors: the head of the slice.
    pub(crate) fn head_name(&self) -> String {
        self.wdl.head_name()
    }

    /// Tells which places of a chunk have cells under an owner mask, a bit for each.
    fn cells(&self, half: Half, chunk: usize) -> impl Fn(u32) -> [u64; WORDS] {
        let sets = self.index().sets();
        let all = quiet::first(OrbitOrder::of(sets).chunk(half, chunk).len());
        let quiet = (!self.is_full()).then(|| quiet::chunk_of(sets, half, chunk));
        move |mask| quiet.as_ref().map_or(all, |quiet| *quiet.of_mask(mask))
    }
}

impl Table {
    /// Reads a table from the bytes of its WDL file and, if distances are wanted, its DTW file.
    ///
    /// # Errors
    /// If the bytes are not sound files of this format version, or do not belong together. [`TableError::kind`]
    /// tells which of them is at fault.
    pub fn open(
        wdl: impl Into<Cow<'static, [u8]>>,
        dtw: Option<Cow<'static, [u8]>>,
    ) -> Result<Table, TableError> {
        let mut table = Table::of_wdl(Source::Bytes(wdl.into()))?;
        dtw.map_or(Ok(()), |dtw| table.add_dtw(Source::Bytes(dtw)))?;
        Ok(table)
    }

    /// The table of a WDL file, without distances.
    pub(super) fn of_wdl(source: Source) -> Result<Table, TableError> {
        let (wdl, slices) = FileReader::open(source, FileKind::Wdl)?;
        if !are_alike(&slices, |slice| slice.entry.full) {
            return Err(TableError::wrong_field("the directory", "full", 1));
        }
        let slices = slices.into_iter().map(|wdl| SliceInfo { wdl, dtw: None });
        let slices: Vec<SliceInfo> = slices.collect();
        let mut places = [[None; Extent::MAX_COLUMNS + 1]; 2];
        for (place, slice) in slices.iter().enumerate() {
            places[slice.side()][slice.columns()] = Some(place as u8);
        }
        Ok(Table { wdl, dtw: None, slices, places })
    }

    /// Adds the distances of a DTW file. If it is not sound or does not belong to the WDL file, the table
    /// stays as it is.
    pub(super) fn add_dtw(&mut self, source: Source) -> Result<(), TableError> {
        let (dtw, mut found) =
            FileReader::open(source, FileKind::Dtw).map_err(TableError::in_dtw)?;
        let mismatched = || TableError::Mismatched;
        let identity = |file: &FileReader| (file.header.extent, file.header.rules);
        if dtw.header.belongs_to != self.identity()
            || identity(&dtw) != identity(&self.wdl)
            || found.len() != self.slices.len()
            // A quiet move leads to the other half of the other side to move: both must keep the same one.
            || !are_alike(&found, |slice| slice.entry.halves)
        {
            return Err(mismatched());
        }
        let facts = |FileSlice { entry, .. }: &FileSlice| {
            let SliceStats { win, draw, loss, capture, .. } = entry.stats;
            (entry.side, entry.columns, entry.full, [win, draw, loss, capture])
        };
        let partner = |info: &SliceInfo| {
            let place = found.iter().position(|slice| facts(slice) == facts(&info.wdl));
            place.map(|place| found.swap_remove(place)).ok_or_else(mismatched)
        };
        let partners: Vec<FileSlice> = self.slices.iter().map(partner).collect::<Result<_, _>>()?;
        self.slices.iter_mut().zip(partners).for_each(|(info, dtw)| info.dtw = Some(dtw));
        self.dtw = Some(dtw);
        Ok(())
    }

    /// Checks that every slice is there that the table says it covers.
    ///
    /// # Errors
    /// If one is missing.
    pub fn check_whole(&self) -> Result<(), TableError> {
        self.slices_in_order().try_for_each(|slice| slice.map(drop))
    }

    /// Checks the pages of both files against their checksums, even those that were checked before. The
    /// pages of a file are read from it again, one by one, and none is kept. Its header, directory and page list
    /// were checked when it was opened, and are not read again.
    ///
    /// # Errors
    /// The first damaged page, the WDL file before the DTW file.
    pub fn check_bytes(&self) -> Result<(), TableError> {
        self.each_file(true, Pages::check_all)
    }

    /// Checks those pages that were not checked before, of the WDL file or of both.
    pub(crate) fn check_unread(&self, dtw: bool) -> Result<(), TableError> {
        self.each_file(dtw, Pages::check_unread)
    }

    /// Checks the pages of mapped files again, of the WDL file or of both. What was read since they were
    /// checked first can then be relied on.
    pub(crate) fn check_mapped(&self, dtw: bool) -> Result<(), TableError> {
        self.each_file(dtw, Pages::check_mapped)
    }

    /// Does something with the pages of the WDL file, or of both.
    fn each_file(
        &self,
        dtw: bool,
        work: fn(&Pages) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        work(&self.wdl.pages)?;
        let dtw = self.dtw.as_ref().filter(|_| dtw);
        dtw.map_or(Ok(()), |dtw| work(&dtw.pages).map_err(TableError::in_dtw))
    }

    /// How many bytes of memory a file takes that no other program shares, once all of it was read: none if it is
    /// mapped, a part of the program, or not there.
    pub(crate) fn private_bytes_of(&self, kind: FileKind) -> u64 {
        self.file(kind).map_or(0, |file| file.pages.private_bytes())
    }

    fn file(&self, kind: FileKind) -> Option<&FileReader> {
        match kind {
            FileKind::Wdl => Some(&self.wdl),
            FileKind::Dtw => self.dtw.as_ref(),
        }
    }

    /// The checksum of the WDL file's header, which tells its table from any other.
    pub(crate) fn identity(&self) -> u64 {
        self.wdl.header.checksum
    }

    /// The material, White's counters first.
    pub fn material(&self) -> Material {
        self.extent().material()
    }

    /// The positions that the table covers: all of its material, or those of at most this many columns.
    pub fn extent(&self) -> Extent {
        self.wdl.header.extent
    }

    /// The rule set that the values are for.
    pub fn rules(&self) -> RuleSet {
        self.wdl.header.rules
    }

    /// Whether distances are there as well, and not WDLs alone.
    pub fn has_dtw(&self) -> bool {
        self.dtw.is_some()
    }

    /// The length of a file in bytes; 0 if it is not there.
    pub fn bytes_of(&self, kind: FileKind) -> u64 {
        self.file(kind).map_or(0, |file| file.header.file_len)
    }

    /// The length of both files in bytes.
    pub fn bytes(&self) -> u64 {
        FileKind::ALL.into_iter().map(|kind| self.bytes_of(kind)).sum()
    }

    /// The bytes of a file of a table in memory; `None` if it is in a file, or not there.
    pub fn bytes_in_memory(&self, kind: FileKind) -> Option<&[u8]> {
        self.file(kind)?.pages.in_memory()
    }

    /// How many positions the table gives the values of, folded by the symmetries of the board.
    pub fn positions(&self) -> u64 {
        self.slices.iter().map(|slice| slice.index().positions()).sum()
    }

    /// How many of its [positions](Table::positions) have this many columns.
    #[cfg(feature = "generate")]
    pub fn positions_of(&self, columns: usize) -> u64 {
        let slices = self.slices.iter().filter(|slice| slice.columns() == columns);
        slices.map(|slice| slice.index().positions()).sum()
    }

    /// All slices in the order of the directory.
    pub fn slices(&self) -> &[SliceInfo] {
        &self.slices
    }

    /// The slice of the `side`-th stored side to move and this number of columns.
    pub fn slice(&self, side: usize, columns: usize) -> Option<&SliceInfo> {
        let place = (*self.places.get(side)?.get(columns)?)?;
        Some(&self.slices[usize::from(place)])
    }

    /// The same slice.
    ///
    /// # Errors
    /// [`TableError::BeyondColumns`] if the table is bounded and does not cover this many columns;
    /// [`TableError::Damaged`] if the slice is missing for another reason.
    #[inline]
    pub(crate) fn find_slice(&self, side: usize, columns: usize) -> Result<&SliceInfo, TableError> {
        let missing = || TableError::not_covered(self.extent(), side, columns);
        self.slice(side, columns).ok_or_else(missing)
    }

    /// Those of the first stored side to move, from two columns on, then those of the second; an error in
    /// place of each that is missing.
    pub(crate) fn slices_in_order(&self) -> impl Iterator<Item = Result<&SliceInfo, TableError>> {
        let sides = 0..self.material().stored_sides().len();
        let columns = || self.extent().columns();
        sides.flat_map(move |side| columns().map(move |columns| self.find_slice(side, columns)))
    }

    /// The stored side to move in a position.
    ///
    /// # Errors
    /// [`TableError::Damaged`] or [`TableError::BeyondColumns`] if its counters are not those of the table.
    #[inline]
    pub(crate) fn side_of(&self, position: &OfficerPosition) -> Result<usize, TableError> {
        let (mover, other) = position.mover_and_other();
        let side = Material::stored_side((mover, other));
        match Material::new(mover, other) {
            Ok(found) if found.normalized() == self.material() => Ok(side),
            _ => {
                let columns = position.placement().occupied().len();
                Err(TableError::not_covered(self.extent(), side, columns))
            }
        }
    }

    /// The cell of a position, whose counters must be those of the table, and whose stored side to move is `side`;
    /// `None` if it has none, because it is a capture position of a slice that is not full.
    ///
    /// # Errors
    /// As [`Table::find_slice`].
    #[inline]
    pub(crate) fn cell(
        &self,
        position: &OfficerPosition,
        side: usize,
    ) -> Result<Option<Cell<'_>>, TableError> {
        let placement = position.placement();
        let columns = placement.occupied().len();
        let slice = self.find_slice(side, columns)?;
        let missing = || TableError::not_covered(self.extent(), side, columns);
        let index = slice.index();
        if !slice.is_full() && placement.must_capture() {
            return Ok(None);
        }
        index.sets().tabulate_if_small();
        let (orbit, symmetry) = index.orbit_of(position).ok_or_else(missing)?;
        let (half, chunk, orbit) = OrbitOrder::of(index.sets()).place(orbit);
        let (row, mask) = index.row_and_mask(position, symmetry);
        let block = BlockId { slice: slice.wdl.number, row, half, chunk };
        Ok(Some(Cell { slice, block, mask, orbit }))
    }

    /// The result in a cell.
    #[inline]
    pub(crate) fn stored_wdl(&self, cell: Cell) -> Result<Wdl, TableError> {
        let block = self.wdl.block(&cell.slice.wdl, cell.block)?;
        if let Some(first) = block.bytes.first() {
            // It comes while the place is found.
            prefetch(first);
        }
        symbols::wdl_at(block.bytes, block.usual, block.codes, cell.place())
            .map(Wdl::from_code)
            .ok_or_else(|| does_not_decode(cell.block))
    }

    /// The value in a cell; `None` if its half has no DTWs. The decoded block is looked up in
    /// `cache`.
    ///
    /// # Errors
    /// If a part of the files that is needed is damaged; [`TableError::NoDtw`] if the table has no
    /// DTW file.
    #[inline]
    pub(crate) fn stored_value(
        &self,
        cell: Cell,
        cache: &impl BlockCache,
    ) -> Result<Option<Value>, TableError> {
        let dtw = cell.slice.dtw.as_ref().ok_or(TableError::NoDtw)?;
        if !dtw.entry.has(cell.block.half) {
            return Ok(None);
        }
        let block = match cache.get(cell.block) {
            Some(block) => block,
            None => {
                // Two threads may decode the same block; neither waits for the other.
                let block = Arc::new(self.decode_block(cell.block)?);
                cache.put(cell.block, &block);
                block
            }
        };
        let distance = block.get(cell.place()).ok_or_else(|| does_not_decode(cell.block))?;
        Ok(Some(distance.value()))
    }

    /// Calls `visit` with the place in the chunk, the row and the distance of every stored value of a
    /// chunk, row by row. Its half must have DTWs.
    pub(crate) fn each_stored_distance(
        &self,
        slice: &SliceInfo,
        half: Half,
        chunk: usize,
        mut visit: impl FnMut(usize, usize, Distance),
    ) -> Result<(), TableError> {
        slice.each_block(half, chunk, |id, places| {
            let mut rest = places.iter();
            self.decode_into(id, places.len(), |distance| {
                if let Some(&place) = rest.next() {
                    visit(usize::from(place), id.row, distance);
                }
            })
        })
    }

    /// Calls `visit` with the stored WDLs of a chunk, row by row: with places in the chunk, the row and the
    /// WDL that the positions there have.
    pub(crate) fn each_stored_wdl(
        &self,
        slice: &SliceInfo,
        half: Half,
        chunk: usize,
        mut visit: impl FnMut(&[u16], usize, Wdl),
    ) -> Result<(), TableError> {
        slice.each_block(half, chunk, |id, places| {
            let mut left = places;
            self.visit_wdls(id, places.len(), |wdl, length| {
                let (run, rest) = left.split_at(length);
                visit(run, id.row, Wdl::from_code(wdl));
                left = rest;
            })
        })
    }

    /// Calls `visit` with the WDL and the length of each run of a block of this many cells.
    fn visit_wdls(
        &self,
        id: BlockId,
        cells: usize,
        visit: impl FnMut(StoredWdl, usize),
    ) -> Result<(), TableError> {
        let block = self.wdl.block(&self.slices[id.slice].wdl, id)?;
        symbols::wdl_runs(block.bytes, block.usual, block.codes, cells, visit)
            .ok_or_else(|| does_not_decode(id))
    }

    /// All values of a block. Its half must have DTWs.
    fn decode_block(&self, id: BlockId) -> Result<DecodedBlock, TableError> {
        let info = &self.slices[id.slice];
        let mask = info.index().mask_of(id.row);
        let cells = info.cells(id.half, id.chunk)(mask);
        let mut distances = Vec::with_capacity(quiet::count(&cells));
        self.decode_into(id, quiet::count(&cells), |distance| distances.push(distance))?;
        Ok(distances)
    }

    /// Calls `visit` with the distance in each of the `cells` cells of a block.
    fn decode_into(
        &self,
        id: BlockId,
        cells: usize,
        mut visit: impl FnMut(Distance),
    ) -> Result<(), TableError> {
        let (Some(file), Some(slice)) = (&self.dtw, &self.slices[id.slice].dtw) else {
            return Err(TableError::NoDtw);
        };
        let block = file.block(slice, id).map_err(TableError::in_dtw)?;
        let mut dtws = DtwReader::new(block.bytes, block.usual, block.codes);
        let mut is_sound = true;
        self.visit_wdls(id, cells, |wdl, length| {
            for _ in 0..length {
                let distance = match wdl {
                    DRAW => Some(Distance::DRAW),
                    wdl => dtws.take(wdl).and_then(|half| symbols::from_halved(wdl, half)),
                };
                let Some(distance) = distance else {
                    is_sound = false;
                    return;
                };
                visit(distance);
            }
        })?;
        if is_sound && dtws.is_at_end() { Ok(()) } else { Err(does_not_decode(id).in_dtw()) }
    }
}

/// Whether both sides to move are alike in this, for each number of columns.
fn are_alike<T: PartialEq>(slices: &[FileSlice], of: impl Fn(&FileSlice) -> T) -> bool {
    let pairs = slices.iter().flat_map(|one| slices.iter().map(move |other| (one, other)));
    let mut pairs = pairs.filter(|(one, other)| one.entry.columns == other.entry.columns);
    pairs.all(|(one, other)| of(one) == of(other))
}

/// The error for a block of the WDL file.
#[cold]
fn does_not_decode(id: BlockId) -> TableError {
    TableError::wrong_content(id.name(id.slice))
}
