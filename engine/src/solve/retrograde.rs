//! Retrograde analysis: the exact value of every position of a game that fits into memory.
//!
//! It works backwards from positions decided in n turns to those decided in n + 1. What is left undecided is
//! won by nobody.

use rules::{Outcome, Player, Symmetric};
use std::collections::HashMap;

/// The value of a position in a byte: 0 if nobody can force a win, otherwise one more than the turns the game
/// still lasts with best play. If those are odd, the player to move wins, otherwise the opponent.
pub type Value = u8;

/// The player to move has lost already.
pub const LOST: Value = 1;

/// The player to move wins with this turn.
pub const WINS: Value = 2;

/// How many turns the game still lasts; `None` if nobody can force a win.
pub const fn turns(value: Value) -> Option<u32> {
    match value {
        0 => None,
        value => Some(value as u32 - 1),
    }
}

/// Whether the player to move wins.
pub const fn is_win(value: Value) -> bool {
    value != 0 && value.is_multiple_of(2)
}

/// A successor: a position of the space, or a known value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A position of the space.
    State(usize),
    /// The value, for the player to move there.
    Known(Value),
}

/// A game graph whose positions are numbered.
pub trait Space {
    /// How many numbers are in use, with or without a position.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Appends the successors of a position; none for a number without a position.
    fn append_next(&self, state: usize, out: &mut Vec<Next>);
    /// Appends the predecessors of a position.
    fn append_before(&self, state: usize, out: &mut Vec<usize>);
}

/// The value of every position; `None` if `go_on` stopped it, which is called with the number of turns done.
pub fn solve(space: &impl Space, go_on: &mut dyn FnMut(u32) -> bool) -> Option<Vec<Value>> {
    let (wins, losses) = triggers(space, go_on)?;
    let latest = wins.iter().chain(&losses).max().copied().unwrap_or_default();
    let mut level =
        Level { space, values: vec![0; space.len()], found: Vec::new(), next: Vec::new() };
    let mut before = Vec::new();
    for value in LOST..Value::MAX {
        let last = std::mem::take(&mut level.found);
        if last.is_empty() && value > latest.saturating_add(1) {
            break;
        }
        if !go_on(u32::from(value - 1)) {
            return None;
        }
        let given = if is_win(value) { &wins } else { &losses };
        for state in (0..space.len()).filter(|state| given[*state] == value) {
            level.consider(state, value);
        }
        for state in last {
            before.clear();
            space.append_before(state, &mut before);
            before.iter().for_each(|state| level.consider(*state, value));
        }
    }
    Some(level.values)
}

/// The values so far, and the positions decided in the present number of turns.
struct Level<'a, S> {
    space: &'a S,
    values: Vec<Value>,
    found: Vec<usize>,
    next: Vec<Next>,
}

impl<S: Space> Level<'_, S> {
    /// Gives an undecided position this value: a win always, a loss only if no turn avoids it.
    fn consider(&mut self, state: usize, value: Value) {
        if self.values[state] != 0 {
            return;
        }
        self.next.clear();
        if !is_win(value) {
            self.space.append_next(state, &mut self.next);
        }
        if lost_by(&self.next, &self.values, value) {
            self.values[state] = value;
            self.found.push(state);
        }
    }
}

/// Whether every successor is a win for the opponent, and a quicker one.
fn lost_by(next: &[Next], values: &[Value], value: Value) -> bool {
    next.iter().all(|next| {
        let after = match next {
            Next::State(state) => values[*state],
            Next::Known(value) => *value,
        };
        is_win(after) && after < value
    })
}

