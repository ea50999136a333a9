//! Many games at once, into arrays that are reused.

use crate::actions::{Numbered, observation_len};
use crate::any::{Any, no_action};
use crate::memory::collected;
use crate::pool::Pool;
use crate::wait::lock;
use rules::random::Random;
use rules::{Game, Outcome};
use serde_json::{Value, json};
use std::borrow::Borrow;
use std::collections::VecDeque;
use std::sync::Mutex;

macro_rules! arrays {
    ($($(#[$about:meta])* $name:ident: $item:ty,)*) => {
        /// The arrays that a step reads and writes, each by game; unwanted ones are empty.
        #[derive(Default)]
        pub struct Arrays<'a> {
            $($(#[$about])* pub $name: &'a mut [$item],)*
        }

        impl<'a> Arrays<'a> {
            /// Borrows them again.
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
    /// Whether each number is a legal move. Bytes, because Python may write any byte into them.
    masks: u8,
    /// The rewards of the step for player 1 and player 2.
    rewards: f32,
    /// Whether the game has ended by its rules or by a repetition.
    ends: u8,
    /// Whether it was truncated because it took too many moves.
    truncations: u8,
    /// Why it has ended, as a [`Reason`].
    reasons: i8,
    /// The player to move, 1 or 2.
    turns: i8,
    /// How many moves the game has had.
    lengths: i32,
    /// How many of the last positions before this one may occur again.
    reversible: i32,
}

/// Why a game has ended; 0 stands for a game that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
pub enum Reason {
    /// Somebody has won.
    Won = 1,
    /// The rules of the game call it a draw.
    Drawn = 2,
    /// The position occurred for the third time.
    Repetition = 3,
    /// It took too many moves.
    Length = 4,
}

impl Reason {
    /// Python's names for the numbers.
    pub const NAMES: [&'static str; 5] = ["goes on", "won", "drawn", "repetition", "length"];

    /// Its name.
    pub fn name(self) -> &'static str {
        Reason::NAMES[self as usize]
    }
}

/// Why a game ends with a position that has occurred this often before, if it does.
pub fn reason<G: Game>(pos: &G, before: usize, count: u32, terms: Terms) -> Option<Reason> {
    match pos.outcome() {
        Some(Outcome::Win(_)) => Some(Reason::Won),
        Some(Outcome::Draw) => Some(Reason::Drawn),
        None if terms.repetition && before >= 2 => Some(Reason::Repetition),
        None => (count >= terms.max_moves).then_some(Reason::Length),
    }
}

/// The settings that all games of a batch share.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// How many moves a game may take.
    pub max_moves: u32,
    /// Whether the same position for the third time is a draw.
    pub repetition: bool,
    /// Whether positions are shown with a plane that tells how often they had occurred before.
    pub repetition_plane: bool,
    /// How many earlier positions that may occur again are shown.
    pub history: usize,
}

/// A position, and how often it had occurred before.
pub type Occurred<G> = (G, usize);

impl Terms {
    /// Planes, rows and columns of an observation, where those of a position are known.
    pub fn shape(&self, [planes, rows, columns]: [usize; 3]) -> [usize; 3] {
        [(planes + usize::from(self.repetition_plane)) * (1 + self.history), rows, columns]
    }

    /// How many numbers an observation has.
    pub fn observation_len<G: Numbered>(&self, pos: &G) -> usize {
        let [rows, columns] = pos.grid();
        self.shape([G::PLANES.len(), rows, columns]).iter().product()
    }

    /// Writes what the player to move sees: the position, then the earlier ones, the latest first.
    pub fn observe<G: Numbered>(
        &self,
        (pos, before): (&G, usize),
        earlier: impl Iterator<Item = Occurred<impl Borrow<G>>>,
        out: &mut [f32],
    ) {
        out.fill(0.0);
        let [rows, columns] = pos.grid();
        let each = observation_len(pos) + usize::from(self.repetition_plane) * rows * columns;
        let mut parts = out.chunks_exact_mut(each);
        let mut show = |seen: &G, before: usize| {
            let Some(part) = parts.next() else { return };
            let (planes, repetition) = part.split_at_mut(observation_len(pos));
            seen.observe(pos.turn(), planes);
            repetition.fill(before.min(2) as f32 / 2.0);
        };
        show(pos, before);
        earlier.take(self.history).for_each(|(seen, before)| show(seen.borrow(), before));
    }
}

/// Many games of one kind, their type erased.
pub trait Games: Send {
    /// Restarts all games; each has random numbers of its own, which are seeded or continue.
    fn reset(&mut self, seed: Option<u64>);
    /// Writes the state of all games, but not how the last step ended.
    fn show(&mut self, pool: &Pool, arrays: &mut Arrays);
    /// Makes a move in each game, or says why that cannot be and changes nothing.
    fn step(&mut self, pool: &Pool, arrays: &mut Arrays) -> Result<(), String>;
    /// Makes this many random moves in each game; rewards of several moves are added up.
    fn step_random(&mut self, pool: &Pool, steps: u32, arrays: &mut Arrays);
    /// Draws a legal move for each game.
    fn sample(&mut self, pool: &Pool, arrays: &mut Arrays);
    /// The current position of a game.
    fn position(&self, number: usize) -> Option<Any>;
    /// The last position of a game that ended with the last step.
    fn end(&self, number: usize) -> Option<Option<Any>>;
    /// Forgets how games ended.
    fn clear_ends(&mut self);
    /// The games that ended with the last step, in order.
    fn ended(&self) -> Vec<usize>;
    /// Writes the last observation of each game that ended with the last step, in order.
    fn observe_ends(&self, out: &mut [f32]);
    /// Sets the positions that new games begin with; none if the caller places them.
    fn begin_with(&mut self, starts: Vec<Any>) -> Result<(), String>;
    /// The games that wait for the caller to place them.
    fn waiting(&self) -> Vec<usize>;
    /// Begins a game with a position, if it still waits for one.
    fn place(&mut self, number: usize, start: Any) -> Result<(), String>;
    /// The state of the games, to be restored later.
    fn state(&self) -> Value;
    /// Restores a state; `read` reads positions.
    fn restore(
        &mut self,
        state: &Value,
        read: &dyn Fn(&str) -> Result<Any, String>,
    ) -> Result<(), String>;
    /// The same games again, if there is memory for them.
    fn boxed(&self) -> Option<Box<dyn Games>>;
    /// For the trees of a search, which know the game.
    fn as_any(&self) -> &dyn std::any::Any;
}

/// One game.
#[derive(Clone)]
pub struct Slot<G: Game> {
    number: usize,
    /// The current position.
    pub pos: G,
    /// The move that it is about to make.
    chosen: Option<G::Move>,
    random: Random,
    /// How many moves it has had.
    pub count: u32,
    /// The keys of the positions before this one that may occur again.
    pub past: Vec<u64>,
    /// The latest of them, the last one first: as many as are shown.
    pub recent: VecDeque<Occurred<G>>,
    /// How often this position has occurred before.
    pub before: usize,
    /// Changes whenever another game begins.
    pub episode: u64,
    /// The last move, if any.
    pub last: Option<G::Move>,
    /// How the game before this one ended, if that was in the last step.
    end: Option<End<G>>,
    /// Whether the caller has to say where the next game begins.
    waiting: bool,
}

/// The last position of a game, and what is shown with it.
#[derive(Clone)]
struct End<G> {
    pos: G,
    before: usize,
    recent: VecDeque<Occurred<G>>,
}

/// Games of one kind.
pub struct Many<G: Game> {
    /// The positions that new games begin with: drawn at random if there are several, asked for if there are none.
    starts: Vec<G>,
    /// The games.
    pub slots: Vec<Slot<G>>,
    /// The settings that all of them share.
    pub terms: Terms,
}

impl<G: Numbered> Many<G> {
    /// This many games that begin with the same position, if there is memory for them.
    pub fn new(start: G, count: usize, seed: u64, terms: Terms) -> Option<Many<G>> {
        let slot = |number| Slot {
            number,
            pos: start.clone(),
            chosen: None,
            random: Random::new(0),
            count: 0,
            past: Vec::new(),
            recent: VecDeque::new(),
            before: 0,
            episode: 0,
            last: None,
            end: None,
            waiting: false,
        };
        let mut slots = collected(count, (0..count).map(slot))?;
        seed_all(&mut slots, seed);
        Some(Many { starts: vec![start], slots, terms })
    }

    /// Lets threads work on parts of the games and of what is written about them.
    fn spread(
        &mut self,
        pool: &Pool,
        arrays: &mut Arrays,
        work: impl Fn(&[G], &mut [Slot<G>], Arrays) + Sync,
    ) {
        let Many { starts, slots, .. } = self;
        let (starts, each) = (&starts[..], pool.part(slots.len()));
        if each >= slots.len() {
            return work(starts, slots, arrays.again());
        }
        pool.scope(|scope| {
            let (mut slots, mut rest) = (slots.as_mut_slice(), arrays.again());
            loop {
                let (part, others) = slots.split_at_mut(each.min(slots.len()));
                let count = part.len() + others.len();
                let (own, left) = rest.into_part(part.len(), count);
                let work = &work;
                if others.is_empty() {
                    work(starts, part, own);
                    break;
                }
                scope.spawn(move |_| work(starts, part, own));
                (slots, rest) = (others, left);
            }
        });
    }
}

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
            reason: &mut self.reasons[i],
        }
    }

    /// Forgets how the last step ended.
    pub fn clear(&mut self) {
        self.rewards.fill(0.0);
        self.ends.fill(0);
        self.truncations.fill(0);
        self.reasons.fill(0);
    }
}

struct Row<'a> {
    rewards: &'a mut [f32],
    end: &'a mut u8,
    truncation: &'a mut u8,
    reason: &'a mut i8,
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

    /// Makes a move, writes its results, and begins another game if this one has ended.
    #[inline]
    fn advance(&mut self, m: G::Move, starts: &[G], terms: Terms, row: Row) {
        if self.pos.settles(m) {
            self.past.clear();
            self.recent.clear();
        } else if terms.repetition {
            self.past.push(self.pos.key());
            if terms.history > 0 {
                self.recent.truncate(terms.history - 1);
                self.recent.push_front((self.pos.clone(), self.before));
            }
        }
        self.pos.play_unchecked(m);
        self.count += 1;
        self.last = Some(m);
        self.before = occurrences(&self.past, self.pos.key());
        let Some(reason) = reason(&self.pos, self.before, self.count, terms) else { return };
        match reason {
            Reason::Length => *row.truncation = 1,
            _ => *row.end = 1,
        }
        *row.reason = reason as i8;
        if let Some(winner) = self.pos.outcome().and_then(Outcome::winner) {
            row.rewards[winner.index()] += 1.0;
            row.rewards[winner.other().index()] -= 1.0;
        }
        let recent = std::mem::take(&mut self.recent);
        self.end = Some(End { pos: self.pos.clone(), before: self.before, recent });
        self.begin(starts);
    }

    /// Begins another game; with a choice of starts, one is drawn.
    fn begin(&mut self, starts: &[G]) {
        let start = match starts {
            [] => None,
            [only] => Some(only),
            several => self.random.pick(several),
        };
        match start.cloned() {
            Some(start) => self.place(start),
            None => self.waiting = true,
        }
    }

    fn place(&mut self, start: G) {
        self.pos = start;
        self.count = 0;
        self.past.clear();
        self.recent.clear();
        self.before = 0;
        self.last = None;
        self.episode += 1;
        self.waiting = false;
    }
}

