//! The arguments of the command line.

use crate::failure::Status;
use crate::global::{Global, without_effect};
use crate::hints::{self, CommandLine, Given};
#[cfg(feature = "server")]
use crate::serve;
use crate::terminal::{be_quiet, use_colors};
use crate::text::printable;
use crate::{
    certify, completions, explain, find, folders, generate, list, man, moves, perft, probe, report,
    solve, stats, study, verify, version,
};
use clap::builder::{StyledStr, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{
    Arg, ArgMatches, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum,
};
use lasca_tablebase::index::Material;
use lasca_tablebase::rules::Position;
use std::ffi::OsStr;
use std::io::Write;
use std::ops::RangeInclusive;

/// Endgame tablebases for Lasca: generate, probe and verify officer-only endings
///
/// A table covers one material, such as 4-3: four white counters and three black ones, prisoners
/// included, all of them officers. For every position of this material it says who wins, and in how
/// many plies. A ply is one move by one side.
#[derive(Debug, Parser)]
#[command(
    name = "lasca-tb",
    version,
    long_version = version::long(),
    max_term_width = 80,
    subcommand_help_heading = "Commands",
    arg_required_else_help = true,
    after_long_help = "\
Positions:
  a1WWW b2BBB w
    List form: each column as its square and its counters from the top down,
    and then the side to move (w or b).
  ,,,/,,/,,,/,,/,,,/BBB,,/WWW,,, w
    Row form: the squares of each rank, from rank 7 down to rank 1, and then the
    side to move.

In a column, W and B are officers; w and b are soldiers. The word start is the
starting position. The letter of a square and the side to move may be in upper
or lower case.

Results go to standard output. Everything else goes to standard error.

Exit status:
  0  The command is done, and the answer is yes.
  1  The command is done, and the answer is no: a check failed, a claim is
     refuted, a result is open, a table is missing or damaged, or the folder of
     tables is missing. Or Ctrl-C stopped perft.
  2  The command is not done: the usage or the input is wrong, a file or folder
     cannot be read or written, the disk is full, or memory is not enough.
  129, 130, 138, 140, 143
     A closed terminal (129), Ctrl-C (130), SIGUSR1 (138), SIGUSR2 (140) or
     SIGTERM (143) stopped generate. The same command continues it.

Examples:
  lasca-tb generate --up-to 6
  lasca-tb probe \"a1WWW b2BBB w\""
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,

    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Generate(generate::Args),
    Probe(probe::Args),
    #[command(visible_alias = "line")]
    Explain(explain::Args),
    Solve(solve::Args),
    Study(study::Args),
    Certify(certify::Args),
    Verify(verify::Args),
    Stats(stats::Args),
    Find(find::Args),
    Report(report::Args),
    List(list::Args),
    #[cfg(feature = "server")]
    Serve(serve::Args),
    Moves(moves::Args),
    Perft(perft::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// The name of the program, whatever its file is called.
pub const PROGRAM: &str = "lasca-tb";

/// What the command line can say.
pub fn command() -> clap::Command {
    // A number below 0 is a wrong value, and no unknown option.
    let value = |arg: Arg| match arg.get_action().takes_values() {
        true => arg.allow_negative_numbers(true),
        false => arg,
    };
    // Of an option that is given twice, the last counts, so that an alias can be overruled.
    let program = Cli::command().bin_name(PROGRAM).args_override_self(true).mut_args(value);
    let global: Vec<Arg> = program.get_arguments().cloned().collect();
    program.mut_subcommands(|command| {
        let without_effect = without_effect(command.get_name());
        let is_without = |arg: &&Arg| without_effect.contains(&arg.get_id().as_str());
        let hidden = global.iter().filter(is_without).map(|arg| arg.clone().hide(true));
        command.mut_args(value).args(hidden)
    })
}

/// Reads the command line, and remembers what messages and output depend on.
pub fn parse() -> Result<Cli, clap::Error> {
    // If an argument is wrong, the message is in the colours that the others ask for.
    use_colors(wanted_colors());
    let matches = command().try_get_matches().map_err(shown)?;
    refuse_json(&matches)?;
    let cli = Cli::from_arg_matches(&matches)?;
    use_colors(cli.global.color);
    if cli.global.quiet {
        be_quiet();
    }
    let as_text = |folder: &OsStr| folder.to_string_lossy().into_owned();
    let mut given = Given { rules: cli.global.rules, ..Given::default() };
    if let Ok(Some(folders)) = matches.try_get_raw("tables") {
        given.folders = folders.map(as_text).collect();
    } else {
        given.folders = folders::by_variable().iter().map(|folder| as_text(folder)).collect();
        given.by_variable = !given.folders.is_empty();
    }
    hints::remember(given);
    Ok(cli)
}

/// The same error about the arguments as they may be shown.
fn shown(error: clap::Error) -> clap::Error {
    let words = std::env::args_os().map(|word| printable(&word.to_string_lossy()));
    command().try_get_matches_from(words).err().unwrap_or(error)
}

/// # Errors
/// If JSON is asked for from a command that has none.
fn refuse_json(matches: &ArgMatches) -> Result<(), clap::Error> {
    match matches.subcommand_name() {
        Some(name) if matches.get_flag("json") && without_effect(name).contains(&"json") => {
            let why = format!("{name} prints no JSON, so --json is of no use with it");
            Err(command().error(ErrorKind::ArgumentConflict, why))
        }
        _ => Ok(()),
    }
}

/// What the option `--color` says, if the other arguments are not to be relied on.
fn wanted_colors() -> ColorChoice {
    let mut words = std::env::args_os().skip(1).filter_map(|word| word.into_string().ok());
    let mut choice = ColorChoice::Auto;
    while let Some(word) = words.next() {
        let value = match word.strip_prefix("--color") {
            Some("") => words.next(),
            Some(value) => value.strip_prefix('=').map(str::to_owned),
            None => None,
        };
        if let Some(wanted) = value.and_then(|value| ColorChoice::from_str(&value, true).ok()) {
            choice = wanted;
        }
    }
    choice
}

/// The parser of an option that is a whole number in this range.
pub fn number<T: TryFrom<u64> + Clone + Send + Sync + 'static>(
    range: RangeInclusive<u64>,
) -> impl TypedValueParser<Value = T> {
    move |text: &str| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            let found = match text.parse::<i128>() {
                Ok(_) => text.to_owned(),
                Err(_) => format!("{text:?}"),
            };
            format!("expected a whole number from {least} to {most}, found {found}")
        })
    }
}

