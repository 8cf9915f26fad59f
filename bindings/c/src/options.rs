//! Structs that may grow: later versions of the library append fields, and programs that were compiled
//! before or after that can use it all the same. Each such struct begins with its size in bytes, as the
//! program knows it.

use crate::failure::{Failure, guard};
use crate::functions::place;
use crate::lasca_tb_status::{self, *};
use crate::{
    lasca_tb_load_options, lasca_tb_options, lasca_tb_search_limits, lasca_tb_search_options,
    lasca_tb_table,
};
use std::mem::offset_of;
use std::ops::RangeInclusive;
use std::slice;

/// The greatest size that a struct will ever have. What is greater was never set.
const GREATEST_SIZE: usize = 4096;

/// A struct that may grow.
///
/// # Safety
/// It is `repr(C)` and begins with its size as a `u32`. There is no padding, and bytes that a program
/// puts in its fields are a value.
pub(crate) unsafe trait Grows: Copy {
    const NAME: &'static str;

    /// The size that it had when it was new. Fields that are appended do not change this.
    const FIRST_SIZE: usize;
}

// SAFETY: the assertions below check the layout.
unsafe impl Grows for lasca_tb_options {
    const NAME: &'static str = "lasca_tb_options";
    const FIRST_SIZE: usize = 24;
}

// SAFETY: the assertions below check the layout.
unsafe impl Grows for lasca_tb_load_options {
    const NAME: &'static str = "lasca_tb_load_options";
    const FIRST_SIZE: usize = 16;
}

// SAFETY: the assertions below check the layout.
unsafe impl Grows for lasca_tb_search_options {
    const NAME: &'static str = "lasca_tb_search_options";
    const FIRST_SIZE: usize = 16;
}

// SAFETY: the assertions below check the layout. The program promises that a pointer to a function that
// is not NULL is one.
unsafe impl Grows for lasca_tb_search_limits {
    const NAME: &'static str = "lasca_tb_search_limits";
    const FIRST_SIZE: usize = 16 + 2 * size_of::<usize>();
}

// SAFETY: the assertions below check the layout.
unsafe impl Grows for lasca_tb_table {
    const NAME: &'static str = "lasca_tb_table";
    const FIRST_SIZE: usize = 32;
}

/// Fills a struct with the default options of lasca_tb_open(): a cache of 64 MiB, the rules of
/// Lasker, and LASCA_TB_AUTOMATIC access to files.
///
/// \param options Receives the options.
/// \param size The size of the struct, as sizeof tells it.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER, and with LASCA_TB_BAD_ARGUMENT if size is
/// not the size of such a struct.
///
/// \ingroup tables
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_options_init(
    options: *mut lasca_tb_options,
    size: usize,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or the program's struct of this size.
        unsafe { give(lasca_tb_options::default(), options, (size, "options")) }
    })
}

/// Fills a struct with the default options of lasca_tb_load(): win, draw or loss alone, and no
/// limit of memory.
///
/// \param options Receives the options.
/// \param size The size of the struct, as sizeof tells it.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER, and with LASCA_TB_BAD_ARGUMENT if size is
/// not the size of such a struct.
///
/// \ingroup tables
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_load_options_init(
    options: *mut lasca_tb_load_options,
    size: usize,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or the program's struct of this size.
        unsafe { give(lasca_tb_load_options::default(), options, (size, "options")) }
    })
}

/// Fills a struct with the default options of lasca_tb_search_new(): 256 MiB, and the rules of
/// Lasker.
///
/// \param options Receives the options.
/// \param size The size of the struct, as sizeof tells it.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER, and with LASCA_TB_BAD_ARGUMENT if size is
/// not the size of such a struct.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_options_init(
    options: *mut lasca_tb_search_options,
    size: usize,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or the program's struct of this size.
        unsafe { give(lasca_tb_search_options::default(), options, (size, "options")) }
    })
}

