//! What makes tables in the npm package: a WebAssembly of its own, which is fetched when a table is made. Its answers
//! and what it throws are texts of JSON. `package/maker.js` runs it in a worker, which ends when the table is made:
//! only so is its memory free again.

use js_sys::Function;
use lasca_analysis::answer::json::{Failed, ToMake};
use lasca_tablebase::generate::{GenerateError, MakeLimits, MakePlan, SolveError};
use lasca_tablebase::index::{Extent, Material};
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::FileKind;
use lasca_tablebase::{Progress, Reason};
use serde::Serialize;
use std::fmt::Display;
use std::sync::{Mutex, MutexGuard, PoisonError};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The share of solving in the time that solving and writing take together.
const SOLVING: f64 = 5.0 / 6.0;

fn text(value: &impl Serialize) -> String {
    match serde_json::to_string(value) {
        Ok(text) => text,
        Err(error) => unreachable!("these structs have plain keys and fields: {error}"),
    }
}

fn thrown<E: Display>(reason: Reason) -> impl Fn(E) -> JsValue {
    move |error| JsValue::from_str(&text(&Failed::new(reason, error.to_string())))
}

/// A table that can be made.
#[wasm_bindgen]
pub struct Plan {
    plan: MakePlan,
}

#[wasm_bindgen]
impl Plan {
    /// The plan for a material with at most so many columns, in so many bytes of memory. It throws if that is not
    /// enough, or if there is no such table.
    #[wasm_bindgen(constructor)]
    pub fn new(rules: &str, material: &str, columns: usize, memory: u32) -> Result<Plan, JsValue> {
        let rules: RuleSet = rules.parse().map_err(thrown(Reason::BadArgument))?;
        let material: Material = material.parse().map_err(thrown(Reason::BadArgument))?;
        let extent = Extent::bounded(material.normalized(), columns.min(material.total()))
            .map_err(thrown(Reason::BadArgument))?;
        let limits = MakeLimits::default().memory(memory.into());
        let plan = MakePlan::new(extent, rules, &limits);
        if plan.memory > limits.memory {
            let (needed, memory) = (plan.memory.div_ceil(1 << 20), memory >> 20);
            let error =
                format!("the table takes {needed} MiB of memory, and {memory} MiB may be used");
            return Err(thrown(Reason::NoMemory)(error));
        }
        Ok(Plan { plan })
    }

    /// What it takes.
    pub fn told(&self) -> String {
        text(&ToMake::from(&self.plan))
    }

    /// Makes the table. `progress` is called with the share of the work that is done.
    pub fn make(&self, progress: &Function) -> Result<Made, JsValue> {
        let tables = Tablebase::options(self.plan.rules).empty();
        let told = Told { progress, all: self.plan.positions as f64, slices: Mutex::default() };
        let made = tables.make(&self.plan, &told).map_err(|error| {
            let is_memory = matches!(error, GenerateError::Solve { error: SolveError::Memory, .. });
            thrown(if is_memory { Reason::NoMemory } else { Reason::InternalError })(error)
        })?;
        let table = made.table().map_err(thrown(Reason::InternalError))?;
        let bytes = |kind| table.bytes_in_memory(kind).unwrap_or_default().to_vec();
        Ok(Made { wdl: bytes(FileKind::Wdl), dtw: bytes(FileKind::Dtw) })
    }
}

/// The bytes of a table that was made.
#[wasm_bindgen(getter_with_clone)]
pub struct Made {
    /// Those of its WDL file.
    pub wdl: Vec<u8>,
    /// Those of its DTW file.
    pub dtw: Vec<u8>,
}

/// Tells JavaScript how far the work is.
struct Told<'a> {
    progress: &'a Function,
    all: f64,
    slices: Mutex<Slices>,
}

/// The slices of a table, as far as they are known.
#[derive(Default)]
struct Slices {
    /// How many columns and positions each has. The last one may be in work.
    begun: Vec<(usize, u64)>,
}

impl Slices {
    /// The positions of the slices that were begun before this number.
    fn before(&self, number: usize) -> f64 {
        self.begun[..number].iter().map(|slice| slice.1 as f64).sum()
    }
}

impl Told<'_> {
    fn tell(&self, done: f64) {
        // Whoever listens may fail, and the work goes on.
        let _ = self.progress.call1(&JsValue::NULL, &JsValue::from_f64(done / self.all));
    }

    fn slices(&self) -> MutexGuard<'_, Slices> {
        self.slices.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Told<'_> {
    fn slice_started(&self, _: Material, columns: usize, positions: u64) {
        self.slices().begun.push((columns, positions));
    }

    fn ply_done(&self, _: u16, settled: u64) {
        let slices = self.slices();
        let before = slices.before(slices.begun.len().saturating_sub(1));
        self.tell(SOLVING * (before + settled as f64));
    }

    fn slice_writing(&self, _: Material, columns: usize) {
        let slices = self.slices();
        let written = slices.begun.iter().position(|slice| slice.0 == columns).unwrap_or(0);
        self.tell(SOLVING * self.all + (1.0 - SOLVING) * slices.before(written));
    }
}
