//! Endings to practise in the form in which programs get them.

use super::{Picked, Practice};
use lasca_tablebase::index::Material;
use lasca_tablebase::{Value, Wdl};
use serde::Serialize;

/// Endings to practise: `/endings`.
///
/// ```
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use lasca_tablebase::Silent;
/// use lasca_analysis::find::{Practice, json};
/// use lasca_tablebase::probe::Tablebase;
/// use lasca_tablebase::rules::RuleSet;
/// let tables = Tablebase::open("tables", RuleSet::Lasca)?;
/// let (practice, material) = (Practice { limit: 1, ..Practice::default() }, "2-1".parse()?);
/// let picked = practice.pick(&tables, material, 7, &Silent)?;
/// let endings = json::Endings::new(&practice, material, 7, &picked);
/// let line = serde_json::to_string(&endings)?;
/// assert!(line.starts_with(r#"{"material":"2-1","value":"win","seed":7,"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Endings {
    /// White's counters and Black's counters, such as `3-2`.
    material: Material,
    /// What White is to reach: `win` or `draw`.
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("enum" = ["win", "draw"])))]
    value: Wdl,
    /// The seed of the request.
    seed: u64,
    /// How many positions of the table were looked at.
    looked_at: u64,
    /// Whether these are all positions of the table with White to move. If it is so and there are no endings, the table has
    /// none.
    whole_table: bool,
    /// Positions with White to move, at most four from a server. Empty if there was none among those looked at.
    endings: Vec<Ending>,
}

/// A position to practise.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Ending {
    /// The position in list form.
    position: String,
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schemars(flatten))]
    value: Value,
    /// At how many of the next turns White has one right move among several legal ones, as long as there are only moves; at
    /// most 20 turns are looked at.
    choices: usize,
}

impl Endings {
    /// What `practice` has picked from the table of a material with this seed.
    pub fn new(practice: &Practice, material: Material, seed: u64, picked: &Picked) -> Endings {
        let Picked { ref endings, looked_at, whole_table } = *picked;
        let ending = |ending: &super::Find| Ending {
            position: ending.position.to_string(),
            value: ending.value,
            choices: ending.choices,
        };
        let endings = endings.iter().map(ending).collect();
        Endings { material, value: practice.result, seed, looked_at, whole_table, endings }
    }
}
