"""The native part of the package."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

__version__: str

Outcome = Literal[1, 2, "draw"] | None
Method = Literal["all", "proof", "bound", "quiet"]
Step = tuple[NDArray[np.float32] | None, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_]]

@final
class Game:
    """A game with its options: `Game("gekitai", size=4)`."""

    def __new__(cls, id: str, **options: int | str) -> Self: ...
    @property
    def id(self) -> str:
        """The name in commands and formats: `six-making`."""
    @property
    def name(self) -> str:
        """The name people use: `Six MaKING`."""
    @property
    def players(self) -> tuple[str, str]:
        """What the two players are called."""
    @property
    def rules(self) -> str:
        """The rules page, in Markdown."""
    @property
    def options(self) -> dict[str, Any]:
        """All options, the usual ones too."""
    @property
    def seed_players(self) -> list[str]:
        """The players of the original program, for `seed_player`."""
    def start(self) -> Position:
        """Give the position before the first move."""
    def position(self, given: str | Mapping[str, Any]) -> Position:
        """Read a position: an object, a line of text, the text of JSON, or a Prolog term."""
    @property
    def num_actions(self) -> int:
        """How many actions there are; they are the numbers below."""
    def action_text(self, action: int) -> str:
        """Give the move with a number."""
    def action(self, text: str) -> int:
        """Give the number of a move, legal or not."""
    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """Planes, rows and columns of an observation."""
    @property
    def planes(self) -> list[str]:
        """What each plane of an observation shows."""
    @property
    def num_symmetries(self) -> int:
        """How many images a position has; image 0 is the position itself."""
    def symmetry(self, which: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Tell where each place of a plane and each action of an image come from.

        With `places, actions = game.symmetry(k)`, the image of an observation is
        `observation.reshape(len(game.planes), -1)[:, places]`, and that of a mask or a policy is
        `policy[actions]`.
        """
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Position:
    """One position of a game. It never changes: playing gives another one."""

    @property
    def game(self) -> Game:
        """The game with its options."""
    @property
    def turn(self) -> Literal[1, 2]:
        """The player to move; in a finished game, whose turn it would be."""
    @property
    def outcome(self) -> Outcome:
        """The winner, "draw", or None while the game goes on."""
    @property
    def is_over(self) -> bool:
        """Whether the game is over by its rules."""
    @property
    def key(self) -> int:
        """A hash of 64 bits, the same for equal positions, in every version and process."""
    @property
    def text(self) -> str:
        """The position in one line."""
    @property
    def json(self) -> str:
        """The position as the text of JSON."""
    @property
    def prolog(self) -> str:
        """The position as a term of the original program."""
    @property
    def status(self) -> str:
        """Whose turn it is, or who has won and how."""
    def to_json(self) -> dict[str, Any]:
        """Give the position as an object of JSON."""
    def moves(self) -> list[str]:
        """List every legal move, in the order of `actions`."""
    def turns(self) -> list[str]:
        """List every legal whole turn, sorted; in Glaisher a turn is two moves."""
    def steps(self, turn: str) -> list[str]:
        """Take the text of a turn apart into the texts of its moves."""
    def play(self, text: str) -> Position:
        """Play a move or a whole turn; raises `ValueError` with the reason if it is not legal."""
    def actions(self) -> list[int]:
        """List the numbers of all legal moves, in ascending order."""
    def play_action(self, action: int) -> Position:
        """Play the move with a number."""
    def action(self, text: str) -> int:
        """Give the number of a move, legal or not."""
    def action_text(self, action: int) -> str:
        """Give the move with a number."""
    def action_mask(self) -> NDArray[np.bool_]:
        """Tell for each action whether it is legal."""
    def observation(self, player: int | None = None) -> NDArray[np.float32]:
        """Give the planes as a player sees them, the one to move if none is named."""
    @property
    def symmetries(self) -> list[Position]:
        """All images, the position itself first."""
    def image(self, which: int) -> Position:
        """Give the position turned or mirrored."""
    def canonical(self) -> tuple[Position, int]:
        """Give the image that stands for all, and which one it is."""
    def seed_value(self) -> tuple[float, float] | None:
        """Give the original's evaluation, from player 1's and from player 2's own view."""
    def seed_best(self) -> dict[str, list[str]]:
        """Give the turns that each player of the original draws from."""
    def svg(
        self,
        *,
        dark: bool = False,
        coordinates: bool = True,
        flipped: bool = False,
        caption: bool = True,
    ) -> str:
        """Draw the position."""
    def _repr_svg_(self) -> str: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def __lt__(self, other: Position) -> bool: ...
    def __le__(self, other: Position) -> bool: ...
    def __gt__(self, other: Position) -> bool: ...
    def __ge__(self, other: Position) -> bool: ...

