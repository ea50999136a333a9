//! Visibility: rows of the board and pieces on it, in every theme and on terminals with few colours.

use super::*;
use crate::tui::board::plain as drawing;
use rules::diagram::Diagram;
use rules::random::Random;
use rules::svg::Theme;
use rules::text::{Canvas, Glyph, Ink, Paper};

type Rgb = [f64; 3];

/// The sixteen colours of terminals: xterm, the Linux console and macOS.
const PALETTES: [[u32; 16]; 3] = [
    [
        0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f,
        0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
    ],
    [
        0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa, 0x555555,
        0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
    ],
    [
        0x000000, 0xc23621, 0x25bc24, 0xadad27, 0x492ee1, 0xd338d3, 0x33bbc8, 0xcbcccd, 0x818383,
        0xfc391f, 0x31e722, 0xeaec23, 0x5833ff, 0xf935f8, 0x14f0f0, 0xe9ebeb,
    ],
];

/// A terminal: how many colours, which sixteen, and whether its window is light.
#[derive(Clone, Copy, Debug)]
pub(super) struct Screen {
    pub look: Look,
    pub palette: usize,
    pub light: bool,
}

impl Screen {
    fn all() -> Vec<Screen> {
        let mut all = Vec::new();
        for theme in Theme::ALL {
            for depth in [Depth::Sixteen, Depth::Indexed, Depth::True] {
                let palettes = if depth == Depth::Sixteen { PALETTES.len() } else { 1 };
                for palette in 0..palettes {
                    let look = Look { depth, theme, ..Look::default() };
                    all.extend([false, true].map(|light| Screen { look, palette, light }));
                }
            }
        }
        all
    }

