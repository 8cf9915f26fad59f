//! The schemas of what is written as text. The others are derived where the types are.

use crate::Reason;
use crate::index::Material;
use crate::rules::{Position, RuleSet};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

macro_rules! schemas {
    ($($type:ident: $schema:expr, $is_inline:literal;)*) => {$(
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                $is_inline
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    )*};
}

schemas! {
    Material: json_schema!({ "type": "string" }), true;
    Position: json_schema!({ "type": "string" }), true;
    Reason: json_schema!({
        "description": "Why there is no answer, in a word for programs. `docs/PROTOCOL.md` says what each means.",
        "type": "string",
        "enum": Reason::ALL.map(Reason::name),
    }), false;
    RuleSet: json_schema!({ "type": "string", "enum": RuleSet::ALL.map(RuleSet::name) }), true;
}
