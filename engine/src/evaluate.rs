//! What a game teaches the search: estimates, certain knowledge, and which moves look good.
//!
//! A search asks an [`Evaluate`]. A game writes an [`Estimate`], in which everything but the estimate itself
//! may be left out, and has an `Evaluate` by that. What proofs and tables need beside it is
//! [`Prove`](crate::solve::Prove).

use crate::score::{Score, win_after};
use rules::Game;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// What a move seems worth, its index in generator order, and the move.
pub type Weighed<M> = (i32, u16, M);

/// The moves of a judgement's game.
pub type MoveOf<E> = <<E as Evaluate>::Game as Game>::Move;

/// A judgement, as a search asks for it.
///
/// No method has a default, so that a judgement which changes another one in some respects must say of each
/// method what becomes of it:
///
/// ```compile_fail,E0046
/// use engine::evaluate::Evaluate;
///
/// struct Contrary<E>(E);
///
/// impl<E: Evaluate> Evaluate for Contrary<E> {
///     type Game = E::Game;
///     type State = E::State;
///
///     fn evaluate(&self, pos: &E::Game, state: &E::State) -> i32 {
///         -self.0.evaluate(pos, state)
///     }
/// }
/// ```
pub trait Evaluate: Send + Sync {
    /// The game that is judged.
    type Game: Game;

    /// What a position hands to those after it, so that they are judged quicker: sums over the board, say.
    /// A search keeps one for each move of its path and has it filled in where it stands, so it may be large.
    /// `()` costs nothing.
    type State: Default + Send;

    /// Fills in the state of a position that nothing is known of.
    fn begin(&self, pos: &Self::Game, state: &mut Self::State);

    /// Fills in the state of `next`, which a move leads to, from the state `before` of `pos`. Must come to
    /// the same as `begin`. What was in `state` is of no use: it belonged to another position.
    fn follow(
        &self,
        before: &Self::State,
        pos: &Self::Game,
        m: MoveOf<Self>,
        next: &Self::Game,
        state: &mut Self::State,
    );

    /// An estimate for the player to move.
    fn evaluate(&self, pos: &Self::Game, state: &Self::State) -> Score;

    /// What is certain without search: a proven score, counted from this position.
    fn known(&self, pos: &Self::Game) -> Option<Score>;

    /// The same, with the help of the position's state.
    fn known_with(&self, pos: &Self::Game, state: &Self::State) -> Option<Score>;

    /// Drops moves that are certain to lose at once or to gain nothing over others; `of` tells the move of
    /// an item. May drop all: then every move loses as `hopeless` says.
    fn select<T>(&self, pos: &Self::Game, moves: &mut Vec<T>, of: impl Fn(&T) -> MoveOf<Self>);

    /// The score when `select` has dropped every move.
    fn hopeless(&self, pos: &Self::Game) -> Score;

    /// Whether the position is too lively to be estimated: the search goes on at depth zero.
    fn is_lively(&self, pos: &Self::Game) -> bool;

    /// Whether `is_noisy` may hold for any move here.
    fn has_noise(&self, pos: &Self::Game) -> bool;

    /// Whether a move is followed even where quiet ones are not: a capture, say.
    fn is_noisy(&self, pos: &Self::Game, m: MoveOf<Self>) -> bool;

    /// Whether a move costs no depth.
    fn is_free(&self, pos: &Self::Game, m: MoveOf<Self>, next: &Self::Game) -> bool;

    /// Adds to what each move seems worth how good it looks; larger is tried earlier. What is added must
    /// stay below a million either way.
    fn weigh(&self, pos: &Self::Game, state: &Self::State, moves: &mut [Weighed<MoveOf<Self>>]);

    /// How many of the best-looking moves are tried at this many moves from the horizon. The others are
    /// looked at only if all of these lose.
    fn width(&self, depth: i32) -> usize;

    /// Where a move is counted in the table of past successes.
    fn slot(&self, m: MoveOf<Self>) -> usize;

    /// The key under which the table keeps the position; may be the same for mirror images.
    fn key(&self, pos: &Self::Game) -> u64;

    /// What a clear advantage is worth.
    fn unit(&self) -> i32;

    /// How much an estimate may be off for each move that a search would still make; nothing if it must not
    /// be trusted.
    fn swing(&self) -> Option<i32>;

    /// Whether positions at the horizon are looked up, too: so many ways lead to the same one that it pays.
    fn recalls(&self) -> bool;
}

/// The estimate of a position by itself.
pub fn glance<E: Evaluate>(judge: &E, pos: &E::Game) -> Score {
    let mut state = E::State::default();
    judge.begin(pos, &mut state);
    judge.evaluate(pos, &state)
}

/// Weighs the moves of a position by itself.
pub fn weigh<E: Evaluate>(judge: &E, pos: &E::Game, moves: &mut [Weighed<MoveOf<E>>]) {
    let mut state = E::State::default();
    judge.begin(pos, &mut state);
    judge.weigh(pos, &state, moves);
}

type Move<E> = <<E as Estimate>::Game as Game>::Move;

/// A judgement, as a game writes it down: the methods are those of [`Evaluate`], and a game that has nothing
/// to say about one of them leaves it out.
#[allow(missing_docs)]
pub trait Estimate: Send + Sync {
    type Game: Game;
    type State: Default + Send;

    fn evaluate(&self, pos: &Self::Game, state: &Self::State) -> Score;

    fn begin(&self, _pos: &Self::Game, _state: &mut Self::State) {}

