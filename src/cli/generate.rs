//! `generate`: make tables.

use crate::failure::{Failure, Status, say};
use crate::folders::Folders;
use crate::output::Output;
use crate::progress::Bars;
use crate::text::{self, Align};
use crate::threads::Threads;
use crate::{json, memory};
use lasca_tablebase::generate::{Generated, Generator, Plan, Storage};
use lasca_tablebase::index::Material;
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::{Kind, Table, file_name};
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

/// Make tables
///
/// Tables that are there already, and whose bytes are intact, are left alone. A run may be stopped at any moment; started again,
/// it goes on where it stopped. The table of 3-4 is that of 4-3.
#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  lasca-tb generate 4-3 5-2 --tables my-tables
  lasca-tb generate --up-to 8 --dry-run")]
pub struct Args {
    /// Materials: white counters, a hyphen, black counters
    #[arg(value_name = "MATERIAL", required_unless_present = "up_to")]
    materials: Vec<Material>,

    /// All materials of 2 to N counters, the smallest first
    #[arg(long, value_name = "N", conflicts_with = "materials",
        value_parser = clap::value_parser!(u8).range(2..=Material::MAX_COUNTERS as i64))]
    up_to: Option<u8>,

    #[command(flatten)]
    folders: Folders,

    #[command(flatten)]
    threads: Threads,

    /// Use at most this much memory, such as 800M or 12G; else what the machine has to spare
    ///
    /// Where a material does not fit, it is solved in scratch files beside the tables, more slowly;
    /// the tables are the same. Without this option, a material that does not fit is refused. What
    /// counts is the memory that the program holds; pages of files that the system keeps for it do
    /// not.
    ///
    /// K, M, G and T are powers of 1024, as are KiB and so on; KB, MB and so on are powers of 1000.
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    memory: Option<u64>,

    /// Say what would be done and how much memory it takes, and do nothing
    #[arg(long)]
    dry_run: bool,

    /// One JSON object a material
    ///
    /// Keys: material, rules, path, positions, bytes, max_dtw, already_there, solved_positions,
    /// solving_seconds, total_seconds, solving_positions_per_second, positions_per_second,
    /// planned_memory (of this material, in bytes), peak_memory (of the run so far, without
    /// the pages of mapped files). With --dry-run: material, rules, already_there,
    /// positions, memory, memory_limit, in_memory, slices (columns, positions, memory).
    #[arg(long)]
    json: bool,
}

/// Generates the tables asked for, or prints the plan.
pub fn run(args: &Args, rules: Option<RuleSet>) -> Result<Status, Failure> {
    let rules = rules.unwrap_or_default();
    let folder = args.folders.first();
    memory::tune_allocator(args.memory);
    // Plans depend on how many threads there are.
    args.threads.start()?;
    let limit = Limit::new(args.memory);
    let todo: Vec<Todo> = args
        .materials()
        .into_iter()
        .map(|material| Todo::new(material, rules, &folder, limit))
        .collect();

    if args.dry_run {
        print_plan(&todo, rules, limit, args.json)?;
        return Ok(Status::Affirmative);
    }
    if let Some(too_large) = first_refused(&todo) {
        return Err(Failure::Wrong(format!("{too_large}; nothing was begun")));
    }

    let mut generator = Generator::new(&folder, rules);
    if let Some(bytes) = limit.bytes {
        generator = generator.memory_limit(bytes);
    }
    let positions = todo.iter().filter(|todo| !todo.there).map(|todo| todo.plan.positions()).sum();
    let bars = Bars::new(positions);
    let mut out = Output::new();
    for todo in &todo {
        let generated = generator.generate(todo.plan.material, &bars)?;
        bars.suspend(|| {
            if args.json {
                out.json(&json_of(&generated, &todo.plan, rules))?;
            } else {
                out.line(line_of(&generated))?;
            }
            out.flush()
        })?;
    }
    Ok(Status::Affirmative)
}

impl Args {
    /// The materials asked for, each once, as their tables are named.
    fn materials(&self) -> Vec<Material> {
        let mut seen = HashSet::new();
        let up_to = self.up_to.map_or(0, usize::from);
        let all = (2..=up_to).flat_map(Material::with_total);
        let named = self.materials.iter().copied().map(Material::normalized);
        named.chain(all).filter(|material| seen.insert(*material)).collect()
    }
}

/// A material to be generated.
struct Todo {
    plan: Plan,
    /// Whether a sound table is there already.
    there: bool,
    /// Why the memory does not suffice, if it does not.
    refused: Option<String>,
}

impl Todo {
    fn new(material: Material, rules: RuleSet, folder: &Path, limit: Limit) -> Todo {
        let path = folder.join(file_name(material, rules, Kind::Wdl));
        let there = Table::open_file(&path).is_ok_and(|table| {
            (table.material(), table.rules()) == (material, rules)
                && table.has_dtw()
                && table.check_whole().is_ok()
                && table.check_bytes().is_ok()
        });
        let (plan, refused) = limit.plan(material);
        Todo { plan, there, refused: refused.filter(|_| !there) }
    }
}

/// What to say of the first material that needs too much memory, if one does.
fn first_refused(todo: &[Todo]) -> Option<&str> {
    todo.iter().find_map(|todo| todo.refused.as_deref())
}

/// How much memory may be used.
#[derive(Clone, Copy)]
struct Limit {
    /// `None` if the user sets no limit and the system does not say what there is.
    bytes: Option<u64>,
    by_user: bool,
}

