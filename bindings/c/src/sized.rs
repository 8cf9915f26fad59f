//! Structs that may grow: later versions of the library append fields, and programs that were compiled
//! before or after that can use it all the same. Each such struct begins with its size in bytes, as the
//! program knows it, and has as many. In options, 0 in a field stands for its default.

use crate::failure::Failure;
use crate::lasca_tb_status::*;
use crate::pointers::place;
use std::mem::{self, MaybeUninit};
use std::slice;

/// The greatest size that a struct will ever have. What is greater was never set.
const GREATEST_SIZE: usize = 4096;

/// A struct that may grow.
///
/// # Safety
/// It is `repr(C)` and begins with its size as a `u32`. There is no padding. Zeros in its other fields are
/// a value, and so is what a program puts there.
pub(crate) unsafe trait Grows: Copy {
    const NAME: &'static str;

    /// The size that it had when it was new. Fields that are appended do not change this.
    const FIRST_SIZE: usize;
}

/// Writes a value to a struct of the program. The program may know fewer fields than the library; those
/// that the library does not know become 0.
pub(crate) unsafe fn give<T: Grows>(
    value: T,
    to: *mut T,
    name: &'static str,
) -> Result<(), Failure> {
    // SAFETY: as the header asks.
    let size = unsafe { size_of_program_s::<T>(place(to, name)?.as_ptr()) }?;
    let to = to.cast::<u8>();
    let known = mem::size_of::<T>();
    // SAFETY: there are `size` bytes, the first of which are the size, and the value is not part of them,
    // as it is a variable of this call.
    unsafe {
        to.write_bytes(0, size);
        to.copy_from_nonoverlapping((&raw const value).cast(), size.min(known));
        to.cast::<u32>().write(size as u32);
    }
    Ok(())
}

/// Reads a struct of the program, in which fields that the program does not know are 0. NULL stands for a
/// struct of zeros.
pub(crate) unsafe fn take<T: Grows>(from: *const T) -> Result<T, Failure> {
    let mut value = MaybeUninit::<T>::zeroed();
    if !from.is_null() {
        // SAFETY: as the header asks.
        let size = unsafe { size_of_program_s(from) }?;
        let known = size.min(mem::size_of::<T>());
        // SAFETY: there are `size` bytes, of which the first are those of a `T` or of its first fields.
        let unknown = unsafe {
            value.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(from.cast(), known);
            slice::from_raw_parts(from.cast::<u8>().add(known), size - known)
        };
        if unknown.iter().any(|&byte| byte != 0) {
            let message = format!(
                "expected 0 in the fields of {} that this version of the library does not know, from \
                 byte {known} on, found another value",
                T::NAME
            );
            return Err(Failure::new(LASCA_TB_BAD_ARGUMENT, message));
        }
    }
    // SAFETY: zeros are a value, and so is what the program has put there.
    Ok(unsafe { value.assume_init() })
}

/// The size that a struct of the program says it has.
unsafe fn size_of_program_s<T: Grows>(of: *const T) -> Result<usize, Failure> {
    // SAFETY: as the header asks.
    let size = unsafe { of.cast::<u32>().read() } as usize;
    if (T::FIRST_SIZE..=GREATEST_SIZE).contains(&size) {
        return Ok(size);
    }
    let (name, least) = (T::NAME, T::FIRST_SIZE);
    let message = format!(
        "expected the size of a {name}, {least} to {GREATEST_SIZE} bytes, found a size of {size}"
    );
    Err(Failure::new(LASCA_TB_BAD_ARGUMENT, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A struct of an earlier version, and of a later one.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Sample<const FIELDS: usize> {
        size: u32,
        fields: [u32; FIELDS],
    }

    // SAFETY: integers alone, all of one size.
    unsafe impl<const FIELDS: usize> Grows for Sample<FIELDS> {
        const NAME: &'static str = "sample";
        const FIRST_SIZE: usize = 8;
    }

    #[test]
    fn fields_that_a_program_does_not_know_are_0() {
        let old = Sample { size: 8, fields: [7] };
        // SAFETY: it has as many bytes as it says.
        let taken = unsafe { take((&raw const old).cast::<Sample<3>>()) };
        assert_eq!(taken.map_err(|failure| failure.status).unwrap().fields, [7, 0, 0]);
    }

    #[test]
    fn a_struct_of_any_size_is_filled_and_nothing_after_it() {
        for (size, expected) in [(8, [100, 9, 9]), (12, [100, 101, 9]), (16, [100, 101, 0])] {
            let mut given = Sample { size, fields: [9; 3] };
            let to = (&raw mut given).cast::<Sample<2>>();
            // SAFETY: there is room for 16 bytes.
            let status = unsafe { give(Sample { size: 12, fields: [100, 101] }, to, "sample") };
            assert!(status.is_ok());
            assert_eq!(given, Sample { size, fields: expected });
        }
    }
}