@final
class Record:
    """A whole game with its tags and remarks. Turns are checked when positions are asked for."""

    def __new__(cls, text: str) -> Self: ...
    @staticmethod
    def of(
        start: Position | Game | str,
        turns: Sequence[str],
        tags: Mapping[str, object] | None = None,
    ) -> Record:
        """Make the record of a game that was played turn by turn."""
    @property
    def game(self) -> Game:
        """The game with its options."""
    @property
    def tags(self) -> dict[str, str]:
        """What is told about the game."""
    @property
    def turns(self) -> list[str]:
        """The turns of the main line."""
    @property
    def comments(self) -> list[str]:
        """The remark after each turn, mostly empty."""
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
    def start(self) -> Position:
        """Where the game began."""
    @property
    def end(self) -> Position:
        """Where it ended."""
    def positions(self) -> list[Position]:
        """Give every position from the start to the end, turn by turn."""
    def to_dict(self) -> dict[str, Any]:
        """Give the game as plain values, one for each column of a table."""
    def __len__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def _ipython_display_(self) -> None: ...

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
        """Its turns, all whole."""
    @property
    def score(self) -> int:
        """Its worth to the player to move, in hundredths of a piece or so."""
    @property
    def win_in(self) -> int | None:
        """In how many turns of the winner it is won for certain; negative if lost."""

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
        """How long it took."""
    @property
    def lines(self) -> list[Line]:
        """The best lines, the best one first."""
    @property
    def best(self) -> str | None:
        """The best turn."""
    @property
    def score(self) -> int | None:
        """The worth of the best turn to the player to move."""
    @property
    def win_in(self) -> int | None:
        """In how many turns of the winner the game is won for certain; negative if lost."""
    def to_dict(self) -> dict[str, Any]:
        """Give plain values."""
    def _repr_html_(self) -> str: ...

@final
class Engine:
    """An engine that remembers between searches. Threads may share it: they take turns."""

    def __new__(
        cls, game: Game | str, *, level: int | None = None, memory: int = 16, seed: int = 0
    ) -> Self: ...
    @property
    def game(self) -> Game:
        """The game it plays, with any options."""
    @property
    def level(self) -> int | None:
        """The level it plays at, 1 to 10, or None for all it can do."""
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
        """Search until a limit is reached, a second if there is none; None if the game is over."""
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
        """Search in the background and tell what was found after every depth."""
    def play(
        self,
        position: Position | Record,
        *,
        time_ms: int | None = None,
        nodes: int | None = None,
        depth: int | None = None,
        threads: int | None = None,
    ) -> str | None:
        """Give the turn of the engine's level, or the best within the limits; None if over."""
    def glance(self, position: Position | Record) -> int:
        """Estimate a position without search, for the player to move."""
    def stop(self) -> None:
        """End all searches of this engine, from any thread; they tell what they have."""
    def forget(self) -> None:
        """Forget everything, as before a new game."""

@final
class Search:
    """A search in the background: iterate over what it finds."""

    def __iter__(self) -> Iterator[Analysis]: ...
    def __next__(self) -> Analysis: ...
    def stop(self) -> None:
        """End the search; what it has found by then is still told."""
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

@final
class MatchResult:
    """What a match came to, from the first player's side."""

    @property
    def names(self) -> tuple[str, str]:
        """The names of both players."""
    @property
    def wins(self) -> int:
        """Games the first player has won."""
    @property
    def draws(self) -> int:
        """Games that nobody has won."""
    @property
    def losses(self) -> int:
        """Games the first player has lost."""
    @property
    def score(self) -> float:
        """The first player's points as a part of all."""
    @property
    def elo(self) -> tuple[float, float, float] | None:
        """How much stronger the first player is: the value, and its bounds of 95 %."""
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
        """In how many of the winner's turns at most."""
    @property
    def exact(self) -> bool:
        """Whether there is no quicker win."""
    @property
    def line(self) -> list[str]:
        """A line that shows it, turn by turn."""
    @property
    def certificate(self) -> str | None:
        """The certificate as text, if there is one."""
    @property
    def no_win(self) -> tuple[int, int]:
        """For each player, the turns within which there is no win."""
    @property
    def nodes(self) -> int:
        """How many positions were looked at."""
    @property
    def time_ms(self) -> float:
        """How long it took."""

