"""Drives the fifth game through the program: requests of the pages, a game on a server, a proof."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

PROGRAM = sys.argv[1]
GAME = "breakthrough"


def ask_all(requests: list[dict]) -> list[dict]:
    """Ask the program; return the last answer to each, since a search is answered several times."""
    lines = "".join(json.dumps(request | {"id": i}) + "\n" for i, request in enumerate(requests))
    ran = subprocess.run(
        [PROGRAM, "query"], input=lines, capture_output=True, text=True, check=True
    )
    last: dict[int, dict] = {}
    for line in ran.stdout.splitlines():
        answer = json.loads(line)
        assert "error" not in answer, (requests[answer["id"]], answer)
        last[answer["id"]] = answer
    return [last[i] for i in range(len(requests))]


def page_requests() -> list[str]:
    """Ask what the pages ask; return the turns of a game between two levels."""
    turns: list[str] = []
    while True:
        place = {"game": GAME, "turns": turns}
        (view,) = ask_all([{"ask": "view", **place}])
        if view["over"]:
            break
        level = {"kind": "level", "level": 3 if len(turns) % 2 else 6}
        turns.append(ask_all([{"ask": "turn", "player": level, **place}])[0]["turn"])
    assert len(view["cells"]) == 6 * 6
    assert view["svg"].startswith("<svg")
    middle = {"game": GAME, "turns": turns[:6]}
    cell = next(i for i, cell in enumerate(view["cells"]) if cell["name"] == "a1")
    answers = ask_all([
        {"ask": "view", **middle},
        {"ask": "analysis", "nodes": 2000, "lines": 2, **middle},
        {"ask": "hint", "nodes": 2000, **middle},
        {"ask": "review", "game": GAME, "turns": turns, "nodes": 300},
        {"ask": "edit", "game": GAME, "edit": {"cell": cell, "brush": "none"}},
        {"ask": "lessons", "game": GAME},
        {"ask": "puzzles", "game": GAME},
        {"ask": "results", "game": GAME},
        {"ask": "rules", "game": GAME},
        {"ask": "catalogue"},
    ])  # fmt: skip
    shown, analysis, hint, review, _, lessons, puzzles, results, _, catalogue = answers
    steps = [step["text"] for step in shown["steps"]]
    assert turns[6] in steps
    assert hint["engine"]["turn"] in steps, hint
    assert hint["seed"] is None
    assert analysis["lines"][1]["turns"][0] in steps
    assert analysis["done"]
    assert (review["ply"], review["of"]) == (0, len(turns)), review
    assert lessons["lessons"] == puzzles["puzzles"] == results["results"] == []
    assert catalogue["games"][-1]["id"] == GAME
    return turns


def against_a_level() -> int:
    """Play a game on a server against a level to its end; return the number of its turns."""
    with tempfile.TemporaryDirectory() as folder:
        command = [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--data", f"{folder}/games.db"]
        server = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert server.stdout is not None
        try:
            line = next(line for line in server.stdout if "http://" in line)
            at = "http://" + line.partition("http://")[2].split()[0].rstrip("/")
            return play(at)
        finally:
            server.terminate()
            server.wait()


def play(at: str) -> int:
    """Play at a server, always the last step of the list."""

    def call(path: str, body: dict | None = None, **headers: str) -> dict:
        data = None if body is None else json.dumps(body).encode()
        headers["content-type"] = "application/json"
        with urllib.request.urlopen(urllib.request.Request(at + path, data, headers)) as answer:
            return json.load(answer)

    seats = [{"kind": "person", "name": "Ann"}, {"kind": "level", "level": 3}]
    made = call("/api/games", {"game": GAME, "seats": seats})
    here, token = f"/api/games/{made['id']}", made["tokens"][0]
    with urllib.request.urlopen(f"{at}{here}/events?follow=true") as events:
        for _ in events:
            game = call(here)
            if game["result"] is not None:
                assert game["result"]["winner"] in (1, 2), game
                return len(game["turns"])
            if len(game["turns"]) % 2 == 0:
                (view,) = ask_all([{"ask": "view", "game": GAME, "turns": game["turns"]}])
                turn = view["steps"][-1]["text"]
                command = {"type": "move", "turn": turn, "board_seq": game["board_seq"]}
                call(f"{here}/commands", command, authorization=f"Bearer {token}")
    raise AssertionError("the server has ended the game's events before the game")


def proof() -> str:
    """Solve the game on the smallest board and have the certificate checked."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "proof"
        solve = [PROGRAM, "solve", GAME, "--size", "4", "-o", str(file)]
        told = subprocess.run(solve, capture_output=True, text=True, check=True).stdout
        assert "wins" in told, told
        verify = [PROGRAM, "verify", str(file)]
        return subprocess.run(verify, capture_output=True, text=True, check=True).stdout.strip()


print(f"   requests answered about a game of {len(page_requests())} turns")
print(f"   played {against_a_level()} turns on a server")
print(f"   {proof()}")
