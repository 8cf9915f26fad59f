//! The eight rotations and reflections of the board.

use super::{Square, SquareSet};

/// A rotation or reflection of the board. With officers only, all eight are symmetries of the
/// game.
///
/// A symmetry has an index of three bits, applied in this order: `0b100` exchanges files and
/// ranks (a reflection in the diagonal a1–g7), `0b001` exchanges left and right, `0b010` exchanges
/// the bottom and the top.
///
/// ```
/// use lasca_tablebase::rules::{Square, Symmetry};
/// let b2 = Square::from_name("b2").unwrap();
/// let images: Vec<String> = Symmetry::all().map(|g| g.apply(b2).to_string()).collect();
/// assert_eq!(images, ["b2", "f2", "b6", "f6", "b2", "f2", "b6", "f6"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

/// `IMAGES[g][square]` is the index of the image of `square` under the symmetry with index `g`.
static IMAGES: [[u8; Square::COUNT]; Symmetry::COUNT] = {
    let mut images = [[0; Square::COUNT]; Symmetry::COUNT];
    let mut g = 0;
    while g < Symmetry::COUNT {
        let mut i = 0;
        while i < Square::COUNT {
            let Some(square) = Square::from_index(i) else { panic!() };
            let (mut x, mut y) = (square.file(), square.rank());
            if g & 0b100 != 0 {
                (x, y) = (y, x);
            }
            if g & 0b001 != 0 {
                x = 6 - x;
            }
            if g & 0b010 != 0 {
                y = 6 - y;
            }
            let Some(image) = Square::from_file_rank(x, y) else { panic!() };
            images[g][i] = image.index() as u8;
            i += 1;
        }
        g += 1;
    }
    images
};

/// The squares of the board in parts, so that the image of each subset of a part can stand in a list.
const PART: usize = 9;

/// For each symmetry, the images of the subsets of each part.
static SET_IMAGES: [[[u32; 1 << PART]; Square::COUNT.div_ceil(PART)]; Symmetry::COUNT] = {
    let mut images = [[[0; 1 << PART]; Square::COUNT.div_ceil(PART)]; Symmetry::COUNT];
    let mut g = 0;
    while g < Symmetry::COUNT {
        let mut square = 0;
        while square < Square::COUNT {
            let (part, bit) = (square / PART, 1 << (square % PART));
            // The subsets with this square and none after it.
            let mut rest = 0;
            while rest < bit {
                images[g][part][bit | rest] = images[g][part][rest] | 1 << IMAGES[g][square];
                rest += 1;
            }
            square += 1;
        }
        g += 1;
    }
    images
};

/// What exchanges of left and right and of bottom and top become when files and ranks are exchanged.
const fn turned(g: u8) -> u8 {
    g & 0b100 | (g & 0b001) << 1 | (g & 0b010) >> 1
}

impl Symmetry {
    /// How many symmetries there are.
    pub const COUNT: usize = 8;
    /// The symmetry that leaves everything where it is.
    pub const IDENTITY: Symmetry = Symmetry(0);
    /// Exchanges left and right.
    pub const FLIP_FILES: Symmetry = Symmetry(0b001);
    /// Exchanges the bottom and the top.
    pub const FLIP_RANKS: Symmetry = Symmetry(0b010);

    /// All symmetries in the order of their index, the identity first.
    pub fn all() -> impl DoubleEndedIterator<Item = Symmetry> + ExactSizeIterator {
        (0..Self::COUNT as u8).map(Symmetry)
    }

    /// The symmetry with this index, 0 to 7.
    pub const fn from_index(index: usize) -> Option<Symmetry> {
        if index < Self::COUNT { Some(Symmetry(index as u8)) } else { None }
    }

    /// The index of the symmetry, 0 to 7.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Where `square` goes.
    pub const fn apply(self, square: Square) -> Square {
        match Square::from_index(IMAGES[self.0 as usize][square.index()] as usize) {
            Some(image) => image,
            None => unreachable!(),
        }
    }