impl Limit {
    fn new(by_user: Option<u64>) -> Limit {
        Limit { bytes: by_user.or_else(memory::available), by_user: by_user.is_some() }
    }

    /// The plan that keeps to the limit; or the plan with as much memory as is of use, and why it is
    /// refused. Scratch files are used only if the user names a limit: they may take more room on
    /// disk, and far more time, than one who names none expects.
    fn plan(self, material: Material) -> (Plan, Option<String>) {
        let in_memory = Plan::new(material);
        let Some(bytes) = self.bytes else { return (in_memory, None) };
        let limit = text::bytes_or_less(bytes);
        match (Plan::within(material, bytes), self.by_user) {
            (Ok(plan), _) if self.by_user || plan.storage == Storage::Memory => (plan, None),
            (Err(least), true) => {
                let least = text::bytes_or_more(least);
                let refused = format!(
                    "{material} needs at least {least} of memory, and --memory allows {limit}: \
                     allow more or leave it out"
                );
                (in_memory, Some(refused))
            }
            (within, _) => {
                let needs = text::bytes_or_more(in_memory.memory());
                let advice = match within {
                    Ok(_) => "; with --memory it is solved in scratch files on disk, more slowly",
                    Err(_) => "",
                };
                let refused = format!(
                    "{material} needs {needs} of memory, and this machine has {limit} to spare{advice}"
                );
                (in_memory, Some(refused))
            }
        }
    }
}

fn print_plan(todo: &[Todo], rules: RuleSet, limit: Limit, json: bool) -> Result<(), Failure> {
    let mut out = Output::new();
    if json {
        for todo in todo {
            let slices = todo.plan.slices.iter().map(|slice| json::PlannedSlice {
                columns: slice.columns,
                positions: slice.positions,
                memory: slice.memory,
            });
            out.json(&json::Planned {
                material: todo.plan.material.to_string(),
                rules: rules.name(),
                already_there: todo.there,
                positions: todo.plan.positions(),
                memory: todo.plan.memory(),
                memory_limit: limit.bytes,
                in_memory: todo.plan.storage == Storage::Memory,
                slices: slices.collect(),
            })?;
        }
    } else {
        for line in plan_table(todo, limit) {
            out.line(line)?;
        }
    }
    out.finish()?;
    if let Some(too_large) = first_refused(todo) {
        say(&format!("{too_large}; generate would refuse"));
    }
    Ok(())
}

fn plan_table(todo: &[Todo], limit: Limit) -> Vec<String> {
    let row = |cells: [&str; 5]| cells.map(str::to_owned).to_vec();
    let mut rows = vec![row(["material", "columns", "positions", "memory", ""])];
    for todo in todo {
        let plan = &todo.plan;
        let material = plan.material.to_string();
        for slice in &plan.slices {
            rows.push(row([
                &material,
                &slice.columns.to_string(),
                &text::grouped(slice.positions),
                &text::bytes(slice.memory),
                "",
            ]));
        }
        let remark = if todo.there {
            "already there"
        } else if todo.refused.is_some() {
            "too large"
        } else if plan.storage != Storage::Memory {
            "on disk"
        } else {
            ""
        };
        let positions = text::grouped(plan.positions());
        rows.push(row([&material, "all", &positions, &text::bytes(plan.memory()), remark]));
    }
    let missing = || todo.iter().filter(|todo| !todo.there).map(|todo| &todo.plan);
    let positions = text::grouped(missing().map(Plan::positions).sum());
    let memory = text::bytes(missing().map(Plan::memory).max().unwrap_or(0));
    rows.push(row(["to do", "", &positions, &memory, ""]));
    let align = [Align::Left, Align::Right, Align::Right, Align::Right, Align::Left];
    let mut lines = text::table(0, &align, &rows);
    if let Some(bytes) = limit.bytes {
        let whence = if limit.by_user { "allowed by --memory" } else { "to spare on this machine" };
        lines.push(format!("Memory {whence}: {}", text::bytes(bytes)));
    }
    lines
}

fn json_of(generated: &Generated, plan: &Plan, rules: RuleSet) -> json::Generated {
    let rate = |time: Duration| {
        let rate = generated.solved as f64 / time.as_secs_f64();
        (generated.solved > 0 && rate.is_finite()).then_some(rate)
    };
    json::Generated {
        material: generated.material.to_string(),
        rules: rules.name(),
        path: generated.path.display().to_string(),
        positions: generated.positions,
        bytes: generated.bytes,
        max_dtw: generated.max_dtw,
        already_there: generated.was_there,
        solved_positions: generated.solved,
        solving_seconds: generated.solving.as_secs_f64(),
        total_seconds: generated.total.as_secs_f64(),
        solving_positions_per_second: rate(generated.solving),
        positions_per_second: rate(generated.total),
        planned_memory: plan.memory(),
        peak_memory: memory::peak(),
    }
}

fn line_of(generated: &Generated) -> String {
    let longest = match generated.max_dtw {
        Some(plies) => format!("up to {}", text::plies(plies)),
        None => "all drawn".to_owned(),
    };
    let done = if generated.was_there {
        "already there".to_owned()
    } else {
        let took = text::duration(generated.total);
        match generated.solved {
            0 => format!("{took} (solved by an earlier run)"),
            solved => {
                let seconds = generated.total.as_secs_f64().max(1e-6);
                format!("{took} ({})", text::rate(solved as f64 / seconds))
            }
        }
    };
    format!(
        "{}: {} positions, {longest}, {}, {done}",
        generated.material,
        text::grouped(generated.positions),
        text::bytes(generated.bytes),
    )
}