/// What a command needs, for those who leave it out: all ways to say it.
fn wanted(command: &str) -> Option<&'static str> {
    match command {
        "generate" => Some("expected materials such as 4-3, or --up-to 6"),
        "probe" | "explain" | "solve" | "moves" => Some(
            "expected a position such as \"a1WWW b2BBB w\" or start, or --stdin for one position per line",
        ),
        "study" => Some("expected files with annotated endings, or - for standard input"),
        "certify" => {
            Some("expected a position such as \"a1WW e3BB w\", and the file to write after --out")
        }
        "stats" => Some("expected a material such as 4-3"),
        "find" => Some("expected materials such as 4-3"),
        "report" => Some("expected the file to write after --out"),
        "completions" => Some("expected a shell: bash, elvish, fish, powershell or zsh"),
        "man" => Some("expected the folder to write to after --out"),
        "perft" => Some(
            "expected a position such as start or \"a1WWW b2BBB w\", and then the number of plies",
        ),
        _ => None,
    }
}

/// The command that the arguments name, if all before it is right.
fn named_command() -> Option<String> {
    let matches = command().ignore_errors(true).try_get_matches().ok()?;
    matches.subcommand_name().map(str::to_owned)
}

/// What was probably meant: what is similar, or what a word that is no command or no material is.
fn meant(error: &clap::Error) -> Option<String> {
    in_other_words(error).or_else(|| {
        let kinds = [
            (ContextKind::InvalidArg, ContextKind::SuggestedArg),
            (ContextKind::InvalidArg, ContextKind::Suggested),
            (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand),
            (ContextKind::InvalidValue, ContextKind::SuggestedValue),
        ];
        kinds.into_iter().find_map(|(wrong, suggested)| {
            let Some(ContextValue::String(wrong)) = error.get(wrong) else { return None };
            let names = match error.get(suggested)? {
                ContextValue::String(name) => vec![name.clone()],
                ContextValue::Strings(names) => names.clone(),
                ContextValue::StyledStrs(tips) => tips.iter().filter_map(elsewhere).collect(),
                _ => Vec::new(),
            };
            similar(wrong, names)
        })
    })
}

/// The command and its option in clap's tip that a command has this option.
fn elsewhere(tip: &StyledStr) -> Option<String> {
    let tip = tip.to_string();
    let option = tip.strip_prefix('\'')?.strip_suffix("' exists")?;
    Some(format!("{PROGRAM} {option}"))
}

/// Of the names that clap takes to be similar, the one or two that really are: what was left
/// unfinished, or what is at most two slips away.
fn similar(wrong: &str, names: Vec<String>) -> Option<String> {
    let distance = |name: &String| {
        let word = name.split(' ').next_back()?;
        let slips = strsim::damerau_levenshtein(wrong, word);
        (slips <= 2 || word.starts_with(wrong)).then_some(slips)
    };
    let mut names: Vec<(usize, String)> =
        names.into_iter().filter_map(|name| Some((distance(&name)?, name))).collect();
    names.sort();
    names.truncate(2);
    let program = Cli::command();
    let names = names.into_iter().map(|(_, name)| match program.find_subcommand(&name) {
        // It may be another name of a command.
        Some(command) => command.get_name().to_owned(),
        None => name,
    });
    let mut names: Vec<String> = names.collect();
    names.dedup();
    (!names.is_empty()).then(|| names.join(" or "))
}

