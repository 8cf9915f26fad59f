//! Maps of columns, applied to sets of columns.

/// A map of columns, applied to masks of columns four at a time. `Part` has a bit for each column that
/// the map leads to, and `PARTS` parts are for four columns each. It is aligned so that a small one lies in
/// one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct MaskMap<Part = u16, const PARTS: usize = 3>([[Part; 16]; PARTS]);

/// A map of up to eight columns, in a third of the memory.
pub type SmallMaskMap = MaskMap<u8, 2>;

impl MaskMap {
    /// The map that leads from the first column of each pair to the second one. Columns that are the
    /// first of no pair vanish.
    #[inline]
    pub fn new(pairs: impl IntoIterator<Item = (usize, usize)>) -> MaskMap {
        let mut images = [0u64; 12];
        for (column, image) in pairs {
            images[column] = 1 << image;
        }
        // A word holds four entries of a part: for all owners of its first two columns.
        const EACH: u64 = 0x0001_0001_0001_0001;
        MaskMap(std::array::from_fn(|part| {
            let [a, b, c, d] = std::array::from_fn(|column| images[4 * part + column]);
            let low = (a * 0x0001_0000_0001_0000) | (b * 0x0001_0001_0000_0000);
            let (c, d) = (c * EACH, d * EACH);
            let words = [low, low | c, low | d, low | c | d];
            std::array::from_fn(|entry| (words[entry / 4] >> (16 * (entry % 4))) as u16)
        }))
    }

    /// The same map, for columns and images below eight.
    pub fn small(&self) -> SmallMaskMap {
        MaskMap(std::array::from_fn(|part| self.0[part].map(|bits| bits as u8)))
    }
}

impl<Part: Copy + Into<u32>, const PARTS: usize> MaskMap<Part, PARTS> {
    /// Where the columns in `mask` go.
    #[inline]
    pub fn image(&self, mask: u32) -> u32 {
        let image =
            |part: usize| -> u32 { self.0[part][(mask >> (4 * part) & 15) as usize].into() };
        (0..PARTS).fold(0, |all, part| all | image(part))
    }
}
