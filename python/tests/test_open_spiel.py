from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from conftest import USUAL

from quadrille import Batch, Engine, Game

pyspiel = pytest.importorskip("pyspiel")

import quadrille.open_spiel as spiel  # noqa: E402

NAMES = spiel.register()


@pytest.mark.parametrize("name", [*NAMES, "quadrille_gekitai(size=4,both=draw)"])
def test_open_spiel_is_content(name: str) -> None:
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def test_a_state_is_the_position_and_reads_back() -> None:
    game = pyspiel.load_game("quadrille_glaisher")
    state = game.new_initial_state()
    for action in (61, 0, 70):
        state.apply_action(state.legal_actions()[action % len(state.legal_actions())])
    again = game.deserialize_state(state.serialize())
    assert str(again) == str(state)
    assert state.clone().position == state.position
    assert state.observation_tensor(0) == state.position.observation(1).ravel().tolist()
    assert game.observation_tensor_shape() == [6, 9, 9]


@pytest.mark.parametrize("name", [*NAMES, "quadrille_gekitai(size=4,both=draw)"])
def test_another_process_gets_games_and_states(name: str) -> None:
    state = pyspiel.load_game(name).new_initial_state()
    state.apply_action(state.legal_actions()[0])
    text = "import pickle, sys; g, s = pickle.load(sys.stdin.buffer); print(g, s, sep='\\n')"
    told = subprocess.run(
        [sys.executable, "-c", text],
        input=pickle.dumps((state.get_game(), state)),
        capture_output=True,
        check=True,
    )
    assert told.stdout.decode().splitlines() == [str(state.get_game()), str(state)]


@pytest.mark.parametrize("own", USUAL)
def test_a_parameter_is_an_option(own: Game) -> None:
    game = pyspiel.load_game(spiel.short_name(own.id))
    assert game.num_distinct_actions() == own.num_actions
    known = set(game.get_type().parameter_specification)
    added = {"start", "repetition", "max_moves", "repetition_plane", "history"}
    assert known == {*own.options, *added}


def test_a_game_begins_where_it_is_told_to() -> None:
    begun = Game("gekitai", size=4).start().play("b2")
    game = pyspiel.load_game("quadrille_gekitai", {"size": 4, "start": begun.text})
    one = game.new_initial_state()
    plain = pyspiel.load_game("quadrille_gekitai(size=4)")
    for state in (one, plain.new_initial_state(begun), plain.new_initial_state(begun.text)):
        assert state.position == begun
        assert state.current_player() == 1
        state.apply_action(state.legal_actions()[0])
        for other in (
            state.clone(),
            state.get_game().deserialize_state(state.serialize()),
            pickle.loads(pickle.dumps(state)),
        ):
            assert other.position == state.position
            assert other.history() == state.history()
            other.apply_action(other.legal_actions()[0])
            assert len(state.board) == 1


def test_a_state_sees_repetitions_and_ends_by_them() -> None:
    game = pyspiel.load_game("quadrille_jeson_mor(size=5,repetition_plane=True)")
    state = game.new_initial_state()
    moves = ["b1-a3", "d5-e3", "a3-b1", "e3-d5"] * 2
    for move in moves:
        assert not state.is_terminal()
        state.apply_action(state.position.action(move))
    assert state.is_terminal()
    assert state.returns() == [0, 0]
    assert state.legal_actions() == []
    tensor = np.array(state.observation_tensor(0)).reshape(game.observation_tensor_shape())
    assert tensor[-1].mean() == 1
    assert state.current_player() == pyspiel.PlayerId.TERMINAL


def test_mcts_plays_against_level_5() -> None:
    from open_spiel.python.algorithms import mcts

    game = pyspiel.load_game("quadrille_gekitai(size=4)")
    engine = Engine(Game("gekitai", size=4), level=5)
    evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    bot = mcts.MCTSBot(game, 2.0, 30, evaluator, random_state=np.random.RandomState(2))
    for side in (0, 1):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.current_player() == side:
                action = bot.step(state)
            else:
                turn = engine.play(state.position)
                assert turn is not None
                action = state.position.action(turn)
            state.apply_action(action)
        assert sum(state.returns()) == 0


