//! What makes tables in the npm package, or reads whole ones: a WebAssembly of its own, which is fetched for that. Its
//! answers and what it throws are texts of JSON. `package/maker.js` runs it in a worker, which ends when the work is
//! done: only so is its memory free again.

use js_sys::Function;
use lasca_analysis::answer::json::{Answer, Failed, ToMake};
use lasca_analysis::statistics::{Analysis, AnalysisOptions};
use lasca_tablebase::generate::{MakeLimits, MakePlan, MakeProgress};
use lasca_tablebase::index::{Extent, Material};
use lasca_tablebase::probe::Tablebase;
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::FileKind;
use lasca_tablebase::{Reason, Silent};
use serde::Serialize;
use std::fmt::Display;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

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
    rules: RuleSet,
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
        let limits = MakeLimits { memory: memory.into(), ..MakeLimits::default() };
        let plan = MakePlan::new(extent, rules, &limits);
        if plan.memory > limits.memory {
            let (needed, memory) = (plan.memory.div_ceil(1 << 20), memory >> 20);
            let error =
                format!("the table takes {needed} MiB of memory, and {memory} MiB may be used");
            return Err(thrown(Reason::NoMemory)(error));
        }
        Ok(Plan { rules, plan })
    }

    /// What it takes.
    pub fn told(&self) -> String {
        text(&ToMake::from(&self.plan))
    }

    /// Makes the table. `progress` is called with the share of the work that is done.
    pub fn make(&self, progress: &Function) -> Result<Made, JsValue> {
        let tables = Tablebase::options(self.rules).empty();
        // Whoever listens may fail, and the work goes on.
        let tell = |done: f64| drop(progress.call1(&JsValue::NULL, &JsValue::from_f64(done)));
        let told = MakeProgress::new(&tell, &|| false);
        let made = tables.make(&self.plan, &told).map_err(|error| {
            let reason =
                if error.is_of_memory() { Reason::NoMemory } else { Reason::InternalError };
            thrown(reason)(error)
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

/// The longest wins of a material, at most so many, by the bytes of the files of its table.
#[wasm_bindgen(js_name = longestWins)]
pub fn longest_wins(
    rules: &str,
    material: &str,
    wdl: Vec<u8>,
    dtw: Vec<u8>,
    most: usize,
) -> Result<String, JsValue> {
    let rules: RuleSet = rules.parse().map_err(thrown(Reason::BadArgument))?;
    let material: Material = material.parse().map_err(thrown(Reason::BadArgument))?;
    let mut tables = Tablebase::options(rules).empty();
    tables.add_table(wdl, Some(dtw.into())).map_err(thrown(Reason::Damaged))?;
    let options = AnalysisOptions { longest: most, ..AnalysisOptions::default() };
    let analysis = Analysis::in_tables(&tables, material, options, &Silent)
        .map_err(|error| thrown(error.reason())(error))?;
    let longest = analysis.longest.iter().map(|win| Answer::brief(&win.position, win.value));
    Ok(text(&longest.collect::<Vec<_>>()))
}