/// What was probably meant by a word that is no command, or by a value that is no material.
fn in_other_words(error: &clap::Error) -> Option<String> {
    let given = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let words: Vec<String> =
        std::env::args_os().skip(1).filter_map(|word| word.into_string().ok()).collect();
    // The words from this one on, up to an option.
    let from = |word: &str| {
        let rest = words.iter().skip_while(|other| *other != word);
        rest.take_while(|word| !word.starts_with('-')).cloned().collect::<Vec<String>>()
    };
    let material = |words: &[String]| {
        let of_position = words.join(" ").parse().ok().map(|position| Material::of(&position));
        let of_numbers = || words.get(..2).map(|numbers| numbers.join("-").parse());
        let material: Material = of_position.or_else(of_numbers)?.ok()?;
        Some(material.to_string())
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = given(ContextKind::InvalidSubcommand)?;
            let position = from(word).join(" ");
            if position.parse::<Position>().is_ok() {
                return Some(CommandLine::new("probe").word(position).to_string());
            }
            let command = Cli::command();
            let mut names = command.get_subcommands().map(clap::Command::get_name);
            let is_material = |text: &str| text.parse::<Material>().is_ok();
            let stuck = names.find_map(|name| {
                let material = word.strip_prefix(name).filter(|rest| is_material(rest))?;
                Some((name, material))
            });
            let (name, material) =
                stuck.or_else(|| is_material(word).then_some(("stats", word)))?;
            Some(CommandLine::new(name).word(material).to_string())
        }
        ErrorKind::ValueValidation
            if given(ContextKind::InvalidArg).is_some_and(|name| name.contains("MATERIAL")) =>
        {
            material(&from(given(ContextKind::InvalidValue)?))
        }
        // One material is wanted, and this word is the second.
        ErrorKind::UnknownArgument if named_command().as_deref() == Some("stats") => {
            let wrong = given(ContextKind::InvalidArg)?;
            let before = words.windows(2).find(|pair| pair[1] == wrong)?;
            material(&from(&before[0]))
        }
        _ => None,
    }
}

/// What is wrong with the arguments, as lines of text with colours.
fn message(error: &clap::Error) -> String {
    let text = error.render().ansi().to_string();
    let command = named_command();
    let help = match &command {
        Some(command) => format!("lasca-tb help {command} shows all options\n"),
        None => "lasca-tb help shows all commands\n".to_owned(),
    };
    if error.kind() == ErrorKind::MissingRequiredArgument {
        let missing = match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::Strings(missing)) => missing.as_slice(),
            _ => &[],
        };
        // It is only needed beside another option.
        let wanted = match missing {
            [option] if option.starts_with("--only-moves") => {
                Some("expected --only-moves N beside --defence")
            }
            _ => command.as_deref().and_then(wanted),
        };
        if let Some(wanted) = wanted {
            return format!("{wanted}; {help}");
        }
    }
    // Nobody means an option as a value, which is what one of clap's tips is about. The others, and the
    // help, are told in our own words.
    let is_left_out = |line: &&str| {
        let line = anstream::adapter::strip_str(line).to_string();
        let tip = line.trim_start().strip_prefix("tip: ");
        tip.is_some_and(|tip| {
            tip.starts_with("to pass '-") || tip.contains(" similar ") || tip.ends_with("' exists")
        }) || line.starts_with("For more information")
    };
    // The word may have a colour, which ends after it.
    let text = text.split_once("error:").map_or(text.as_str(), |(_, text)| text);
    let text = text.strip_prefix(RESET).unwrap_or(text).trim_start();
    let mut lines: Vec<&str> = text.lines().filter(|line| !is_left_out(line)).collect();
    let meant = meant(error).map(|meant| format!("  did you mean {meant}?"));
    if let Some(meant) = &meant {
        lines.splice(1..1, ["", meant, ""]);
    }
    lines.dedup_by(|line, before| line.is_empty() && before.is_empty());
    format!("{}\n\n{help}", lines.join("\n").trim_end())
}

/// What ends a colour.
const RESET: &str = "\u{1b}[0m";

/// Prints the help, or an error about the arguments, if this process is the one that tells it.
pub fn report(error: &clap::Error, tells: bool) -> Status {
    let text = error.render();
    let text = text.ansi();
    if !tells {
        return if error.use_stderr() { Status::Wrong } else { Status::Affirmative };
    }
    if error.use_stderr() {
        let _ = match error.kind() {
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                write!(anstream::stderr(), "{text}")
            }
            _ => write!(anstream::stderr(), "lasca-tb: {}", message(error)),
        };
        return Status::Wrong;
    }
    match write!(anstream::stdout(), "{text}") {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let _ = writeln!(std::io::stderr(), "lasca-tb: cannot write standard output: {error}");
            Status::Wrong
        }
        _ => Status::Affirmative,
    }
}
