//! Binomial coefficients, and the ordinals of subsets.

/// One more than the largest `n` of [`binomial`].
const LIMIT: usize = 37;

/// `BINOMIALS[n][k]`: Pascal's triangle.
const BINOMIALS: [[u64; LIMIT]; LIMIT] = {
    let mut triangle = [[0; LIMIT]; LIMIT];
    let mut n = 0;
    while n < LIMIT {
        triangle[n][0] = 1;
        let mut k = 1;
        while k <= n {
            triangle[n][k] = triangle[n - 1][k - 1] + triangle[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    triangle
};

/// The number of ways to choose `k` things out of `n`; 0 if `k > n`.
///
/// # Panics
/// If `n` or `k` is above 36. The index needs no more, for 25 squares and for 22 spare counters on 12
/// columns.
#[inline]
pub const fn binomial(n: usize, k: usize) -> u64 {
    BINOMIALS[n][k]
}

/// The ordinal of a set of bits among all sets with the same number of bits, ordered by their value as
/// numbers (colexicographic order). It is the sum of `C(position of the i-th lowest bit, i)` for `i`
/// from 1 on.
#[inline]
pub(super) const fn subset_ordinal(mut bits: u32) -> u64 {
    let (mut ordinal, mut i) = (0, 1);
    while bits != 0 {
        ordinal += BINOMIALS[bits.trailing_zeros() as usize][i];
        bits &= bits - 1;
        i += 1;
    }
    ordinal
}

/// How many of the lowest bits [`small_subset_ordinal`] looks up.
pub(super) const SMALL: u32 = 13;

/// [`subset_ordinal`] of a set of the lowest [`SMALL`] bits, looked up.
#[inline]
pub(super) fn small_subset_ordinal(bits: u32) -> u32 {
    static ORDINALS: [u16; 1 << SMALL] = {
        let mut ordinals = [0; 1 << SMALL];
        let mut bits = 0;
        while bits < ordinals.len() {
            ordinals[bits] = subset_ordinal(bits as u32) as u16;
            bits += 1;
        }
        ordinals
    };
    ORDINALS[bits as usize].into()
}

/// The set of `k` bits with this ordinal: the inverse of [`subset_ordinal`].
pub(super) const fn nth_subset(mut ordinal: u64, k: usize) -> u32 {
    let (mut bits, mut i) = (0, k);
    while i > 0 {
        let mut position = i - 1;
        while BINOMIALS[position + 1][i] <= ordinal {
            position += 1;
        }
        ordinal -= BINOMIALS[position][i];
        bits |= 1 << position;
        i -= 1;
    }
    bits
}

/// The next larger number with the same number of bits set (Gosper's method). `bits` must not be 0.
pub(super) const fn next_subset(bits: u32) -> u32 {
    let lowest = bits & bits.wrapping_neg();
    let ripple = bits + lowest;
    ripple | ((bits ^ ripple) >> 2) >> lowest.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinals_follow_the_order_of_values() {
        for k in 1..=6 {
            let mut bits = (1 << k) - 1;
            for ordinal in 0..binomial(12, k) {
                assert_eq!(subset_ordinal(bits), ordinal);
                assert_eq!(nth_subset(ordinal, k), bits);
                bits = next_subset(bits);
            }
        }
    }
}
