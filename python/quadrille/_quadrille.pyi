"""The native part of the package."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, ClassVar, Literal, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

__version__: str

Outcome = Literal[1, 2, "draw"] | None
Method = Literal["all", "proof", "bound", "quiet", "draw"]
Network = Callable[[Any, Any], tuple[ArrayLike, ArrayLike]]
Start: TypeAlias = "Position | Sequence[Position] | Callable[[], Position]"
Step = tuple[NDArray[np.float32] | None, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_]]

@final
class Game:
    """The rules of a game with its options: `Game("gekitai", size=4)`."""

    def __new__(cls, id: str, **options: int | str) -> Self: ...
    @property
    def id(self) -> str:
        """The name in commands and formats: `six-making`."""
    @property
    def name(self) -> str:
        """The name people use: `Six MaKING`."""
    @property
    def players(self) -> tuple[str, str]:
        """The names of the two players."""
    @property
    def rules(self) -> str:
        """The rules page, in Markdown."""
    @property
    def options(self) -> dict[str, Any]:
        """All options, including those left at their defaults."""
    @property
    def seed_players(self) -> list[str]:
        """The players of the original program, for `seed_player`."""
    def start(self) -> Position:
        """Return the position before the first move."""
    def position(self, given: str | bytes | Mapping[str, Any]) -> Position:
        """Read a position: a dictionary, a line of text, JSON as text, or a Prolog term."""
    @property
    def num_actions(self) -> int:
        """The number of actions; they are 0 to `num_actions - 1`."""
    def action_text(self, action: int) -> str:
        """Return the text of the move with this number."""
    def action(self, text: str) -> int:
        """Return the number of a move, legal or not."""
    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """Planes, rows and columns of an observation."""
    @property
    def planes(self) -> list[str]:
        """What each plane of an observation shows."""
    @property
    def num_symmetries(self) -> int:
        """The number of images of a position; image 0 is the position itself."""
    def symmetry(self, which: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where each place of a plane and each action of an image come from.

        With `places, actions = game.symmetry(k)`, the image of an observation is
        `observation.reshape(len(game.planes), -1)[:, places]`, and that of a mask or a policy is
        `policy[actions]`.
        """
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Position:
    """One position of a game. It never changes: playing a move gives another position."""

    @property
    def game(self) -> Game:
        """The game with its options."""
    @property
    def turn(self) -> Literal[1, 2]:
        """The player to move; in a finished game, the one whose turn it would be."""
    @property
    def outcome(self) -> Outcome:
        """The winner, "draw", or None while the game goes on."""
    @property
    def is_over(self) -> bool:
        """Whether the game is over by its rules."""
    @property
    def key(self) -> int:
        """A hash of 64 bits, the same for equal positions in every version and process."""
    @property
    def text(self) -> str:
        """The position in one line, as `Game.position` reads it."""
    @property
    def json(self) -> str:
        """The position as JSON text."""
    @property
    def prolog(self) -> str:
        """The position as a Prolog term of the original program."""
    @property
    def status(self) -> str:
        """Whose turn it is, or who has won and how."""
    def to_json(self) -> dict[str, Any]:
        """Return the position as a dictionary, as JSON has it."""
    def moves(self) -> list[str]:
        """Return every legal move, in the order of `actions()`."""
    def turns(self) -> list[str]:
        """Return every legal whole turn, sorted; in Glaisher a turn is two moves."""
    def steps(self, turn: str) -> list[str]:
        """Split the text of a turn into the texts of its moves."""
    def play(self, text: str) -> Position:
        """Play a move or a whole turn; raises `ValueError` with the reason if it is not legal."""
    def actions(self) -> list[int]:
        """Return the numbers of all legal moves, in ascending order."""
    def play_action(self, action: int) -> Position:
        """Return the position after the move with this number."""
    def action(self, text: str) -> int:
        """Return the number of a move, legal or not."""
    def action_text(self, action: int) -> str:
        """Return the text of the move with this number."""
    def action_mask(self) -> NDArray[np.bool_]:
        """Return for each action whether it is legal."""
    def observation(self, player: int | None = None) -> NDArray[np.float32]:
        """Return the planes as a player sees them, by default the player to move."""
    @property
    def symmetries(self) -> list[Position]:
        """All images, the position itself first."""
    def image(self, which: int) -> Position:
        """Return the position turned or mirrored; image 0 is the position itself."""
    def canonical(self) -> tuple[Position, int]:
        """Return the image that stands for all images, and its number."""
    def seed_value(self) -> tuple[float, float] | None:
        """Return the original program's evaluation, from each player's own view."""
    def seed_best(self) -> dict[str, list[str]]:
        """Return the turns that each player of the original program draws from."""
    def svg(
        self,
        *,
        dark: bool = False,
        coordinates: bool = True,
        flipped: bool = False,
        caption: bool = True,
    ) -> str:
        """Draw the position as SVG."""
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __lt__(self, value: Position, /) -> bool: ...
    def __le__(self, value: Position, /) -> bool: ...
    def __gt__(self, value: Position, /) -> bool: ...
    def __ge__(self, value: Position, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: object) -> Self: ...

