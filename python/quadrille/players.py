"""Players by name: whoever can be played against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quadrille._quadrille import Engine, Game, seed_player

if TYPE_CHECKING:
    from collections.abc import Callable

    from quadrille._quadrille import Position

_GOLDEN = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1


def _mix(seed: int, key: int) -> int:
    """Mix a seed and a position into 64 bits, so that a player needs no memory to be repeatable."""
    z = (seed * _GOLDEN + key) & _WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
    return z ^ (z >> 31)


def player(
    name: str,
    game: Game | str,
    *,
    seed: int = 0,
    time_ms: int | None = None,
    nodes: int | None = None,
) -> Callable[[Position], str]:
    """Give a function that chooses turns: `level:1` to `10`, `seed:NAME`, `random` or `engine`.

    The same seed and the same positions give the same turns, except where time is the limit: with
    `time_ms`, and for `engine` and `level:10` without `nodes`.
    """
    own = game if isinstance(game, Game) else Game(game)
    kind, _, rest = name.partition(":")
    if name == "random":
        return lambda position: _pick(position, seed)
    if kind == "seed":
        if rest not in own.seed_players:
            # The program says which there are.
            seed_player(own.start(), rest)
        return lambda position: _turn(
            seed_player(position, rest, seed=_mix(seed, position.key)), position
        )
    if name == "engine":
        engine = Engine(own, seed=seed)
    elif kind == "level" and rest.isdecimal():
        engine = Engine(own, level=min(int(rest), 255), seed=seed)
    else:
        expected = "expected `level:N`, `seed:NAME`, `random` or `engine`"
        raise ValueError(f"there is no player `{name}`; {expected}")
    return lambda position: _turn(engine.play(position, time_ms=time_ms, nodes=nodes), position)


def _pick(position: Position, seed: int) -> str:
    """Draw a turn move by move."""
    mover, turn = position.turn, ""
    while not position.is_over and position.turn == mover:
        moves = position.moves()
        move = moves[_mix(seed, position.key) % len(moves)]
        turn += move
        position = position.play(move)
    if not turn:
        raise ValueError("the game is over")
    return turn


def _turn(turn: str | None, position: Position) -> str:
    if turn is None:
        raise ValueError(f"the game is over: {position.status}")
    return turn
