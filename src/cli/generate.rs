//! `generate`: make tables.

use crate::failure::{Failure, Status, say};
use crate::folders::Folders;
use crate::output::Output;
use crate::progress::Bars;
use crate::text::{self, Align};
use crate::threads::Threads;
use crate::{json, memory};
use lasca_tablebase::generate::{Generated, Generator, Plan};
use lasca_tablebase::index::Material;
use lasca_tablebase::rules::RuleSet;
use lasca_tablebase::table::{Table, file_name};
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
    /// K, M, G and T are powers of 1024, as are KiB and so on; KB, MB and so on are powers of 1000.
    #[arg(long, value_name = "SIZE", value_parser = memory::parse_size)]
    memory: Option<u64>,

    /// Say what would be done and how much memory it takes, and do nothing
    #[arg(long)]
    dry_run: bool,

    /// One JSON object a material
    ///
    /// Keys: material, rules, path, positions, bytes, max_dtw, already_there, solved_positions,
    /// solving_seconds, total_seconds, solving_positions_per_second, positions_per_second. With
    /// --dry-run: material, rules, already_there, positions, memory, memory_limit, slices (columns,
    /// positions, memory).
    #[arg(long)]
    json: bool,
}

/// Generates the tables asked for, or prints the plan.
pub fn run(args: &Args, rules: Option<RuleSet>) -> Result<Status, Failure> {
    let rules = rules.unwrap_or_default();
    let folder = args.folders.first();
    args.threads.start()?;
    let todo: Vec<Todo> =
        args.materials().into_iter().map(|material| Todo::new(material, rules, &folder)).collect();
    let limit = Limit::new(args.memory);

    if args.dry_run {
        print_plan(&todo, rules, limit, args.json)?;
        return Ok(Status::Affirmative);
    }
    if let Some(too_large) = limit.exceeded_by(&todo) {
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
                out.json(&json_of(&generated, rules))?;
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
}

impl Todo {
    fn new(material: Material, rules: RuleSet, folder: &Path) -> Todo {
        let there = Table::open_file(&folder.join(file_name(material, rules))).is_ok_and(|table| {
            (table.material(), table.rules()) == (material, rules)
                && table.check_whole().is_ok()
                && table.check_bytes().is_ok()
        });
        Todo { plan: Plan::new(material), there }
    }
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

    /// Whether this much is too much.
    fn is_below(self, bytes: u64) -> bool {
        self.bytes.is_some_and(|limit| limit < bytes)
    }

    /// What to say of the first material that needs more, if one does.
    fn exceeded_by(self, todo: &[Todo]) -> Option<String> {
        let limit = self.bytes?;
        let plan = &todo.iter().find(|todo| !todo.there && self.is_below(todo.plan.memory()))?.plan;
        let needs =
            format!("{} needs {} of memory", plan.material, text::bytes_or_more(plan.memory()));
        let limit = text::bytes_or_less(limit);
        Some(match self.by_user {
            true => format!("{needs}, and --memory allows {limit}: allow more or leave it out"),
            false => format!("{needs}, and this machine has {limit} to spare"),
        })
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
                slices: slices.collect(),
            })?;
        }
    } else {
        for line in plan_table(todo, limit) {
            out.line(line)?;
        }
    }
    out.finish()?;
    if let Some(too_large) = limit.exceeded_by(todo) {
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
        } else if limit.is_below(plan.memory()) {
            "too large"
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

fn json_of(generated: &Generated, rules: RuleSet) -> json::Generated {
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
