//! What serde writes as text: everything that people write down as text too. A text that is not
//! one of these things is refused with the message of its own error.

use crate::index::Material;
use crate::notation::scan::excerpt;
use crate::rules::{Column, Counter, Move, ParseSquaresError, Position, RuleSet, Square};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// Writes a type as its text, and reads it with a function.
macro_rules! as_text {
    ($type:ty, $text:expr, $read:expr) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&$text(self))
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                $read(&*Cow::<str>::deserialize(deserializer)?).map_err(D::Error::custom)
            }
        }
    };
}

as_text!(Position, Position::to_string, str::parse);
as_text!(Column, Column::to_string, str::parse);
as_text!(Material, Material::to_string, str::parse);
as_text!(RuleSet, RuleSet::to_string, str::parse);
as_text!(Square, Square::to_string, |text: &str| {
    text.parse().map_err(|error: ParseSquaresError| format!("{error}, found {:?}", excerpt(text)))
});
as_text!(Counter, |counter: &Counter| counter.letter(), |text: &str| {
    let mut letters = text.chars();
    letters.next().filter(|_| letters.next().is_none()).and_then(Counter::from_letter).ok_or_else(
        || {
            format!(
                "expected a counter (w or b for a soldier, W or B for an officer), found {:?}",
                excerpt(text)
            )
        },
    )
});
as_text!(Move, Move::to_string, |text: &str| {
    text.parse().map_err(|error: ParseSquaresError| format!("{error}, found {:?}", excerpt(text)))
});
