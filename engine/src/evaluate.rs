//! Evaluation: static evaluations, certain knowledge and move ordering.
//!
//! A search uses an [`Evaluate`]. A game implements [`Estimate`], where everything but the static evaluation
//! has a default, and is thereby an `Evaluate`. Proofs and tables need [`Prove`](crate::solve::Prove) as well.

use crate::score::{Score, win_after};
use rules::Game;
use std::hash::{Hash, Hasher};

/// The ordering score of a move, its index in generator order, and the move.
pub type ScoredMove<M> = (i32, u16, M);

/// The moves of a judgement's game.
pub type MoveOf<E> = <<E as Evaluate>::Game as Game>::Move;

/// An evaluator, as a search uses it.
///
/// No method has a default, so that an evaluator which wraps another one cannot forget to forward a method:
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
    /// The game that is evaluated.
    type Game: Game;

    /// State that is kept for a position to evaluate its successors incrementally, such as a net's accumulator.
    /// A search keeps one for each ply of its path and updates it in place, so it may be large. `()` costs
    /// nothing.
    type State: Default + Send;

    /// Computes the state of a position from scratch.
    fn refresh(&self, pos: &Self::Game, state: &mut Self::State);

    /// Computes the state of `next`, the position after a move, from the state `before` of `pos`. The result must equal
    /// that of `refresh`. `state` holds leftovers of another position.
    fn update(
        &self,
        before: &Self::State,
        pos: &Self::Game,
        m: MoveOf<Self>,
        next: &Self::Game,
        state: &mut Self::State,
    );

    /// The static evaluation, for the player to move.
    fn evaluate(&self, pos: &Self::Game, state: &Self::State) -> Score;

    /// A proven score that needs no search, counted from this position.
    fn known(&self, pos: &Self::Game) -> Option<Score>;

    /// The same, with the help of the position's state.
    fn known_with(&self, pos: &Self::Game, state: &Self::State) -> Option<Score>;

    /// Whether `known` says the same as `known_with`, and as quickly.
    fn knows_without_state(&self) -> bool;

    /// Drops moves that certainly lose at once or are no better than others; `of` gives the move of an item.
    /// If it drops all of them, the position is worth `hopeless`.
    fn prune<T>(&self, pos: &Self::Game, moves: &mut Vec<T>, of: impl Fn(&T) -> MoveOf<Self>);

    /// The score of a position in which `prune` has dropped every move.
    fn hopeless(&self, pos: &Self::Game) -> Score;

    /// Whether the static evaluation cannot be trusted here, so that the search goes on below depth zero.
    fn is_unstable(&self, pos: &Self::Game) -> bool;

    /// Whether `is_noisy` may hold for any move here.
    fn has_noisy_moves(&self, pos: &Self::Game) -> bool;

    /// Whether the quiescence search follows a move: a capture, say.
    fn is_noisy(&self, pos: &Self::Game, m: MoveOf<Self>) -> bool;

    /// Whether a move is extended, that is, costs no depth.
    fn is_extended(&self, pos: &Self::Game, m: MoveOf<Self>, next: &Self::Game) -> bool;

    /// Adds to the ordering score of each move; moves with a high score are tried first. The absolute value
    /// of what is added must stay below a million.
    fn score_moves(
        &self,
        pos: &Self::Game,
        state: &Self::State,
        moves: &mut [ScoredMove<MoveOf<Self>>],
    );

    /// Late move pruning: how many moves are tried at this depth. The others are tried only if all of these
    /// lose.
    fn move_count_limit(&self, pos: &Self::Game, depth: i32) -> usize;

    /// The place of a move in the history table.
    fn history_slot(&self, m: MoveOf<Self>) -> usize;

    /// The key of a position in the transposition table; may be the same for mirror images.
    fn key(&self, pos: &Self::Game) -> u64;

    /// The score of a clear advantage; the same for all positions with the same options.
    fn unit(&self, pos: &Self::Game) -> i32;

    /// How much a static evaluation may be off for each ply of remaining depth; `None` turns reverse futility
    /// pruning off.
    fn futility_margin(&self, pos: &Self::Game) -> Option<i32>;

    /// Whether the transposition table is probed at leaves, too: this pays where many paths lead to the same
    /// position.
    fn probes_leaves(&self) -> bool;
}

/// The static evaluation of a position outside a search.
pub fn static_eval<E: Evaluate>(judge: &E, pos: &E::Game) -> Score {
    let mut state = E::State::default();
    judge.refresh(pos, &mut state);
    judge.evaluate(pos, &state)
}

/// Scores the moves of a position outside a search.
pub fn score_moves<E: Evaluate>(judge: &E, pos: &E::Game, moves: &mut [ScoredMove<MoveOf<E>>]) {
    let mut state = E::State::default();
    judge.refresh(pos, &mut state);
    judge.score_moves(pos, &state, moves);
}