@final
class Record:
    """A whole game with its tags and comments. Turns are checked when positions are asked for."""

    def __new__(cls, text: str) -> Self: ...
    @staticmethod
    def of(
        start: Position | Game | str,
        turns: Sequence[str],
        tags: Mapping[str, object] | None = None,
    ) -> Record:
        """Make the record of a game from its turns, which are checked."""
    @property
    def game(self) -> Game:
        """The game with its options."""
    @property
    def tags(self) -> dict[str, str]:
        """The tags, by name."""
    @property
    def turns(self) -> list[str]:
        """The turns of the main line."""
    @property
    def comments(self) -> list[str]:
        """The comment after each turn, mostly empty."""
    @property
    def result(self) -> str:
        """`1-0`, `0-1`, `1/2-1/2` or `*`."""
    @property
    def outcome(self) -> Outcome:
        """The winner, "draw", or None if it is not known."""
    @property
    def text(self) -> str:
        """The record as it is written to files."""
    @property
    def sgf(self) -> str:
        """The record as SGF, the Smart Game Format."""
    @property
    def start(self) -> Position:
        """The position before the first turn."""
    @property
    def end(self) -> Position:
        """The position after the last turn."""
    def positions(self) -> list[Position]:
        """Return all positions, turn by turn; raises `ValueError` if a turn is not legal."""
    def to_dict(self) -> dict[str, Any]:
        """Return the game as plain values, one for each column of a table."""
    def __len__(self) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Records:
    """The records of a file, one after the other."""

    def __new__(cls, path: str | os.PathLike[str]) -> Self: ...
    def __iter__(self) -> Iterator[Record]: ...
    def __next__(self) -> Record: ...

@final
class Line:
    """A line of play that a search has found."""

    @property
    def turns(self) -> list[str]:
        """Its turns, all of them whole."""
    @property
    def score(self) -> int:
        """Its value for the player to move, in roughly hundredths of a piece."""
    @property
    def win_in(self) -> int | None:
        """The number of the winner's turns until a certain win; negative if it is lost."""
    @property
    def proof(self) -> str | None:
        """The certificate that proves the value, if one does."""

@final
class Analysis:
    """What a search has found."""

    @property
    def depth(self) -> int:
        """How many moves deep it has looked."""
    @property
    def nodes(self) -> int:
        """How many positions it has looked at."""
    @property
    def time_ms(self) -> float:
        """How long it took, in milliseconds."""
    @property
    def lines(self) -> list[Line]:
        """The best lines, the best one first."""
    @property
    def best(self) -> str | None:
        """The best turn."""
    @property
    def score(self) -> int | None:
        """The value of the best turn for the player to move."""
    @property
    def win_in(self) -> int | None:
        """The number of the winner's turns until a certain win; negative if it is lost."""
    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""