    /// Where the squares of `set` go.
    #[doc(hidden)]
    #[inline]
    pub fn apply_set(self, set: SquareSet) -> SquareSet {
        let [low, middle, high] = &SET_IMAGES[self.0 as usize];
        let of_part = |part: usize| (set.bits() >> (PART * part)) as usize % (1 << PART);
        SquareSet::from_bits(low[of_part(0)] | middle[of_part(1)] | high[of_part(2)])
    }

    /// The symmetry that applies `self` first and then `next`.
    #[must_use]
    pub const fn then(self, next: Symmetry) -> Symmetry {
        Symmetry(next.0 ^ if next.0 & 0b100 == 0 { self.0 } else { turned(self.0) })
    }

    /// The symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Symmetry {
        Symmetry(if self.0 & 0b100 == 0 { self.0 } else { turned(self.0) })
    }

    /// For each square, the index of the square that comes there.
    #[doc(hidden)]
    #[inline]
    pub const fn preimages(self) -> &'static [u8; Square::COUNT] {
        &IMAGES[self.inverse().index()]
    }
}

/// A set of symmetries, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SymmetrySet(u8);

impl SymmetrySet {
    /// The set with these bits, bit `g` for the symmetry with index `g`.
    pub const fn from_bits(bits: u8) -> SymmetrySet {
        SymmetrySet(bits)
    }

    /// How many symmetries are in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The symmetries that map `set` onto itself.
    pub fn stabilizer(set: SquareSet) -> SymmetrySet {
        Symmetry::all()
            .filter(|g| g.apply_set(set) == set)
            .fold(SymmetrySet(0), |found, g| SymmetrySet(found.0 | 1 << g.0))
    }

    /// For a subgroup `H`: one symmetry of each class `{h first, then g : h in H}`, so that every
    /// symmetry is, in exactly one way, an element of `H` followed by a member of the transversal.
    pub fn transversal(self) -> SymmetrySet {
        let (mut chosen, mut covered) = (0u8, 0u8);
        for g in Symmetry::all() {
            if covered >> g.0 & 1 == 0 {
                chosen |= 1 << g.0;
                for h in self.iter() {
                    covered |= 1 << h.then(g).0;
                }
            }
        }
        SymmetrySet(chosen)
    }

    /// The symmetries of the set in the order of their index.
    pub fn iter(self) -> impl Iterator<Item = Symmetry> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let symmetry = Symmetry(rest.trailing_zeros() as u8);
            (rest != 0).then(|| {
                rest &= rest - 1;
                symmetry
            })
        })
    }

    /// The symmetries that are in both sets.
    #[must_use]
    pub const fn and(self, other: SymmetrySet) -> SymmetrySet {
        SymmetrySet(self.0 & other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_inverses_agree_with_squares() {
        for g in Symmetry::all() {
            for h in Symmetry::all() {
                for square in Square::all() {
                    assert_eq!(g.then(h).apply(square), h.apply(g.apply(square)));
                }
            }
            assert_eq!(g.then(g.inverse()), Symmetry::IDENTITY);
            let half: SquareSet = Square::all().step_by(2).collect();
            let image: SquareSet = half.into_iter().map(|square| g.apply(square)).collect();
            assert_eq!(g.apply_set(half), image);
        }
    }

    #[test]
    fn a_transversal_meets_every_class_once() {
        for bits in 0..1 << 9 {
            let subgroup = SymmetrySet::stabilizer(SquareSet::from_bits(bits * 0x10421));
            let mut seen = 0u8;
            for g in subgroup.transversal().iter() {
                for h in subgroup.iter() {
                    assert_eq!(seen & 1 << h.then(g).index(), 0);
                    seen |= 1 << h.then(g).index();
                }
            }
            assert_eq!(seen, 0xff);
        }
    }
}