type Move<E> = <<E as Estimate>::Game as Game>::Move;

/// An evaluator, as a game implements it: the methods are those of [`Evaluate`], with defaults.
#[allow(missing_docs)]
pub trait Estimate: Send + Sync {
    type Game: Game;
    type State: Default + Send;

    fn evaluate(&self, pos: &Self::Game, state: &Self::State) -> Score;

    fn refresh(&self, _pos: &Self::Game, _state: &mut Self::State) {}

    fn update(
        &self,
        _before: &Self::State,
        _pos: &Self::Game,
        _m: Move<Self>,
        next: &Self::Game,
        state: &mut Self::State,
    ) {
        self.refresh(next, state);
    }

    fn known(&self, _pos: &Self::Game) -> Option<Score> {
        None
    }

    fn known_with(&self, pos: &Self::Game, _state: &Self::State) -> Option<Score> {
        self.known(pos)
    }

    fn knows_without_state(&self) -> bool {
        true
    }

    fn prune<T>(&self, _: &Self::Game, _: &mut Vec<T>, _: impl Fn(&T) -> Move<Self>) {}

    fn hopeless(&self, _pos: &Self::Game) -> Score {
        -win_after(2)
    }

    fn is_unstable(&self, _pos: &Self::Game) -> bool {
        false
    }

    fn has_noisy_moves(&self, _pos: &Self::Game) -> bool {
        false
    }

    fn is_noisy(&self, _pos: &Self::Game, _m: Move<Self>) -> bool {
        false
    }

    fn is_extended(&self, _pos: &Self::Game, _m: Move<Self>, _next: &Self::Game) -> bool {
        false
    }

    fn score_moves(&self, _: &Self::Game, _: &Self::State, _: &mut [ScoredMove<Move<Self>>]) {}

    fn move_count_limit(&self, _pos: &Self::Game, _depth: i32) -> usize {
        usize::MAX
    }

    fn history_slot(&self, m: Move<Self>) -> usize {
        let mut hasher = Mixer(0);
        m.hash(&mut hasher);
        (hasher.finish() >> (64 - SLOT_BITS)) as usize
    }

    fn key(&self, pos: &Self::Game) -> u64 {
        pos.key()
    }

    fn unit(&self, _pos: &Self::Game) -> i32 {
        100
    }

    fn futility_margin(&self, _pos: &Self::Game) -> Option<i32> {
        None
    }

    fn probes_leaves(&self) -> bool {
        false
    }
}

/// Implements methods of a trait by calling those of another value with the same arguments.
macro_rules! forward {
    ($trait:ident of $to:expr; $(fn $name:ident(&$self:ident $(, $arg:ident: $type:ty)*) $(-> $result:ty)?;)*) => {
        $(
            #[inline]
            fn $name(&$self $(, $arg: $type)*) $(-> $result)? {
                $trait::$name($to $(, $arg)*)
            }
        )*
    };
}
pub(crate) use forward;

impl<E: Estimate> Evaluate for E {
    type Game = E::Game;
    type State = E::State;

    forward! { Estimate of self;
        fn refresh(&self, pos: &E::Game, state: &mut E::State);
        fn update(&self, before: &E::State, pos: &E::Game, m: Move<E>, next: &E::Game, state: &mut E::State);
        fn evaluate(&self, pos: &E::Game, state: &E::State) -> Score;
        fn known(&self, pos: &E::Game) -> Option<Score>;
        fn known_with(&self, pos: &E::Game, state: &E::State) -> Option<Score>;
        fn knows_without_state(&self) -> bool;
        fn hopeless(&self, pos: &E::Game) -> Score;
        fn is_unstable(&self, pos: &E::Game) -> bool;
        fn has_noisy_moves(&self, pos: &E::Game) -> bool;
        fn is_noisy(&self, pos: &E::Game, m: Move<E>) -> bool;
        fn is_extended(&self, pos: &E::Game, m: Move<E>, next: &E::Game) -> bool;
        fn score_moves(&self, pos: &E::Game, state: &E::State, moves: &mut [ScoredMove<Move<E>>]);
        fn move_count_limit(&self, pos: &E::Game, depth: i32) -> usize;
        fn history_slot(&self, m: Move<E>) -> usize;
        fn key(&self, pos: &E::Game) -> u64;
        fn unit(&self, pos: &E::Game) -> i32;
        fn futility_margin(&self, pos: &E::Game) -> Option<i32>;
        fn probes_leaves(&self) -> bool;
    }

    #[inline]
    fn prune<T>(&self, pos: &E::Game, moves: &mut Vec<T>, of: impl Fn(&T) -> Move<E>) {
        Estimate::prune(self, pos, moves, of);
    }
}

/// The history table has two to the power of this many places for each player.
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
