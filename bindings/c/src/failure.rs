//! Why a call failed, the last error of each thread, and the guard that stops panics.

use crate::LASCA_TB_ABI_VERSION;
use crate::lasca_tb_status::{self, *};
use lasca_tablebase::index::MaterialError;
use lasca_tablebase::notation::TextError;
use lasca_tablebase::probe::ProbeError;
use lasca_tablebase::rules::TooManyMoves;
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::fmt::{self, Display, Formatter};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a call failed. The text is made only when the program asks for it, so that an engine that
/// probes a missing table a million times does not pay for a million messages.
pub(crate) struct Failure {
    pub(crate) status: lasca_tb_status,
    cause: Box<dyn Display>,
}

/// No table covers the position. A box of this allocates nothing, as a search probes far more positions that are not
/// covered than others.
struct NotCovered;

impl Display for NotCovered {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("no open table covers the position; lasca_tb_covers() tells what they cover")
    }
}

impl Failure {
    pub(crate) fn new(status: lasca_tb_status, cause: impl Display + 'static) -> Failure {
        Failure { status, cause: Box::new(cause) }
    }

    pub(crate) fn not_covered() -> Failure {
        Failure::new(LASCA_TB_NOT_COVERED, NotCovered)
    }

    pub(crate) fn bad_argument(cause: impl Display + 'static) -> Failure {
        Failure::new(LASCA_TB_BAD_ARGUMENT, cause)
    }

    /// Makes failures of this status, for `map_err`.
    pub(crate) fn of<E: Display + 'static>(status: lasca_tb_status) -> impl Fn(E) -> Failure {
        move |cause| Failure::new(status, cause)
    }

    fn panic(payload: &(dyn Any + Send)) -> Failure {
        let message = payload
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no details are known");
        Failure::new(LASCA_TB_INTERNAL_ERROR, format!("there is a bug in the library: {message}"))
    }
}

impl From<ProbeError> for Failure {
    fn from(error: ProbeError) -> Failure {
        let status = match &error {
            // Positions in which a side has no counters are over, and are never looked up.
            ProbeError::Material(MaterialError::SideWithoutCounters { .. }) => {
                LASCA_TB_BAD_ARGUMENT
            }
            error => error.reason().into(),
        };
        Failure::new(status, error)
    }
}

impl From<TextError> for Failure {
    fn from(error: TextError) -> Failure {
        Failure::new(error.reason().into(), error)
    }
}

impl From<TooManyMoves> for Failure {
    fn from(error: TooManyMoves) -> Failure {
        Failure::new(LASCA_TB_TOO_MANY_MOVES, error)
    }
}

/// The item that a program names by its number in an enum of the header.
pub(crate) fn one_of<T: Copy>(
    items: &[T],
    number: impl TryInto<usize> + Display + Copy,
    name: &str,
) -> Result<T, Failure> {
    let item = number.try_into().ok().and_then(|number| items.get(number));
    item.copied().ok_or_else(|| {
        let greatest = items.len() - 1;
        Failure::bad_argument(format!("expected a {name} (0 to {greatest}), found {number}"))
    })
}

/// The last failure of this thread that the program has not asked about, and the text that it has asked for.
#[derive(Default)]
struct Last {
    failure: Option<Failure>,
    text: CString,
}

thread_local! {
    static LAST: RefCell<Last> = RefCell::default();
}

/// Runs the body of an exported function. A panic becomes a status, like every other failure.
pub(crate) fn guard(body: impl FnOnce() -> Result<(), Failure>) -> lasca_tb_status {
    let result = catch_unwind(AssertUnwindSafe(body))
        .unwrap_or_else(|payload| Err(Failure::panic(payload.as_ref())));
    match result {
        Ok(()) => LASCA_TB_OK,
        Err(failure) => {
            let status = failure.status;
            // A thread that is ending can no longer store it.
            let _ = LAST.try_with(|last| last.borrow_mut().failure = Some(failure));
            status
        }
    }
}

/// Returns the version of the library's interface. A program should compare it with the
/// LASCA_TB_ABI_VERSION that it was compiled with.
///
/// \return The LASCA_TB_ABI_VERSION of the library.
#[unsafe(no_mangle)]
pub extern "C" fn lasca_tb_abi_version() -> u32 {
    LASCA_TB_ABI_VERSION
}

/// Returns the version of the library as text, such as "1.2.3". The text lives as long as the
/// library.
///
/// \return The version.
#[unsafe(no_mangle)]
pub extern "C" fn lasca_tb_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Returns the error of the last call that failed in this thread: what was expected, what was
/// found, and where. The text is empty if no call has failed. Calls that succeed do not change it.
/// It is UTF-8, and the pointer is never NULL.
///
/// The text belongs to the library. It lives until another call fails in this thread, or until the
/// thread ends.
///
/// \return The error.
#[unsafe(no_mangle)]
pub extern "C" fn lasca_tb_last_error() -> *const c_char {
    let text_of = |last: &RefCell<Last>| {
        let Last { failure, text } = &mut *last.borrow_mut();
        if let Some(Failure { cause, .. }) = failure.take() {
            // Only what a panic says could have a NUL inside.
            let made = catch_unwind(AssertUnwindSafe(|| CString::new(cause.to_string()).ok()));
            let none = || c"the text of the error cannot be made".to_owned();
            *text = made.ok().flatten().unwrap_or_else(none);
        }
        text.as_ptr()
    };
    LAST.try_with(text_of).unwrap_or(c"".as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasca_tablebase::table::{FileKind, TableError};
    use std::ffi::CStr;
    use std::io::ErrorKind;

    fn last_text() -> String {
        // SAFETY: the pointer is to a text that this thread's next failure frees.
        unsafe { CStr::from_ptr(lasca_tb_last_error()) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_panic_becomes_a_status_and_its_message_is_kept() {
        assert_eq!(guard(|| panic!("{} squares", 26)), LASCA_TB_INTERNAL_ERROR);
        assert_eq!(last_text(), "there is a bug in the library: 26 squares");
        assert_eq!(guard(|| panic!("plain")), LASCA_TB_INTERNAL_ERROR);
        assert_eq!(last_text(), "there is a bug in the library: plain");
        assert_eq!(guard(|| std::panic::panic_any(7)), LASCA_TB_INTERNAL_ERROR);
        assert_eq!(last_text(), "there is a bug in the library: no details are known");
        assert_eq!(guard(|| Ok(())), LASCA_TB_OK);
    }

    #[test]
    fn a_message_that_panics_is_replaced() {
        struct Bad;
        impl Display for Bad {
            fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                panic!("no text")
            }
        }
        assert_eq!(guard(|| Err(Failure::new(LASCA_TB_NOT_A_MOVE, Bad))), LASCA_TB_NOT_A_MOVE);
        assert_eq!(last_text(), "the text of the error cannot be made");
        assert_eq!(guard(|| Err(Failure::bad_argument("none"))), LASCA_TB_BAD_ARGUMENT);
        assert_eq!(last_text(), "none");
    }

    #[test]
    fn a_lack_of_memory_is_told_from_a_file_that_cannot_be_read() {
        let status = |kind| {
            let error =
                TableError::Unreadable { file: FileKind::Wdl, kind, message: "no".to_owned() };
            Failure::new(error.reason().into(), error).status
        };
        assert_eq!(status(ErrorKind::OutOfMemory), LASCA_TB_NO_MEMORY);
        assert_eq!(status(ErrorKind::PermissionDenied), LASCA_TB_UNREADABLE);
    }
}
