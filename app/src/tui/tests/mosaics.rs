//! Visibility of boards in block characters: pieces, whose they are, marks, the cursor and the lines between cells, in
//! the usual window. Marks of what has won are too faint on a knight of this size, and are not among them.

use super::colours::{Screen, difference};
use super::*;
use crate::output::blocks::Blocks;
use crate::output::inline::Protocol;
use crate::tui::app::{Hit, Hits};
use crate::tui::board;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use resvg::tiny_skia::PremultipliedColorU8;
use rules::diagram::{Diagram, Look as Shape, Marks};
use rules::random::Random;
use rules::svg::Theme;

const WINDOW: (u16, u16) = (80, 24);
/// The columns of the smallest panel, with the margins.
const BESIDE: u16 = 31;

/// A character: its cell, and its one or two colours.
type Seen = (Option<usize>, Vec<[f64; 3]>);

/// How a board looks, or nothing where it is drawn in lines.
fn seen(
    diagram: &Diagram,
    screen: &Screen,
    window: (u16, u16),
    cursor: Option<usize>,
) -> Option<Vec<Seen>> {
    let room = (window.0 - BESIDE, window.1 - 1);
    let drawn = board::fitting(diagram, &screen.look, false, room)?;
    let area = Rect::new(0, 0, room.0, room.1);
    let (mut buffer, hits) = (Buffer::empty(area), Hits::default());
    board::put(&drawn, cursor, area, &mut buffer, &hits);
    let places = (0..room.1).flat_map(|y| (0..room.0).map(move |x| (x, y)));
    let of = |(x, y): (u16, u16)| {
        let spot = &buffer[(x, y)];
        let colour = |colour: Color| (colour != Color::Reset).then_some(colour);
        let mut colours = vec![screen.rgb(colour(spot.bg), false)];
        if spot.symbol() != " " {
            colours.push(screen.rgb(colour(spot.fg), true));
        }
        let cell = hits.at(x, y).and_then(|hit| match hit {
            Hit::Cell(cell) => Some(cell),
            _ => None,
        });
        (cell, colours)
    };
    Some(places.map(of).collect())
}

/// How far the farthest of these colours is from all the others.
fn news(colours: &[[f64; 3]], others: &[[f64; 3]]) -> f64 {
    let nearest = |one: &[f64; 3]| {
        let all = others.iter().map(|other| difference(*one, *other));
        all.fold(f64::INFINITY, f64::min)
    };
    colours.iter().map(nearest).fold(0.0, f64::max)
}

/// The greatest change of a character of a cell.
fn change(one: &[Seen], two: &[Seen], cell: usize) -> f64 {
    let own = one.iter().zip(two).filter(|((own, _), _)| *own == Some(cell));
    own.map(|((_, a), (_, b))| news(a, b).max(news(b, a))).fold(0.0, f64::max)
}

fn colours_of(all: &[Seen], cell: usize) -> Vec<[f64; 3]> {
    let mut own: Vec<[f64; 3]> = Vec::new();
    for colour in all.iter().filter(|(own, _)| *own == Some(cell)).flat_map(|(_, all)| all) {
        if !own.contains(colour) {
            own.push(*colour);
        }
    }
    own
}

/// A board without pieces, one in the middle of a game, and that with marks on as many cells.
fn stages(entry: &engine::Entry) -> [Diagram; 3] {
    let mut game = (entry.start)(&Default::default()).unwrap();
    let mut random = Random::new(3);
    while game.result().is_none() && game.turns_played() < 12 {
        let turn = random.pick(&game.turns()).unwrap().clone();
        game.play(&turn).unwrap();
    }
    let full = Diagram { marks: Marks::default(), ..game.diagram() };
    let mut bare = full.clone();
    bare.cells.iter_mut().for_each(|cell| cell.piece = None);
    let mut marked = full.clone();
    let of = |taken: bool| {
        let cells = full.cells.iter().enumerate();
        cells
            .filter(move |(_, cell)| cell.piece.is_some() == taken)
            .map(|(at, _)| at)
            .collect::<Vec<_>>()
    };
    let (taken, empty) = (of(true), of(false));
    marked.marks = Marks {
        selected: Some(taken[0]),
        last: vec![taken[1], empty[0]],
        targets: vec![empty[1], empty[2]],
        ..Marks::default()
    };
    [bare, full, marked]
}

