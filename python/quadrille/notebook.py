"""Games in notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quadrille._quadrille import Record


def show_record(record: Record) -> None:
    """Show a game: a board with a slider where `ipywidgets` is there, else the board at its end."""
    from IPython.display import SVG, display

    try:
        viewer = slider(record)
    except ImportError:
        display(SVG(record.end.svg()))
        print(record.text)
    else:
        display(viewer)


def slider(record: Record) -> Any:
    """Make a board with a slider from the first position to the last."""
    import ipywidgets

    positions, turns = record.positions(), record.turns
    board = ipywidgets.HTML()
    at = ipywidgets.IntSlider(value=len(turns), min=0, max=len(turns), description="turn")

    def show(change: dict[str, Any]) -> None:
        number = change["new"]
        played = f"{number}. {turns[number - 1]}" if number else "the start"
        board.value = f"<div>{played}</div>{positions[number].svg()}"

    at.observe(show, names="value")
    show({"new": at.value})
    return ipywidgets.VBox([at, board])