/// For each position, the values that its successors outside the space alone would give it: the quickest win
/// and the slowest loss.
fn triggers(
    space: &impl Space,
    go_on: &mut dyn FnMut(u32) -> bool,
) -> Option<(Vec<Value>, Vec<Value>)> {
    let (mut wins, mut losses) = (vec![0; space.len()], vec![0; space.len()]);
    let mut next = Vec::new();
    for state in 0..space.len() {
        if state % (1 << 20) == 0 && !go_on(0) {
            return None;
        }
        next.clear();
        space.append_next(state, &mut next);
        let known = |next: &Next| match next {
            Next::Known(value) => Some(*value),
            Next::State(_) => None,
        };
        let lost = next.iter().filter_map(known).filter(|value| value % 2 == 1).min();
        wins[state] = lost.map_or(0, |value| value + 1);
        let won = next.iter().filter_map(known).filter(|value| is_win(*value)).max();
        losses[state] = won.map_or(0, |value| value.saturating_add(1));
    }
    Some((wins, losses))
}

/// The graph of all positions reachable from a start, up to symmetry, turn by turn.
pub struct Graph<G: Symmetric> {
    numbers: HashMap<G, usize>,
    /// The successors of each position.
    next: Vec<Vec<Next>>,
    /// The predecessors of each position.
    before: Vec<Vec<usize>>,
}

impl<G: Symmetric> Graph<G> {
    /// The positions reachable from `start` within this many turns; `None` if there are more than `most`.
    /// Those at the horizon count as won by nobody.
    pub fn new(start: &G, within: u32, most: usize) -> Option<Graph<G>> {
        let mut graph = Graph { numbers: HashMap::new(), next: Vec::new(), before: Vec::new() };
        let mut layer = vec![graph.number(start)?];
        for _ in 0..within {
            let mut follow = Vec::new();
            for pos in layer {
                graph.expand(&pos, most, &mut follow)?;
            }
            layer = follow;
            if layer.is_empty() {
                break;
            }
        }
        for pos in layer {
            let state = graph.numbers[&pos];
            graph.next[state].push(Next::Known(0));
        }
        Some(graph)
    }

    /// Adds a position that is not over; returns its canonical image.
    fn number(&mut self, pos: &G) -> Option<G> {
        if pos.outcome().is_some() {
            return None;
        }
        let canonical = pos.canonical().0;
        self.numbers.insert(canonical.clone(), self.next.len());
        self.next.push(Vec::new());
        self.before.push(Vec::new());
        Some(canonical)
    }

    /// Adds the successors of a position and appends the new ones.
    fn expand(&mut self, pos: &G, most: usize, new: &mut Vec<G>) -> Option<()> {
        let (state, mover) = (self.numbers[pos], pos.turn());
        let mut after = Vec::new();
        pos.each_turn(|_, next| after.push(next));
        for pos in after {
            let next = match pos.outcome() {
                Some(outcome) => Next::Known(known(outcome, mover)),
                None => {
                    let canonical = pos.canonical().0;
                    if !self.numbers.contains_key(&canonical) {
                        if self.numbers.len() >= most {
                            return None;
                        }
                        new.extend(self.number(&canonical));
                    }
                    Next::State(self.numbers[&canonical])
                }
            };
            if !self.next[state].contains(&next) {
                self.next[state].push(next);
                if let Next::State(to) = next {
                    self.before[to].push(state);
                }
            }
        }
        Some(())
    }

    /// The number of a position or of its image.
    pub fn state(&self, pos: &G) -> Option<usize> {
        self.numbers.get(&pos.canonical().0).copied()
    }

    /// Every position.
    pub fn positions(&self) -> impl Iterator<Item = (&G, usize)> {
        self.numbers.iter().map(|(pos, state)| (pos, *state))
    }
}

/// The value of a game that this player has ended. A player who loses by their own turn counts as losing to
/// the next one, so that odd and even keep their meaning.
fn known(outcome: Outcome, mover: Player) -> Value {
    match outcome {
        Outcome::Draw => 0,
        Outcome::Win(player) if player == mover => LOST,
        Outcome::Win(_) => WINS,
    }
}

impl<G: Symmetric> Space for Graph<G> {
    fn len(&self) -> usize {
        self.next.len()
    }

    fn append_next(&self, state: usize, out: &mut Vec<Next>) {
        out.extend_from_slice(&self.next[state]);
    }

    fn append_before(&self, state: usize, out: &mut Vec<usize>) {
        out.extend_from_slice(&self.before[state]);
    }
}