/// Fills a struct with the default limits of lasca_tb_search_run(): as long as it takes, one
/// thread, and no progress.
///
/// \param limits Receives the limits.
/// \param size The size of the struct, as sizeof tells it.
/// \return LASCA_TB_OK. Fails with LASCA_TB_NULL_POINTER, and with LASCA_TB_BAD_ARGUMENT if size is
/// not the size of such a struct.
///
/// \ingroup searching
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_search_limits_init(
    limits: *mut lasca_tb_search_limits,
    size: usize,
) -> lasca_tb_status {
    guard(|| {
        // SAFETY: NULL or the program's struct of this size.
        unsafe { give(lasca_tb_search_limits::default(), limits, (size, "limits")) }
    })
}

/// Writes a value to a struct of the program. The program may know fewer fields than the library; those
/// that the library does not know become 0.
///
/// # Safety
/// `to` is NULL or has room for `size` bytes.
pub(crate) unsafe fn give<T: Grows>(
    value: T,
    to: *mut T,
    (size, name): (usize, &'static str),
) -> Result<(), Failure> {
    let to = place(to, name)?.cast::<u8>();
    check_size::<T>(size)?;
    // SAFETY: there is room for `size` bytes, the first of which are the size, and the value is not part
    // of them, as it is a variable of this call.
    unsafe {
        to.write_bytes(0, size);
        to.as_ptr().copy_from_nonoverlapping((&raw const value).cast(), size.min(size_of::<T>()));
        to.cast::<u32>().write(size as u32);
    }
    Ok(())
}

/// Reads a struct of the program, in which fields that the program does not know have their default.
///
/// # Safety
/// `from` is NULL, or begins with a size and has as many bytes as that says.
pub(crate) unsafe fn take<T: Grows + Default>(from: *const T) -> Result<T, Failure> {
    let mut value = T::default();
    if from.is_null() {
        return Ok(value);
    }
    // SAFETY: not NULL, so it begins with a size.
    let size = unsafe { from.cast::<u32>().read() } as usize;
    check_size::<T>(size)?;
    let known = size.min(size_of::<T>());
    // SAFETY: there are `size` bytes, of which the first are those of a `T` or of its first fields.
    let unknown = unsafe {
        (&raw mut value).cast::<u8>().copy_from_nonoverlapping(from.cast(), known);
        slice::from_raw_parts(from.cast::<u8>().add(known), size - known)
    };
    if unknown.iter().any(|&byte| byte != 0) {
        let message = format!(
            "expected 0 in the fields of {} that this version of the library does not know, from byte \
             {known} on, found another value",
            T::NAME
        );
        return Err(Failure::new(LASCA_TB_BAD_ARGUMENT, message));
    }
    Ok(value)
}

fn check_size<T: Grows>(size: usize) -> Result<(), Failure> {
    let allowed: RangeInclusive<usize> = T::FIRST_SIZE..=GREATEST_SIZE;
    if allowed.contains(&size) {
        return Ok(());
    }
    let (name, least, most) = (T::NAME, allowed.start(), allowed.end());
    let message =
        format!("expected the size of a {name}, {least} to {most} bytes, found a size of {size}");
    Err(Failure::new(LASCA_TB_BAD_ARGUMENT, message))
}

// The sizes and offsets that the header states for languages that cannot read it. The fields of each
// struct fill it, so there is no padding.
const _: () = {
    assert!(size_of::<lasca_tb_options>() == 24);
    assert!(offset_of!(lasca_tb_options, size) == 0);
    assert!(offset_of!(lasca_tb_options, rules) == 4);
    assert!(offset_of!(lasca_tb_options, cache_bytes) == 8);
    assert!(offset_of!(lasca_tb_options, access) == 16);
    assert!(offset_of!(lasca_tb_options, reserved) == 20);

    assert!(size_of::<lasca_tb_load_options>() == 16);
    assert!(offset_of!(lasca_tb_load_options, size) == 0);
    assert!(offset_of!(lasca_tb_load_options, with_dtw) == 4);
    assert!(offset_of!(lasca_tb_load_options, max_bytes) == 8);

    assert!(size_of::<lasca_tb_search_options>() == 16);
    assert!(offset_of!(lasca_tb_search_options, size) == 0);
    assert!(offset_of!(lasca_tb_search_options, rules) == 4);
    assert!(offset_of!(lasca_tb_search_options, memory_bytes) == 8);

    const POINTER: usize = size_of::<usize>();
    assert!(size_of::<lasca_tb_search_limits>() == 16 + 2 * POINTER);
    assert!(offset_of!(lasca_tb_search_limits, size) == 0);
    assert!(offset_of!(lasca_tb_search_limits, threads) == 4);
    assert!(offset_of!(lasca_tb_search_limits, milliseconds) == 8);
    assert!(offset_of!(lasca_tb_search_limits, progress) == 16);
    assert!(offset_of!(lasca_tb_search_limits, user) == 16 + POINTER);

    assert!(size_of::<lasca_tb_table>() == 32);
    assert!(offset_of!(lasca_tb_table, size) == 0);
    assert!(offset_of!(lasca_tb_table, rules) == 4);
    assert!(offset_of!(lasca_tb_table, positions) == 8);
    assert!(offset_of!(lasca_tb_table, bytes) == 16);
    assert!(offset_of!(lasca_tb_table, max_dtw) == 24);
    assert!(offset_of!(lasca_tb_table, white) == 28);
    assert!(offset_of!(lasca_tb_table, black) == 29);
    assert!(offset_of!(lasca_tb_table, max_columns) == 30);
    assert!(offset_of!(lasca_tb_table, has_dtw) == 31);
};

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

    impl<const FIELDS: usize> Default for Sample<FIELDS> {
        fn default() -> Self {
            let size = size_of::<Self>() as u32;
            Sample { size, fields: std::array::from_fn(|i| 100 + i as u32) }
        }
    }

    // SAFETY: integers alone, all of one size.
    unsafe impl<const FIELDS: usize> Grows for Sample<FIELDS> {
        const NAME: &'static str = "sample";
        const FIRST_SIZE: usize = 8;
    }

    #[test]
    fn a_program_with_fewer_fields_gets_the_defaults_of_the_others() {
        let old = Sample { size: 8, fields: [7] };
        // SAFETY: it has as many bytes as it says.
        let taken = unsafe { take((&raw const old).cast::<Sample<3>>()) };
        assert_eq!(taken.map_err(|failure| failure.status).unwrap().fields, [7, 101, 102]);
    }

    #[test]
    fn a_program_with_more_fields_must_leave_them_at_0() {
        let mut new = Sample { size: 16, fields: [7, 0, 0] };
        let take = |new: &Sample<3>| {
            // SAFETY: it has as many bytes as it says.
            unsafe { take((&raw const *new).cast::<Sample<1>>()) }.map_err(|f| f.status)
        };
        assert_eq!(take(&new).unwrap().fields, [7]);
        new.fields[2] = 1;
        assert_eq!(take(&new), Err(LASCA_TB_BAD_ARGUMENT));
    }

    #[test]
    fn a_struct_of_any_size_is_filled_and_nothing_after_it() {
        for (size, expected) in [(8, [100, 9, 9]), (12, [100, 101, 9]), (16, [100, 101, 0])] {
            let mut given = Sample { size: 9, fields: [9; 3] };
            let to = (&raw mut given).cast::<Sample<2>>();
            // SAFETY: there is room for 16 bytes.
            let status = unsafe { give(Sample::default(), to, (size, "sample")) };
            assert!(status.is_ok());
            assert_eq!(given, Sample { size: size as u32, fields: expected });
        }
    }

    #[test]
    fn a_size_that_was_never_set_is_refused() {
        for size in [0, 7, 4097, u32::MAX] {
            let old = Sample { size, fields: [7] };
            // SAFETY: nothing but the size is read if it is not allowed.
            let taken = unsafe { take::<Sample<1>>(&old) };
            assert_eq!(taken.map_err(|failure| failure.status), Err(LASCA_TB_BAD_ARGUMENT));
        }
    }
}
