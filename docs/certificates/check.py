#!/usr/bin/env python3
"""Checks a certificate that a player wins Gekitai, by the rules below and nothing else: check.py FILE.

Written from docs/certificates.md as a second opinion on one page; it leaves out checksums and what a file must
look like, which decide nothing about the game.
"""

import gzip
import sys


def line_or_full(board, n, markers):
    """Tell which players have three in a row or all markers on the board."""
    won = {p for p in "xo" if board.count(p) >= markers}
    for at, p in enumerate(board):
        if p != ".":
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                x, y = at % n + 2 * dx, at // n + 2 * dy
                if 0 <= x < n and 0 <= y < n and board[at + dx + n * dy] == p == board[at + 2 * (dx + n * dy)]:
                    won.add(p)
    return won


def after(pos, at):
    """Place a marker and push its neighbours; give the board, who is to move, and who has won, `-` for a draw."""
    board, player = list(pos[0]), pos[1]
    n, markers, both = RULES
    board[at] = player
    for dx, dy in ((-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)):
        x, y = at % n + dx, at // n + dy
        if 0 <= x < n and 0 <= y < n and pos[0][y * n + x] != ".":
            bx, by = x + dx, y + dy
            on = 0 <= bx < n and 0 <= by < n
            if not on or pos[0][by * n + bx] == ".":
                board[y * n + x] = "."
                if on:
                    board[by * n + bx] = pos[0][y * n + x]
    won = line_or_full(board, n, markers)
    winner = None if not won else won.pop() if len(won) == 1 else player if both == "mover" else "-"
    return "".join(board), "o" if player == "x" else "x", winner


def moves(pos):
    return [at for at, p in enumerate(pos[0]) if p == "."]


def images(board):
    """Give the board turned and mirrored, eight times."""
    n = RULES[0]
    rows = [board[i : i + n] for i in range(0, n * n, n)]
    for _ in range(4):
        rows = ["".join(column) for column in zip(*rows[::-1], strict=True)]
        yield "".join(rows)
        yield "".join(row[::-1] for row in rows)


def read(text):
    """Give the board and the player to move of `2x3/…;both=draw 1`, and the options."""
    setup, player = text.split()
    rows, *options = setup.split(";")
    board = "".join("." * int(c) if c.isdigit() else c for c in rows.replace("/", ""))
    options = dict(option.split("=") for option in options)
    n = rows.count("/") + 1
    return (board, "xo"[int(player) - 1]), (n, int(options.get("markers", 8)), options.get("both", "mover"))


def wins_at_once(pos):
    return any(after(pos, at)[2] == pos[1] for at in moves(pos))


def covered(pos, rank):
    """Tell whether the winner wins `pos` in fewer than `rank` stored moves, whatever the other does."""
    if pos[1] != WINNER:
        return all(q[2] == WINNER or (q[2] is None and covered(q[:2], rank)) for q in (after(pos, at) for at in moves(pos)))
    known = next((STORED[image] for image in images(pos[0]) if image in STORED), None)
    return (known is not None and known[1] < rank) or (rank > 1 and wins_at_once(pos))


with open(sys.argv[1], "rb") as file:
    data = file.read()
lines = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode().splitlines()
assert lines[0].startswith("quadrille certificate") and lines[1] == "game gekitai" and lines[-1] == "end"
start, RULES = read(lines[2].removeprefix("position "))
_, _, player, *_, within, _ = lines[3].split()
WINNER = "xo"[int(player) - 1]
STORED = {}
for line in lines[4:-1]:
    if not line.startswith(("=", "stored ")):
        setup, to_move, move, rank = line.split()
        pos, rules = read(f"{setup} {to_move}")
        at = ord(move[0]) - 97 + RULES[0] * (int(move[1:]) - 1)
        assert rules == RULES and pos[1] == WINNER and at in moves(pos) and int(rank) >= 1
        STORED[pos[0]] = (at, int(rank))
assert covered(start, int(within) + 1), "the claim"
for board, (at, rank) in STORED.items():
    q = after((board, WINNER), at)
    assert q[2] == WINNER or (q[2] is None and covered(q[:2], rank)), board
print(f"it holds: {lines[2][9:]} is won by player {player} within {within} moves; {len(STORED)} stored positions")