@final
class Engine:
    """An engine that remembers between searches. Threads may share it: they take turns.

    `level` (1 to 10) is for `play`; without one the engine plays as well as it can.
    `memory` is the size of its table in MiB, and `seed` decides what levels leave to chance.
    """

    def __new__(
        cls, game: Game | str, *, level: int | None = None, memory: int = 16, seed: int = 0
    ) -> Self: ...
    @property
    def game(self) -> Game:
        """The game that it plays, with any options."""
    @property
    def level(self) -> int | None:
        """The level that it plays at, 1 to 10, or None for its full strength."""
    def search(
        self,
        position: Position | Record,
        *,
        time_ms: int | None = None,
        nodes: int | None = None,
        depth: int | None = None,
        lines: int | None = None,
        threads: int | None = None,
    ) -> Analysis | None:
        """Search until a limit is reached: `time_ms`, `nodes` or `depth`, in moves.

        Without any, it searches for a second. `lines` is how many best lines to find. Returns
        None if the game is over. With `nodes` or `depth` and one thread, a fresh engine always
        gives the same answer.
        """
    def analyse(
        self,
        position: Position | Record,
        *,
        time_ms: int | None = None,
        nodes: int | None = None,
        depth: int | None = None,
        lines: int | None = None,
        threads: int | None = None,
    ) -> Search:
        """Search in the background, and report what was found after every depth.

        The limits are those of `search`; without any, it searches for ten seconds.
        """
    def play(
        self,
        position: Position | Record,
        *,
        time_ms: int | None = None,
        nodes: int | None = None,
        depth: int | None = None,
        threads: int | None = None,
    ) -> str | None:
        """Choose a turn: that of the engine's level, or else the best within the limits.

        Levels 1 to 9 look at a fixed number of positions, so they play the same on any machine,
        unless `time_ms` is given. Level 10 and an engine without a level think for 1.5 seconds
        if no limit is given. Returns None if the game is over.
        """
    def glance(self, position: Position | Record) -> int:
        """Estimate a position without a search, for the player to move."""
    def stop(self) -> None:
        """End all searches of this engine, from any thread; they return what they have found."""
    def forget(self, *, seed: int | None = None) -> None:
        """Clear the tables, as before a new game; a seed restarts the random numbers."""

@final
class Search:
    """A search in the background: iterate over what it finds. Leaving its `with` ends it."""

    def __iter__(self) -> Iterator[Analysis]: ...
    def __next__(self) -> Analysis: ...
    def stop(self) -> None:
        """End the search; what it has found by then is still reported."""
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

@final
class MatchResult:
    """The result of a match, from the first player's side."""

    @property
    def names(self) -> tuple[str, str]:
        """The names of both players."""
    @property
    def wins(self) -> int:
        """Games that the first player has won."""
    @property
    def draws(self) -> int:
        """Games that nobody has won."""
    @property
    def losses(self) -> int:
        """Games that the first player has lost."""
    @property
    def score(self) -> float:
        """The first player's points as a share of all points."""
    @property
    def elo(self) -> tuple[float, float, float] | None:
        """How much stronger the first player is, with its 95 % bounds; None without an estimate."""
    @property
    def records(self) -> list[Record]:
        """The games, in order."""

@final
class Solution:
    """What an attempt to solve a position has found."""

    @property
    def winner(self) -> Literal[1, 2] | None:
        """Who wins, if that is proven."""
    @property
    def turns(self) -> int | None:
        """The number of the winner's turns at most."""
    @property
    def exact(self) -> bool:
        """Whether there is no quicker win."""
    @property
    def line(self) -> list[str]:
        """A line that shows it, turn by turn."""
    @property
    def held(self) -> list[Literal[1, 2]]:
        """Who cannot force a win, if that is proven: one player or both."""
    @property
    def certificate(self) -> str | None:
        """The certificate as text, if there is one."""
    @property
    def no_win(self) -> tuple[int, int]:
        """For each player, the number of turns within which there is no win."""
    @property
    def nodes(self) -> int:
        """How many positions were looked at."""
    @property
    def time_ms(self) -> float:
        """How long it took, in milliseconds."""

@final
class Proof:
    """A certificate that holds."""

    @property
    def position(self) -> Position:
        """The position that the claim is about."""
    @property
    def winner(self) -> Literal[1, 2] | None:
        """Who wins it, if that is the claim."""
    @property
    def within(self) -> int | None:
        """The number of the winner's moves at most."""
    @property
    def held(self) -> list[Literal[1, 2]]:
        """Who cannot force a win, if that is the claim: one player or both."""
    @property
    def stored(self) -> int:
        """How many positions the certificate stores."""
    @property
    def replies(self) -> int:
        """How many replies were checked."""
    @property
    def positions(self) -> int:
        """How many positions were looked at."""

@final
class Puzzle:
    """A position with exactly one turn that wins soon enough."""

    @property
    def position(self) -> Position:
        """Where it begins."""
    @property
    def turns(self) -> int:
        """In how many turns the player to move wins."""
    @property
    def only(self) -> int:
        """The number of turns within which no other turn wins."""
    @property
    def rating(self) -> int:
        """How many positions the engine looked at before it settled on the solution."""
    @property
    def solution(self) -> list[str]:
        """The only turn, then the longest resistance, turn by turn to the end."""
    @property
    def record(self) -> str:
        """The puzzle as the text of a record."""

