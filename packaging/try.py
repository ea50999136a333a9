"""Plays a game with the package that is installed, and checks that it came whole."""

import importlib.metadata

import quadrille

names = {file.name for file in importlib.metadata.files("quadrille-games")}
assert {"LICENSE-MIT", "LICENSE-APACHE", "py.typed", "_quadrille.pyi"} <= names, names
game = quadrille.Game("gekitai")
position = game.start()
players = [quadrille.Engine("gekitai", level=level) for level in (2, 3)]
turns = 0
while position.outcome is None and turns < 200:
    position = position.play(players[turns % 2].play(position))
    turns += 1
assert turns > 4
won = game.position("6/1xx3/6/3oo1/6/6 1")
assert won.play(quadrille.Engine("gekitai", level=5).play(won)).outcome == 1