    fn follow(
        &self,
        _before: &Self::State,
        _pos: &Self::Game,
        _m: Move<Self>,
        next: &Self::Game,
        state: &mut Self::State,
    ) {
        self.begin(next, state);
    }

    fn known(&self, _pos: &Self::Game) -> Option<Score> {
        None
    }

    fn known_with(&self, pos: &Self::Game, _state: &Self::State) -> Option<Score> {
        self.known(pos)
    }

    fn select<T>(&self, _: &Self::Game, _: &mut Vec<T>, _: impl Fn(&T) -> Move<Self>) {}

    fn hopeless(&self, _pos: &Self::Game) -> Score {
        -win_after(2)
    }

    fn is_lively(&self, _pos: &Self::Game) -> bool {
        false
    }

    fn has_noise(&self, _pos: &Self::Game) -> bool {
        false
    }

    fn is_noisy(&self, _pos: &Self::Game, _m: Move<Self>) -> bool {
        false
    }

    fn is_free(&self, _pos: &Self::Game, _m: Move<Self>, _next: &Self::Game) -> bool {
        false
    }

    /// How good a single move looks, for games that need not weigh them together.
    fn promise(&self, _pos: &Self::Game, _m: Move<Self>) -> i32 {
        0
    }

    fn weigh(&self, pos: &Self::Game, _state: &Self::State, moves: &mut [Weighed<Move<Self>>]) {
        for (worth, _, m) in moves {
            *worth += self.promise(pos, *m);
        }
    }

    fn width(&self, _depth: i32) -> usize {
        usize::MAX
    }

    fn slot(&self, m: Move<Self>) -> usize {
        let mut hasher = Mixer(0);
        m.hash(&mut hasher);
        (hasher.finish() >> (64 - SLOT_BITS)) as usize
    }

    fn key(&self, pos: &Self::Game) -> u64 {
        pos.key()
    }

    fn unit(&self) -> i32 {
        100
    }

    fn swing(&self) -> Option<i32> {
        None
    }

    fn recalls(&self) -> bool {
        false
    }
}

impl<E: Estimate> Evaluate for E {
    type Game = E::Game;
    type State = E::State;

    #[inline]
    fn begin(&self, pos: &E::Game, state: &mut E::State) {
        Estimate::begin(self, pos, state);
    }

    #[inline]
    fn follow(
        &self,
        before: &E::State,
        pos: &E::Game,
        m: Move<E>,
        next: &E::Game,
        state: &mut E::State,
    ) {
        Estimate::follow(self, before, pos, m, next, state);
    }

    #[inline]
    fn evaluate(&self, pos: &E::Game, state: &E::State) -> Score {
        Estimate::evaluate(self, pos, state)
    }

    #[inline]
    fn known(&self, pos: &E::Game) -> Option<Score> {
        Estimate::known(self, pos)
    }

    #[inline]
    fn known_with(&self, pos: &E::Game, state: &E::State) -> Option<Score> {
        Estimate::known_with(self, pos, state)
    }

    #[inline]
    fn select<T>(&self, pos: &E::Game, moves: &mut Vec<T>, of: impl Fn(&T) -> Move<E>) {
        Estimate::select(self, pos, moves, of);
    }

    #[inline]
    fn hopeless(&self, pos: &E::Game) -> Score {
        Estimate::hopeless(self, pos)
    }

    #[inline]
    fn is_lively(&self, pos: &E::Game) -> bool {
        Estimate::is_lively(self, pos)
    }

    #[inline]
    fn has_noise(&self, pos: &E::Game) -> bool {
        Estimate::has_noise(self, pos)
    }

    #[inline]
    fn is_noisy(&self, pos: &E::Game, m: Move<E>) -> bool {
        Estimate::is_noisy(self, pos, m)
    }

    #[inline]
    fn is_free(&self, pos: &E::Game, m: Move<E>, next: &E::Game) -> bool {
        Estimate::is_free(self, pos, m, next)
    }

    #[inline]
    fn weigh(&self, pos: &E::Game, state: &E::State, moves: &mut [Weighed<Move<E>>]) {
        Estimate::weigh(self, pos, state, moves);
    }

    #[inline]
    fn width(&self, depth: i32) -> usize {
        Estimate::width(self, depth)
    }

    #[inline]
    fn slot(&self, m: Move<E>) -> usize {
        Estimate::slot(self, m)
    }

    #[inline]
    fn key(&self, pos: &E::Game) -> u64 {
        Estimate::key(self, pos)
    }

    #[inline]
    fn unit(&self) -> i32 {
        Estimate::unit(self)
    }

    #[inline]
    fn swing(&self) -> Option<i32> {
        Estimate::swing(self)
    }

    #[inline]
    fn recalls(&self) -> bool {
        Estimate::recalls(self)
    }
}

/// The table of past successes has two to the power of this many places.
pub const SLOT_BITS: u32 = 12;

/// A quick hash of small values.
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64((*byte).into());
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.write_u64(n.into());
    }

    fn write_isize(&mut self, n: isize) {
        self.write_u64(n as u64);
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(5) ^ n).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Evaluates by a hash of the position: worthless for play, priceless for tests, since every mistake
/// of a search changes the result.
#[derive(Debug)]
pub struct HashEvaluate<G>(PhantomData<fn() -> G>);

impl<G> Default for HashEvaluate<G> {
    fn default() -> Self {
        HashEvaluate(PhantomData)
    }
}

impl<G: Game> Estimate for HashEvaluate<G> {
    type Game = G;
    type State = ();

    fn evaluate(&self, pos: &G, (): &()) -> Score {
        (pos.key().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as Score % 2_000 - 1_000
    }
}
