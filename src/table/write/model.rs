//! How the rows of a slice are coded, and coding them.

use super::FileKind;
use super::bits::BitWriter;
use super::huffman::{Decoder, Lengths};
use super::symbols::{self, BlockEncoder, DtwReader, StoredWdl};
use std::io;

/// How the rows of a slice are coded in one of the files.
#[derive(Clone, Debug, bincode::Encode, bincode::Decode)]
pub struct Model {
    /// For each row, its class: the rows of a class share their codes.
    pub classes: Vec<u8>,
    /// For each row, its usual value, from which decoding starts.
    pub usual: Vec<u8>,
    /// For each class, the code lengths of each context.
    pub lengths: Vec<Vec<Lengths>>,
    /// The bits that the symbols of the sample take.
    pub bits: u64,
}

impl Model {
    pub fn codes(&self, kind: FileKind) -> io::Result<RowCodes<'_>> {
        let of_class = |lengths: &Vec<Lengths>| {
            let decoders = lengths.iter().map(|lengths| Decoder::new(lengths));
            Some(ClassCodes {
                encoder: BlockEncoder::new(kind, lengths),
                decoders: decoders.collect::<Option<_>>()?,
            })
        };
        let classes = self.lengths.iter().map(of_class).collect::<Option<_>>();
        Ok(RowCodes { model: self, classes: classes.ok_or_else(miscoded)? })
    }
}

/// What was coded is not what is read back.
fn miscoded() -> io::Error {
    io::Error::other("values were coded in a way that does not give them back; this is a bug")
}

/// The codes of a slice's rows in one of the files. Some blocks are read back after they are written, so that
/// a mistake in coding ends the run. `verify` reads all of them.
pub struct RowCodes<'a> {
    model: &'a Model,
    classes: Vec<ClassCodes>,
}

struct ClassCodes {
    encoder: BlockEncoder,
    decoders: Vec<Decoder>,
}

impl RowCodes<'_> {
    fn of_row(&self, row: usize) -> (&ClassCodes, u8) {
        (&self.classes[usize::from(self.model.classes[row])], self.model.usual[row])
    }

    /// Writes the block of a row with these WDLs. If it is `checked`, it is an error if other ones are read back.
    #[inline]
    pub fn write_wdls(
        &self,
        row: usize,
        wdls: &[StoredWdl],
        checked: bool,
        to: &mut BitWriter,
    ) -> io::Result<()> {
        let (codes, usual) = self.of_row(row);
        symbols::wdl_symbols(wdls, usual, |symbol| codes.encoder.put(symbol, to));
        let block = to.end_block();
        if !checked {
            return Ok(());
        }
        let (mut rest, mut is_right, cells) = (wdls, true, wdls.len());
        let read = symbols::wdl_runs(block, usual, &codes.decoders, cells, |wdl, length| {
            let (run, after) = rest.split_at(length);
            is_right &= run.iter().all(|&cell| cell == wdl);
            rest = after;
        });
        if read.is_some() && is_right && rest.is_empty() { Ok(()) } else { Err(miscoded()) }
    }

    /// Writes the block of a row with these DTWs. If it is `checked`, it is an error if other ones are read back.
    #[inline]
    pub fn write_dtws(
        &self,
        row: usize,
        mut dtws: impl Iterator<Item = u16> + Clone,
        checked: bool,
        to: &mut BitWriter,
    ) -> io::Result<()> {
        let (codes, usual) = self.of_row(row);
        symbols::dtw_symbols(dtws.clone(), usual, |symbol| codes.encoder.put(symbol, to));
        let block = to.end_block();
        if !checked {
            return Ok(());
        }
        let mut reader = DtwReader::new(block, usual, &codes.decoders);
        let is_read = |dtw: u16| {
            let wdl = if dtw.is_multiple_of(2) { symbols::LOSS } else { symbols::WIN };
            reader.take(wdl) == Some(dtw / 2)
        };
        let is_right = dtws.all(is_read);
        if is_right && reader.is_at_end() { Ok(()) } else { Err(miscoded()) }
    }
}
