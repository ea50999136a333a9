//! The page of keys.

use super::look::Look;
use super::view::wrapped;
use ratatui::text::{Line, Span};

const KEYS: &[(&str, &[(&str, &str)])] = &[
    (
        "Moving",
        &[
            ("click", "choose a cell, then the next; a click on the first one again cancels"),
            ("arrows, Enter", "the same with keys; Tab jumps to what can be chosen"),
            ("j k l h", "the same as arrows; h moves left once j, k or l were used"),
            ("c4 Enter", "or type the move: a letter and a digit open the line"),
            (": or /", "open the line, too; Tab completes what is unambiguous"),
            ("1 to 9", "choose from a list"),
            ("Esc", "back one stage"),
        ],
    ),
    (
        "Help",
        &[
            ("h", "hint: the original program's, and the engine's (H while h moves left)"),
            ("e", "the engine's evaluation as a bar"),
            ("a", "analysis of the position on the screen: the best lines as they are found"),
            ("Original", "what the game's original program thinks of the position, for each side"),
            ("m", "go over the game: a graph, then from mistake to mistake; x tries one again"),
            ("r", "the rules"),
            ("?", "this page"),
        ],
    ),
    (
        "Going back and forth",
        &[
            ("u", "take back; against the computer its turn and yours"),
            ("U", "replay what was taken back"),
            ("[ ]", "look at earlier turns, also PgUp PgDn Home End; Esc returns"),
        ],
    ),
    (
        "Against the computer",
        &[("space", "stop its thinking: it plays the best turn it has found")],
    ),
    (
        "Computer against computer",
        &[
            ("space", "pause, continue"),
            ("n", "one turn"),
            ("+ -", "faster, slower"),
            ("w", "wait for a key before each turn"),
        ],
    ),
    (
        "Other keys",
        &[
            ("f", "turn the board round"),
            ("v", "in a small window: the panel instead of the board, and back"),
            ("s", "save under a name"),
            ("p", "pause: resume, save, resign, main menu, exit"),
            ("n N", "after the game: play again, play again with sides changed"),
            ("o", "looking back or after the game: go on from the position on the screen"),
            ("q", "leave; an unfinished game is kept and offered the next time"),
        ],
    ),
];

/// The keys, by what they are for.
pub fn lines(look: &Look) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for (heading, keys) in KEYS {
        lines.push(Line::styled(*heading, look.strong()));
        for (key, does) in *keys {
            for (i, words) in wrapped(does, 58).into_iter().enumerate() {
                let key = if i == 0 { key } else { "" };
                let key = Span::styled(format!("  {key:<15}"), look.accent());
                lines.push(Line::from(vec![key, Span::raw(words)]));
            }
        }
        lines.push(Line::default());
    }
    lines
}
