use super::*;
use crate::by_player::ByPlayer;
use crate::diagram::*;
use crate::grid::Layout;
use crate::hex::{self, Board};
use Player::{One, Two};

fn seat(name: &'static str, tint: Tint, count: &str, reserve: Option<u8>) -> Seat {
    Seat { name, tint, count: count.to_string(), reserve }
}

fn place(diagram: &mut Diagram, name: &str, owner: Player, look: Look) {
    let cell = diagram.cells.iter_mut().find(|c| c.name == name).unwrap();
    cell.piece = Some(Piece { owner, look });
}

fn find(diagram: &Diagram, names: &[&str]) -> Vec<usize> {
    names.iter().filter_map(|n| diagram.cells.iter().position(|c| c.name == *n)).collect()
}

fn square(size: usize, players: ByPlayer<Seat>) -> Diagram {
    let cells = (0..size * size).map(|i| {
        let (x, y) = (i % size, i / size);
        DrawnCell {
            name: format!("{}{}", char::from(b'a' + x as u8), size - y),
            x: 2 * x as i16,
            y: y as i16,
            tone: if (x + y) % 2 == 0 { Tone::Light } else { Tone::Dark },
            piece: None,
        }
    });
    Diagram {
        shape: Shape::Square,
        towers: false,
        cells: cells.collect(),
        labels: square_labels(Layout::<11> { size, first_row_at_top: false }),
        players,
        turn: Some(One),
        status: String::from("X to move"),
        marks: Marks::default(),
    }
}

fn markers() -> Diagram {
    let players = [Tint::Blue, Tint::Orange].map(|tint| seat("", tint, "3 on the board", Some(5)));
    let mut diagram = square(6, players.into());
    diagram.players[Player::One].name = "X";
    diagram.players[Player::Two].name = "O";
    for name in ["c3", "d4", "a6"] {
        place(&mut diagram, name, One, Look::Marker);
    }
    for name in ["b2", "f1", "d3"] {
        place(&mut diagram, name, Two, Look::Marker);
    }
    diagram.marks.last = find(&diagram, &["d3", "e3", "f1"]);
    diagram.marks.winning = find(&diagram, &["c3"]);
    diagram.marks.targets = find(&diagram, &["a1", "b1", "a2"]);
    diagram.marks.hints = find(&diagram, &["d4", "d5"]).into_iter().map(|i| (i, i)).collect();
    diagram.marks.selected = find(&diagram, &["a6"]).first().copied();
    diagram
}

fn knights(size: usize) -> Diagram {
    let white = seat("White", Tint::Ivory, "9 knights", None);
    let mut diagram =
        square(size, ByPlayer::new(white, seat("Black", Tint::Ebony, "9 knights", None)));
    for cell in &mut diagram.cells {
        let y = cell.y as usize;
        let owner = if y == 0 { Two } else { One };
        if y == 0 || y == size - 1 {
            cell.piece = Some(Piece { owner, look: Look::Knight });
        }
    }
    let middle = diagram.cells.len() / 2;
    diagram.cells[middle].tone = Tone::Goal;
    diagram.cells[1].piece = None;
    diagram.cells[2 * size + 2].piece = Some(Piece { owner: Two, look: Look::Knight });
    diagram.marks.last = vec![1, 2 * size + 2];
    diagram.marks.selected = find(&diagram, &["d1"]).first().copied();
    diagram.marks.targets = find(&diagram, &["c3", "e3", "b2", "f2"]);
    diagram.status = String::from("White to move");
    diagram
}

fn towers(size: usize) -> Diagram {
    let players =
        [seat("X", Tint::Red, "3 towers", Some(12)), seat("O", Tint::Yellow, "", Some(9))];
    let mut diagram = square(size, players.into());
    diagram.towers = true;
    let discs = |text: &str| -> Vec<Player> {
        text.chars().map(|c| if c == 'x' { One } else { Two }).collect()
    };
    for (name, pile, letter) in [
        ("a1", "x", 'P'),
        ("b1", "ox", 'R'),
        ("c2", "xxo", 'N'),
        ("d2", "oxxo", 'B'),
        ("c3", "xoxox", 'Q'),
        ("b4", "xoxoxoxoo", 'K'),
        ("d4", "xxoxoxoxox", 'K'),
        ("a4", "xxoxoxo", 'K'),
    ] {
        let discs = discs(pile);
        place(&mut diagram, name, *discs.last().unwrap(), Look::Tower { discs, letter });
    }
    diagram.marks.last = find(&diagram, &["c3", "c2", "a2"]);
    diagram.marks.winning = find(&diagram, &["b4"]);
    diagram.marks.selected = find(&diagram, &["d2"]).first().copied();
    diagram.marks.targets = find(&diagram, &["d1", "d4", "d3", "c1"]);
    diagram
}

