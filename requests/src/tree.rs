//! Records as trees of turns, editing such trees, and writing them back as records.

use crate::budget::Budget;
use crate::given::{Given, game};
use rules::record::{Record, RecordError, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use table::Refusal;
use table::tree::FlatTurn;

/// The text of a record.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordText {
    /// The text.
    pub record: String,
}

/// A game with its variations.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tree {
    /// The game's id.
    pub game: String,
    /// Options that differ from the defaults.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// The starting position, in one line.
    #[serde(default)]
    pub start: Option<String>,
    /// Tags that do not follow from the other fields, such as the players' names, the place and the date.
    #[serde(default)]
    pub tags: Vec<(String, String)>,
    /// The comment before the first turn.
    #[serde(default)]
    pub comment: String,
    /// The turns.
    #[serde(default)]
    pub nodes: Vec<FlatTurn>,
    /// How a record of it is written.
    #[serde(default, skip_serializing)]
    pub format: Format,
}

/// How a record is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// As `docs/notation.md` describes it.
    #[default]
    Record,
    /// As SGF.
    Sgf,
}

impl Format {
    /// The text of a record.
    pub fn write(self, record: &Record) -> String {
        match self {
            Format::Record => record.to_string(),
            Format::Sgf => record.to_sgf(),
        }
    }
}

/// Tags derived from the other fields.
const OWN_TAGS: [&str; 4] = ["Game", "Options", "Position", "Result"];
/// The one derived tag that is kept: a resignation does not follow from the turns.
const RESULT: &str = "Result";

impl RecordText {
    /// The fields of this request.
    pub const FIELDS: [&str; 1] = ["record"];

    /// Parses the record.
    pub fn answer(&self) -> Result<Tree, Refusal> {
        let wrong = |error: RecordError| Refusal::against(error).at("record");
        let record = Record::parse(&self.record).map_err(wrong)?;
        let entry = game(record.game().map_err(wrong)?)?;
        let session = (entry.from_record)(&record).map_err(wrong)?.start();
        let kept = |(name, _): &&(String, String)| name == RESULT || !OWN_TAGS.contains(&&**name);
        let (nodes, _) = table::Tree::of(&record.main).flat();
        Ok(Tree {
            game: entry.info.id.to_owned(),
            options: session.options(),
            start: Some(session.text()),
            tags: record.tags.iter().filter(kept).cloned().collect(),
            comment: record.main.comment,
            nodes,
            format: Format::Record,
        })
    }
}

impl Tree {
    /// The fields of this request.
    pub const FIELDS: [&str; 7] =
        ["game", "options", "start", "tags", "comment", "nodes", "format"];

    fn given(&self, turns: Vec<String>) -> Given {
        Given {
            game: Some(self.game.clone()),
            options: Some(self.options.clone()).filter(|options| !options.is_empty()),
            position: self.start.clone().map(Value::String),
            turns: Some(turns),
            moves: None,
        }
    }

    /// Writes the tree as a record. Every turn is checked, including variations.
    pub fn answer(self, budget: &Budget) -> Result<RecordText, Refusal> {
        let turned = table::Tree::from_flat(&self.comment, &self.nodes)?;
        let entry = game(&self.game)?;
        let given = self.given(turned.main_line());
        let own = |(name, _): &&(String, String)| !OWN_TAGS.contains(&name.as_str());
        let tags: Vec<_> =
            self.tags.iter().filter(own).map(|(name, value)| (&**name, &**value)).collect();
        let mut record = given.open(budget)?.record(&tags);
        record.main = turned.variation();
        let said = self.tags.iter().find(|(name, _)| name == RESULT);
        if let Some(verdict) = said.and_then(|(_, text)| text.parse().ok())
            && record.result == Verdict::Open
        {
            record.set_result(verdict);
        }
        // Not every text that can be sent can be written in a record, so check that it reads back the same.
        let text = record.to_string();
        let wrong = |error: RecordError| Refusal::against(error.message).at("nodes");
        let read = Record::parse(&text).map_err(wrong)?;
        if read != record {
            let message = "a turn or a tag cannot be written in a record";
            return Err(Refusal::against(message).at("nodes"));
        }
        (entry.from_record)(&read).map_err(wrong)?;
        Ok(RecordText { record: self.format.write(&read) })
    }
}

