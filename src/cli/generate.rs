//! `generate`: makes tables.

use crate::failure::{Failure, Status};
use crate::global::Global;
use crate::interrupt;
use crate::json::TableHead;
use crate::memory::{Available, BY_OPTION};
use crate::output::Output;
use crate::parsers;
use crate::progress::Bars;
use crate::terminal::{note, note_failure};
use crate::text::{self, cells};
use crate::{allocator, memory, processes, threads};
use lasca_tablebase::Reason;
use lasca_tablebase::generate::{
    GenerateError, Generated, Generator, Interval, Plan, SlicePlan, Speed, Storage, Workers,
};
use lasca_tablebase::index::{Extent, ExtentError, Material};
use lasca_tablebase::processes::Processes;
use lasca_tablebase::rules::RuleSet;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Make tables
///
/// No move makes the number of columns greater. So --columns can bound a table: it then holds the
/// positions with that number of columns or fewer. Materials of more than 12 counters have bounded
/// tables only.
///
/// Tables that are already in one of the folders are kept if their bytes are intact. New ones are
/// written to the first folder. A table with more columns also serves where fewer are asked for. A table
/// with fewer columns never replaces it. The table of 4-3 also serves 3-4.
/// Positions that differ only by a symmetry of the board are stored once, and counted once here;
/// `lasca-tb stats` counts each of them.
///
/// A run can be stopped at any time, and the same command continues it. After Ctrl-C, or when the terminal
/// is closed, it goes on to the end of a ply and saves its state there, unless --checkpoint 0 is given. This
/// takes seconds with up to ten counters, and longer with more. A second Ctrl-C ends it at once. Then, and
/// when it is killed, it loses what it did since its state was last saved. The state is in the folder .work,
/// beside the tables.
#[cfg_attr(
    feature = "mpi",
    doc = "",
    doc = "Several processes that mpirun or srun has begun share the work: docs/CLUSTER.md tells how. Then",
    doc = "--threads and --memory are those of each process, values are kept in memory alone, and without",
    doc = "--memory the free memory is not checked."
)]
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("wanted").required(true)))]
#[command(after_long_help = "\
Examples:
  lasca-tb generate 4-3 5-2 --tables my-tables
  lasca-tb generate --up-to 8 --dry-run
  lasca-tb generate --up-to 22 --columns 3

Exit status:
  0    All tables are there.
  1    A file cannot be replaced, because it holds a table of another format
       version, of more columns, or the intact one of another material or rule
       set.
  2    The usage is wrong, memory is not enough, a file cannot be written, or
       another run makes the same table.
  130  The run was stopped by Ctrl-C. SIGTERM gives 143, and a closed terminal
       129.")]
pub struct Args {
    /// Materials: white counters, a hyphen, black counters
    #[arg(value_name = "MATERIAL", group = "wanted")]
    materials: Vec<Material>,

