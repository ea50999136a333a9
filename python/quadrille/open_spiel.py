"""The games for OpenSpiel: `register()`, then `pyspiel.load_game("quadrille_gekitai(size=4)")`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel

from quadrille._quadrille import Board, Game, games
from quadrille.environment import MAX_MOVES, observation_shape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from quadrille._quadrille import Position


def short_name(game: str) -> str:
    """Give the name that OpenSpiel knows a game by."""
    return f"quadrille_{game.replace('-', '_')}"


def _game_type(game: Game) -> Any:
    return pyspiel.GameType(
        short_name=short_name(game.id),
        long_name=f"Quadrille: {game.name}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
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
            "repetition_plane": False,
            "history": 0,
        },
    )


_TERMINAL = int(pyspiel.PlayerId.TERMINAL)


class State(pyspiel.State):  # type: ignore[misc]
    """A game with its past."""

    def __init__(self, game: QuadrilleGame, start: Position | None = None) -> None:
        super().__init__(game)
        # The only attribute: OpenSpiel copies all of them when a state is cloned.
        self.board = Board(start or game.begin(), max_moves=MAX_MOVES)

    @property
    def position(self) -> Position:
        """Where the game stands."""
        return self.board.position

    def current_player(self) -> int:
        """Give 0, 1, or that the game is over."""
        board = self.board
        return _TERMINAL if board.is_over else board.turn - 1

    # Answers Python at once: OpenSpiel's own method would call back three times, and copy the list.
    def legal_actions(self, player: int | None = None) -> list[int]:
        """Give the numbers of all legal moves."""
        board = self.board
        return board.actions() if player is None or player == board.turn - 1 else []

    def _legal_actions(self, player: int) -> list[int]:  # noqa: ARG002
        return self.board.actions()

    def _apply_action(self, action: int) -> None:
        self.board.push(action)

    def _action_to_string(self, player: int, action: int) -> str:  # noqa: ARG002
        return self.board.position.action_text(action)

    def is_terminal(self) -> bool:
        """Whether the game is over, repetition and length included."""
        return self.board.is_over

    def returns(self) -> list[float]:
        """Give what the end is worth to both players."""
        return [self.board.reward(1), self.board.reward(2)]

    def __str__(self) -> str:
        return self.board.position.text

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
        self.dict["observation"][...] = state.board.observation(player + 1, **self.seen)

    def string_from(self, state: State, player: int) -> str:  # noqa: ARG002
        """Give the position in one line; both players see all of it."""
        return state.position.text


class QuadrilleGame(pyspiel.Game):  # type: ignore[misc]
    """A game of Quadrille."""

    kind: str

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        defaults = Game(self.kind)
        options = dict(params or {})
        start = options.pop("start", "")
        self.repetition_plane = bool(options.pop("repetition_plane", False))
        self.history = int(options.pop("history", 0))
        self.game = Game(self.kind, **options)
        self._start = self.game.position(start.replace("_", " ")) if start else self.game.start()
        info = pyspiel.GameInfo(
            num_distinct_actions=self.game.num_actions,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=MAX_MOVES,
        )
        super().__init__(_game_type(defaults), info, params or {})

    def begin(self) -> Position:
        """Give the position that games begin with."""
        return self._start

    def new_initial_state(self, start: Position | str | None = None) -> State:
        """Begin a game, with a position of its own if one is given."""
        return State(self, self.game.position(start) if isinstance(start, str) else start)

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
    """Register every game once, and give the names."""
    for game in games():
        if game not in _registered:
            kind = type(f"Quadrille_{game.replace('-', '_')}", (QuadrilleGame,), {"kind": game})
            pyspiel.register_game(_game_type(Game(game)), kind)
            _registered.add(game)
    return [short_name(game) for game in games()]
