"""Players by name: the opponents that come with the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quadrille._quadrille import Engine, Game, beginner, seed_player

if TYPE_CHECKING:
    from quadrille._quadrille import Position

_GOLDEN = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1
_SMALL = 6
"""Up to this level a search looks at so few positions that a table of 1 MiB holds them all."""


def _mix(seed: int, key: int) -> int:
    """Mix a seed and a position into 64 bits, so that a player needs no memory to be repeatable."""
    z = (seed * _GOLDEN + key) & _WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
    return z ^ (z >> 31)


class Player:
    """A player of the program: called with a position, it returns a turn. See `player`."""

    def __init__(
        self,
        name: str,
        game: Game,
        seed: int = 0,
        time_ms: int | None = None,
        nodes: int | None = None,
    ) -> None:
        self.name, self.game, self.seed = name, game, seed
        self.time_ms, self.nodes = time_ms, nodes
        self._engine: Engine | None = None
        kind, _, rest = name.partition(":")
        self._seed_player = rest if kind == "seed" else None
        if self._seed_player is not None and rest not in self.game.seed_players:
            # The program says which there are.
            seed_player(self.game.start(), rest)
        if self.name == "engine":
            self._engine = Engine(self.game, seed=self.seed)
        elif kind == "level" and rest.isdecimal():
            level = min(int(rest), 255)
            memory = 1 if level <= _SMALL else 16
            self._engine = Engine(self.game, level=level, memory=memory, seed=self.seed)
        elif self._seed_player is None and self.name not in ("random", "beginner"):
            expected = "expected `level:N`, `seed:NAME`, `random`, `beginner` or `engine`"
            raise ValueError(f"there is no player `{self.name}`; {expected}")

    def __repr__(self) -> str:
        return f"<Player {self.name} of {self.game!r}, seed {self.seed}>"

    def new_game(self, seed: int) -> None:
        """Forget the previous game, and restart the random numbers from another seed."""
        self.seed = seed
        if self._engine is not None:
            self._engine.forget(seed=seed)

    def __call__(self, position: Position) -> str:
        """Choose a turn."""
        if self._engine is not None:
            turn = self._engine.play(position, time_ms=self.time_ms, nodes=self.nodes)
        elif self._seed_player is not None:
            turn = seed_player(position, self._seed_player, seed=_mix(self.seed, position.key))
        elif self.name == "beginner":
            turn = beginner(position, seed=_mix(self.seed, position.key))
        else:
            turn = _pick(position, self.seed)
        if turn is None:
            raise ValueError(f"the game is over: {position.status}")
        return turn


def player(
    name: str,
    game: Game | str,
    *,
    seed: int = 0,
    time_ms: int | None = None,
    nodes: int | None = None,
) -> Player:
    """Return a function that chooses turns, by the name of a player.

    Names are `level:1` to `level:10`, `seed:NAME`, `random`, `beginner` and `engine`.
    The same seed and the same positions give the same turns, except where time is the limit: with
    `time_ms`, and for `engine` and `level:10` without `nodes`.
    """
    own = game if isinstance(game, Game) else Game(game)
    return Player(name, own, seed, time_ms, nodes)


def _pick(position: Position, seed: int) -> str | None:
    """Draw a turn move by move."""
    mover, turn = position.turn, ""
    while not position.is_over and position.turn == mover:
        moves = position.moves()
        move = moves[_mix(seed, position.key) % len(moves)]
        turn += move
        position = position.play(move)
    return turn or None