/// How often a position has occurred before.
#[inline]
pub fn occurrences(past: &[u64], key: u64) -> usize {
    past.iter().filter(|past| **past == key).count()
}

/// The saved state of a game.
type Kept = (String, u64, u32, Vec<u64>, usize, Vec<Occurred<String>>);

fn shown<G>(recent: &VecDeque<Occurred<G>>) -> impl Iterator<Item = Occurred<&G>> {
    recent.iter().map(|(pos, before)| (pos, *before))
}

/// Writes the state of games.
fn show<G: Numbered>(slots: &[Slot<G>], terms: Terms, arrays: &mut Arrays) {
    let Some(first) = slots.first() else { return };
    for (i, slot) in slots.iter().enumerate() {
        arrays.turns[i] = slot.pos.turn().number() as i8;
        arrays.lengths[i] = slot.count as i32;
        arrays.reversible[i] = slot.past.len() as i32;
    }
    if !arrays.observations.is_empty() {
        let each = terms.observation_len(&first.pos);
        for (slot, out) in slots.iter().zip(arrays.observations.chunks_exact_mut(each)) {
            terms.observe((&slot.pos, slot.before), shown(&slot.recent), out);
        }
    }
    if !arrays.masks.is_empty() {
        let each = first.pos.numbering().len();
        let mut moves = Vec::new();
        for (slot, mask) in slots.iter().zip(arrays.masks.chunks_exact_mut(each)) {
            mask.fill(0);
            moves.clear();
            slot.pos.append_moves(&mut moves);
            moves.iter().for_each(|m| mask[slot.pos.number(*m)] = 1);
        }
    }
}

