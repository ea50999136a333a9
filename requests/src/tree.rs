//! Records as trees of turns, and back.
//!
//! A tree is a list of turns, each with the number of the turn it follows, so that its depth costs no
//! nesting. Among the turns that follow the same one, the first is the main line.

use crate::budget::Budget;
use crate::given::{Given, game};
use crate::refusal::Refusal;
use rules::game::shorten;
use rules::record::{Node, Record, RecordError, Variation, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The text of a record.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct RecordText {
    /// The text.
    pub record: String,
}

/// A game with its variations.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Tree {
    /// The game's id.
    pub game: String,
    /// Options that differ from the usual ones.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// The position it begins with, in one line.
    #[serde(default)]
    pub start: Option<String>,
    /// Who played, where and when: whatever the rest does not tell.
    #[serde(default)]
    pub tags: Vec<(String, String)>,
    /// What is said before the first turn.
    #[serde(default)]
    pub comment: String,
    /// The turns.
    #[serde(default)]
    pub nodes: Vec<TreeTurn>,
}

/// One turn of a tree.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct TreeTurn {
    /// Its text.
    pub turn: String,
    /// The number of the turn before it; none for a first turn.
    pub after: Option<usize>,
    /// What is said of it.
    #[serde(default)]
    pub comment: String,
    /// Its mark, such as `!` or `??`.
    #[serde(default)]
    pub glyph: String,
}

/// The tags that follow from the rest.
const OWN_TAGS: [&str; 4] = ["Game", "Options", "Position", "Result"];
/// Of these, the one that need not: a game may have been resigned.
const RESULT: &str = "Result";

impl RecordText {
    /// The fields.
    pub const FIELDS: [&str; 1] = ["record"];

    /// The record as a tree of turns.
    pub fn answer(&self) -> Result<Tree, Refusal> {
        let wrong = |error: RecordError| Refusal::against(error).at("record");
        let record = Record::parse(&self.record).map_err(wrong)?;
        let entry = game(record.game().map_err(wrong)?)?;
        let session = (entry.from_record)(&record).map_err(wrong)?.start();
        let kept = |(name, _): &&(String, String)| name == RESULT || !OWN_TAGS.contains(&&**name);
        let mut nodes = Vec::new();
        append_line(&record.main, None, &mut nodes);
        Ok(Tree {
            game: entry.info.id.to_owned(),
            options: session.options(),
            start: Some(session.text()),
            tags: record.tags.iter().filter(kept).cloned().collect(),
            comment: record.main.comment,
            nodes,
        })
    }
}

/// Appends a line behind a turn, each of its turns followed by the variations to it.
fn append_line(line: &Variation, mut after: Option<usize>, nodes: &mut Vec<TreeTurn>) {
    for node in &line.nodes {
        let at = nodes.len();
        let Node { turn, comment, glyph, .. } = node;
        nodes.push(TreeTurn {
            turn: turn.clone(),
            after,
            comment: comment.clone(),
            glyph: glyph.clone(),
        });
        for variation in &node.variations {
            let first = nodes.len();
            append_line(variation, after, nodes);
            if let Some(turn) = nodes.get_mut(first).filter(|_| !variation.comment.is_empty()) {
                let words = [variation.comment.as_str(), &turn.comment];
                turn.comment = words.join(" ").trim().to_owned();
            }
        }
        after = Some(at);
    }
}

impl Tree {
    /// The fields.
    pub const FIELDS: [&str; 6] = ["game", "options", "start", "tags", "comment", "nodes"];

    /// The tree as the text of a record. Every turn is checked, those of variations too.
    pub fn answer(self, budget: &Budget) -> Result<RecordText, Refusal> {
        let branches = Branches::of(&self.nodes)?;
        let entry = game(&self.game)?;
        let given = Given {
            game: Some(self.game),
            options: Some(self.options).filter(|options| !options.is_empty()),
            position: self.start.map(Value::String),
            turns: Some(branches.main_line()),
            moves: None,
        };
        let own = |(name, _): &&(String, String)| !OWN_TAGS.contains(&name.as_str());
        let tags: Vec<_> =
            self.tags.iter().filter(own).map(|(name, value)| (&**name, &**value)).collect();
        let mut record = given.open(budget)?.record(&tags);
        record.main =
            Variation { comment: self.comment, nodes: branches.line(branches.first(), 0)? };
        let said = self.tags.iter().find(|(name, _)| name == RESULT);
        if let Some(verdict) = said.and_then(|(_, text)| text.parse().ok())
            && record.result == Verdict::Open
        {
            record.set_result(verdict);
        }
        // What was sent may not be what a record can say, so it is read again.
        let text = record.to_string();
        let wrong = |error: RecordError| Refusal::against(error.message).at("nodes");
        let read = Record::parse(&text).map_err(wrong)?;
        if read != record {
            let message = "a turn or a tag cannot be written in a record";
            return Err(Refusal::against(message).at("nodes"));
        }
        (entry.from_record)(&read).map_err(wrong)?;
        Ok(RecordText { record: text })
    }
}

/// How deep variations may nest, as in records.
const MAX_DEPTH: usize = 32;

/// The turns of a tree with those that follow each.
struct Branches<'a> {
    nodes: &'a [TreeTurn],
    /// By number, and the first turns at the end.
    next: Vec<Vec<usize>>,
}

impl<'a> Branches<'a> {
    fn of(nodes: &'a [TreeTurn]) -> Result<Branches<'a>, Refusal> {
        let mut next = vec![Vec::new(); nodes.len() + 1];
        for (i, node) in nodes.iter().enumerate() {
            let before = node.after.unwrap_or(nodes.len());
            if node.after.is_some_and(|before| before >= i) {
                let error = format!("turn {i} follows turn {before}, expected an earlier one");
                return Err(Refusal::against(error).at(format!("nodes[{i}].after")));
            }
            if node.turn.split_whitespace().count() != 1 {
                let error = format!("`{}` is not a turn", shorten(&node.turn));
                return Err(Refusal::against(error).at(format!("nodes[{i}].turn")));
            }
            next[before].push(i);
        }
        Ok(Branches { nodes, next })
    }

    fn first(&self) -> &[usize] {
        self.after(self.nodes.len())
    }

    fn after(&self, node: usize) -> &[usize] {
        self.next.get(node).map_or(&[], Vec::as_slice)
    }

    fn main_line(&self) -> Vec<String> {
        let mut turns = Vec::new();
        let mut at = self.first().first();
        while let Some(node) = at.and_then(|at| self.nodes.get(*at)) {
            turns.push(node.turn.clone());
            at = at.and_then(|at| self.after(*at).first());
        }
        turns
    }

    /// The line that begins with the first of these turns; the others are variations to it.
    fn line<'s>(&'s self, mut choices: &'s [usize], depth: usize) -> Result<Vec<Node>, Refusal> {
        if depth > MAX_DEPTH {
            let error = format!("variations nest deeper than {MAX_DEPTH} levels");
            return Err(Refusal::against(error).at("nodes"));
        }
        let mut line = Vec::new();
        while let [main, others @ ..] = choices {
            let Some(TreeTurn { turn, comment, glyph, .. }) = self.nodes.get(*main) else { break };
            let mut node = Node::new(turn);
            node.comment.clone_from(comment);
            node.glyph.clone_from(glyph);
            for other in others {
                let nodes = self.line(std::slice::from_ref(other), depth + 1)?;
                node.variations.push(Variation { comment: String::new(), nodes });
            }
            line.push(node);
            choices = self.after(*main);
        }
        Ok(line)
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