@final
class Proof:
    """A certificate that holds."""

    @property
    def position(self) -> Position:
        """The position that is won."""
    @property
    def winner(self) -> Literal[1, 2]:
        """Who wins it."""
    @property
    def within(self) -> int:
        """In how many moves of the winner at most."""
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
        """Within how many turns no other turn wins."""
    @property
    def rating(self) -> int:
        """How many positions the engine looked at before it kept to the solution."""
    @property
    def solution(self) -> list[str]:
        """The only turn, then the longest resistance, turn by turn to the end."""
    @property
    def record(self) -> str:
        """The puzzle as the text of a record."""
    def _repr_svg_(self) -> str: ...

@final
class Table:
    """The positions of a table of exact results in a file, up to symmetry.

    Each comes with its winner, or None, and in how many turns of both players it is won.
    """

    def __new__(cls, file: str | os.PathLike[str]) -> Self: ...
    def __iter__(self) -> Iterator[tuple[Position, Literal[1, 2] | None, int | None]]: ...
    def __next__(self) -> tuple[Position, Literal[1, 2] | None, int | None]: ...

@final
class Batch:
    """Thousands of games at once, into arrays that are reused: copy what is to be kept.

    A game that ends begins again at once; `ends` and `rewards` tell of the one that ended, while
    `observations`, `masks` and `turns` are about the new one.
    """

    def __new__(
        cls,
        game: Game | str,
        n: int,
        *,
        seed: int = 0,
        threads: int | None = None,
        max_moves: int = 2000,
        repetition: bool = True,
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
        """What the last step was worth to player 1 and player 2, of shape (n, 2)."""
    @property
    def ends(self) -> NDArray[np.bool_]:
        """Whether the game has ended: by its rules, or drawn by a third repetition."""
    @property
    def truncations(self) -> NDArray[np.bool_]:
        """Whether the game was given up after `max_moves`."""
    @property
    def turns(self) -> NDArray[np.int8]:
        """The player to move, 1 or 2."""
    @property
    def actions(self) -> NDArray[np.int64]:
        """The actions of the last step, or those that `sample` drew."""
    def reset(self, *, seed: int = 0) -> Step:
        """Begin all games again."""
    def step(self, actions: ArrayLike) -> Step:
        """Make a move in each game; raises `ValueError` and changes nothing if one is not legal."""
    def step_random(self, steps: int = 1) -> Step:
        """Make random moves in each game; rewards of several moves are added up."""
    def sample(self) -> NDArray[np.int64]:
        """Draw a legal action for each game."""
    def position(self, number: int) -> Position:
        """Give the position of a game."""
    def __len__(self) -> int: ...

def games() -> list[str]:
    """List the ids of all games."""

def perft(position: Position, depth: int, *, turns: bool = False) -> int:
    """Count the ways to play so many moves, or whole turns."""

def seed_player(position: Position, player: str, *, seed: int = 0) -> str | None:
    """Let a player of the original program choose a turn; None if the game is over."""

def arena(
    game: Game | str,
    player: str | Callable[[Position], str | int],
    opponent: str | Callable[[Position], str | int],
    *,
    games: int = 100,
    opening: int = 2,
    seed: int = 0,
    max_turns: int = 400,
    threads: int = 1,
    time_ms: int | None = None,
    nodes: int | None = None,
    depth: int | None = None,
) -> MatchResult:
    """Play a match: games in pairs with sides exchanged, each pair from an opening of its own.

    A player is `level:N`, `seed:NAME`, `random`, `engine`, or a function that gets a position and
    gives a turn, or the action of a move.
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
    """Look for a win that is certain, for a minute if nothing is said."""

def solve_all(
    position: Position, *, memory: int = 1024
) -> list[tuple[Position, Literal[1, 2] | None, int | None]]:
    """Solve every position that can follow, up to symmetry: who wins, in how many turns of both."""

def verify(certificate: str | bytes | os.PathLike[str]) -> Proof:
    """Check a certificate by the rules alone: a file, or its text or bytes as they are."""

def certificate(
    certificate: str | bytes | os.PathLike[str],
) -> list[tuple[Position, str, int]]:
    """Read what a certificate stores: positions with the winner's move and its rank."""

def install_table(file: str | os.PathLike[str]) -> None:
    """Read a table of exact results, which the engine uses from now on."""

def exact(position: Position) -> tuple[Literal[1, 2] | None, int | None] | None:
    """Look a position up in the installed table: the winner, and in how many turns of both."""

def puzzles(
    game: Game | str, *, count: int | None = None, seed: int = 0, games: int = 1000
) -> list[Puzzle]:
    """List the puzzles that come with a game; with a count, collect new ones."""

def read_puzzles(text: str) -> list[Puzzle]:
    """Read puzzles as `quadrille puzzles` writes them."""

def _panic(*, thread: bool = False) -> None: ...
def _restore_game(id: str, options: str) -> Game: ...
def _restore_position(id: str, json: str) -> Position: ...
