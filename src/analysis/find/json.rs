//! Endings to practise in the form in which programs get them.

use super::{Picked, Practice};
use crate::answer::json::Answer;
use lasca_tablebase::Wdl;
use lasca_tablebase::index::Material;
use serde::Serialize;

/// Endings to practise that were picked from a table.
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
pub struct Endings {
    material: Material,
    value: Wdl,
    seed: u64,
    looked_at: u64,
    whole_table: bool,
    endings: Vec<Ending>,
}

/// One ending.
#[derive(Clone, Debug, Serialize)]
struct Ending {
    #[serde(flatten)]
    position: Answer,
    choices: usize,
}

impl Endings {
    /// What `practice` has picked from the table of a material with this seed.
    pub fn new(practice: &Practice, material: Material, seed: u64, picked: &Picked) -> Endings {
        let Picked { ref endings, looked_at, whole_table } = *picked;
        let ending = |ending: &super::Find| Ending {
            position: Answer::brief(&ending.position, ending.value),
            choices: ending.choices,
        };
        let endings = endings.iter().map(ending).collect();
        Endings { material, value: practice.result, seed, looked_at, whole_table, endings }
    }
}