def test_minimax_finds_the_win() -> None:
    from open_spiel.python.algorithms import minimax

    game, engine = pyspiel.load_game("quadrille_gekitai(size=4)"), Engine(Game("gekitai", size=4))
    random = np.random.RandomState(3)
    state = game.new_initial_state()
    while engine.search(state.position, nodes=200).win_in != 1:
        state.apply_action(random.choice(state.legal_actions()))
        if state.is_terminal():
            state = game.new_initial_state()
    mover = state.current_player()
    value, action = minimax.alpha_beta_search(
        game,
        state=state,
        value_function=lambda _: 0.0,
        maximum_depth=1,
        maximizing_player_id=mover,
    )
    assert (value, state.position.play_action(action).outcome) == (1.0, mover + 1)


@pytest.mark.parametrize("own", [*USUAL, Game("glaisher", min_parts=2), Game("gekitai", size=4)])
@pytest.mark.parametrize("count", [1, 3])
def test_starts_survive_pickles_and_the_notation_of_games(own: Game, count: int) -> None:
    batch = Batch(own, count, seed=2)
    batch.step_random(6)
    starts = [batch.position(number) for number in range(count)]
    name, text = spiel.short_name(own.id), spiel.write_start(*starts)
    # As a text of positions, too: OpenSpiel writes parameters without quotes.
    for start in (text, "|".join(start.text for start in starts)):
        game = pyspiel.load_game(name, {**own.options, "start": start})
        for again in (pyspiel.load_game(str(game)), pickle.loads(pickle.dumps(game))):
            assert again.starts == tuple(starts)
            assert str(again) == str(game)
        state = game.new_initial_state()
        for other in (state, pickle.loads(pickle.dumps(state)), state.clone()):
            assert str(other) == "|".join(start.text for start in starts)
            assert other.is_chance_node() == (count > 1)
        if count > 1:
            state.apply_action(1)
            assert state.position == starts[1]
        state.apply_action(state.legal_actions()[0])
        other = pickle.loads(pickle.dumps(state))
        assert (str(other), other.history()) == (str(state), state.history())


def test_several_starts_are_drawn_by_chance() -> None:
    own = Game("gekitai", size=4)
    starts = [own.start().play(cell) for cell in ("a1", "b2", "c3")]
    game = pyspiel.load_game("quadrille_gekitai", {"size": 4, "start": spiel.write_start(*starts)})
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    assert game.max_chance_outcomes() == 3
    state = game.new_initial_state()
    assert state.current_player() == pyspiel.PlayerId.CHANCE
    assert state.chance_outcomes() == [(0, 1 / 3), (1, 1 / 3), (2, 1 / 3)]
    assert state.action_to_string(2) == f"begin with {starts[2].text}"
    assert not np.any(state.observation_tensor(0))
    for number, start in enumerate(starts):
        begun = state.child(number)
        assert (begun.position, begun.is_chance_node()) == (start, False)
        assert begun.legal_actions() == start.actions()
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


def test_a_start_that_cannot_be_is_refused() -> None:
    game, larger = pyspiel.load_game("quadrille_gekitai(size=4)"), Game("gekitai").start()
    over = Game("gekitai").position("6/1xx3/6/3oo1/6/6 1").play("d2")
    with pytest.raises(ValueError, match="is not a position of"):
        game.new_initial_state(larger)
    with pytest.raises(ValueError, match="is not a position of"):
        game.new_initial_state(Game("jeson-mor").start())
    with pytest.raises(ValueError, match="it is over"):
        pyspiel.load_game("quadrille_gekitai").new_initial_state(over)
    with pytest.raises(ValueError, match="it is over"):
        pyspiel.load_game("quadrille_gekitai", {"start": spiel.write_start(over)})


def test_games_are_drawn_and_given_up_as_they_are_told_to() -> None:
    moves = ["b1-a3", "d5-e3", "a3-b1", "e3-d5"] * 3

    def length(text: str) -> int:
        state = pyspiel.load_game(f"quadrille_jeson_mor(size=5{text})").new_initial_state()
        for number, move in enumerate(moves):
            if state.is_terminal():
                return number
            state.apply_action(state.position.action(move))
        return len(moves)

    assert (length(""), length(",repetition=False"), length(",max_moves=5")) == (8, 12, 5)
    assert pyspiel.load_game("quadrille_jeson_mor(max_moves=5)").max_game_length() == 5