/// Everything that is not visible.
fn check(entry: &engine::Entry, screen: &Screen, window: (u16, u16)) -> Vec<String> {
    let mut unseen = Vec::new();
    let [bare, full, marked] = stages(entry);
    let see = |diagram: &Diagram, cursor| seen(diagram, screen, window, cursor).unwrap();
    let (empty, played, pointed) = (see(&bare, None), see(&full, None), see(&marked, None));
    let mut expect = |least: f64, what: &str, cell: usize, much: f64| {
        if much < least {
            let (id, Look { theme, blocks, .. }) = (entry.info.id, screen.look);
            let name = &full.cells[cell].name;
            unseen.push(format!("{id} {window:?} {theme:?} {blocks:?}: {what} {name} {much:.1}"));
        }
    };
    let mut owned: [Vec<usize>; 2] = Default::default();
    for (cell, own) in full.cells.iter().enumerate() {
        let Some(piece) = &own.piece else { continue };
        let much = change(&played, &empty, cell);
        expect(20.0, "a piece", cell, much);
        // A tower of both colours says with its letter what it is.
        let is_plain = match &piece.look {
            Shape::Tower { discs, .. } => discs.iter().all(|disc| *disc == piece.owner),
            _ => true,
        };
        if is_plain {
            owned[piece.owner.index()].push(cell);
        }
    }
    assert!(!owned[0].is_empty() && !owned[1].is_empty());
    for one in owned[0].iter().take(3) {
        for two in owned[1].iter().take(3) {
            let (a, b) = (colours_of(&played, *one), colours_of(&played, *two));
            let much = news(&a, &b).max(news(&b, &a));
            expect(15.0, "whose piece", *one, much);
        }
    }
    let marks = &marked.marks;
    let cells = marks.selected.iter().chain(&marks.last).chain(&marks.targets);
    for cell in cells {
        let much = change(&pointed, &played, *cell);
        // The mark of the last turn lies below its piece, which may fill the cell: the cell that it left must be
        // visible.
        let is_below = marks.last.contains(cell) && full.cells[*cell].piece.is_some();
        expect(if is_below { 2.0 } else { 8.0 }, "a mark", *cell, much);
    }
    for cell in 0..full.cells.len() {
        let much = change(&see(&full, Some(cell)), &played, cell);
        expect(15.0, "the cursor", cell, much);
        // Cells are distinguished by lines around them, or by their tones.
        let colours = colours_of(&empty, cell);
        let place = |cell: usize| (full.cells[cell].x, full.cells[cell].y);
        let (x, y) = place(cell);
        let is_beside = |other: &usize| {
            let (dx, dy) = (place(*other).0.abs_diff(x), place(*other).1.abs_diff(y));
            *other != cell && dx <= 2 && dy <= 1
        };
        let others = (0..full.cells.len()).filter(is_beside);
        let tones =
            others.map(|other| news(&colours_of(&empty, other), &colours)).fold(0.0, f64::max);
        let lines = colours.iter().map(|one| news(&[*one], &colours[..1])).fold(0.0, f64::max);
        expect(2.0, "the end of", cell, tones.max(lines));
    }
    unseen
}

#[test]
fn pieces_marks_and_cells_are_seen_in_the_usual_window() {
    let mut unseen = Vec::new();
    for entry in engine::GAMES {
        let (theme, blocks) = (Theme::Dark, Blocks::Sextants);
        let look = Look { depth: Depth::True, theme, blocks: Some(blocks), ..Look::default() };
        unseen.extend(check(entry, &Screen { look, palette: 0, light: false }, WINDOW));
    }
    assert!(unseen.is_empty(), "{} cases:\n{}", unseen.len(), unseen.join("\n"));
}

/// A board of Six MaKING, one of whose towers can be moved onto another.
fn towers() -> Diagram {
    let entry = engine::find("six-making").unwrap();
    let mut diagram =
        (entry.from_text)("5/5/2,oxx,o,1/5/5 1", &Default::default()).unwrap().diagram();
    diagram.marks = Marks { selected: Some(12), targets: vec![13], ..Marks::default() };
    diagram
}

#[test]
fn marks_leave_no_dark_spots_under_the_cursor() {
    for (size, blocks) in [((110, 44), Blocks::Sextants), ((170, 59), Blocks::Halves)] {
        let look = Look {
            depth: Depth::True,
            theme: Theme::Dark,
            blocks: Some(blocks),
            ..Look::default()
        };
        let drawn = board::fitting(&towers(), &look, false, size).unwrap();
        let area = Rect::new(0, 0, size.0, size.1);
        let (mut buffer, hits) = (Buffer::empty(area), Hits::default());
        board::put(&drawn, Some(13), area, &mut buffer, &hits);
        let own = area.positions().filter(|at| hits.at(at.x, at.y) == Some(Hit::Cell(13)));
        let is_dark = |colour: Color| match colour {
            Color::Rgb(red, green, blue) => red < 60 && green < 60 && blue > 25 && blue < 60,
            _ => false,
        };
        let dark: Vec<_> = own
            .filter(|at| {
                is_dark(buffer[*at].bg) || is_dark(buffer[*at].fg) && buffer[*at].symbol() != " "
            })
            .collect();
        assert!(dark.is_empty(), "{blocks:?}: {dark:?}");
    }
}

#[test]
fn a_letter_is_read_under_the_cursor_of_a_picture() {
    let graphics = Graphics { protocol: Protocol::Sixel, font: (10, 20), driver: None };
    let look = Look {
        depth: Depth::True,
        theme: Theme::Dark,
        blocks: Some(Blocks::Sextants),
        shows: Some(graphics),
        ..Look::default()
    };
    for size in [(31, 19), (51, 23), (110, 44)] {
        let drawn = board::fitting(&towers(), &look, false, size).unwrap();
        let area = Rect::new(0, 0, size.0, size.1);
        let ink = |cursor: Option<usize>| {
            let (mut buffer, hits) = (Buffer::empty(area), Hits::default());
            board::put(&drawn, cursor, area, &mut buffer, &hits);
            let live = hits.shown().unwrap();
            // The letter of a tower that is orange, and nothing else.
            let is_ink = |pixel: &&PremultipliedColorU8| {
                (pixel.red(), pixel.green(), pixel.blue()) == (0x2e, 0x16, 0x02)
            };
            live.whole().pixels().iter().filter(is_ink).count()
        };
        assert!(ink(None) > 0);
        assert_eq!(ink(Some(13)), ink(None), "{size:?}");
    }
}
