//! Memory that is refused.

use crate::find::{Filter, positions};
use crate::statistics::{Analysis, QuietRuns};
use lasca_common::ROOT;
use lasca_tablebase::capture_search::KeepIn;
use lasca_tablebase::index::Material;
use lasca_tablebase::probe::{ProbeError, Tablebase};
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::{Reason, Silent};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;

thread_local! {
    static LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Refuses memory to threads that want pieces of their limit or more. Where nobody handles that, the tests end.
struct Refusing;

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

// SAFETY: what is not refused is passed on to the system's allocator, with the promises of the caller. A null pointer
// says that memory is refused.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= LIMIT.get() {
            return ptr::null_mut();
        }
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(piece, layout) }
    }
}

#[test]
fn work_on_all_values_of_a_table_is_an_error_where_there_is_no_memory_for_its_lists() {
    // A pool of this thread alone, because it is the one to which memory is refused.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap();
    let tables = Tablebase::open(format!("{ROOT}/tables"), RuleSet::Lasca).unwrap();
    let material: Material = "3-2".parse().unwrap();
    let is_refused = |error: ProbeError| error.reason() == Reason::NoMemory;
    let (keep, progress) = (KeepIn::Memory, &Silent);
    let filter = Filter { only_moves: 2, ..Filter::default() };
    let works: [&(dyn Fn() -> Option<bool> + Sync); 3] = [
        &|| {
            let analysis = Analysis::in_tables(&tables, material, Default::default(), progress);
            analysis.err().map(is_refused)
        },
        &|| QuietRuns::in_tables(&tables, material, keep, progress).err().map(is_refused),
        &|| positions(&tables, material, &filter, progress).err().map(is_refused),
    ];
    for (number, work) in works.into_iter().enumerate() {
        let work = || pool.install(work);
        // Codes and what tables have in common are made once.
        assert_eq!(work(), None);
        // Buffers of fixed length are shorter than these limits, and lists that grow with the table are not. They grow
        // from one number of columns to the next, so each is refused once.
        for limit in [24 << 10, 32 << 10, 64 << 10] {
            LIMIT.set(limit);
            let worked = work();
            LIMIT.set(usize::MAX);
            assert_eq!(worked, Some(true), "{number}, {limit} bytes");
        }
    }
}