impl<G: Numbered + TryFrom<Any>> Games for Many<G>
where
    Any: From<G>,
{
    fn reset(&mut self, seed: Option<u64>) {
        let Many { starts, slots, .. } = self;
        if let Some(seed) = seed {
            seed_all(slots, seed);
        }
        for slot in slots {
            slot.begin(starts);
            slot.end = None;
        }
    }

    fn show(&mut self, pool: &Pool, arrays: &mut Arrays) {
        let terms = self.terms;
        self.spread(pool, arrays, |_, slots, mut arrays| show(slots, terms, &mut arrays));
    }

    fn step(&mut self, pool: &Pool, arrays: &mut Arrays) -> Result<(), String> {
        let refused: Mutex<Option<(usize, String)>> = Mutex::new(None);
        self.spread(pool, arrays, |_, slots, arrays| {
            let Some(first) = slots.first() else { return };
            let all = first.pos.numbering();
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
        let terms = self.terms;
        self.spread(pool, arrays, |starts, slots, mut arrays| {
            arrays.clear();
            for (i, slot) in slots.iter_mut().enumerate() {
                slot.end = None;
                if let Some(m) = slot.chosen.take() {
                    slot.advance(m, starts, terms, arrays.of(i));
                }
            }
            show(slots, terms, &mut arrays);
        });
        Ok(())
    }

    fn step_random(&mut self, pool: &Pool, steps: u32, arrays: &mut Arrays) {
        let terms = self.terms;
        self.spread(pool, arrays, |starts, slots, mut arrays| {
            let mut moves = Vec::new();
            for (i, slot) in slots.iter_mut().enumerate() {
                for _ in 0..steps {
                    moves.clear();
                    slot.pos.append_moves(&mut moves);
                    let Some(m) = slot.random.pick(&moves).copied() else { break };
                    slot.advance(m, starts, terms, arrays.of(i));
                }
            }
            show(slots, terms, &mut arrays);
        });
    }

    fn sample(&mut self, pool: &Pool, arrays: &mut Arrays) {
        self.spread(pool, arrays, |_, slots, arrays| {
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

    fn end(&self, number: usize) -> Option<Option<Any>> {
        let end = &self.slots.get(number)?.end;
        Some(end.as_ref().map(|end| end.pos.clone().into()))
    }

    fn clear_ends(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.end = None);
    }

    fn ended(&self) -> Vec<usize> {
        let ended = self.slots.iter().filter(|slot| slot.end.is_some());
        ended.map(|slot| slot.number).collect()
    }

    fn observe_ends(&self, out: &mut [f32]) {
        let Some(first) = self.slots.first() else { return };
        let each = self.terms.observation_len(&first.pos);
        let ends = self.slots.iter().filter_map(|slot| slot.end.as_ref());
        for (end, out) in ends.zip(out.chunks_exact_mut(each)) {
            self.terms.observe((&end.pos, end.before), shown(&end.recent), out);
        }
    }

    fn begin_with(&mut self, starts: Vec<Any>) -> Result<(), String> {
        self.starts = starts.into_iter().map(own).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn waiting(&self) -> Vec<usize> {
        let waiting = self.slots.iter().filter(|slot| slot.waiting);
        waiting.map(|slot| slot.number).collect()
    }

    fn place(&mut self, number: usize, start: Any) -> Result<(), String> {
        let start = own(start)?;
        if let Some(slot) = self.slots.get_mut(number).filter(|slot| slot.waiting) {
            slot.place(start);
        }
        Ok(())
    }

    fn state(&self) -> Value {
        let slot = |slot: &Slot<G>| {
            let recent: Vec<_> = slot.recent.iter().map(|(pos, n)| (pos.text(), n)).collect();
            let Slot { random, count, past, before, .. } = slot;
            json!([slot.pos.text(), random.state(), count, past, before, recent])
        };
        self.slots.iter().map(slot).collect()
    }

    fn restore(
        &mut self,
        state: &Value,
        read: &dyn Fn(&str) -> Result<Any, String>,
    ) -> Result<(), String> {
        let all = state.as_array().filter(|all| all.len() == self.slots.len());
        let all =
            all.ok_or_else(|| format!("this is not a state of {} games", self.slots.len()))?;
        let mut slots = self.slots.clone();
        for (slot, kept) in slots.iter_mut().zip(all) {
            let damaged = |_| format!("the state of game {} is damaged", slot.number);
            let kept: Kept = serde_json::from_value(kept.clone()).map_err(damaged)?;
            let (text, random, count, past, before, recent) = kept;
            slot.place(own(read(&text)?)?);
            slot.random = Random::new(random);
            (slot.count, slot.past, slot.before) = (count, past, before);
            for (text, before) in recent {
                slot.recent.push_back((own(read(&text)?)?, before));
            }
            slot.end = None;
        }
        self.slots = slots;
        Ok(())
    }

    fn boxed(&self) -> Option<Box<dyn Games>> {
        let slots = collected(self.slots.len(), self.slots.iter().cloned())?;
        Some(Box::new(Many { starts: self.starts.clone(), slots, terms: self.terms }))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

fn own<G: TryFrom<Any>>(pos: Any) -> Result<G, String> {
    G::try_from(pos).map_err(|_| "this is a position of another game".to_owned())
}
