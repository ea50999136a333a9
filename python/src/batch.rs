//! Many games at once, into arrays that are reused.

use crate::actions::{Numbered, observation_len};
use crate::any::{Any, no_action};
use crate::wait::lock;
use rules::random::Random;
use rules::{Game, Outcome};
use std::sync::Mutex;
use std::thread;

macro_rules! arrays {
    ($($(#[$about:meta])* $name:ident: $item:ty,)*) => {
        /// What a step reads and writes, each by game; what is not wanted is empty.
        #[derive(Default)]
        pub struct Arrays<'a> {
            $($(#[$about])* pub $name: &'a mut [$item],)*
        }

        impl<'a> Arrays<'a> {
            /// The same, borrowed for a while.
            fn again(&mut self) -> Arrays<'_> {
                Arrays { $($name: &mut *self.$name,)* }
            }

            /// The parts of the first `count` games of `of`, and the rest.
            fn into_part(self, count: usize, of: usize) -> (Arrays<'a>, Arrays<'a>) {
                let (mut own, mut left) = (Arrays::default(), Arrays::default());
                $(
                    let each = self.$name.len() / of.max(1);
                    let cut = each.saturating_mul(count).min(self.$name.len());
                    (own.$name, left.$name) = self.$name.split_at_mut(cut);
                )*
                (own, left)
            }
        }
    };
}

arrays! {
    /// The numbers of moves: to make, or drawn.
    actions: i64,
    /// The planes of the player to move.
    observations: f32,
    /// Whether each number is a legal move.
    masks: bool,
    /// What the step was worth to player 1 and player 2.
    rewards: f32,
    /// Whether the game has ended by its rules.
    ends: bool,
    /// Whether it was given up because it took too many moves.
    truncations: bool,
    /// The player to move, 1 or 2.
    turns: i8,
}

/// What holds for all games of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// How many moves a game may take.
    pub max_moves: u32,
    /// Whether the same position for the third time is a draw.
    pub repetition: bool,
    /// How many threads play.
    pub threads: usize,
}

/// Many games of one kind, their type erased.
pub trait Games: Send {
    /// Begins all games again; each draws from a sequence of its own, which follows from the seed.
    fn reset(&mut self, seed: u64);
    /// Writes where all games stand.
    fn show(&mut self, arrays: &mut Arrays, terms: Terms);
    /// Makes a move in each game, or says why that cannot be and changes nothing.
    fn step(&mut self, arrays: &mut Arrays, terms: Terms) -> Result<(), String>;
    /// Makes so many random moves in each game; rewards of several moves are added up.
    fn step_random(&mut self, steps: u32, arrays: &mut Arrays, terms: Terms);
    /// Draws a legal move for each game.
    fn sample(&mut self, arrays: &mut Arrays, terms: Terms);
    /// Where a game stands.
    fn position(&self, number: usize) -> Option<Any>;
}

/// One game.
struct Slot<G: Game> {
    number: usize,
    pos: G,
    /// The move that it is about to make.
    chosen: Option<G::Move>,
    random: Random,
    /// How many moves it has had.
    count: u32,
    /// The keys of the positions before this one.
    past: Vec<u64>,
}

/// Games of one kind.
pub struct Many<G: Game> {
    start: G,
    slots: Vec<Slot<G>>,
}

impl<G: Numbered> Many<G> {
    /// So many games that begin with the same position.
    pub fn new(start: G, count: usize, seed: u64) -> Many<G> {
        let slot = |number| Slot {
            number,
            pos: start.clone(),
            chosen: None,
            random: Random::new(0),
            count: 0,
            past: Vec::new(),
        };
        let mut slots: Vec<_> = (0..count).map(slot).collect();
        seed_all(&mut slots, seed);
        Many { start, slots }
    }

    /// Lets threads work on parts of the games and of what is written about them.
    fn spread(
        &mut self,
        arrays: &mut Arrays,
        terms: Terms,
        work: impl Fn(&G, &mut [Slot<G>], Arrays) + Sync,
    ) {
        let each = self.slots.len().div_ceil(terms.threads.max(1)).max(MIN_PART);
        let Many { start, slots } = self;
        let start = &*start;
        if each >= slots.len() {
            return work(start, slots, arrays.again());
        }
        thread::scope(|scope| {
            let (mut slots, mut rest) = (slots.as_mut_slice(), arrays.again());
            loop {
                let (part, others) = slots.split_at_mut(each.min(slots.len()));
                let count = part.len() + others.len();
                let (own, left) = rest.into_part(part.len(), count);
                let work = &work;
                if others.is_empty() {
                    work(start, part, own);
                    break;
                }
                scope.spawn(move || work(start, part, own));
                (slots, rest) = (others, left);
            }
        });
    }
}

/// Fewer games than this are not worth a thread.
const MIN_PART: usize = 64;

fn seed_all<G: Game>(slots: &mut [Slot<G>], seed: u64) {
    let mut seeds = Random::new(seed);
    slots.iter_mut().for_each(|slot| slot.random = Random::new(seeds.next_u64()));
}

impl Arrays<'_> {
    /// The game's own part.
    fn of(&mut self, i: usize) -> Row<'_> {
        Row {
            rewards: self.rewards.get_mut(2 * i..2 * i + 2).unwrap_or_default(),
            end: &mut self.ends[i],
            truncation: &mut self.truncations[i],
        }
    }

    fn clear(&mut self) {
        self.rewards.fill(0.0);
        self.ends.fill(false);
        self.truncations.fill(false);
    }
}

struct Row<'a> {
    rewards: &'a mut [f32],
    end: &'a mut bool,
    truncation: &'a mut bool,
}