@final
class Table:
    """The positions of a table of exact results in a file, up to symmetry.

    Each comes with its winner, or None, and the number of turns of both players until the win.
    """

    def __new__(cls, file: str | os.PathLike[str]) -> Self: ...
    def __iter__(self) -> Iterator[tuple[Position, Literal[1, 2] | None, int | None]]: ...
    def __next__(self) -> tuple[Position, Literal[1, 2] | None, int | None]: ...

@final
class Batch:
    """Thousands of games at once, in arrays that are reused: copy what you want to keep.

    A game that ends is restarted at once; `ends`, `rewards` and `reasons` are about the one
    that ended, `observations`, `masks`, `turns` and `lengths` about the new one. `start` is
    where games begin: a position, a list of positions to draw from, or a function without
    arguments that returns one. `threads` defaults to the number of cores; the games do not
    depend on it. A game is truncated after `max_moves`, and drawn when a position occurs for
    the third time unless `repetition` is false. With `repetition_plane`, positions are shown
    with one more plane, which tells how often they had occurred before: 0, 0.5 for once, 1 for
    twice. With `history`, the planes of that many earlier positions follow, the last one first:
    those that may occur again, as the player to move sees them. An observation with a `history`
    of `reversible` or more contains everything that the rest of the game depends on.
    """

    def __new__(
        cls,
        game: Game | str,
        n: int,
        *,
        start: Start | None = None,
        seed: int = 0,
        threads: int | None = None,
        max_moves: int = 2000,
        repetition: bool = True,
        repetition_plane: bool = False,
        history: int = 0,
        observations: bool = True,
        masks: bool = True,
    ) -> Self: ...
    @property
    def game(self) -> Game:
        """The game with its options."""
    @property
    def observations(self) -> NDArray[np.float32] | None:
        """The planes of the player to move, of shape (n, planes, rows, columns)."""
    @property
    def masks(self) -> NDArray[np.bool_] | None:
        """Whether each action is legal, of shape (n, actions)."""
    @property
    def rewards(self) -> NDArray[np.float32]:
        """The rewards of the last step for player 1 and player 2, of shape (n, 2)."""
    @property
    def ends(self) -> NDArray[np.bool_]:
        """Whether the game has ended: by its rules, or drawn by a third repetition."""
    @property
    def truncations(self) -> NDArray[np.bool_]:
        """Whether the game was truncated after `max_moves`."""
    REASONS: ClassVar[tuple[str, str, str, str, str]]
    @property
    def reasons(self) -> NDArray[np.int8]:
        """Why the game has ended, as an index into `REASONS`; 0 if it goes on."""
    @property
    def turns(self) -> NDArray[np.int8]:
        """The player to move, 1 or 2."""
    @property
    def lengths(self) -> NDArray[np.int32]:
        """How many moves the game has had."""
    @property
    def actions(self) -> NDArray[np.int64]:
        """The actions of the last step, or those that `sample` drew."""
    @property
    def reversible(self) -> NDArray[np.int32]:
        """How many of the last positions may still occur again.

        It is the number of moves since the last one that cannot be undone, such as a capture. A
        `history` as long as this makes the observation complete. 0 without `repetition`.
        """
    def reset(self, *, seed: int | None = None) -> Step:
        """Restart all games; without a seed, the random numbers continue."""
    def step(self, actions: ArrayLike) -> Step:
        """Make a move in each game; raises `ValueError` and changes nothing if one is illegal."""
    def step_random(self, steps: int = 1) -> Step:
        """Make random moves in each game; the rewards of several moves are added up.

        Ctrl-C ends it between two moves, and the games stand where they are then.
        """
    def sample(self) -> NDArray[np.int64]:
        """Draw a legal action for each game."""
    def position(self, number: int) -> Position:
        """Return the position of one game."""
    def final_position(self, number: int) -> Position | None:
        """Return the last position of a game that ended in the last step, or None."""
    def final_observations(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the games that ended in the last step and their last observations.

        They are arrays of shape (k) and (k, planes, rows, columns), in the order of the games. An
        observation is that of the player whose turn it would be. The first array is
        `numpy.flatnonzero(batch.reasons)`.
        """
    def clone(self) -> Batch:
        """Return an independent copy of the batch and its games."""
    def state(self) -> bytes:
        """Return the state of all games, with their past and their random numbers, as bytes."""
    def restore(self, state: bytes) -> None:
        """Restore the games from a `state`, in a batch of the same game, size and settings."""
    def __len__(self) -> int: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: object) -> Self: ...

@final
class MCTS:
    """A tree search (PUCT) in every game of a batch; a network evaluates all leaves at once.

    `run` searches from the current positions of the batch, and `choose` draws actions for
    `batch.step`. Subtrees are reused by the next search. `exploration` weighs priors against
    values. `noise` is the share of Dirichlet noise in the priors of the root, and `alpha` its
    concentration, by default 10 divided by the number of legal moves. With `symmetries`, the
    network sees each position turned or mirrored by chance. `parallel` leaves of each game are
    evaluated at once; more than one pays if there are few games. With `gumbel`, the search is
    that of Gumbel AlphaZero, which learns from fewer simulations: this many moves are
    considered at the root, `noise` is the scale of the Gumbel noise (1 while learning, 0 to
    play), policies are the improved ones, and trees are not kept. The same seed and the same
    answers of the network give the same search, on any number of threads.
    """

    def __new__(
        cls,
        batch: Batch,
        *,
        seed: int = 0,
        exploration: float = 1.5,
        noise: float = 0.0,
        alpha: float | None = None,
        symmetries: bool = False,
        parallel: int = 1,
        gumbel: int = 0,
    ) -> Self: ...
    @property
    def batch(self) -> Batch:
        """The batch whose games it searches."""
    def run(
        self, network: Network, simulations: int = 64
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Search with a network; returns policies and values.

        `network` gets planes and masks of k positions, of shape (k, planes, rows, columns) and
        (k, actions), and returns priors of shape (k, actions) and values of shape (k). Priors
        are 0 or more; those of illegal actions are ignored and the others normalised to sum to
        1. Values are -1 to 1, for the player to move. The arrays that the network gets are
        reused: copy what you keep. Policies, of shape (n, actions), are the share of the
        simulations that began with each action; values, of shape (n), are the mean results for
        the player to move.
        """
    def choose(self, temperature: float | ArrayLike | None = None) -> NDArray[np.int64]:
        """Choose an action in each game from the last search.

        They are drawn in proportion to visits to the power of 1 / temperature, and with a
        temperature of 0 among the most visited. An array has a temperature for each game.
        """

@final
class Board:
    """A game in progress: a position with its past, to which moves are pushed.

    It begins with a game or a position. A position that occurs for the third time is a draw
    unless `repetition` is false, and after `max_moves` the game is truncated.
    """

    def __new__(
        cls,
        start: Position | Game | str,
        *,
        max_moves: int | None = None,
        repetition: bool = True,
    ) -> Self: ...
    @property
    def game(self) -> Game:
        """The game with its options."""
    @property
    def position(self) -> Position:
        """The current position."""
    @property
    def max_moves(self) -> int | None:
        """After how many moves the game is truncated, or None."""
    @property
    def repetition(self) -> bool:
        """Whether a third repetition is a draw."""
    @property
    def turn(self) -> Literal[1, 2]:
        """The player to move."""
    def push(self, action: str | int) -> None:
        """Make a move: its text or that of a whole turn, or its number."""
    def pop(self) -> str:
        """Take back the last move and return its text."""
    @property
    def stack(self) -> list[str]:
        """The moves that were made, as text."""
    def moves(self) -> list[str]:
        """Return every legal move; none when the game is over."""
    def actions(self) -> list[int]:
        """Return the numbers of all legal moves, in ascending order."""
    def action_mask(self) -> NDArray[np.bool_]:
        """Return for each action whether it is legal."""
    def observation(
        self, player: int | None = None, *, repetition_plane: bool = False, history: int = 0
    ) -> NDArray[np.float32]:
        """Return the planes as a player sees them, by default the player to move.

        `repetition_plane` and `history` are those of `Batch`: a plane that tells how often the
        position has occurred before, and earlier positions that may occur again.
        """
    @property
    def reversible(self) -> int:
        """How many of the last positions may still occur again.

        It is the number of moves since the last one that cannot be undone, such as a capture; 0
        without `repetition`.
        """
    @property
    def repetitions(self) -> int:
        """How often the position has occurred before."""
    @property
    def is_over(self) -> bool:
        """Whether the game is over: by its rules, by a third repetition, or truncated."""
    @property
    def reason(self) -> Literal["won", "drawn", "repetition", "length"] | None:
        """Why the game is over: "won", "drawn", "repetition" or "length"; None if it is not."""
    @property
    def outcome(self) -> Outcome:
        """The winner, "draw", or None while the game goes on or after truncation."""
    def reward(self, player: int) -> float:
        """Return the result for a player: 1, 0 or -1."""
    def copy(self) -> Board:
        """Return an independent copy of the board with its past."""
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: object) -> Self: ...