    /// Make the tables of all materials with 2 to N counters, the smallest first
    #[arg(short, long, value_name = "N", group = "wanted",
        value_parser = parsers::number::<u8>(2..=Material::MAX_COUNTERS as u64))]
    up_to: Option<u8>,

    /// Include only positions with at most K columns [default: all positions]
    ///
    /// If all positions of a material have at most K columns, its table is a whole one.
    #[arg(short, long, value_name = "K", value_parser = parsers::number::<u8>(2..=Material::MAX_COUNTERS as u64))]
    columns: Option<u8>,

    /// The memory limit, such as 800M or 12G [default: what is free]
    ///
    /// If a material needs more, fewer threads work, or values are kept in files in the folder of tables. This
    /// is slower and gives the same tables. Without the option, a material that needs more than is free
    /// is refused. The limit covers the memory of the program itself, but not the pages of files that
    /// the system caches.
    ///
    /// K, M, G and T are powers of 1024.
    #[arg(short, long, value_name = "SIZE", value_parser = parsers::size)]
    memory: Option<u64>,

    /// Save the state of unfinished work every SECONDS seconds [default: adapted]
    ///
    /// A run that is killed loses the work since then. By default the state is saved after 5 seconds,
    /// and from then on so often that saving takes at most 3 percent of the time. It is saved at the end
    /// of the ply in which it is time. With 0, nothing is saved before the table is whole, except finished
    /// parts that have no room in memory.
    #[arg(long, value_name = "SECONDS", value_parser = parsers::seconds)]
    checkpoint: Option<Duration>,

    /// Only show what would be done, and how much memory, disk space and time it needs
    ///
    /// The program solves small materials for about a second, or a few with many threads, to see how fast this
    /// machine is now. On a busy machine the estimate is too long. For a run that was stopped, it counts only
    /// what is left. A slow disk takes longer if values are in files. A material that is too large is counted as if
    /// there were memory for it.
    ///
    /// Disk space is the peak for one material: its table, and the saved parts of unfinished work. The tables
    /// of other materials come on top. A run of a few seconds saves nothing but the table. The plan cannot
    /// foresee everything: for example, it does not notice a position that has more moves than can be counted.
    #[arg(long)]
    dry_run: bool,
}

pub fn run(args: &Args, global: &Global) -> Result<Status, Failure> {
    allocator::tune(memory::allowed(args.memory).map(|limit| limit.bytes));
    if !args.dry_run {
        return processes::together(|processes| make(args, global, processes));
    }
    threads::start()?;
    let limit = memory::allowed(args.memory);
    let folders = global.folders.paths();
    let room = Room::of(&folders[0]);
    let generator = args.generator(folders, global, limit);
    let tasks = args.tasks(&generator, global.rules(), limit, &room, Workers::of_pool(1))?;
    let positions = positions_to_make(&tasks);
    let memory = limit.map_or(u64::MAX, |limit| limit.bytes);
    let measure = || Speed::measured(global.rules(), positions, memory);
    note_fewer_threads(&tasks);
    print_plan(&tasks, global, limit, &room, (positions > 0).then(measure).flatten())?;
    Ok(Status::Affirmative)
}

/// Generates the tables.
fn make(args: &Args, global: &Global, processes: &dyn Processes) -> Result<Status, Failure> {
    let is_first = processes.number() == 0;
    let limit = match processes.count() {
        1 => memory::allowed(args.memory),
        // Nobody knows how many of them share what is free.
        _ => args.memory.map(|bytes| Available { bytes, within: BY_OPTION }),
    };
    let folders = global.folders.paths();
    let room = Room::of(&folders[0]);
    let generator = args.generator(folders, global, limit);
    let begin = || {
        interrupt::watch_for_end(processes::are_launched())?;
        // Plans depend on how many threads there are.
        threads::start()?;
        let workers = Workers::of_pool(processes.count());
        // One process looks for what is there.
        let tasks = match is_first {
            true => args.tasks(&generator, global.rules(), limit, &room, workers)?,
            false => Vec::new(),
        };
        match first_refused(&tasks) {
            Some(refused) => Err(not_begun(refused.clone())),
            None => Ok(tasks),
        }
    };
    let tasks = processes::on_all(processes, begin())?;
    if is_first && global.folders.named().is_empty() && room.folder.is_absolute() {
        note(&format!("tables are written to {}", room.folder.display()));
    }
    note_fewer_threads(&tasks);
    // What an earlier run has solved counts as done.
    let bars = Bars::of_tables(missing(&tasks).map(|task| task.plan.positions()).sum());
    for (at, material) in args.materials().into_iter().enumerate() {
        // Tables that are there do not look for signals.
        let made = match interrupt::has_come() && !processes::are_launched() {
            true => Err(GenerateError::Stopped { material }),
            false => generator.generate_together(material, processes, &bars),
        };
        if let Err(GenerateError::Stopped { .. }) = made {
            drop(bars);
            return stopped(processes);
        }
        let tell = |generated: Generated| {
            let as_json = || Made::new(&generated, &tasks[at].plan, global.rules());
            let as_text = || text::result_line(&line_of(&generated));
            Output::new().result(global.json, as_json, as_text)
        };
        // The first process alone knows what was made.
        let told = made.map_err(Failure::from).and_then(|made| made.map_or(Ok(()), tell));
        processes::on_all(processes, told)?;
    }
    Ok(Status::Affirmative)
}

