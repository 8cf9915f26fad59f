//! Reading and writing what the program's pointers point to.
//!
//! The functions here are called from inside `guard` alone, with pointers of the program. They are safe to
//! call with what the beginning of the header asks of the program: a pointer that is not NULL is to a value
//! of its type, which no other thread writes to during the call, or to a place for one; there are as many
//! values as the count beside it says; and a text ends with NUL. What they return does not outlive the call.

use crate::failure::Failure;
use crate::lasca_tb_status::*;
use std::ffi::{CStr, c_char};
use std::ptr::NonNull;
use std::slice;

/// A place for a result, or a buffer, if it is not NULL.
pub(crate) fn place<T>(pointer: *mut T, name: &'static str) -> Result<NonNull<T>, Failure> {
    NonNull::new(pointer).ok_or_else(|| {
        Failure::new(LASCA_TB_NULL_POINTER, format!("expected a pointer as {name}, found NULL"))
    })
}

/// The value that a pointer points to.
pub(crate) unsafe fn shared<'a, T>(
    pointer: *const T,
    name: &'static str,
) -> Result<&'a T, Failure> {
    // SAFETY: as the header asks.
    Ok(unsafe { place(pointer.cast_mut(), name)?.as_ref() })
}

/// The value that a pointer points to, or the default if it is NULL.
pub(crate) unsafe fn or_default<T: Copy + Default>(pointer: *const T) -> T {
    // SAFETY: as the header asks.
    unsafe { pointer.as_ref() }.copied().unwrap_or_default()
}

/// The values that a pointer points to; it may be NULL if there are none.
pub(crate) unsafe fn list<'a, T>(
    pointer: *const T,
    count: usize,
    name: &'static str,
) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    let first = place(pointer.cast_mut(), name)?;
    // SAFETY: as the header asks.
    Ok(unsafe { slice::from_raw_parts(first.as_ptr(), count) })
}

/// The bytes of a text, without the NUL at its end.
pub(crate) unsafe fn bytes<'a>(
    text: *const c_char,
    name: &'static str,
) -> Result<&'a [u8], Failure> {
    let text = place(text.cast_mut(), name)?;
    // SAFETY: as the header asks.
    Ok(unsafe { CStr::from_ptr(text.as_ptr()) }.to_bytes())
}

/// A text in UTF-8.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> Result<&'a str, Failure> {
    // SAFETY: as the header asks.
    utf8(unsafe { bytes(text, "text") }?)
}

pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, Failure> {
    str::from_utf8(bytes).map_err(|error| {
        Failure::new(LASCA_TB_BAD_UTF8, format!("expected UTF-8 text, found other bytes: {error}"))
    })
}

/// Writes a result.
pub(crate) unsafe fn put<T>(to: *mut T, name: &'static str, value: T) -> Result<(), Failure> {
    let to = place(to, name)?;
    // SAFETY: as the header asks.
    unsafe { to.write(value) };
    Ok(())
}

/// Writes a result that the program may not want.
pub(crate) unsafe fn offer<T>(to: *mut T, value: T) {
    if let Some(to) = NonNull::new(to) {
        // SAFETY: as the header asks.
        unsafe { to.write(value) };
    }
}

/// Writes how many values there are, and makes sure that a buffer of the program has room for them.
pub(crate) unsafe fn has_room<T>(
    needed: usize,
    buffer: *mut T,
    capacity: usize,
    count: *mut usize,
) -> Result<(), Failure> {
    // SAFETY: as the header asks.
    unsafe { put(count, "count", needed) }?;
    if capacity > 0 {
        place(buffer, "moves")?;
    }
    if needed > capacity {
        return Err(too_small("moves", needed, capacity));
    }
    Ok(())
}

/// Writes values to a buffer of the program, and how many they are.
pub(crate) unsafe fn put_list<T>(
    found: impl ExactSizeIterator<Item = T>,
    buffer: *mut T,
    capacity: usize,
    count: *mut usize,
) -> Result<(), Failure> {
    // SAFETY: as the header asks.
    unsafe { has_room(found.len(), buffer, capacity, count) }?;
    for (i, item) in found.enumerate() {
        // SAFETY: `i` is below `capacity`, so the buffer is not NULL and has room.
        unsafe { buffer.add(i).write(item) };
    }
    Ok(())
}

/// Writes a text and a NUL to a buffer of the program.
pub(crate) unsafe fn put_text(
    text: impl AsRef<[u8]>,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> Result<(), Failure> {
    if size > 0 {
        place(buffer, "buffer")?;
    }
    let text = text.as_ref();
    let bytes = text.len() + 1;
    // SAFETY: as the header asks.
    unsafe { offer(needed, bytes) };
    if bytes > size {
        return Err(too_small("bytes", bytes, size));
    }
    // SAFETY: the buffer has room for the text and the NUL after it, and is not part of `text`,
    // which was made in this call.
    unsafe {
        buffer.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), text.len());
        buffer.add(text.len()).write(0);
    }
    Ok(())
}

fn too_small(what: &str, needed: usize, found: usize) -> Failure {
    let message = format!("expected room for {needed} {what}, found room for {found}");
    Failure::new(LASCA_TB_BUFFER_TOO_SMALL, message)
}