fn stacks() -> Diagram {
    let red = seat("Red", Tint::Red, "4 stacks", None);
    let mut diagram = square(1, ByPlayer::new(red, seat("Yellow", Tint::Yellow, "5 stacks", None)));
    diagram.shape = Shape::Hexagon;
    diagram.status = String::from("Red to move");
    diagram.labels.clear();
    diagram.cells.clear();
    for row in 0..9usize {
        let first = row.saturating_sub(4);
        for (i, hex) in hex::cells(Board::of(5).row(row)).enumerate() {
            let (x, y) = ((row.abs_diff(4) + 2 * i) as i16, row as i16);
            let name = format!("{}{}", char::from(b'a' + row as u8), first + i + 1);
            let tone = Tone::Light;
            diagram.cells.push(DrawnCell { name, x, y, tone, piece: None });
            if i == 0 {
                let text = char::from(b'a' + row as u8).to_string();
                diagram.labels.push(Label { text, x: x - 2, y });
            }
            if row == 0 || row < 5 && Some(hex) == hex::cells(Board::of(5).row(row)).last() {
                let text = (first + i + 1).to_string();
                diagram.labels.push(Label { text, x: x + 1, y: y - 1 });
            }
        }
    }
    for (name, owner, height) in [
        ("a2", One, 6),
        ("b6", Two, 6),
        ("d1", Two, 12),
        ("f9", One, 1),
        ("h4", One, 10),
        ("i8", Two, 3),
        ("e5", One, 2),
        ("e6", Two, 4),
        ("g7", Two, 123),
        ("g5", One, 1),
    ] {
        place(&mut diagram, name, owner, Look::Stack(height));
    }
    diagram.marks.last = find(&diagram, &["e5", "d4", "f9"]);
    diagram.marks.selected = find(&diagram, &["h4"]).first().copied();
    diagram.marks.targets = find(&diagram, &["h5", "h6", "g3", "g4", "g5", "e6"]);
    diagram.marks.winning = find(&diagram, &["b6"]);
    diagram.marks.hints = find(&diagram, &["a2", "b3"]).into_iter().map(|i| (i, i)).collect();
    diagram
}

fn samples() -> Vec<Diagram> {
    vec![stacks(), markers(), knights(9), knights(11), knights(5), towers(5), towers(4)]
}

fn styles() -> Vec<Style> {
    let mut styles = Vec::new();
    for charset in [Charset::Unicode, Charset::Ascii] {
        for scale in Scale::ALL {
            styles.push(Style { charset, scale, flipped: false });
            styles.push(Style { charset, scale, flipped: true });
        }
        for (columns, rows) in [(1, 1), (46, 17), (60, 27), (100, 42), (200, 99)] {
            let scale = Scale::Room(columns, rows);
            styles.push(Style { charset, scale, flipped: false });
        }
    }
    styles
}

fn each(check: impl Fn(&Diagram, &Style)) {
    for diagram in samples() {
        for style in styles() {
            check(&diagram, &style);
        }
    }
}

#[test]
#[ignore = "prints all boards, for looking at them"]
fn gallery() {
    let color = std::env::var_os("COLOR").is_some();
    each(|diagram, style| {
        println!("{style:?}\n{}", text(diagram, style, color));
    });
}

#[test]
fn cells_are_found_at_their_centres() {
    each(|diagram, style| {
        let canvas = canvas(diagram, style);
        for cell in 0..diagram.cells.len() {
            let (column, row) = canvas.centre(cell).unwrap();
            assert_eq!(canvas.cell_at(column, row), Some(cell));
        }
        assert_eq!(canvas.cell_at(canvas.width(), 0), None);
        assert_eq!(canvas.cell_at(0, canvas.height()), None);
    });
}

#[test]
fn rows_are_equally_wide() {
    each(|diagram, style| {
        let canvas = canvas(diagram, style);
        assert!(canvas.rows().all(|row| row.len() == canvas.width()));
        assert_eq!(canvas.rows().count(), canvas.height());
    });
}

#[test]
fn ascii_is_ascii_and_colour_is_asked_for() {
    each(|diagram, style| {
        let plain = text(diagram, style, false);
        assert!(style.charset == Charset::Unicode || plain.is_ascii());
        assert!(!plain.contains('\x1b'));
        assert!(plain.ends_with('\n') && plain.lines().all(|line| !line.ends_with(' ')));
        assert!(text(diagram, style, true).contains('\x1b'));
    });
}

