//! A game with its variations: a tree of turns with a cursor.

use crate::refusal::Refusal;
use rules::game::shorten;
use rules::record::{Node, Variation};
use serde::{Deserialize, Serialize};

/// How deep variations may nest in a record.
const MAX_DEPTH: usize = 32;
/// How deep variations may nest when they are added; a record may nest them a little deeper.
const MOST_ADDED: usize = MAX_DEPTH - 2;

/// A tree of turns. Turns that follow the same one are variations of each other, the first being the main line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// By number; the order means nothing.
    turns: Vec<Turn>,
    first: Vec<usize>,
    /// Which of the first turns the cursor was on last.
    kept: usize,
    at: Option<usize>,
    /// The comment before the first turn.
    comment: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Turn {
    text: String,
    glyph: String,
    comment: String,
    before: Option<usize>,
    next: Vec<usize>,
    /// Which of the following turns the cursor was on last.
    kept: usize,
}

/// A turn in a flat list: the JSON form of trees, which cannot be nested too deeply. Among turns that follow the same
/// one, the first is the main line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlatTurn {
    /// Its text.
    pub turn: String,
    /// The number of the previous turn; none for a first turn.
    pub after: Option<usize>,
    /// The comment on it.
    #[serde(default)]
    pub comment: String,
    /// Its annotation glyph, such as `!` or `??`.
    #[serde(default)]
    pub glyph: String,
}

/// A token of a written-out tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// The bracket before a variation.
    Open,
    /// The bracket after a variation.
    Close,
    /// A turn.
    Turn {
        /// Its number in the tree.
        number: usize,
        /// How many turns come before it.
        ply: usize,
        /// Its text with its glyph.
        text: String,
        /// Whether it is on the main line.
        is_main: bool,
    },
}

impl Tree {
    /// The tree of a record, with the cursor at the start.
    pub fn of(line: &Variation) -> Tree {
        let mut tree = Tree { comment: line.comment.clone(), ..Tree::default() };
        tree.append(line, None);
        tree
    }

    fn append(&mut self, line: &Variation, mut before: Option<usize>) {
        for node in &line.nodes {
            let number = self.add(&node.turn, before);
            if let Some(turn) = self.turns.get_mut(number) {
                turn.glyph.clone_from(&node.glyph);
                turn.comment.clone_from(&node.comment);
            }
            for variation in &node.variations {
                self.append(variation, before);
                let said = Some(&variation.comment).filter(|said| !said.is_empty());
                let first = variation.nodes.first().and_then(|n| self.child(before, &n.turn));
                if let (Some(said), Some(turn)) = (said, first.and_then(|n| self.turns.get_mut(n)))
                {
                    turn.comment = format!("{said} {}", turn.comment).trim().to_owned();
                }
            }
            before = Some(number);
        }
    }

    /// The tree of a flat list, with the cursor at the start; refuses what no record can hold.
    pub fn from_flat(comment: &str, turns: &[FlatTurn]) -> Result<Tree, Refusal> {
        let mut tree = Tree { comment: comment.to_owned(), ..Tree::default() };
        for (i, flat) in turns.iter().enumerate() {
            if let Some(before) = flat.after.filter(|before| *before >= i) {
                let error = format!("turn {i} follows turn {before}, expected an earlier one");
                return Err(Refusal::against(error).at(format!("nodes[{i}].after")));
            }
            if flat.turn.split_whitespace().count() != 1 {
                let error = format!("`{}` is not a turn", shorten(&flat.turn));
                return Err(Refusal::against(error).at(format!("nodes[{i}].turn")));
            }
            let FlatTurn { turn, after, comment, glyph } = flat.clone();
            tree.push(Turn { text: turn, glyph, comment, before: after, ..Turn::default() });
        }
        let mut depths: Vec<usize> = Vec::with_capacity(turns.len());
        for (i, turn) in tree.turns.iter().enumerate() {
            let depth = turn.before.and_then(|before| depths.get(before)).copied().unwrap_or(0);
            let is_main = tree.next(turn.before).first() == Some(&i);
            depths.push(depth + usize::from(!is_main));
        }
        if depths.into_iter().any(|depth| depth > MAX_DEPTH) {
            let error = format!("variations nest deeper than {MAX_DEPTH} levels");
            return Err(Refusal::against(error).at("nodes"));
        }
        Ok(tree)
    }

