"""The games for OpenSpiel: `register()`, then `pyspiel.load_game("quadrille_gekitai(size=4)")`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel

from quadrille._quadrille import Game, games
from quadrille.match import MAX_MOVES, Match

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
        parameter_specification=dict(game.options),
    )


class State(pyspiel.State):  # type: ignore[misc]
    """A game with its past."""

    def __init__(self, game: QuadrilleGame) -> None:
        super().__init__(game)
        self.match = Match(game.game, game.max_game_length())

    @property
    def position(self) -> Position:
        """Where the game stands."""
        return self.match.position

    def current_player(self) -> int:
        """Give 0, 1, or that the game is over."""
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else self.position.turn - 1

    def _legal_actions(self, player: int) -> list[int]:  # noqa: ARG002
        return self.position.actions()

    def _apply_action(self, action: int) -> None:
        self.match.play_action(action)

    def _action_to_string(self, player: int, action: int) -> str:  # noqa: ARG002
        return self.match.game.action_text(action)

    def is_terminal(self) -> bool:
        """Whether the game is over, repetition and length included."""
        return self.match.is_over or self.match.is_truncated

    def returns(self) -> list[float]:
        """Give what the end is worth to both players."""
        return [self.match.reward(1), self.match.reward(2)]

    def __str__(self) -> str:
        return self.position.text

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_state, (str(self.get_game()), self.serialize())


class Observer:
    """The planes of a position, as OpenSpiel's observers hand them out."""

    def __init__(self, game: Game, params: dict[str, Any] | None) -> None:
        if params:
            raise ValueError(f"no parameters are known, got {sorted(params)}")
        shape = game.observation_shape
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: State, player: int) -> None:
        """Fill in what a player sees."""
        self.dict["observation"][...] = state.position.observation(player + 1)

    def string_from(self, state: State, player: int) -> str:  # noqa: ARG002
        """Give the position in one line; both players see all of it."""
        return state.position.text


class QuadrilleGame(pyspiel.Game):  # type: ignore[misc]
    """A game of Quadrille."""

    kind: str

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        defaults = Game(self.kind)
        self.game = Game(self.kind, **(params or {}))
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

    def new_initial_state(self) -> State:
        """Begin a game."""
        return State(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:  # noqa: ARG002
        """Make an observer of this game."""
        return Observer(self.game, params)

    def observation_tensor_shape(self) -> Iterable[int]:
        """Planes, rows and columns."""
        return list(self.game.observation_shape)

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