impl<G: Numbered> Slot<G> {
    /// Takes the move with a number, or says why it cannot be made.
    fn choose(&mut self, action: i64, all: &[G::Move]) -> Result<(), String> {
        let m = usize::try_from(action).ok().and_then(|number| all.get(number));
        let Some(m) = m else { return Err(no_action(action, all.len())) };
        if !self.pos.is_legal(*m) {
            return Err(format!("`{m}` is not legal here: {}", self.pos.objection(*m)));
        }
        self.chosen = Some(*m);
        Ok(())
    }

    /// Makes a move, writes what came of it, and begins again if the game has ended.
    #[inline]
    fn advance(&mut self, m: G::Move, start: &G, terms: Terms, row: Row) {
        if terms.repetition {
            self.past.push(self.pos.key());
        }
        self.pos.play_unchecked(m);
        self.count += 1;
        let end = self.pos.outcome().or_else(|| self.repeated().then_some(Outcome::Draw));
        if let Some(outcome) = end {
            *row.end = true;
            if let Some(winner) = outcome.winner() {
                row.rewards[winner.index()] += 1.0;
                row.rewards[winner.other().index()] -= 1.0;
            }
        } else if self.count >= terms.max_moves {
            *row.truncation = true;
        } else {
            return;
        }
        self.begin(start);
    }

    fn begin(&mut self, start: &G) {
        self.pos = start.clone();
        self.count = 0;
        self.past.clear();
    }

    #[inline]
    fn repeated(&self) -> bool {
        // The same player must be to move, so three occurrences take eight moves at least.
        let key = self.pos.key();
        self.past.len() >= 4 && self.past.iter().filter(|past| **past == key).count() >= 2
    }
}

/// Writes where games stand.
fn show<G: Numbered>(slots: &[Slot<G>], arrays: &mut Arrays, moves: &mut Vec<G::Move>) {
    let Some(first) = slots.first() else { return };
    for (slot, turn) in slots.iter().zip(arrays.turns.iter_mut()) {
        *turn = slot.pos.turn().number() as i8;
    }
    if !arrays.observations.is_empty() {
        let each = observation_len(&first.pos);
        for (slot, out) in slots.iter().zip(arrays.observations.chunks_exact_mut(each)) {
            out.fill(0.0);
            slot.pos.observe(slot.pos.turn(), out);
        }
    }
    if !arrays.masks.is_empty() {
        let each = first.pos.numbering().len();
        for (slot, mask) in slots.iter().zip(arrays.masks.chunks_exact_mut(each)) {
            mask.fill(false);
            moves.clear();
            slot.pos.append_moves(moves);
            moves.iter().for_each(|m| mask[slot.pos.number(*m)] = true);
        }
    }
}

impl<G: Numbered> Games for Many<G>
where
    Any: From<G>,
{
    fn reset(&mut self, seed: u64) {
        let Many { start, slots } = self;
        slots.iter_mut().for_each(|slot| slot.begin(start));
        seed_all(slots, seed);
    }

    fn show(&mut self, arrays: &mut Arrays, terms: Terms) {
        self.spread(arrays, terms, |_, slots, mut arrays| {
            arrays.clear();
            show(slots, &mut arrays, &mut Vec::new());
        });
    }

    fn step(&mut self, arrays: &mut Arrays, terms: Terms) -> Result<(), String> {
        let refused: Mutex<Option<(usize, String)>> = Mutex::new(None);
        self.spread(arrays, terms, |start, slots, arrays| {
            let all = start.numbering();
            for (slot, action) in slots.iter_mut().zip(arrays.actions.iter()) {
                if let Err(reason) = slot.choose(*action, all) {
                    let mut first = lock(&refused);
                    if first.as_ref().is_none_or(|(number, _)| slot.number < *number) {
                        *first = Some((slot.number, reason));
                    }
                    return;
                }
            }
        });
        if let Some((number, reason)) = lock(&refused).take() {
            return Err(format!("game {number}: {reason}"));
        }
        self.spread(arrays, terms, |start, slots, mut arrays| {
            arrays.clear();
            for (i, slot) in slots.iter_mut().enumerate() {
                if let Some(m) = slot.chosen.take() {
                    slot.advance(m, start, terms, arrays.of(i));
                }
            }
            show(slots, &mut arrays, &mut Vec::new());
        });
        Ok(())
    }

    fn step_random(&mut self, steps: u32, arrays: &mut Arrays, terms: Terms) {
        self.spread(arrays, terms, |start, slots, mut arrays| {
            arrays.clear();
            let mut moves = Vec::new();
            for (i, slot) in slots.iter_mut().enumerate() {
                for _ in 0..steps {
                    moves.clear();
                    slot.pos.append_moves(&mut moves);
                    let Some(m) = slot.random.pick(&moves).copied() else { break };
                    slot.advance(m, start, terms, arrays.of(i));
                }
            }
            show(slots, &mut arrays, &mut moves);
        });
    }

    fn sample(&mut self, arrays: &mut Arrays, terms: Terms) {
        self.spread(arrays, terms, |_, slots, arrays| {
            let mut moves = Vec::new();
            for (slot, action) in slots.iter_mut().zip(arrays.actions.iter_mut()) {
                moves.clear();
                slot.pos.append_moves(&mut moves);
                *action = slot.random.pick(&moves).map_or(-1, |m| slot.pos.number(*m) as i64);
            }
        });
    }

    fn position(&self, number: usize) -> Option<Any> {
        Some(self.slots.get(number)?.pos.clone().into())
    }
}
