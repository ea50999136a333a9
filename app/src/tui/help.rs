//! The page of keys: those of the screen that it is opened on, or all.

use super::app::Context;
use super::view::wrapped;
use ratatui::text::{Line, Span};

/// The topic of the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    Lists,
    Form,
    Library,
    Editor,
    Game,
    /// Computers against each other.
    Show,
    Server,
    Variations,
    Puzzle,
    Lesson,
    /// Everything.
    All,
}

struct Section {
    heading: &'static str,
    topics: &'static [Topic],
    keys: &'static [(&'static str, &'static str)],
}

use Topic::{Editor, Form, Game, Lesson, Library, Lists, Puzzle, Server, Show, Variations};

const SECTIONS: &[Section] = &[
    Section {
        heading: "Lists",
        topics: &[Lists, Form, Library],
        keys: &[
            ("↑ ↓", "choose a row; also j k, Tab, PgUp PgDn, Home End, the mouse"),
            ("Enter", "take it; a second click does the same"),
            ("← →", "the next value, game or kind, where there are several"),
            ("r", "the rules of the game that is chosen"),
            ("Esc", "back; in the main menu it leaves the program, as q does"),
            ("paste", "a position or a record opens it"),
        ],
    },
    Section {
        heading: "Lines that are typed",
        topics: &[Form],
        keys: &[
            ("Enter", "on a name, a clock or a server: edit it; again: take what was typed"),
            ("Esc", "leave it as it was"),
            ("← → Home End", "move in the line; Ctrl-U takes away what is before the cursor"),
            ("paste", "goes into the line"),
        ],
    },
    Section {
        heading: "Your games",
        topics: &[Library],
        keys: &[
            ("/", "search for games, players, dates and results: every word must be found"),
            ("x", "delete the game that is chosen, after a question"),
        ],
    },
    Section {
        heading: "Moving",
        topics: &[Game, Server, Variations, Puzzle, Lesson],
        keys: &[
            ("click", "choose a cell, then the next; a click on the first one again cancels"),
            ("arrows, Enter", "the same with keys; Tab jumps to what can be chosen"),
            ("j k l h", "the same as arrows; h moves left once j, k or l were used"),
            ("c4 Enter", "or type the move: a letter and a digit open the line"),
            (": or /", "open the line, too; Tab completes what is unambiguous"),
            ("1 to 9", "choose from a list"),
            ("Esc", "back one stage"),
        ],
    },
    Section {
        heading: "While the other side is to move",
        topics: &[Game, Server],
        keys: &[
            ("a move", "is chosen ahead, and played as soon as it is legal; Esc takes it back"),
            ("space", "stops a computer's thinking: it plays the best turn it has found"),
        ],
    },
    Section {
        heading: "On a server",
        topics: &[Server],
        keys: &[
            ("u", "ask to take back"),
            ("p", "offer a draw, answer an offer, resign, greet or mute"),
            ("n", "after the game: a rematch"),
            ("L", "copy the link for the other player, while the seat is open"),
            ("…", "behind a turn: the server has not acknowledged it yet"),
        ],
    },
    Section {
        heading: "Computer against computer",
        topics: &[Show],
        keys: &[
            ("space", "pause, continue"),
            ("n", "one turn"),
            ("+ -", "faster, slower"),
            ("w", "wait for a key before each turn"),
        ],
    },
    Section {
        heading: "This lesson",
        topics: &[Lesson],
        keys: &[
            ("h", "show a turn that does it"),
            ("n", "the next lesson"),
            ("o", "a small game from here"),
        ],
    },
    Section {
        heading: "This puzzle",
        topics: &[Puzzle],
        keys: &[
            ("n", "the next puzzle that is not solved"),
            ("h e a", "help; a puzzle that is solved with it stays on the list"),
        ],
    },
    Section {
        heading: "Help",
        topics: &[Game, Show, Variations, Puzzle],
        keys: &[
            ("h", "hint: how the turn begins, then all of it (H while h moves left)"),
            ("e", "the engine's evaluation as a bar"),
            ("a", "analysis of the position on the screen: the best lines as they are found"),
            ("Original", "what the game's original program thinks of the position, for each side"),
            ("m", "review the game: a graph, then from mistake to mistake; x tries one again"),
            ("b", "better turns beside those that gave something away"),
            ("t", "try variations: play for both sides, Esc returns to the game"),
            (", . >", "choose one of the analysis' lines, and step into it; or click on it"),
        ],
    },
    Section {
        heading: "Going back and forth",
        topics: &[Game, Show, Server, Puzzle, Lesson],
        keys: &[
            ("u", "take back; against the computer its turn and yours"),
            ("U", "replay what was taken back"),
            ("[ ]", "look at earlier turns, also PgUp PgDn Home End or the wheel; Esc returns"),
        ],
    },
    Section {
        heading: "Variations",
        topics: &[Variations],
        keys: &[
            ("a turn", "branches off wherever another one was played"),
            ("[ ]", "back and ahead in the tree, also PgUp PgDn Home End, or a click"),
            ("{ }", "the other variations of the turn on the screen"),
            ("x", "take this turn and all that follow away"),
            ("^", "make this variation the main line"),
            ("s", "save everything as a record; o plays on from here"),
        ],
    },
    Section {
        heading: "Setting up a position",
        topics: &[Editor],
        keys: &[
            ("digits, Tab", "take a brush; Enter or a click paints, x or the right button wipes"),
            ("t c i u", "other player to move, clear, usual start, take back"),
            ("a, Esc", "look at it with the engine; play it"),
        ],
    },
    Section {
        heading: "Other keys",
        topics: &[Game, Show, Server, Variations, Puzzle, Lesson],
        keys: &[
            ("f", "turn the board round"),
            ("v", "in a small window: the panel instead of the board, and back"),
            ("y", "the board as a picture or in characters, in terminals that show pictures"),
            ("Y", "copy the position; the menu copies the game"),
            ("E", "set up a position, beginning with the one on the screen"),
            ("s", "save under a name"),
            ("r", "the rules"),
            ("p", "pause: resume, save, resign, main menu, exit"),
            ("n N", "after the game: play again, play again with sides changed"),
            ("o", "looking back or after the game: go on from the position on the screen"),
            ("q", "leave; an unfinished game is kept and offered the next time"),
        ],
    },
];

/// The keys of a screen, by what they are for, in this many columns.
pub fn lines(context: &Context, columns: usize, topic: Topic) -> Vec<Line<'static>> {
    let look = &context.look;
    let is_wanted = |section: &&Section| topic == Topic::All || section.topics.contains(&topic);
    let mut lines = Vec::new();
    for Section { heading, keys, .. } in SECTIONS.iter().filter(is_wanted) {
        lines.push(Line::styled(*heading, look.strong()));
        for (key, does) in *keys {
            let key = match (*key, look.sign("u", "a")) {
                ("↑ ↓", "a") => "up down",
                ("← →", "a") => "left right",
                ("…", "a") => "...",
                (key, _) => &context.config.shown(key),
            };
            for (i, words) in
                wrapped(does, columns.saturating_sub(18).max(20)).into_iter().enumerate()
            {
                let key = if i == 0 { key } else { "" };
                let key = Span::styled(format!("  {key:<15}"), look.accent());
                lines.push(Line::from(vec![key, Span::raw(words)]));
            }
        }
        lines.push(Line::default());
    }
    if topic != Topic::All {
        lines.push(Line::styled("? shows the keys of all screens.", look.soft()));
    }
    lines
}
