//! What serde writes as text: everything that people write down as text too.

use crate::index::Material;
use crate::rules::{Column, Counter, Move, Position, RuleSet, Square};
use serde::{Serialize, Serializer};

/// Writes types as their texts.
macro_rules! as_text {
    ($($type:ty),*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )*};
}

as_text!(Position, Column, Material, RuleSet, Square, Move);

impl Serialize for Counter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_char(self.letter())
    }
}