/// How a run ends that stops because one of its processes got a signal.
fn stopped(processes: &dyn Processes) -> Result<Status, Failure> {
    let signals = processes::numbers_of_all(processes, interrupt::signal().into())?;
    if processes.number() == 0 {
        interrupt::say_how_to_go_on();
    }
    let signal = signals.into_iter().find(|&signal| signal != 0).unwrap_or(0);
    Ok(Status::Stopped(signal as u8))
}

impl Args {
    /// The materials whose tables are to be made, each once.
    fn materials(&self) -> Vec<Material> {
        let up_to = self.up_to.map_or(0, usize::from);
        let all = (2..=up_to).flat_map(Material::with_total);
        let named = self.materials.iter().copied().map(Material::normalized);
        parsers::each_once(named.chain(all))
    }

    /// What is to be done for each of the materials.
    fn tasks(
        &self,
        generator: &Generator,
        rules: RuleSet,
        limit: Option<Available>,
        room: &Room,
        workers: Workers,
    ) -> Result<Vec<Task>, Failure> {
        let columns = self.columns.map(usize::from);
        let extents = self.materials().into_iter().map(|material| Extent::new(material, columns));
        let extents: Result<Vec<Extent>, ExtentError> = extents.collect();
        let task = |extent: Extent| {
            let there = generator.existing(extent.material())?;
            let (plan, refused) = self.plan(extent, workers, limit);
            let refused = refused.or_else(|| room.refusal(&plan, rules));
            let saved = generator.saved_positions(extent.material())?;
            Ok(Task { plan, refused: refused.filter(|_| there.is_none()), there, saved })
        };
        let tasks = extents
            .map_err(GenerateError::Extent)
            .and_then(|extents| extents.into_iter().map(task).collect());
        tasks.map_err(|error| not_begun(error.into()))
    }

    /// The plan within the limit. If there is none, returns the plan that needs the most memory, and why it is
    /// refused. Values are kept in files only if the user sets a limit, because they may need more disk space
    /// and far more time than the user expects.
    fn plan(
        &self,
        extent: Extent,
        workers: Workers,
        limit: Option<Available>,
    ) -> (Plan, Option<Failure>) {
        let in_memory = Plan::new(extent, workers);
        let Some(limit) = limit else { return (in_memory, None) };
        let by_user = self.memory.is_some();
        let refused = |needs: &str| limit.refusal(extent, needs);
        let by_one = Plan::new(extent, Workers { threads: 1, ..workers });
        let needs = text::bytes_or_more(by_one.memory());
        let refused = match Plan::within(extent, workers, limit.bytes) {
            Ok(plan) if by_user || plan.storage == Storage::Memory => return (plan, None),
            Ok(_) => refused(&needs)
                .with_hint("with --memory, values are kept in files, which is slower"),
            Err(least) if by_user => refused(&format!("at least {}", text::bytes_or_more(least))),
            Err(_) => refused(&needs),
        };
        (in_memory, Some(refused))
    }

    /// What makes the tables in the first of these folders.
    fn generator(
        &self,
        mut folders: Vec<PathBuf>,
        global: &Global,
        limit: Option<Available>,
    ) -> Generator {
        let folder = folders.remove(0);
        let mut generator = Generator::new(folder, global.rules()).other_folders(folders);
        if let Some(limit) = limit {
            generator = generator.memory_limit(limit.bytes);
        }
        if let Some(columns) = self.columns {
            generator = generator.max_columns(columns.into());
        }
        generator.checkpoints(match self.checkpoint {
            None => Interval::Adapted,
            Some(Duration::ZERO) => Interval::Never,
            Some(time) => Interval::Every(time),
        })
    }
}

