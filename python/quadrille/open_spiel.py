"""The games for OpenSpiel: `register()`, then `pyspiel.load_game("quadrille_gekitai(size=4)")`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel

from quadrille._quadrille import Board, Game, games
from quadrille.environment import MAX_MOVES, check_start, observation_shape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quadrille._quadrille import Position
    from quadrille.match import Match

_HEX = "hex:"
"""The prefix of a start that is encoded to survive OpenSpiel's own notation."""


def short_name(game: str) -> str:
    """Return the name of a game in OpenSpiel."""
    return f"quadrille_{game.replace('-', '_')}"


def write_start(*starts: Position | str) -> str:
    """Write positions for the parameter `start`: games begin with one of them, drawn by chance."""
    text = "|".join(start if isinstance(start, str) else start.text for start in starts)
    return _HEX + text.encode().hex()


def _read_start(game: Game, text: str) -> tuple[Position, ...]:
    """Read the parameter `start`, in which `_` may stand for the blank before the player."""
    if not text:
        return (game.start(),)
    if text.startswith(_HEX):
        text = bytes.fromhex(text.removeprefix(_HEX)).decode()
    parts = [part if " " in part else " ".join(part.rsplit("_", 1)) for part in text.split("|")]
    starts = tuple(game.position(part) for part in parts)
    for start in starts:
        check_start(game, start)
    return starts


def _game_type(game: Game, starts: int = 1) -> Any:
    modes = pyspiel.GameType.ChanceMode
    return pyspiel.GameType(
        short_name=short_name(game.id),
        long_name=f"Quadrille: {game.name}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=modes.DETERMINISTIC if starts == 1 else modes.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            **game.options,
            "start": "",
            "repetition": True,
            "max_moves": MAX_MOVES,
            "repetition_plane": False,
            "history": 0,
        },
    )


_TERMINAL = int(pyspiel.PlayerId.TERMINAL)
_CHANCE = int(pyspiel.PlayerId.CHANCE)


class State(pyspiel.State):  # type: ignore[misc]
    """A game with its past. With several starts, one is drawn first."""

    starts: tuple[Position, ...] = ()
    """What is still to be drawn from."""

    def __init__(self, game: QuadrilleGame, start: Position | None = None) -> None:
        super().__init__(game)
        # Most states have this attribute alone: OpenSpiel copies all of them when it clones.
        self.board = game.board(start or game.starts[0])
        if len(game.starts) > 1:
            self.starts = game.starts if start is None else ()

    @property
    def match(self) -> Match:
        """The game as a `Match` of version 0.2; new code uses `board`."""
        from quadrille.match import Match

        return Match.of(self.board)

    @property
    def position(self) -> Position:
        """The current position."""
        return self.board.position

    def current_player(self) -> int:
        """Return 0, 1, or that the game is over."""
        board = self.board
        if self.starts:
            return _CHANCE
        return _TERMINAL if board.is_over else board.turn - 1

    # Answers Python at once: OpenSpiel's own method would call back three times, and copy the list.
    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the numbers of all legal moves."""
        board = self.board
        if self.starts:
            return list(range(len(self.starts))) if player in (None, _CHANCE) else []
        return board.actions() if player is None or player == board.turn - 1 else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return every start, all alike."""
        return [(number, 1 / len(self.starts)) for number in range(len(self.starts))]

    def _legal_actions(self, player: int) -> list[int]:  # noqa: ARG002
        return self.board.actions()

    def _apply_action(self, action: int) -> None:
        if not self.starts:
            self.board.push(action)
            return
        self.board = self.get_game().board(self.starts[action])
        self.starts = ()

    def _action_to_string(self, player: int, action: int) -> str:
        if player == _CHANCE:
            return f"begin with {self.get_game().starts[action].text}"
        return self.board.position.action_text(action)

    def is_terminal(self) -> bool:
        """Whether the game is over, repetition and length included."""
        return self.board.is_over

    def returns(self) -> list[float]:
        """Return the results for both players."""
        return [self.board.reward(1), self.board.reward(2)]

    def __str__(self) -> str:
        return "|".join(start.text for start in self.starts) or self.board.position.text

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_state, (str(self.get_game()), self.serialize())


class Observer:
    """The planes of a position, as OpenSpiel's observers hand them out."""

    def __init__(
        self, game: Game, params: dict[str, Any] | None, *, repetition_plane: bool, history: int
    ) -> None:
        if params:
            raise ValueError(f"no parameters are known, got {sorted(params)}")
        self.seen: dict[str, Any] = {"repetition_plane": repetition_plane, "history": history}
        shape = observation_shape(game, repetition_plane=repetition_plane, history=history)
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: State, player: int) -> None:
        """Fill in what a player sees."""
        if state.starts:
            self.tensor.fill(0)
            return
        self.dict["observation"][...] = state.board.observation(player + 1, **self.seen)

    def string_from(self, state: State, player: int) -> str:  # noqa: ARG002
        """Return the position in one line; both players see all of it."""
        return str(state)


class QuadrilleGame(pyspiel.Game):  # type: ignore[misc]
    """A game of Quadrille."""

    kind: str

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        defaults = Game(self.kind)
        options = dict(params or {})
        start = options.pop("start", "")
        self.repetition = bool(options.pop("repetition", True))
        self.max_moves = int(options.pop("max_moves", MAX_MOVES))
        self.repetition_plane = bool(options.pop("repetition_plane", False))
        self.history = int(options.pop("history", 0))
        self.game = Game(self.kind, **options)
        self.starts = _read_start(self.game, start)
        if self.max_moves < 1:
            raise ValueError(f"max_moves must be 1 or more, got {self.max_moves}")
        info = pyspiel.GameInfo(
            num_distinct_actions=self.game.num_actions,
            max_chance_outcomes=len(self.starts) if len(self.starts) > 1 else 0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.max_moves,
        )
        # OpenSpiel writes parameters without quotes, and positions hold its commas and signs.
        own = {**(params or {}), **({"start": write_start(*self.starts)} if start else {})}
        super().__init__(_game_type(defaults, len(self.starts)), info, own)

    def board(self, start: Position) -> Board:
        """Begin a game with a position."""
        return Board(start, max_moves=self.max_moves, repetition=self.repetition)

    def new_initial_state(self, start: Position | str | None = None) -> State:
        """Begin a game, with a position of its own if one is given."""
        if start is None:
            return State(self)
        chosen = self.game.position(start) if isinstance(start, str) else start
        check_start(self.game, chosen)
        return State(self, chosen)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:  # noqa: ARG002
        """Make an observer of this game."""
        return Observer(
            self.game, params, repetition_plane=self.repetition_plane, history=self.history
        )

    def observation_tensor_shape(self) -> Iterable[int]:
        """Planes, rows and columns."""
        shape = observation_shape(
            self.game, repetition_plane=self.repetition_plane, history=self.history
        )
        return list(shape)

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process gets it by its name: it may not have registered the games yet.
        return _read_game, (str(self),)


def _read_game(text: str) -> Any:
    register()
    return pyspiel.load_game(text)


def _read_state(game: str, text: str) -> Any:
    return _read_game(game).deserialize_state(text)


_registered: set[str] = set()


def register() -> list[str]:
    """Register every game once, and return the names."""
    for game in games():
        if game not in _registered:
            kind = type(f"Quadrille_{game.replace('-', '_')}", (QuadrilleGame,), {"kind": game})
            pyspiel.register_game(_game_type(Game(game)), kind)
            _registered.add(game)
    return [short_name(game) for game in games()]
