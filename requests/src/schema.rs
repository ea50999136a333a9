//! JSON Schema of requests and answers, generated from their types. Answers that are built by hand are described by
//! types here.

// The types only describe JSON that is built by hand; no values of them exist.
#![allow(dead_code, missing_docs)]

use crate::budget::Effort;
use crate::given::Given;
use crate::{ASKS, GameId, edit, lessons, puzzles, query, review, seated, think, tree, view};
use engine::GAMES;
use rules::{ByPlayer, Outcome, Player};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The schema of a request's fields; none for a name that is not in [`ASKS`].
pub fn request(ask: &str) -> Option<Value> {
    let about = [of::<Given>()];
    let search = [of::<Given>(), of::<Effort>()];
    Some(match ask {
        "query" => joined(about.into_iter().chain([of::<query::Query>()])),
        "view" => joined(about.into_iter().chain([of::<view::View>()])),
        "edit" => joined(about.into_iter().chain([of::<edit::Edit>()])),
        "tree" => joined([of::<tree::RecordText>()]),
        "record" => joined([of::<tree::Tree>()]),
        "branch" => joined([of::<tree::Branch>()]),
        "table" => joined([of::<seated::Seated>()]),
        "catalogue" => joined([]),
        "rules" | "results" | "atlas" | "lessons" => joined([of::<GameId>()]),
        "hint" | "analysis" | "review" => joined(search),
        "turn" => joined(search.into_iter().chain([of::<think::Turn>()])),
        "lesson" => joined([of::<lessons::LessonTry>()]),
        "puzzles" => joined([of::<puzzles::Which>()]),
        "puzzle" => joined([of::<puzzles::Attempt>()]),
        "proof" => joined(about),
        _ => return None,
    })
}

/// The schema of an answer, or of each line of a streamed one; none for a name that is not in [`ASKS`].
pub fn answer(ask: &str, generator: &mut SchemaGenerator) -> Option<Schema> {
    Some(match ask {
        "query" => generator.subschema_for::<query::Reply>(),
        "view" | "edit" => generator.subschema_for::<view::Shown>(),
        "tree" => generator.subschema_for::<tree::Tree>(),
        "record" => generator.subschema_for::<RecordMade>(),
        "branch" => generator.subschema_for::<tree::Branched>(),
        "table" => generator.subschema_for::<seated::Moved>(),
        "catalogue" => generator.subschema_for::<Catalogue>(),
        "rules" => generator.subschema_for::<RulesPage>(),
        "hint" => generator.subschema_for::<think::Hint>(),
        "analysis" => generator.subschema_for::<think::News>(),
        "turn" => generator.subschema_for::<TurnFound>(),
        "review" => generator.subschema_for::<review::Judged>(),
        "lessons" => generator.subschema_for::<lessons::LessonList>(),
        "lesson" => generator.subschema_for::<lessons::LessonShown>(),
        "puzzles" => generator.subschema_for::<puzzles::PuzzleList>(),
        "puzzle" => generator.subschema_for::<puzzles::AttemptShown>(),
        "results" => generator.subschema_for::<Results>(),
        "atlas" => generator.subschema_for::<Atlas>(),
        "proof" => generator.subschema_for::<Proof>(),
        _ => return None,
    })
}

/// The schema of a line of `quadrille query`: any request, with `ask` and `id`.
pub fn line() -> Value {
    let one = |ask: &&str| {
        let mut schema = request(ask)?;
        let fields = schema["properties"].as_object_mut()?;
        fields.insert("ask".into(), json!({ "const": ask }));
        fields.insert("id".into(), json!({ "description": "Repeated in each answer." }));
        schema["title"] = json!(ask);
        // A line without `ask` is a query.
        if let Value::Array(required) = &mut schema["required"] {
            required.extend((*ask != "query").then(|| json!("ask")));
        }
        Some(schema)
    };
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A request to Quadrille",
        "oneOf": ASKS.iter().filter_map(one).collect::<Vec<_>>(),
    })
}

