//! How long calls of an engine through the C interface take: probes, of which most are refused, and lists of moves.
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

/// Prints how long a call takes that ends so.
fn time(what: &str, expected: lasca_tb_status, mut call: impl FnMut() -> lasca_tb_status) {
    assert_eq!(call(), expected, "{what}");
    let rounds = (0..20).map(|_| {
        let begun = Instant::now();
        for _ in 0..CALLS {
            black_box(call());
        }
        begun.elapsed() / CALLS
    });
    println!("{what}: {} ns", rounds.min().unwrap().as_nanos());
}

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
            time(&format!("probe, {what}"), expected, || {
                lasca_tb_probe_wdl(tables, black_box(position.as_ptr()), wdl.as_mut_ptr())
            });
        }
    }
    let (mut position, mut after) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let mut moves = Vec::with_capacity(64);
    let mut squares = Vec::with_capacity(64);
    let mut count = 0;
    // SAFETY: as above.
    unsafe {
        let read = lasca_tb_position_from_text(c"start".as_ptr(), position.as_mut_ptr());
        assert_eq!(read, LASCA_TB_OK);
        let position = position.as_ptr();
        time("all moves of the start", LASCA_TB_OK, || {
            lasca_tb_legal_moves(0, black_box(position), moves.as_mut_ptr(), 64, &mut count)
        });
        time("their squares", LASCA_TB_OK, || {
            lasca_tb_legal_squares(0, black_box(position), squares.as_mut_ptr(), 64, &mut count)
        });
        time("one move", LASCA_TB_OK, || {
            lasca_tb_play(0, black_box(position), squares.as_ptr(), after.as_mut_ptr())
        });
    }
    // SAFETY: as above.
    unsafe { lasca_tb_free(tables) };
}
