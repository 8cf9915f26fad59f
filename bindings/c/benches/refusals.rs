//! How long a probe through the C interface takes: an answer, and refusals, of which a search gets more.
//!
//!     cargo bench -p lasca-tb-c

use ::lasca_tb::lasca_tb_status::*;
use ::lasca_tb::*;
use std::ffi::CString;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::ptr;
use std::time::Instant;

const CALLS: u32 = 100_000;

fn main() {
    let folders = ["tables", "tests/data"].map(|folder| {
        CString::new(format!("{}/../../{folder}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    });
    let folders = folders.each_ref().map(|folder| folder.as_ptr());
    let mut tables = ptr::null_mut();
    // SAFETY: all pointers are to what the functions ask for, here and below.
    let opened = unsafe { lasca_tb_open(folders.as_ptr(), 2, ptr::null(), &mut tables) };
    assert_eq!(opened, LASCA_TB_OK);
    // SAFETY: as above.
    assert_eq!(unsafe { lasca_tb_load(tables, ptr::null(), ptr::null_mut()) }, LASCA_TB_OK);
    for (what, text, expected) in [
        ("an answer", "b2B d2W f2WB a7W g7B w", LASCA_TB_OK),
        ("a soldier, many columns", "start", LASCA_TB_NOT_COVERED),
        ("a soldier, few columns", "b2B d2w f2WB a7W g7B w", LASCA_TB_NOT_COVERED),
        ("no table", "a1WWWW c1WWW b4BBB g7BBB w", LASCA_TB_NOT_COVERED),
        ("too many columns", "a1WWWWWWWWWWW c1BBBBB g7BBBBBB w", LASCA_TB_NOT_COVERED),
    ] {
        let text = CString::new(text).unwrap();
        let mut position = MaybeUninit::uninit();
        let mut wdl = MaybeUninit::uninit();
        // SAFETY: as above.
        unsafe {
            assert_eq!(
                lasca_tb_position_from_text(text.as_ptr(), position.as_mut_ptr()),
                LASCA_TB_OK
            );
            let mut probe =
                || lasca_tb_probe_wdl(tables, black_box(position.as_ptr()), wdl.as_mut_ptr());
            assert_eq!(probe(), expected, "{what}");
            let rounds = (0..20).map(|_| {
                let begun = Instant::now();
                for _ in 0..CALLS {
                    black_box(probe());
                }
                begun.elapsed() / CALLS
            });
            println!("{what}: {} ns", rounds.min().unwrap().as_nanos());
        }
    }
    // SAFETY: as above.
    unsafe { lasca_tb_free(tables) };
}