/// The schema of a type's fields in a request.
pub fn of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// One closed object with the fields of all parts.
fn joined(parts: impl IntoIterator<Item = Value>) -> Value {
    let (mut fields, mut required) = (Map::new(), Vec::new());
    for mut part in parts {
        if let Value::Object(own) = part["properties"].take() {
            fields.extend(own);
        }
        if let Value::Array(own) = part["required"].take() {
            required.extend(own);
        }
    }
    if let Some(game) = fields.get_mut("game") {
        *game = json!({ "description": "The id of the game.", "enum": game_ids() });
        required.retain(|name| name != "game");
        required.insert(0, "game".into());
    }
    json!({ "type": "object", "properties": fields, "required": required, "additionalProperties": false })
}

fn game_ids() -> Vec<&'static str> {
    GAMES.iter().map(|entry| entry.info.id).collect()
}

/// A position as an object; `docs/notation.md` describes the boards.
#[derive(JsonSchema)]
pub struct Position {
    pub game: String,
    #[schemars(skip_serializing_if = "Option::is_none")]
    pub options: Option<Map<String, Value>>,
    /// Rows from the top.
    pub board: Vec<Value>,
    pub turn: Player,
    #[schemars(flatten)]
    pub more: BTreeMap<String, Value>,
}

/// A position in any of the accepted forms.
pub struct AnyPosition;

impl JsonSchema for AnyPosition {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AnyPosition".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["object", "string"] })
    }
}

/// A number of milliseconds, nodes and so on: at least 1, and at most what the transport allows.
impl JsonSchema for crate::read::Amount {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Amount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1 })
    }
}

/// The original program's evaluation, from player 1's and from player 2's point of view.
#[derive(JsonSchema)]
pub struct SeedValue {
    pub value: Option<[f64; 2]>,
}

/// The requested facts about a position.
#[derive(JsonSchema)]
pub struct Wanted {
    #[schemars(skip_serializing_if = "Option::is_none")]
    turns: Option<Vec<String>>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    children: Option<Vec<Child>>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    position: Option<Position>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    svg: Option<String>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    seed: Option<SeedValue>,
    /// The turns among which each player of the original program chooses.
    #[schemars(skip_serializing_if = "Option::is_none")]
    seed_best: Option<BTreeMap<String, Vec<String>>>,
    /// The result from the endgame tables.
    #[schemars(skip_serializing_if = "Option::is_none")]
    exact: Option<Option<Exact>>,
}

/// The position after a turn.
#[derive(JsonSchema)]
struct Child {
    turn: String,
    position: Position,
    over: bool,
    winner: Option<Outcome>,
}

#[derive(JsonSchema)]
struct Exact {
    winner: Outcome,
    turns: Option<u32>,
}

#[derive(JsonSchema)]
#[schemars(rename = "Record")]
struct RecordMade {
    record: String,
}

#[derive(JsonSchema)]
#[schemars(rename = "Rules")]
struct RulesPage {
    html: String,
}

/// A computer player's turn.
#[derive(JsonSchema)]
#[schemars(rename = "TurnFound")]
struct TurnFound {
    turn: Option<String>,
}

/// The games and levels.
#[derive(JsonSchema)]
struct Catalogue {
    games: Vec<GameAbout>,
    levels: Vec<LevelAbout>,
}

#[derive(JsonSchema)]
struct GameAbout {
    id: String,
    name: String,
    tagline: String,
    /// The names of the two sides.
    players: ByPlayer<String>,
    options: Vec<OptionAbout>,
    /// The players of the original program.
    seeds: Vec<SeedAbout>,
    /// The brushes of the position editor.
    brushes: Vec<BrushAbout>,
    /// The starting position, in one line.
    start: Option<String>,
    /// A picture, as SVG.
    picture: Option<String>,
}

#[derive(JsonSchema)]
struct OptionAbout {
    name: String,
    about: String,
    values: Vec<Value>,
    default: Value,
}

#[derive(JsonSchema)]
struct SeedAbout {
    id: String,
    name: String,
    about: String,
}

#[derive(JsonSchema)]
struct BrushAbout {
    id: String,
    label: String,
}

#[derive(JsonSchema)]
struct LevelAbout {
    number: u8,
    name: String,
    about: String,
    /// How much stronger than `beginner` it is in each game, in Elo; missing for the level that is limited only by
    /// time.
    elo: BTreeMap<String, i32>,
}