/// The room for tables, and for what they take while they are made.
struct Room {
    folder: PathBuf,
    /// How much is free on its disk, in bytes; `None` if the system does not tell.
    free: Option<u64>,
}

impl Room {
    /// That in a folder, which may not be there yet.
    fn of(folder: &Path) -> Room {
        let here =
            |part: &'_ Path| if part.as_os_str().is_empty() { ".".into() } else { part.to_owned() };
        let there = folder.ancestors().map(here).find(|part: &PathBuf| part.exists());
        let free = there.and_then(|part| fs4::available_space(part).ok());
        Room { folder: folder.to_owned(), free }
    }

    /// Why a plan is refused that needs more than is free. Unfinished work that is saved in the folder may be a part of
    /// that. A plan with all values in memory saves less on disk than it may, but its table must fit, as far as its size
    /// can be foretold.
    fn refusal(&self, plan: &Plan, rules: RuleSet) -> Option<Failure> {
        let free = self.free?;
        let needs = match plan.storage {
            Storage::Memory => plan.table_bytes(rules) / 3 * 2,
            _ => plan.disk(),
        };
        let missing = needs.checked_sub(free).filter(|&missing| missing > 0)?;
        if missing <= bytes_below(&self.folder.join(".work")) {
            return None;
        }
        let (needs, free) = (text::bytes_or_more(needs), text::bytes(free));
        let folder = self.folder.display().to_string();
        let why = format!(
            "{} needs at least {needs} of disk, but only {free} is free in {}",
            plan.extent,
            text::printable(&folder)
        );
        let hint = "--tables names a folder on another disk";
        Some(Failure::wrong(Reason::Unreadable, why).with_hint(hint))
    }
}

/// How many bytes the files in a folder have, those in its folders too. What cannot be read counts as none.
fn bytes_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = |entry: fs::DirEntry| match entry.metadata() {
        Ok(is) if is.is_dir() => bytes_below(&entry.path()),
        Ok(is) => is.len(),
        Err(_) => 0,
    };
    entries.map(bytes).sum()
}

/// A material to be generated.
struct Task {
    plan: Plan,
    /// Where an intact table is already.
    there: Option<PathBuf>,
    /// Why the memory or the disk is not enough; `None` if both are.
    refused: Option<Failure>,
    /// How many positions an earlier run has solved.
    saved: u64,
}

impl Task {
    /// How many positions are still to be solved.
    fn positions(&self) -> u64 {
        let all = if self.there.is_some() { 0 } else { self.plan.positions() };
        all.saturating_sub(self.saved)
    }
}

/// What is not there yet.
fn missing(tasks: &[Task]) -> impl Iterator<Item = &Task> {
    tasks.iter().filter(|task| task.there.is_none())
}

fn positions_to_make(tasks: &[Task]) -> u64 {
    tasks.iter().map(Task::positions).sum()
}

/// Says for which material the fewest threads work, if there is not enough memory for all.
fn note_fewer_threads(tasks: &[Task]) {
    let plans = missing(tasks).map(|task| &task.plan);
    let Some(plan) = plans.min_by_key(|plan| plan.workers.threads) else { return };
    let (fewer, all) = (plan.workers.threads, threads::count());
    if fewer < all {
        note(&format!("{}: there is memory for {fewer} of {all} threads", plan.extent));
    }
}

/// Why the first material that needs too much memory or disk is refused; `None` if none is.
fn first_refused(tasks: &[Task]) -> Option<&Failure> {
    tasks.iter().find_map(|task| task.refused.as_ref())
}