#[test]
fn small_boards_fit_a_small_terminal() {
    for diagram in samples() {
        let text = text(&diagram, &Style::default(), false);
        assert!(text.lines().count() <= 24, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80));
    }
}

#[test]
fn flipping_turns_the_board_by_half_a_turn() {
    each(|diagram, style| {
        let mut turned = diagram.clone();
        for cell in &mut turned.cells {
            (cell.x, cell.y) = (-cell.x, -cell.y);
        }
        for label in &mut turned.labels {
            (label.x, label.y) = (-label.x, -label.y);
        }
        let flipped = Style { flipped: !style.flipped, ..*style };
        assert_eq!(canvas(diagram, style), canvas(&turned, &flipped));
    });
}

#[test]
fn nothing_is_told_by_colour_alone() {
    for diagram in [markers(), knights(9), towers(5), stacks()] {
        let bare = Diagram { marks: Marks::default(), ..diagram.clone() };
        each_mark(&bare, &diagram);
    }
}

/// Compares the characters of each marked cell with those of the same cell without marks.
fn each_mark(bare: &Diagram, marked: &Diagram) {
    for style in styles() {
        let (bare, with) = (canvas(bare, &style), canvas(marked, &style));
        let chars = |canvas: &Canvas, cell| -> String {
            let glyphs = canvas.rows().flatten().filter(|g| g.cell == Some(cell));
            glyphs.map(|g| g.ch).collect()
        };
        let marks = &marked.marks;
        for &cell in marks.last.iter().chain(&marks.winning).chain(&marks.targets) {
            assert_ne!(chars(&bare, cell), chars(&with, cell));
        }
    }
}

#[test]
fn all_discs_of_a_tower_are_shown() {
    for scale in Scale::ALL {
        let diagram = towers(5);
        let cell = find(&diagram, &["d4"]).first().copied();
        let canvas = canvas(&diagram, &Style { scale, ..Style::default() });
        let glyphs = canvas.rows().flatten().filter(|g| g.cell == cell);
        // The letter of the piece may stand on the uppermost disc.
        assert!(glyphs.filter(|g| "xoK".contains(g.ch)).count() >= 10);
    }
}

#[test]
fn a_board_is_as_large_as_its_room() {
    for diagram in samples() {
        let mut last = (0, 0);
        for (columns, rows) in [(58, 17), (48, 21), (66, 27), (104, 42), (250, 120)] {
            let style = Style { scale: Scale::Room(columns, rows), ..Style::default() };
            let drawn = canvas(&diagram, &style);
            assert!(drawn.width() <= usize::from(columns), "{columns}x{rows}: {}", drawn.width());
            assert!(drawn.height() <= usize::from(rows), "{columns}x{rows}: {}", drawn.height());
            assert!(drawn.height() >= last.1 || rows < 27, "{columns}x{rows} is smaller");
            last = (drawn.width(), drawn.height());
        }
    }
}

#[test]
fn towers_are_piles_of_discs() {
    let diagram = towers(4);
    let style = Style { scale: Scale::Room(100, 42), ..Style::default() };
    let drawn = canvas(&diagram, &style);
    let cell = find(&diagram, &["c3"]).first().copied();
    let lines: Vec<String> = drawn
        .rows()
        .map(|row| row.iter().filter(|g| g.cell == cell).map(|g| g.ch).collect::<String>())
        .filter(|line: &String| line.contains('▁'))
        .map(|line| line.trim_matches([' ', '▁', '[', ']']).to_owned())
        .collect();
    assert_eq!(lines, ["Q", "o", "x", "o", "x"]);
}

#[test]
fn rows_are_told_apart_by_lines_where_there_are_no_colours() {
    let diagram = towers(4);
    let has_lines =
        |scale| text(&diagram, &Style { scale, ..Style::default() }, false).contains('├');
    for rows in 15..60 {
        assert!(has_lines(Scale::Room(100, rows)), "{rows}");
    }
}

#[test]
fn odd_diagrams_do_no_harm() {
    let mut diagram = towers(4);
    diagram.marks.last.push(1000);
    diagram.cells[0].x = i16::MIN;
    diagram.cells[1].y = i16::MAX;
    diagram.cells[2] = diagram.cells[3].clone();
    diagram.labels.push(Label { text: String::new(), x: i16::MAX, y: i16::MIN });
    for style in styles() {
        text(&diagram, &style, true);
        let empty = Diagram { cells: Vec::new(), labels: Vec::new(), ..diagram.clone() };
        text(&empty, &style, true);
        text(&Diagram { shape: Shape::Hexagon, ..diagram.clone() }, &style, true);
    }
}