    /// The turns as a flat list in the order of a record, and the cursor's number in it.
    pub fn flat(&self) -> (Vec<FlatTurn>, Option<usize>) {
        let mut places = vec![None; self.turns.len()];
        let mut flat = Vec::new();
        for word in self.words() {
            let Word::Turn { number, .. } = word else { continue };
            let Some(turn) = self.turns.get(number) else { continue };
            places[number] = Some(flat.len());
            flat.push(FlatTurn {
                turn: turn.text.clone(),
                after: turn.before.and_then(|before| places[before]),
                comment: turn.comment.clone(),
                glyph: turn.glyph.clone(),
            });
        }
        (flat, self.at.and_then(|at| places[at]))
    }

    /// The turns of the main line.
    pub fn main_line(&self) -> Vec<String> {
        let words = self.words().into_iter();
        let main = words.filter_map(|word| match word {
            Word::Turn { number, is_main: true, .. } => self.turns.get(number),
            _ => None,
        });
        main.map(|turn| turn.text.clone()).collect()
    }

    /// Whether the tree is just a list of turns, without variations, comments or glyphs.
    pub fn is_plain(&self) -> bool {
        let is_plain =
            |turn: &Turn| turn.next.len() < 2 && turn.comment.is_empty() && turn.glyph.is_empty();
        self.first.len() < 2 && self.comment.is_empty() && self.turns.iter().all(is_plain)
    }

    fn next(&self, at: Option<usize>) -> &[usize] {
        match at {
            None => &self.first,
            Some(at) => self.turns.get(at).map_or(&[], |turn| &turn.next),
        }
    }

    fn before(&self, at: Option<usize>) -> Option<usize> {
        self.turns.get(at?)?.before
    }

    fn child(&self, at: Option<usize>, text: &str) -> Option<usize> {
        let is_it = |number: &usize| self.turns.get(*number).is_some_and(|turn| turn.text == text);
        self.next(at).iter().copied().find(is_it)
    }

    /// The turn with this text after another one, which is added if it is missing.
    fn add(&mut self, text: &str, before: Option<usize>) -> usize {
        if let Some(known) = self.child(before, text) {
            return known;
        }
        self.push(Turn { text: text.to_owned(), before, ..Turn::default() })
    }

    fn push(&mut self, turn: Turn) -> usize {
        let number = self.turns.len();
        match turn.before.and_then(|before| self.turns.get_mut(before)) {
            Some(before) => before.next.push(number),
            None => self.first.push(number),
        }
        self.turns.push(turn);
        number
    }

    /// Plays a turn at the cursor and moves there.
    pub fn play(&mut self, text: &str) {
        let number = self.add(text, self.at);
        self.go(Some(number));
    }

    /// Adds a line at the cursor without moving there; stepping ahead then follows it.
    pub fn add_line(&mut self, turns: &[String]) {
        let (here, mut before) = (self.at, self.at);
        for turn in turns {
            before = Some(self.add(turn, before));
        }
        self.go(before);
        self.go(here);
    }

    /// Whether a variation at the cursor would be nested too deep to be written.
    pub fn is_too_deep(&self) -> bool {
        let mut depth = 0;
        let mut at = self.at;
        while let Some(number) = at {
            let before = self.before(at);
            depth += usize::from(self.next(before).first() != Some(&number));
            at = before;
        }
        depth >= MOST_ADDED
    }

    /// Moves the cursor to a turn, or to the start. Stepping ahead then retraces the way there.
    pub fn go(&mut self, at: Option<usize>) {
        self.at = at.filter(|number| *number < self.turns.len());
        let mut number = self.at;
        while let Some(own) = number {
            let before = self.before(number);
            let place = self.next(before).iter().position(|other| *other == own).unwrap_or(0);
            match before.and_then(|before| self.turns.get_mut(before)) {
                Some(turn) => turn.kept = place,
                None => self.kept = place,
            }
            number = before;
        }
    }

    /// Moves one turn back; returns whether there was one.
    pub fn back(&mut self) -> bool {
        let moved = self.at.is_some();
        self.at = self.before(self.at);
        moved
    }

    /// Moves one turn ahead, along the line followed last; returns whether there was one.
    pub fn ahead(&mut self) -> bool {
        let kept = self.at.and_then(|at| self.turns.get(at)).map_or(self.kept, |turn| turn.kept);
        let next = self.next(self.at);
        let Some(next) = next.get(kept).or(next.first()).copied() else { return false };
        self.at = Some(next);
        true
    }