/// The same for a run that has not begun.
fn not_begun(failure: Failure) -> Failure {
    failure.reworded(|why| format!("no work was started: {why}"))
}

/// The plan for a table: `generate --dry-run --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Planned<'a> {
    #[serde(flatten)]
    head: TableHead,
    /// Whether the table is already there, so that there is nothing to do.
    already_there: bool,
    /// How many positions are stored. Positions that differ only by a symmetry count once.
    positions: u64,
    /// How many of them an earlier run has solved and saved.
    saved_positions: u64,
    /// How much memory is needed, in bytes.
    memory: u64,
    /// How much room is needed on disk at the busiest time, in bytes.
    disk: u64,
    /// About how many bytes the finished table takes, by what others take.
    table_bytes: u64,
    /// About how long the rest takes, at the speed that this machine has now; `null` if the table is already
    /// there, or the memory is not enough to find out.
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    seconds: Option<f64>,
    /// How much memory may be used, in bytes; `null` if the system does not tell.
    memory_limit: Option<u64>,
    /// How much is free on the disk of the folder for tables, in bytes; `null` if the system does not tell.
    disk_free: Option<u64>,
    /// Whether all values are kept in memory until the table is written, and not in files on disk.
    in_memory: bool,
    /// The slices in the order in which they are solved.
    slices: &'a [SlicePlan],
}

fn print_plan(
    tasks: &[Task],
    global: &Global,
    limit: Option<Available>,
    room: &Room,
    speed: Option<Speed>,
) -> Result<(), Failure> {
    let mut out = Output::new();
    let time_of = |task: &Task| {
        let speed = speed.filter(|_| task.there.is_none())?;
        let share = task.positions() as f64 / task.plan.positions() as f64;
        let all = task.plan.time(speed);
        Some(Duration::try_from_secs_f64(all.as_secs_f64() * share).unwrap_or(all))
    };
    if global.json {
        for task in tasks {
            let plan = &task.plan;
            out.json(&Planned {
                head: TableHead::new(plan.extent, global.rules()),
                already_there: task.there.is_some(),
                positions: plan.positions(),
                saved_positions: task.saved,
                memory: plan.memory(),
                disk: plan.disk(),
                table_bytes: plan.table_bytes(global.rules()),
                seconds: time_of(task).map(|time| time.as_secs_f64()),
                memory_limit: limit.map(|limit| limit.bytes),
                disk_free: room.free,
                in_memory: plan.storage == Storage::Memory,
                slices: &plan.slices,
            })?;
        }
    } else {
        out.lines(plan_table(tasks, global.rules(), limit, room, time_of))?;
    }
    if let Some(refused) = first_refused(tasks) {
        let refused =
            refused.clone().reworded(|why| format!("without --dry-run, this is refused: {why}"));
        note_failure(&refused);
    }
    Ok(())
}