/// What is known for certain about a game.
#[derive(JsonSchema)]
struct Results {
    game: String,
    results: Vec<Known>,
}

#[derive(JsonSchema)]
struct Known {
    title: String,
    says: String,
    position: String,
    winner: Option<Outcome>,
    /// Within how many of the winner's turns.
    within: Option<u32>,
    /// The command that reproduces it.
    command: String,
    effort: Option<String>,
    certificate: Option<CertificateAbout>,
    /// First turns with a known value.
    first: Vec<FirstTurn>,
}

#[derive(JsonSchema)]
struct CertificateAbout {
    /// The certificate, if it is shipped with the program.
    file: Option<String>,
    words: String,
}

#[derive(JsonSchema)]
struct FirstTurn {
    turn: String,
    winner: Option<Outcome>,
    within: Option<u32>,
}

/// The positions in a game's atlas, by the names of their certificates.
#[derive(JsonSchema)]
struct Atlas {
    game: String,
    atlas: BTreeMap<String, AtlasRow>,
}

#[derive(JsonSchema)]
struct AtlasRow {
    game: String,
    /// The board and its options, in words.
    title: String,
    /// The moves from the starting position of that board.
    moves: Vec<String>,
    position: String,
    /// How many positions the search visited; missing for certificates that were derived from others.
    #[schemars(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    /// The CPU time it took, in seconds.
    #[schemars(skip_serializing_if = "Option::is_none")]
    cpu_s: Option<f64>,
    #[schemars(flatten)]
    known: AtlasValue,
}

/// The value of a position, or how long it was searched in vain.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum AtlasValue {
    Settled {
        /// The same position with other options under which it is also won.
        also: Option<String>,
        winner: Outcome,
        /// Within how many of the winner's turns.
        within: Option<u32>,
        /// Whether that number is proven to be minimal.
        exact: bool,
        /// How many positions the certificate contains.
        stored: u64,
        /// Its size in bytes.
        bytes: u64,
        /// The checksum of its text.
        #[schemars(skip_serializing_if = "Option::is_none")]
        crc: Option<String>,
        /// The CPU time needed to check it, in seconds.
        check_cpu_s: f64,
    },
    Open {
        winner: (),
        /// The CPU time after which the search gave up, in seconds.
        open_after_cpu_s: f64,
    },
}

/// What certificates say about a position. Details of the certificate are null if only the atlas has the position.
#[derive(JsonSchema)]
struct Proof {
    /// The name of the certificate or of the row in the atlas.
    certificate: Option<String>,
    position: Option<String>,
    claim: Option<String>,
    /// How many positions the certificate contains.
    stored: Option<u64>,
    /// Within how many of the winner's moves.
    left: Option<u32>,
    winner: Option<Outcome>,
    /// The turn that preserves the win or the draw.
    turn: Option<String>,
    /// Where it comes from: `stored`, `at once` or `tried`.
    by: Option<String>,
    /// Players who provably cannot force a win.
    no_win: Vec<Player>,
    moves: Vec<ProvedMove>,
}

#[derive(JsonSchema)]
struct ProvedMove {
    turn: String,
    left: Option<u32>,
    winner: Option<Outcome>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Request;

    /// The known fields that an error message lists when it meets an unknown one.
    fn read(ask: &str) -> Vec<String> {
        let strange = Map::from_iter([("strange".to_owned(), Value::Null)]);
        let refusal = Request::read(ask, strange).unwrap_err();
        let list = refusal.message.split("expected one of ").nth(1).unwrap();
        list.split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn every_request_and_its_answer_are_described_with_the_fields_that_are_read() {
        let mut generator = SchemaGenerator::default();
        for ask in ASKS {
            let schema = request(ask).unwrap_or_else(|| panic!("{ask} has no schema"));
            let mut described: Vec<_> =
                schema["properties"].as_object().unwrap().keys().cloned().collect();
            let mut known = read(ask);
            described.sort();
            known.sort();
            assert_eq!(described, known, "{ask}");
            assert!(answer(ask, &mut generator).is_some(), "{ask}");
        }
        assert_eq!(line()["oneOf"].as_array().unwrap().len(), ASKS.len());
    }
}