    /// Moves to the next or previous variation of the current turn.
    pub fn aside(&mut self, forward: bool) -> bool {
        let Some(at) = self.at else { return false };
        let own = self.next(self.before(self.at));
        let place = own.iter().position(|other| *other == at).unwrap_or(0);
        let step = if forward { 1 } else { own.len() - 1 };
        let other = own.get((place + step) % own.len().max(1)).copied();
        self.go(other);
        other != Some(at)
    }

    /// Makes the line leading to the cursor the main line at every branch.
    pub fn promote(&mut self) -> bool {
        let mut changed = false;
        let mut at = self.at;
        while let Some(own) = at {
            let before = self.before(at);
            let list = match before {
                None => Some(&mut self.first),
                Some(before) => self.turns.get_mut(before).map(|turn| &mut turn.next),
            };
            if let Some(list) = list
                && let Some(place) = list.iter().position(|other| *other == own).filter(|p| *p > 0)
            {
                list.remove(place);
                list.insert(0, own);
                changed = true;
            }
            at = before;
        }
        self.go(self.at);
        changed
    }

    /// Removes the current turn with everything after it.
    pub fn remove(&mut self) -> bool {
        let Some(at) = self.at else { return false };
        let before = self.before(self.at);
        let list = match before {
            None => Some(&mut self.first),
            Some(before) => self.turns.get_mut(before).map(|turn| &mut turn.next),
        };
        if let Some(list) = list {
            list.retain(|other| *other != at);
        }
        self.go(before);
        true
    }

    /// The turns up to the cursor.
    pub fn line(&self) -> Vec<String> {
        let mut turns = Vec::new();
        let mut at = self.at;
        while let Some(turn) = at.and_then(|at| self.turns.get(at)) {
            turns.push(turn.text.clone());
            at = turn.before;
        }
        turns.reverse();
        turns
    }

    /// The glyph and comment of the current turn.
    pub fn said(&self) -> String {
        match self.at.and_then(|at| self.turns.get(at)) {
            None => self.comment.clone(),
            Some(turn) => format!("{} {}", turn.glyph, turn.comment).trim().to_owned(),
        }
    }

    /// The number of the current turn; none at the start.
    pub fn at(&self) -> Option<usize> {
        self.at
    }

    /// How many alternatives there are to the current turn, itself included.
    pub fn choices(&self) -> usize {
        if self.at.is_none() { 1 } else { self.next(self.before(self.at)).len() }
    }

    /// The main line, with everything else as variations of it.
    pub fn variation(&self) -> Variation {
        Variation { comment: self.comment.clone(), nodes: self.nodes(&self.first) }
    }

