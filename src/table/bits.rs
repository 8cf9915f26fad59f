//! Bits in bytes, the highest bit of a byte first.

/// Blocks of bits, one after another. Each begins with a byte of its own.
#[derive(Debug, Default)]
#[cfg_attr(feature = "generate", derive(bincode::Encode, bincode::Decode))]
pub struct Blocks {
    pub bytes: Vec<u8>,
    /// The length of each.
    pub lengths: Vec<u32>,
}

/// Appends blocks of bits.
#[derive(Debug, Default)]
pub struct BitWriter {
    blocks: Blocks,
    /// Where the block begins.
    start: usize,
    /// The lowest `count` bits of `rest`, fewer than 32, are not among the bytes yet.
    rest: u64,
    count: u32,
}

impl BitWriter {
    /// Appends the lowest `count` bits of `bits`, at most 32, the highest of them first. The other bits
    /// are zeros.
    #[inline]
    pub fn put(&mut self, bits: u32, count: u32) {
        debug_assert!(count <= 32 && u64::from(bits) < 1 << count);
        self.rest = self.rest << count | u64::from(bits);
        self.count += count;
        if self.count >= 32 {
            self.count -= 32;
            self.blocks.bytes.extend_from_slice(&((self.rest >> self.count) as u32).to_be_bytes());
        }
    }

    /// Ends a block, and returns its bytes, the last one filled up with zeros.
    #[inline]
    pub fn end_block(&mut self) -> &[u8] {
        let last = ((self.rest << (32 - self.count)) as u32).to_be_bytes();
        let Blocks { bytes, lengths } = &mut self.blocks;
        bytes.extend_from_slice(&last[..self.count.div_ceil(8) as usize]);
        (self.rest, self.count) = (0, 0);
        let start = std::mem::replace(&mut self.start, bytes.len());
        lengths.push((bytes.len() - start) as u32);
        &bytes[start..]
    }

    pub fn finish(self) -> Blocks {
        self.blocks
    }

    /// The bytes of the only block.
    #[cfg(test)]
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.end_block();
        self.blocks.bytes
    }
}

/// Reads bits; behind the last one there are zeros without end.
#[derive(Clone, Debug)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    /// The next bits, the first one highest, and how many of them were read from the bytes.
    next: u64,
    count: u32,
    /// How many zeros from behind the last byte were read as bits.
    beyond: u32,
}

impl<'a> BitReader<'a> {
    #[inline]
    pub fn new(bytes: &'a [u8]) -> BitReader<'a> {
        let mut reader = BitReader { bytes, next: 0, count: 0, beyond: 0 };
        reader.fill();
        reader
    }

    #[inline]
    fn fill(&mut self) {
        let word = match self.bytes.first_chunk() {
            Some(first) => u64::from_be_bytes(*first),
            None => last_bytes(self.bytes),
        };
        self.next |= word >> self.count;
        let whole = (64 - self.count) / 8;
        match self.bytes.get(whole as usize..) {
            Some(rest) => self.bytes = rest,
            None => {
                self.beyond += 8 * (whole - self.bytes.len() as u32);
                self.bytes = &[];
            }
        }
        self.count += 8 * whole;
        // What was read beyond whole bytes is read again.
        self.next &= !(u64::MAX.checked_shr(self.count).unwrap_or(0));
    }

    /// Reads bytes ahead, so that the next 32 bits are at hand.
    #[inline]
    pub fn refill(&mut self) {
        if self.count < 32 {
            self.fill();
        }
    }

    /// The next 16 bits, which stay. At most 16 bits may have been taken since [`BitReader::new`] or the
    /// last [`BitReader::refill`].
    #[inline]
    pub fn peek(&self) -> u32 {
        debug_assert!(self.count >= 16);
        (self.next >> 48) as u32
    }

    /// The `count` bits behind the next `before` bits, at most 16 each, which all stay.
    #[inline]
    pub fn peek_behind(&self, before: u32, count: u32) -> u32 {
        debug_assert!(before + count <= self.count);
        (self.next << before >> 1 >> (63 - count)) as u32
    }

    /// Passes over `count` bits that were peeked at.
    #[inline]
    pub fn skip(&mut self, count: u32) {
        self.next <<= count;
        self.count -= count;
    }

    /// The next `count` bits, at most 16.
    #[inline]
    pub fn take(&mut self, count: u32) -> u32 {
        let bits = self.peek() >> (16 - count);
        self.skip(count);
        bits
    }

    /// Whether all bits were taken but those that fill up the last byte, which are zeros.
    #[inline]
    pub fn is_at_end(&self) -> bool {
        let left = self.count.checked_sub(self.beyond);
        self.bytes.is_empty() && self.next == 0 && left.is_some_and(|left| left < 8)
    }

    /// Whether more bits were taken than there are.
    #[inline]
    pub fn is_overrun(&self) -> bool {
        self.beyond > self.count
    }
}

/// Fewer than eight bytes, the first one highest, and zeros behind them. Blocks are short, so there is no
/// loop over bytes.
#[inline]
fn last_bytes(bytes: &[u8]) -> u64 {
    let unused = 64 - 8 * bytes.len() as u32;
    match (bytes.first_chunk(), bytes.last_chunk(), bytes) {
        // The four first bytes and the four last ones may overlap.
        (Some(first), Some(last), _) => {
            u64::from(u32::from_be_bytes(*first)) << 32
                | u64::from(u32::from_be_bytes(*last)) << unused
        }
        (.., &[first, .., last]) => {
            // Of two bytes, the second one is the last one too.
            u64::from(first) << 56 | u64::from(bytes[1]) << 48 | u64::from(last) << unused
        }
        (.., &[only]) => u64::from(only) << 56,
        _ => 0,
    }
}
