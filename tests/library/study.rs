//! Any text is read as studies or refused, and any study is checked.

use crate::common::tables::shipped_tables;
use lasca_tablebase::study::{check, parse};
use proptest::prelude::*;

proptest! {
    #[test]
    fn any_text_is_a_study_or_an_error(text in "([a-g][1-7][WwBb]{0,3}[-x ]{0,2}|[0-9]{1,2}\\.{0,3}|[wb!?()\\[\\]{};#/=+, \n-]|wins|\\PC){0,60}") {
        if let Ok(studies) = parse(&text) {
            prop_assert!(!studies.is_empty());
        }
    }

    #[test]
    fn any_moves_are_played_or_refuted(moves in "(([a-g][1-7]|[0-9]{1,2})([-x]([a-g][1-7])[WB]{0,2}){0,3}[!?]{0,2} ?[()]?|[0-9]\\. ){0,12}") {
        let tables = shipped_tables();
        if let Ok(studies) = parse(&format!("a1W c3WB e5B w {moves}")) {
            for study in &studies {
                prop_assert!(check(study, &tables, None).is_ok());
            }
        }
    }
}
