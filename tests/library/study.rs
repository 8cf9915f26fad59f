//! Any text is read as studies or refused, and any study is checked.

mod check;
mod parse;
mod review;

use crate::arbitrary::{TRIALS, for_each, letters, within};
use crate::common::numbers::Numbers;
use crate::common::tables::shipped_tables;
use lasca_analysis::study::{check, parse};

fn square(numbers: &mut Numbers) -> String {
    letters(numbers, "abcdefg", 1..=1) + &letters(numbers, "1234567", 1..=1)
}

/// Something that stands in studies, or any character.
fn word(numbers: &mut Numbers) -> String {
    match numbers.below(5) {
        0 => {
            let square = square(numbers);
            square + &letters(numbers, "WwBb", 0..=3) + &letters(numbers, "-x ", 0..=2)
        }
        1 => letters(numbers, "0123456789", 1..=2) + &letters(numbers, ".", 0..=3),
        2 => letters(numbers, "wb!?()[]{};#/=+, \n-", 1..=1),
        3 => "wins".to_owned(),
        _ => char::from_u32(numbers.below(0x3000) as u32).unwrap().to_string(),
    }
}

/// A move, legal or not, with signs around it, or its number.
fn played(numbers: &mut Numbers) -> String {
    if numbers.below(8) == 0 {
        return letters(numbers, "0123456789", 1..=1) + ". ";
    }
    let mut text = match numbers.below(2) {
        0 => square(numbers),
        _ => letters(numbers, "0123456789", 1..=2),
    };
    for _ in 0..numbers.below(4) {
        text += &letters(numbers, "-x", 1..=1);
        text += &square(numbers);
        text += &letters(numbers, "WB", 0..=2);
    }
    for (signs, most) in [("!?", 2), (" ", 1), ("()", 1)] {
        text += &letters(numbers, signs, 0..=most);
    }
    text
}

fn up_to(most: usize, word: fn(&mut Numbers) -> String) -> impl Fn(&mut Numbers) -> String {
    move |numbers| (0..within(numbers, 0..=most)).map(|_| word(numbers)).collect()
}

#[test]
fn any_text_is_an_error_or_studies_that_are_checked() {
    let tables = shipped_tables();
    let make = |numbers: &mut Numbers| (up_to(60, word)(numbers), up_to(12, played)(numbers));
    for_each(TRIALS, make, |(text, moves)| {
        for text in [text, &format!("a1W c3WB e5B w {moves}")] {
            let Ok(studies) = parse(text) else { continue };
            assert!(!studies.is_empty());
            for study in &studies {
                assert!(check(study, &tables, None).is_ok());
            }
        }
    });
}
