from __future__ import annotations

import copy
import json
import pickle
import re
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import GAMES, USUAL, walk

import quadrille
from quadrille import Game, Record


def test_the_games_are_those_of_the_program() -> None:
    assert quadrille.games()[:4] == ["glaisher", "gekitai", "jeson-mor", "six-making"]
    assert Game("GEKITAI").name == "Gekitai"
    assert Game("gekitai", size=4).options == {"size": 4, "markers": 8, "both": "mover"}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Game("chess"), "there is no game `chess`; the games are glaisher, gekitai"),
        (lambda: Game("gekitai", size=9), "board side must be 4 to 8, got 9"),
        (
            lambda: Game("gekitai", sise=6),
            "gekitai has no option `sise`; it has size, markers, both",
        ),
        (lambda: Game("gekitai", size="six"), "size"),
        (lambda: Game("gekitai").position("6/6/6/6/6/7 1"), "board"),
        (
            lambda: Game("gekitai").position({"board": ["......"], "turn": 1}),
            "has 1 row, expected 6",
        ),
        (lambda: Game("gekitai").position({"board": 5, "turn": {1, 2}}), "not JSON"),
        (lambda: Game("gekitai").position("{"), "not JSON"),
        (lambda: Game("gekitai").start().play("z9"), "`z9` is not a move, expected a cell"),
        (lambda: Game("gekitai").start().play("c3").play("c3"), "c3 is occupied"),
        (lambda: Game("gekitai").start().play_action(36), "actions are 0 to 35, got 36"),
        (lambda: Game("gekitai").start().play_action(-1), "actions are 0 to 35, got -1"),
        (lambda: Game("gekitai").start().image(8), "images are 0 to 7, got 8"),
        (lambda: Game("gekitai").start().observation(3), "a player is 1 or 2, got 3"),
        (lambda: Game("gekitai").action("h8"), "no room"),
        (lambda: quadrille.Engine("gekitai", level=11), "the levels are 1 to 10, got `11`"),
        (lambda: quadrille.seed_player(Game("gekitai").start(), "odd"), "no seed player `odd`"),
        (lambda: quadrille.player("cat", "gekitai"), "there is no player `cat`"),
        (lambda: quadrille.verify("quadrille certificate 1\nnonsense\n"), "line"),
        (lambda: quadrille.Record('[Game "gekitai"]\n\nc3'), "without a result"),
        (lambda: quadrille.Batch("gekitai", 0), "a batch has 1 to"),
        (lambda: quadrille.Batch("gekitai", -1), "expected a whole number from 0 to"),
        (lambda: quadrille.Engine("gekitai", level=300), "from 0 to 255, got 300"),
        (lambda: quadrille.Engine("gekitai", seed=-1), "from 0 to 18446744073709551615, got -1"),
        (lambda: Game("gekitai").start().play_action(1 << 70), "expected a whole number"),
        (lambda: Game("gekitai").start().observation(-1), "from 0 to 255, got -1"),
        (lambda: Game("gekitai").start().image(-1), "got -1"),
        (lambda: quadrille.perft(Game("gekitai").start(), -1), "got -1"),
        (lambda: quadrille.arena("gekitai", "random", "random", games=-1), "got -1"),
        (lambda: quadrille.solve(Game("gekitai").start(), nodes=-5), "got -5"),
        (lambda: Record.of("gekitai", [], {"x]\n": "1"}), "a tag's name is letters and digits"),
        (lambda: Record.of("gekitai", [], {"": "1"}), "a tag's name is letters and digits"),
    ],
)
def test_bad_input_is_refused_in_the_words_of_the_program(make: object, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        make()  # type: ignore[operator]


@pytest.mark.parametrize("game", GAMES)
def test_positions_are_values(game: Game) -> None:
    for seed in range(3):
        for position in walk(game, seed, 60):
            assert game.position(position.text) == position
            assert game.position(position.to_json()) == position
            assert game.position(position.json) == position
            assert json.loads(position.json) == position.to_json()
            for other in (pickle.loads(pickle.dumps(position)), copy.deepcopy(position)):
                assert (other, hash(other), other.text) == (position, hash(position), position.text)
            assert position.game == game
            assert len({position, position.image(0)}) == 1
            assert position.is_over == (position.moves() == []) == (position.outcome is not None)
    assert pickle.loads(pickle.dumps(game)) == game
    assert position != game.id
    assert sorted([position, game.start()]) in ([position, game.start()], [game.start(), position])


@pytest.mark.parametrize("game", [game for game in USUAL if game.seed_players])
def test_a_position_reads_back_from_the_terms_of_the_original(game: Game) -> None:
    for position in walk(game, 7, 20):
        middle = game.id == "glaisher" and any(m.startswith("@") for m in position.moves())
        if position.is_over or middle:
            continue
        assert game.position(position.prolog).to_json()["board"] == position.to_json()["board"]


def test_playing_copies() -> None:
    start = Game("gekitai").start()
    after = start.play("c3")
    assert (start.turn, after.turn) == (1, 2)
    assert start.text == "6/6/6/6/6/6 1"
    assert after.text == "6/6/2x3/6/6/6 2"
    assert after.outcome is None
    assert after.seed_value() is not None
    assert set(after.seed_best()) == {"hard"}


def test_a_turn_of_two_moves_is_played_as_one_or_as_two() -> None:
    start = Game("glaisher").start()
    whole = start.play("a2-se:123@e5")
    halves = start.play("a2-se:123").play("@e5")
    assert whole == halves
    assert whole.turn == 2
    assert start.steps("a2-se:123@e5") == ["a2-se:123", "@e5"]
    assert len(start.turns()) == 1290


def test_perft_counts_what_the_program_counts() -> None:
    assert quadrille.perft(Game("glaisher").start(), 1, turns=True) == 1290
    assert quadrille.perft(Game("gekitai").start(), 3) == 42_900
    assert quadrille.perft(Game("gekitai").start(), 0) == 1


@pytest.mark.parametrize("game", USUAL)
def test_a_position_draws_itself(game: Game) -> None:
    position = game.start()
    assert ET.fromstring(position._repr_svg_()).tag.endswith("svg")
    assert position.svg(dark=True, flipped=True) != position.svg()
    assert position.status in str(position)


def test_a_record_is_read_replayed_and_written() -> None:
    record = Record.of("gekitai", ["a1", "c3", "e5"], {"Player1": "Ann"})
    assert Record(record.text) == record
    assert pickle.loads(pickle.dumps(record)) == record
    assert record.turns == ["a1", "c3", "e5"]
    assert record.tags["Player1"] == "Ann"
    assert [position.turn for position in record.positions()] == [1, 2, 1, 2]
    assert record.start == Game("gekitai").start()
    assert record.end == record.positions()[-1]
    assert (record.result, record.outcome, len(record)) == ("*", None, 3)
    assert record.to_dict()["turns"] == record.turns
    small = Record.of(Game("gekitai", size=4), ["a1"])
    assert small.game == Game("gekitai", size=4)
    with pytest.raises(ValueError, match=r"turns\[1\]: `c3` is not legal here: c3 is occupied"):
        Record.of("gekitai", ["c3", "c3"])
    with pytest.raises(ValueError, match="is occupied"):
        Record('[Game "gekitai"]\n\n1. c3 c3 *').positions()


@pytest.mark.parametrize("value", ["", 'a "b" \\ c]', "two\nlines", "a\rb", "\\n", "é\x00\x7f"])
def test_every_record_that_is_made_can_be_read(value: str) -> None:
    record = Record.of("gekitai", ["c3"], {"Event": value})
    assert Record(record.text) == record
    assert record.tags["Event"] == value


def test_tags_of_the_record_itself_are_not_written_twice() -> None:
    for name in ("Game", "Position", "Result", "Options"):
        try:
            record = Record.of("gekitai", ["c3"], {name: "x"})
        except ValueError:
            continue
        assert Record(record.text) == record


def test_a_mistake_of_the_program_is_an_exception_and_the_interpreter_lives() -> None:
    for thread in (False, True):
        with pytest.raises(BaseException, match="a mistake of the program") as caught:
            quadrille._quadrille._panic(thread=thread)
        assert type(caught.value).__name__ == "PanicException"
    assert Game("gekitai").start().moves()


def test_threads_share_games_and_positions() -> None:
    game = Game("six-making")
    with ThreadPoolExecutor(8) as pool:
        ends = list(pool.map(lambda _: [p.text for p in walk(game, 5)], range(16)))
    assert all(end == ends[0] for end in ends)