def games() -> list[str]:
    """Return the ids of all games."""

def perft(position: Position, depth: int, *, turns: bool = False) -> int:
    """Count the ways to play this many moves, or whole turns."""

def beginner(position: Position, *, seed: int = 0) -> str | None:
    """Choose a turn as a beginner does, who sees one turn ahead; None if the game is over."""

def write_data(
    game: Game | str,
    file: str | os.PathLike[str],
    *,
    games: int = 100,
    opening: int = 4,
    nodes: int = 2000,
    lines: int = 5,
    seed: int = 1,
    max_turns: int = 300,
    threads: int = 1,
    puzzles: bool = False,
    complete: bool = False,
    memory: int = 1024,
    table: str | os.PathLike[str] | None = None,
) -> tuple[int, int, int]:
    """Write games of the engine, puzzles and exact results as NumPy arrays or as Parquet.

    The command `quadrille data` does the same. A file that ends with `.npz` is read by
    `numpy.load`. One that ends with `.parquet` is a table, and what is added to games goes to
    files of its own: `NAME-puzzles.parquet`, `NAME-exact.parquet`. A card next to it, which
    ends with `.md`, tells what each array or column holds and how it was made. `puzzles` adds
    those that come with the game, `complete` every position that can be reached from the start,
    in `memory` MiB, and `table` the exact results of a file. Returns how many positions of
    games, puzzles and exact results were written. The same settings write the same file on any
    machine, with any number of threads.
    """