    pub fn rgb(&self, color: Option<Color>, is_ink: bool) -> Rgb {
        let of = |number: u32| [16, 8, 0].map(|bits| f64::from(number >> bits & 255));
        match color {
            None if self.light == is_ink => [0.0; 3],
            None => [255.0; 3],
            Some(Color::Rgb(r, g, b)) => [r, g, b].map(f64::from),
            Some(Color::Indexed(index @ ..16)) => of(PALETTES[self.palette][usize::from(index)]),
            Some(Color::Indexed(index @ 232..)) => [8.0 + 10.0 * f64::from(index - 232); 3],
            Some(Color::Indexed(index)) => {
                [(index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6]
                    .map(|step| if step == 0 { 0.0 } else { 55.0 + 40.0 * f64::from(step) })
            }
            Some(other) => panic!("{other:?}"),
        }
    }

    fn paper(&self, paper: Paper) -> Rgb {
        self.rgb(self.look.glyph(Ink::Plain, paper, false).bg, false)
    }

    fn ink(&self, glyph: &Glyph) -> Rgb {
        self.rgb(self.look.glyph(glyph.ink, glyph.paper, false).fg, true)
    }
}

fn linear(rgb: Rgb) -> Rgb {
    rgb.map(|part| {
        let part = part / 255.0;
        if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    })
}

/// The contrast of WCAG.
fn contrast(one: Rgb, two: Rgb) -> f64 {
    let [one, two] = [one, two].map(|rgb| {
        let [r, g, b] = linear(rgb);
        0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
    });
    one.max(two) / one.min(two)
}

/// How different two colours look: the distance in CIE L*a*b*, in which a step of 2 can just be seen.
pub(super) fn difference(one: Rgb, two: Rgb) -> f64 {
    let lab = |rgb: Rgb| {
        let [r, g, b] = linear(rgb);
        let xyz = [
            (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
            0.2126 * r + 0.7152 * g + 0.0722 * b,
            (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
        ];
        let [x, y, z] =
            xyz.map(|t| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    };
    let parts = lab(one).into_iter().zip(lab(two));
    parts.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// Positions of each game: the first, and later ones in which some pieces are pointed out.
fn diagrams() -> Vec<Diagram> {
    let mut all = Vec::new();
    for entry in engine::GAMES {
        let mut game = (entry.start)(&Default::default()).unwrap();
        all.push(Diagram { marks: Default::default(), ..game.diagram() });
        let mut random = Random::new(7);
        while game.result().is_none() && game.turns_played() < 14 {
            let turn = random.pick(&game.turns()).unwrap().clone();
            game.play(&turn).unwrap();
        }
        let mut diagram = game.diagram();
        let cells = diagram.cells.iter().enumerate();
        let taken: Vec<usize> =
            cells.filter(|(_, cell)| cell.piece.is_some()).map(|(i, _)| i).collect();
        for turn in 0..4 {
            let of = |kind: usize| taken.iter().copied().skip((kind + turn) % 4).step_by(4);
            diagram.marks.selected = of(0).next();
            diagram.marks.winning = of(1).collect();
            diagram.marks.hints = of(2).map(|cell| (cell, cell)).collect();
            diagram.marks.last = of(3).collect();
            all.push(diagram.clone());
        }
    }
    all
}

/// The glyphs of a cell in one row of the drawing.
fn row_of(drawn: &Canvas, cell: usize, row: usize) -> Vec<&Glyph> {
    (0..drawn.width())
        .filter_map(|column| drawn.get(column, row))
        .filter(|g| g.cell == Some(cell))
        .collect()
}

#[test]
fn rows_are_told_apart_in_every_theme_and_with_few_colours() {
    for (columns, rows) in [(58, 21), (66, 27), (100, 42)] {
        for diagram in diagrams().iter().filter(|d| d.marks == Default::default()) {
            let place = |cell: usize| (diagram.cells[cell].x, diagram.cells[cell].y);
            let count = diagram.cells.len();
            let pairs = (0..count).flat_map(|a| (0..count).map(move |b| (a, b)));
            let is_below = |(a, b): &(usize, usize)| place(*b) == (place(*a).0, place(*a).1 + 1);
            let pairs: Vec<(usize, usize)> = pairs.filter(is_below).collect();
            for screen in Screen::all() {
                let drawn = drawing(diagram, &screen.look, false, (columns, rows));
                for (upper, lower) in &pairs {
                    check_rows(&drawn, &screen, *upper, *lower);
                }
            }
        }
    }
}

/// Between two cells lies a line that can be seen, or their grounds differ.
fn check_rows(drawn: &Canvas, screen: &Screen, upper: usize, lower: usize) {
    let (column, first) = drawn.centre(upper).unwrap();
    let (_, last) = drawn.centre(lower).unwrap();
    let between = (first..last).filter_map(|row| drawn.get(column, row));
    let has_line = between
        .filter(|g| g.cell.is_none() && g.ch != ' ')
        .any(|glyph| contrast(screen.ink(glyph), screen.paper(glyph.paper)) >= 2.0);
    let bottom =
        (first..last).rev().map(|row| row_of(drawn, upper, row)).find(|row| !row.is_empty());
    let top = (first..=last).map(|row| row_of(drawn, lower, row)).find(|row| !row.is_empty());
    let [upper, lower] = [bottom.unwrap()[0].paper, top.unwrap()[0].paper];
    let seen = contrast(screen.paper(upper), screen.paper(lower));
    assert!(has_line || seen >= 1.25, "{screen:?}: {upper:?} above {lower:?}, {seen:.2}");
}

/// The meanings that a drawing has: of characters, and of discs on the grounds of their cells.
#[derive(Default)]
struct Meanings {
    glyphs: Vec<Glyph>,
    discs: Vec<(Paper, Paper)>,
}

impl Meanings {
    fn of(all: &[Diagram], size: (u16, u16)) -> Meanings {
        let mut own = Meanings::default();
        for diagram in all {
            let drawn = drawing(diagram, &Look::default(), false, size);
            let mut cells = vec![Vec::new(); diagram.cells.len()];
            for glyph in drawn.rows().flatten() {
                let same = |known: &Glyph| {
                    (known.ink, known.paper, known.ch == ' ')
                        == (glyph.ink, glyph.paper, glyph.ch == ' ')
                };
                if !own.glyphs.iter().any(same) {
                    own.glyphs.push(*glyph);
                }
                if let Some(cell) = glyph.cell.filter(|cell| !cells[*cell].contains(&glyph.paper)) {
                    cells[cell].push(glyph.paper);
                }
            }
            for papers in cells {
                let is_disc = |paper: &&Paper| matches!(paper, Paper::Piece(_));
                for disc in papers.iter().filter(is_disc) {
                    let grounds = papers.iter().filter(|paper| !is_disc(paper));
                    own.discs.extend(grounds.map(|ground| (*disc, *ground)));
                }
            }
        }
        own
    }
}

#[test]
fn pieces_stand_out_from_their_cells_in_every_theme_and_with_few_colours() {
    let all = diagrams();
    for meanings in [(58, 21), (100, 42)].map(|size| Meanings::of(&all, size)) {
        assert!(meanings.glyphs.len() > 20 && meanings.discs.len() > 20);
        for screen in Screen::all() {
            meanings.glyphs.iter().for_each(|glyph| check_glyph(&screen, glyph));
            for (disc, ground) in &meanings.discs {
                let seen = difference(screen.paper(*disc), screen.paper(*ground));
                assert!(seen >= 20.0, "{screen:?} {disc:?} on {ground:?}: {seen:.0}");
            }
        }
    }
}

/// Figures stand out from their ground, and so do words from the disc that they are written on.
fn check_glyph(screen: &Screen, glyph: &Glyph) {
    let few = screen.look.depth == Depth::Sixteen;
    let (ink, paper) = (screen.ink(glyph), screen.paper(glyph.paper));
    let seen = contrast(ink, paper);
    let is_seen = match (glyph.ink, glyph.paper) {
        (Ink::Piece(_), Paper::Piece(_)) if glyph.ch != ' ' => seen >= if few { 2.4 } else { 4.5 },
        _ => true,
    };
    assert!(is_seen, "{screen:?} {glyph:?}: {seen:.2}");
}

#[test]
fn rows_that_touch_are_told_apart_where_colours_are_too_few() {
    let themes = Theme::ALL.map(|theme| (Depth::Sixteen, theme));
    for (depth, theme) in themes.into_iter().chain([(Depth::None, Theme::Dark)]) {
        let mut rig = Rig::playing("jeson-mor", ["human", "human"], "");
        rig.app.context.look = Look { depth, theme, ..Look::default() };
        // The cells with a line below them, in a column without pieces between its ends.
        let lined = |(wide, high): (u16, u16)| {
            let mut terminal = Terminal::new(TestBackend::new(wide, high)).unwrap();
            let buffer = terminal.draw(|frame| view(&rig.app, frame)).unwrap().buffer.clone();
            let diagram = rig.sitting().board.diagram();
            let places = (0..high).flat_map(|y| (0..wide).map(move |x| (x, y)));
            let below =
                places.filter(|place| buffer[*place].modifier.contains(Modifier::UNDERLINED));
            let cells = below.filter_map(|(x, y)| match rig.app.hits.at(x, y) {
                Some(super::super::app::Hit::Cell(cell)) => Some(diagram.cells[cell].name.clone()),
                _ => None,
            });
            cells.filter(|name| name.starts_with('c')).collect::<std::collections::BTreeSet<_>>()
        };
        let all = (2..=8).map(|row| format!("c{row}"));
        let found = lined((60, 20));
        assert!(
            all.into_iter().all(|name| found.contains(&name)),
            "{depth:?} {theme:?}: {found:?}"
        );
        assert_eq!(lined(LARGE).len(), 0, "{depth:?}: there is room for lines");
    }
}