    fn nodes<'a>(&'a self, mut choices: &'a [usize]) -> Vec<Node> {
        let mut nodes = Vec::new();
        while let [main, others @ ..] = choices
            && let Some(turn) = self.turns.get(*main)
        {
            let mut node = Node::new(&turn.text);
            (node.glyph, node.comment) = (turn.glyph.clone(), turn.comment.clone());
            for other in others {
                let nodes = self.nodes(std::slice::from_ref(other));
                node.variations.push(Variation { comment: String::new(), nodes });
            }
            nodes.push(node);
            choices = &turn.next;
        }
        nodes
    }

    /// The tree as tokens, in the order in which it is written.
    pub fn words(&self) -> Vec<Word> {
        let mut words = Vec::new();
        self.append_words(&self.first, 0, true, &mut words);
        words
    }

    fn append_words(&self, choices: &[usize], ply: usize, is_main: bool, words: &mut Vec<Word>) {
        let (mut choices, mut ply) = (choices, ply);
        while let [main, others @ ..] = choices
            && let Some(turn) = self.turns.get(*main)
        {
            let text = format!("{}{}", turn.text, turn.glyph);
            words.push(Word::Turn { number: *main, ply, text, is_main });
            for other in others {
                words.push(Word::Open);
                self.append_words(std::slice::from_ref(other), ply, false, words);
                words.push(Word::Close);
            }
            choices = &turn.next;
            ply += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::record::Record;

    const GAME: &str = "[Game \"gekitai\"]\n[Result \"*\"]\n\n{Begin.} 1. c3! {Good.} \
                        ( 1. a1 a2 ( 1... f6 ) ) ( 1. b1 ) 1... d4 2. f6?? *\n";

    fn tree() -> Tree {
        Tree::of(&Record::parse(GAME).unwrap().main)
    }

    #[test]
    fn a_record_is_the_same_after_it_was_a_tree() {
        let mut record = Record::parse(GAME).unwrap();
        record.main = tree().variation();
        assert_eq!(record.to_string(), GAME);
        assert!(!tree().is_plain());
        let plain = Record::parse("[Game \"gekitai\"]\n\n1. c3 d4 *\n").unwrap();
        assert!(Tree::of(&plain.main).is_plain());
    }

    #[test]
    fn a_flat_list_is_the_same_tree() {
        let mut tree = tree();
        tree.play("a1");
        tree.play("f6");
        let (flat, at) = tree.flat();
        assert_eq!(
            flat.iter().map(|turn| turn.after).collect::<Vec<_>>()[..3],
            [None, None, Some(1)]
        );
        let mut again = Tree::from_flat("Begin.", &flat).unwrap();
        again.go(at);
        assert_eq!(again.line(), ["a1", "f6"]);
        assert_eq!((again.variation(), again.main_line()), (tree.variation(), tree.main_line()));
        let loops = [FlatTurn { turn: "a1".into(), after: Some(0), ..FlatTurn::default() }];
        assert_eq!(
            Tree::from_flat("", &loops).unwrap_err().field.as_deref(),
            Some("nodes[0].after")
        );
        // They all follow the first turn: one is the main line, the others are variations.
        let nested: Vec<_> = (0..70)
            .map(|i: usize| FlatTurn {
                turn: format!("m{i}"),
                after: i.checked_sub(1 + i % 2),
                ..FlatTurn::default()
            })
            .collect();
        assert!(Tree::from_flat("", &nested).is_err());
    }

    #[test]
    fn turns_that_differ_branch_off_and_the_same_ones_do_not() {
        let mut tree = tree();
        tree.play("c3");
        tree.play("e5");
        assert_eq!((tree.line(), tree.choices()), (vec!["c3".into(), "e5".into()], 2));
        assert!(tree.aside(true) && tree.line() == ["c3", "d4"]);
        assert!(tree.back() && tree.ahead() && tree.line() == ["c3", "d4"]);
        tree.play("f6");
        assert_eq!(tree.words().len(), 8 + 2 * 4, "seven turns and e5, four variations");
    }

    #[test]
    fn stepping_ahead_follows_the_way_that_was_taken() {
        let mut tree = tree();
        for turn in ["a1", "f6"] {
            tree.play(turn);
        }
        while tree.back() {}
        assert!(tree.ahead() && tree.line() == ["a1"]);
        assert!(tree.ahead() && tree.line() == ["a1", "f6"]);
    }

    #[test]
    fn a_variation_becomes_the_main_line_or_goes() {
        let mut tree = tree();
        tree.play("a1");
        tree.play("f6");
        assert!(tree.promote() && !tree.promote());
        let turns: Vec<_> = tree.variation().nodes.into_iter().map(|node| node.turn).collect();
        assert_eq!(turns, ["a1", "f6"]);
        assert!(tree.back() && tree.remove());
        let turns: Vec<_> = tree.variation().nodes.into_iter().map(|node| node.turn).collect();
        assert_eq!(turns, ["c3", "d4", "f6"]);
        assert!(!tree.remove(), "the start stays");
    }

    #[test]
    fn a_line_of_the_engine_is_there_to_be_stepped_into() {
        let mut tree = Tree::default();
        tree.add_line(&["c3".into(), "d4".into()]);
        assert!(tree.line().is_empty() && tree.ahead() && tree.ahead());
        assert_eq!(tree.line(), ["c3", "d4"]);
        assert!(!tree.ahead());
    }

    #[test]
    fn variations_do_not_nest_deeper_than_a_record_can_hold() {
        let mut tree = Tree::default();
        for i in 0..100 {
            tree.play(&format!("m{i}"));
            if tree.is_too_deep() {
                break;
            }
            tree.back();
            tree.play(&format!("v{i}"));
        }
        let mut record = Record::parse("[Game \"gekitai\"]\n\n*\n").unwrap();
        record.main = tree.variation();
        assert!(Record::parse(&record.to_string()).is_ok());
        assert!(tree.is_too_deep());
    }
}