def seed_player(position: Position, player: str, *, seed: int = 0) -> str | None:
    """Choose a turn as a player of the original program does; None if the game is over."""

def arena(
    game: Game | str,
    player: str | Callable[[Position], str | int],
    opponent: str | Callable[[Position], str | int],
    *,
    games: int = 100,
    start: Start | None = None,
    opening: int | None = None,
    seed: int = 0,
    max_turns: int = 400,
    threads: int = 1,
    time_ms: int | None = None,
    nodes: int | None = None,
    depth: int | None = None,
) -> MatchResult:
    """Play a match: games in pairs with sides exchanged, each pair from its own opening.

    An opening is `opening` random turns: two, or none if `start` says where the pairs begin. That
    is a position, a list of positions that are taken in turn, or a function without arguments
    that returns one.

    A player is `level:N`, `seed:NAME`, `random`, `beginner`, `engine`, or a function that gets
    a position and returns a turn or the number of a move; an illegal answer raises
    `ValueError`. `time_ms`, `nodes` and `depth` limit the turns of `engine` and `level:10`,
    which think for 100 ms if none is given. Nothing limits the other levels: a seed gives the
    same match however busy the machine is, on any number of threads.
    """

def solve(
    position: Position,
    *,
    time_ms: int | None = None,
    nodes: int | None = None,
    turns: int | None = None,
    player: Literal[1, 2] | None = None,
    method: Method = "all",
    memory: int = 256,
) -> Solution:
    """Look for a proven win, for a minute if no limit is given.

    `turns` is the most turns that the winner may take, and `player` the only winner to look for.
    `memory` is in MiB.
    """

def solve_all(
    position: Position, *, memory: int = 1024
) -> list[tuple[Position, Literal[1, 2] | None, int | None]]:
    """Solve every reachable position, up to symmetry.

    Each comes with its winner, or None, and the number of turns of both players until the win.
    `memory` is in MiB.
    """

def verify(certificate: str | bytes | os.PathLike[str]) -> Proof:
    """Check a certificate by the rules alone: a file, or its text or bytes."""

def certificate(
    certificate: str | bytes | os.PathLike[str],
) -> list[tuple[Position, str, int]]:
    """Read what a certificate stores: positions with the winner's move and its rank."""

def install_table(file: str | os.PathLike[str]) -> None:
    """Read a table of exact results, which the engine uses from now on."""

def exact(position: Position) -> tuple[Literal[1, 2] | None, int | None] | None:
    """Look up a position that is not over in the installed table; None if it is not there.

    Returns the winner, or None, and the number of turns of both players until the win.
    """

def puzzles(
    game: Game | str, *, count: int | None = None, seed: int = 0, games: int = 1000
) -> list[Puzzle]:
    """Return the puzzles that come with a game; with `count`, collect new ones."""

def read_puzzles(text: str) -> list[Puzzle]:
    """Read puzzles as `quadrille puzzles` writes them."""

def _panic(*, thread: bool = False) -> None: ...
def _restore_game(id: str, options: str) -> Game: ...
def _restore_position(id: str, json: str) -> Position: ...
