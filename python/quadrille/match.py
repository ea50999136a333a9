"""One game from its start to its end, as the environments play it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quadrille._quadrille import Game, Position

MAX_MOVES = 2000
"""Nearly all random games end far below this many moves."""


class Match:
    """A position with its past: a draw when it occurs for the third time."""

    def __init__(self, game: Game, max_moves: int = MAX_MOVES) -> None:
        """Begin a game."""
        self.game = game
        self.max_moves = max_moves
        self.position: Position = game.start()
        self.moves = 0
        self._seen = Counter([self.position.key])

    def play_action(self, action: int) -> None:
        """Play the move with a number."""
        self._go_on(self.position.play_action(action))

    def play_turn(self, turn: str) -> None:
        """Play a whole turn, all moves of which count."""
        for move in self.position.steps(turn):
            self._go_on(self.position.play(move))

    def _go_on(self, position: Position) -> None:
        self.position = position
        self.moves += 1
        self._seen[position.key] += 1

    @property
    def winner(self) -> int:
        """The player who has won, or 0."""
        outcome = self.position.outcome
        return outcome if isinstance(outcome, int) else 0

    @property
    def is_over(self) -> bool:
        """Whether the game has ended by the rules, or by a third repetition."""
        return self.position.is_over or self._seen[self.position.key] >= 3  # noqa: PLR2004

    @property
    def is_truncated(self) -> bool:
        """Whether it was given up because it took too many moves."""
        return not self.is_over and self.moves >= self.max_moves

    def reward(self, player: int) -> float:
        """Tell what the end is worth to a player: 1, 0 or -1."""
        if not self.is_over or not self.winner:
            return 0.0
        return 1.0 if self.winner == player else -1.0

    def render(self, mode: str | None) -> str | None:
        """Draw the board as an environment's mode asks for it: `human` prints it."""
        if mode is None:
            return None
        if mode == "svg":
            return self.position.svg()
        drawing = str(self.position)
        if mode == "human":
            print(drawing)
            return None
        return drawing
