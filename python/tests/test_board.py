from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from conftest import GAMES, walk

from quadrille import Board, Game

BACK_AND_FORTH = ["b1-a3", "d5-e3", "a3-b1", "e3-d5"]


@pytest.mark.parametrize("game", GAMES)
def test_what_is_pushed_is_popped(game: Game) -> None:
    positions = list(walk(game, 3, 60))
    board = Board(game)
    for position in positions[1:]:
        assert board.actions() == board.position.actions()
        action = next(a for a in board.actions() if board.position.play_action(a) == position)
        board.push(action)
        assert board.position == position
    assert len(board) == len(board.stack) == len(positions) - 1
    for other in (pickle.loads(pickle.dumps(board)), copy.deepcopy(board), board.copy()):
        assert other == board
        assert other.stack == board.stack
    for position in positions[-2::-1]:
        move = board.position
        text = board.pop()
        assert board.position == position
        assert position.play(text) == move
    with pytest.raises(ValueError, match="no move was made yet"):
        board.pop()


def test_a_text_may_be_a_whole_turn_which_is_popped_move_by_move() -> None:
    board = Board("glaisher")
    board.push("a2-se:123@e5")
    assert (len(board), board.turn) == (2, 2)
    assert board.pop() == "@e5"
    assert (len(board), board.turn) == (1, 1)


def test_an_illegal_move_changes_nothing() -> None:
    board = Board("gekitai")
    board.push("c3")
    for action, words in (("c3", "is occupied"), (99, "actions are 0 to 35"), (1 << 80, "whole")):
        with pytest.raises(ValueError, match=words):
            board.push(action)
    with pytest.raises(TypeError):
        board.push(1.5)  # type: ignore[arg-type]
    assert board.stack == ["c3"]


def test_a_third_occurrence_ends_the_game_until_it_is_taken_back() -> None:
    board = Board(Game("jeson-mor", size=5))
    for move in BACK_AND_FORTH * 2:
        board.push(move)
    assert (board.reason, board.outcome, board.repetitions) == ("repetition", "draw", 2)
    assert board.is_over
    assert board.actions() == board.moves() == []
    assert not board.action_mask().any()
    with pytest.raises(ValueError, match="the game is over: repetition"):
        board.push("b1-a3")
    board.pop()
    assert (board.reason, board.outcome, board.repetitions) == (None, None, 1)
    endless = Board(Game("jeson-mor", size=5), repetition=False)
    for move in BACK_AND_FORTH * 3:
        endless.push(move)
    assert not endless.is_over


def test_a_long_game_is_given_up_and_a_won_one_is_worth_one() -> None:
    board = Board("gekitai", max_moves=2)
    board.push(0)
    board.push(35)
    assert (board.reason, board.outcome, board.reward(1)) == ("length", None, 0.0)
    won = Board(Game("gekitai").position("6/1xx3/6/3oo1/6/6 1"))
    won.push("d2")
    assert (won.reason, won.outcome) == ("won", 1)
    assert (won.reward(1), won.reward(2)) == (1.0, -1.0)
    assert np.array_equal(won.observation(1), won.position.observation(1))


def test_a_whole_turn_is_pushed_or_nothing_of_it() -> None:
    board = Board("glaisher", max_moves=1)
    turn = board.position.turns()[0]
    start = board.position
    with pytest.raises(ValueError, match="the game is over: length"):
        board.push(turn)
    assert (board.position, len(board), board.is_over) == (start, 0, False)
    board.push(start.steps(turn)[0])
    assert (board.reason, board.max_moves, board.repetition) == ("length", 1, True)
    assert Board("glaisher").max_moves is None