/// An edit to a tree.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Branch {
    /// The tree.
    pub tree: Tree,
    /// The selected turn; none selects the start.
    #[serde(default)]
    pub node: Option<usize>,
    /// The edit to make.
    #[serde(rename = "do")]
    pub change: Change,
    /// The turns to add, for `add`.
    #[serde(default)]
    pub turns: Vec<String>,
}

/// The kinds of edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// Adds turns after the selected one and selects the last of them.
    Add,
    /// Makes the line leading to it the main line.
    Promote,
    /// Removes it with everything after it and selects the previous turn.
    Remove,
}

/// The tree after an edit.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Branched {
    tree: Tree,
    /// The turn selected now.
    node: Option<usize>,
}

impl Branch {
    /// The fields of this request.
    pub const FIELDS: [&str; 4] = ["tree", "node", "do", "turns"];

    /// Makes the edit. Added turns must be legal.
    pub fn answer(self, budget: &Budget) -> Result<Branched, Refusal> {
        let Branch { mut tree, node, change, turns } = self;
        let mut turned = table::Tree::from_flat(&tree.comment, &tree.nodes)
            .map_err(|refusal| refusal.within("tree"))?;
        turned.go(node);
        match change {
            Change::Add => {
                let given = tree.given(turned.line());
                let mut session = given.open(budget)?;
                for (i, turn) in turns.iter().enumerate() {
                    let wrong = |error| Refusal::against(error).at(format!("turns[{i}]"));
                    session.play(turn).map_err(wrong)?;
                    turned.play(&session.last_turn().unwrap_or_default());
                }
            }
            Change::Promote => drop(turned.promote()),
            Change::Remove => drop(turned.remove()),
        }
        let (nodes, node) = turned.flat();
        tree.nodes = nodes;
        Ok(Branched { tree, node })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "\
[Game \"gekitai\"]
[Player1 \"Ann\"]
[Result \"*\"]

{Begin.} 1. c3! {Good.} ( 1. a1 a2 ( 1... f6 ) ) ( 1. b1 ) 1... d4 2. f6?? *
";

    fn tree(text: &str) -> Tree {
        RecordText { record: text.into() }.answer().unwrap()
    }

    fn write(tree: Tree) -> Result<String, Refusal> {
        tree.answer(&Budget::OWN).map(|text| text.record)
    }

    #[test]
    fn a_record_is_the_same_after_it_was_a_tree() {
        let read = tree(GAME);
        assert_eq!(read.nodes.len(), 7);
        assert_eq!(read.nodes[0].turn, "c3");
        assert_eq!(write(read).unwrap(), GAME);
    }

    #[test]
    fn the_result_of_a_resigned_game_is_kept() {
        let game = GAME.replace("[Result \"*\"]", "[Result \"1-0\"]").replace(" *", " 1-0");
        assert_eq!(write(tree(&game)).unwrap(), game);
    }

    #[test]
    fn a_turn_cannot_follow_itself_or_a_later_one() {
        for after in [0, 1, 99] {
            let mut wrong = tree(GAME);
            wrong.nodes[0].after = Some(after);
            assert_eq!(write(wrong).unwrap_err().field.as_deref(), Some("nodes[0].after"));
        }
    }

    #[test]
    fn illegal_variations_and_strange_texts_are_refused() {
        for turn in ["zz", "c3 ( 1. a1", "{", "", "c3 d4"] {
            let mut wrong = tree(GAME);
            wrong.nodes[1].turn = turn.into();
            assert!(write(wrong).is_err(), "{turn}");
        }
    }
}
