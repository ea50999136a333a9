"""A game from its start to its end by the names of version 0.2: new code uses `Board`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quadrille._quadrille import Board
from quadrille.environment import MAX_MOVES, draw_board

if TYPE_CHECKING:
    from quadrille._quadrille import Game, Position

__all__ = ["MAX_MOVES", "Match"]


class Match:
    """A position with its past, as a `Board`: a draw when it occurs for the third time."""

    def __init__(self, game: Game, max_moves: int = MAX_MOVES) -> None:
        """Begin a game."""
        self.board = Board(game, max_moves=max_moves)

    @classmethod
    def of(cls, board: Board) -> Match:
        """Wrap a board; both share its game."""
        match = cls.__new__(cls)
        match.board = board
        return match

    @property
    def game(self) -> Game:
        """The game with its options."""
        return self.board.game

    @property
    def position(self) -> Position:
        """The current position."""
        return self.board.position

    @property
    def max_moves(self) -> int | None:
        """After how many moves the game is truncated."""
        return self.board.max_moves

    @property
    def moves(self) -> int:
        """How many moves were made."""
        return len(self.board)

    def play_action(self, action: int) -> None:
        """Play the move with a number."""
        self.board.push(action)

    def play_turn(self, turn: str) -> None:
        """Play a whole turn, all moves of which count."""
        self.board.push(turn)

    @property
    def winner(self) -> int:
        """The player who has won, or 0."""
        outcome = self.board.outcome
        return outcome if isinstance(outcome, int) else 0

    @property
    def is_over(self) -> bool:
        """Whether the game has ended by the rules, or by a third repetition."""
        return self.board.is_over and not self.is_truncated

    @property
    def is_truncated(self) -> bool:
        """Whether it was truncated because it took too many moves."""
        return self.board.reason == "length"

    def reward(self, player: int) -> float:
        """Return the result for a player: 1, 0 or -1."""
        return self.board.reward(player)

    def render(self, mode: str | None) -> str | None:
        """Draw the board as an environment's mode asks for it: `human` prints it."""
        return draw_board(self.board, mode)
