"""What programs for version 0.2 use of `quadrille.match` and of `match` goes on as it was."""

from __future__ import annotations

import itertools

import pytest
from conftest import USUAL, walk

from quadrille import Game
from quadrille.match import MAX_MOVES, Match

MOVES = ["b1-a3", "d5-e3", "a3-b1", "e3-d5"] * 2


@pytest.mark.parametrize("game", USUAL)
def test_a_match_is_played_to_its_end(game: Game, capsys: pytest.CaptureFixture[str]) -> None:
    match, positions = Match(game), list(walk(game, 1, MAX_MOVES))
    assert (match.game, match.max_moves, match.moves) == (game, 2000, 0)
    for before, after in itertools.pairwise(positions):
        assert not match.is_over
        assert match.reward(1) == match.reward(2) == match.winner == 0
        match.play_action(next(a for a in before.actions() if before.play_action(a) == after))
        assert match.position == after
    assert match.moves == len(positions) - 1
    assert match.is_over
    assert match.winner == positions[-1].outcome
    assert match.reward(match.winner) == 1.0 == -match.reward(3 - match.winner)
    assert match.render(None) is None
    assert match.render("svg") == match.position.svg()
    assert match.render("ansi") == str(match.position)
    assert match.render("human") is None
    assert capsys.readouterr().out == f"{match.position}\n"


def test_whole_turns_count_and_long_games_are_truncated() -> None:
    match = Match(Game("glaisher"), max_moves=4)
    for _ in range(2):
        assert not match.is_truncated
        match.play_turn(match.position.turns()[0])
    assert (match.moves, match.is_truncated, match.is_over) == (4, True, False)
    repeated = Match(Game("jeson-mor", size=5))
    for move in MOVES:
        repeated.play_turn(move)
    assert (repeated.is_over, repeated.is_truncated, repeated.winner) == (True, False, 0)


def test_environments_and_states_have_a_match() -> None:
    pytest.importorskip("pettingzoo")
    import quadrille.gymnasium as gym
    import quadrille.pettingzoo as zoo

    aec, env = zoo.raw_env("gekitai", max_moves=7), gym.QuadrilleEnv("gekitai", side=1)
    aec.reset()
    env.reset(seed=1)
    for own in (aec, env):
        match = own.match
        own.step(3)
        assert own.match.position == match.position == own.board.position
        assert match.moves == len(own.board)
    assert aec.match.max_moves == 7
    pyspiel = pytest.importorskip("pyspiel")
    from quadrille.open_spiel import register

    state = pyspiel.load_game(register()[0]).new_initial_state()
    match = state.match
    state.apply_action(state.legal_actions()[0])
    assert (match.moves, match.position) == (1, state.position)