/// `time_of` tells how long a task takes, if that is known and there is something to do.
fn plan_table(
    tasks: &[Task],
    rules: RuleSet,
    limit: Option<Available>,
    room: &Room,
    time_of: impl Fn(&Task) -> Option<Duration>,
) -> Vec<String> {
    let mut lines = Vec::new();
    if let [Task { plan, .. }] = tasks {
        let mut rows = vec![cells(["columns", "stored", "memory"])];
        for SlicePlan { columns, positions, memory, .. } in &plan.slices {
            rows.push(vec![columns.to_string(), text::grouped(*positions), text::bytes(*memory)]);
        }
        lines.extend(text::table(0, "rrr", &rows));
        lines.push(String::new());
    }
    let heads = ["material", "columns", "stored", "memory", "disk", "table", "time", ""];
    let mut rows = vec![cells(heads)];
    for task in tasks {
        let plan = &task.plan;
        let remark = match &task.there {
            Some(_) => "is there",
            None if task.refused.is_some() => "too large",
            None if task.saved > 0 => {
                &format!("{} done", text::share(task.saved, plan.positions()))
            }
            None if plan.storage != Storage::Memory => "in files",
            None => "",
        };
        rows.push(vec![
            plan.extent.material().to_string(),
            text::bound(plan.extent.max_columns()),
            text::grouped(plan.positions()),
            text::bytes(plan.memory()),
            text::bytes(plan.disk()),
            text::bytes(plan.table_bytes(rules)),
            time_of(task).map(text::duration).unwrap_or_default(),
            remark.to_owned(),
        ]);
    }
    let to_make = || missing(tasks).map(|task| &task.plan);
    let most = |bytes_of: fn(&Plan) -> u64| text::bytes(to_make().map(bytes_of).max().unwrap_or(0));
    let time = tasks.iter().filter_map(time_of).reduce(Duration::saturating_add);
    rows.push(vec![
        "to do".to_owned(),
        String::new(),
        text::grouped(positions_to_make(tasks)),
        most(Plan::memory),
        most(Plan::disk),
        text::bytes(to_make().map(|plan| plan.table_bytes(rules)).sum()),
        time.map(text::duration).unwrap_or_default(),
        String::new(),
    ]);
    let is_bounded = |task: &Task| task.plan.extent.max_columns().is_some();
    let mut align = "lrrrrrrl";
    if !tasks.iter().any(is_bounded) {
        rows.iter_mut().for_each(|row| drop(row.remove(1)));
        align = "lrrrrrl";
    }
    lines.extend(text::table(0, align, &rows));
    if let Some(Available { bytes, within }) = limit {
        lines.push(format!("Memory {within}: {}", text::bytes(bytes)));
    }
    if let Some(free) = room.free {
        let folder = room.folder.display().to_string();
        lines.push(format!("Disk free in {}: {}", text::printable(&folder), text::bytes(free)));
    }
    lines
}

/// A table that has been made or was already there: `generate --json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Generated"))]
pub struct Made {
    #[serde(flatten)]
    head: TableHead,
    /// The path of the table's `.ltbw` file.
    path: String,
    /// How many positions are stored. Positions that differ only by a symmetry count once.
    positions: u64,
    /// The length of its `.ltbw` and `.ltbd` files together, in bytes.
    bytes: u64,
    /// The greatest distance in plies; `null` if all is drawn.
    max_dtw: Option<u16>,
    /// Whether the table was already there, so that there was nothing to do.
    already_there: bool,
    /// How many positions this run solved. An earlier run may have solved the others.
    solved_positions: u64,
    /// How long it took to solve them, in seconds.
    solving_seconds: f64,
    /// How long all the work on this material took, writing included, in seconds.
    total_seconds: f64,
    /// How much memory each process needs for this material according to the plan, in bytes.
    planned_memory: u64,
    /// The most memory that the first process has used so far, for all materials together, in bytes, without the pages of
    /// mapped files; `null` if the system does not tell.
    peak_memory: Option<u64>,
}

impl Made {
    fn new(generated: &Generated, plan: &Plan, rules: RuleSet) -> Made {
        Made {
            head: TableHead::new(generated.extent, rules),
            path: generated.path.display().to_string(),
            positions: generated.positions,
            bytes: generated.bytes,
            max_dtw: generated.max_dtw,
            already_there: generated.was_there,
            solved_positions: generated.solved,
            solving_seconds: generated.solving.as_secs_f64(),
            total_seconds: generated.total.as_secs_f64(),
            planned_memory: plan.memory(),
            peak_memory: memory::peak(),
        }
    }
}

fn line_of(generated: &Generated) -> String {
    let longest = match generated.max_dtw {
        Some(plies) => format!("up to {}", text::plies(plies)),
        None => "all drawn".to_owned(),
    };
    let done = if generated.was_there {
        "already\u{a0}there".to_owned()
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
        generated.extent,
        text::grouped(generated.positions),
        text::bytes(generated.bytes),
    )
}
