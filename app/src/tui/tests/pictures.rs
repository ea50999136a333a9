//! Pictures of the screen, to be looked at: every game at every size, in every kind of characters and as a picture.
//! `QUADRILLE_PICTURES=FOLDER cargo test -p quadrille --bin quadrille pictures -- --ignored` writes them, and those of the
//! documents into its folder `docs`.

use super::colours::Screen;
use super::*;
use crate::output::blocks::Blocks;
use crate::output::inline::Protocol;
use ratatui::buffer::{Buffer, Cell};
use resvg::tiny_skia::{Color as Shade, Paint, Pixmap, PixmapPaint, Rect, Transform};
use resvg::usvg;
use rules::svg::{Lettering, Theme};
use server::pages::Letters;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::LazyLock;

/// A character in pixels.
const WIDE: u32 = 10;
const HIGH: u32 = 20;
const SIZES: [(u16, u16); 5] = [(60, 20), (80, 24), (100, 30), (140, 45), (200, 60)];
/// How many turns have been played, of those that come up.
const TURNS: usize = 12;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Blocks(Blocks),
    Sixteen,
    Ascii,
    Sixel,
}

const KINDS: [(&str, Kind); 5] = [
    ("sextants", Kind::Blocks(Blocks::Sextants)),
    ("halves", Kind::Blocks(Blocks::Halves)),
    ("16-colours", Kind::Sixteen),
    ("ascii", Kind::Ascii),
    ("sixel", Kind::Sixel),
];

fn look(kind: Kind, theme: Theme) -> Look {
    let look =
        Look { depth: Depth::True, theme, blocks: Some(Blocks::Sextants), ..Look::default() };
    match kind {
        Kind::Blocks(blocks) => Look { blocks: Some(blocks), ..look },
        Kind::Sixteen => Look { depth: Depth::Sixteen, ..look },
        Kind::Ascii => Look { depth: Depth::None, charset: Charset::Ascii, ..look },
        Kind::Sixel => {
            let font = (WIDE as u16, HIGH as u16);
            Look { shows: Some(Graphics { protocol: Protocol::Sixel, font, driver: None }), ..look }
        }
    }
}

/// The blocks of each character and which of its pixels are ink.
static PIXELS: LazyLock<HashMap<char, (Blocks, u8)>> = LazyLock::new(|| {
    let all = Blocks::ALL.into_iter().flat_map(|blocks| {
        let (across, down) = blocks.pixels();
        let last = ((1_u32 << (across * down)) - 1) as u8;
        (0..=last).map(move |ink| (blocks.character(ink), (blocks, ink)))
    });
    all.collect()
});

fn paint(pixels: &mut Pixmap, (x, y): (f32, f32), (wide, high): (f32, f32), rgb: [f64; 3]) {
    let [r, g, b] = rgb.map(|part| part as u8);
    let mut paint = Paint::default();
    paint.set_color(Shade::from_rgba8(r, g, b, 255));
    paint.anti_alias = false;
    let rect = Rect::from_xywh(x, y, wide, high).unwrap();
    pixels.fill_rect(rect, &paint, Transform::identity(), None);
}

/// A frame as a terminal would show it, on a dark or a light ground.
fn shot(rig: &Rig, size: (u16, u16), screen: &Screen) -> Pixmap {
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
    let mut live = None;
    let drawn = terminal.draw(|frame| {
        view(&rig.app, frame);
        live = rig.app.hits.shown();
    });
    let buffer: Buffer = drawn.unwrap().buffer.clone();
    let mut pixels = Pixmap::new(u32::from(size.0) * WIDE, u32::from(size.1) * HIGH).unwrap();
    let mut words = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}">"#,
        pixels.width(),
        pixels.height()
    );
    let letters = Letters::mono().unwrap();
    for at in buffer.area.positions() {
        let cell = &buffer[at];
        let place = (f32::from(at.x) * WIDE as f32, f32::from(at.y) * HIGH as f32);
        character(&mut pixels, &mut words, (cell, place), screen, &letters);
    }
    words.push_str("</svg>");
    let tree = usvg::Tree::from_str(&words, &usvg::Options::default()).unwrap();
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    if let Some(live) = live {
        let place = (u32::from(live.area.x) * WIDE, u32::from(live.area.y) * HIGH);
        let paint = PixmapPaint::default();
        let (x, y) = (place.0 as i32, place.1 as i32);
        // Transparent pixels show the terminal's background, not the characters below.
        let (wide, high) = (live.pixels.width() as f32, live.pixels.height() as f32);
        self::paint(&mut pixels, (x as f32, y as f32), (wide, high), screen.rgb(None, false));
        let whole = live.whole();
        pixels.draw_pixmap(x, y, whole.as_ref(), &paint, Transform::identity(), None);
    }
    pixels
}

fn character(
    pixels: &mut Pixmap,
    words: &mut String,
    (cell, (x, y)): (&Cell, (f32, f32)),
    screen: &Screen,
    letters: &Letters,
) {
    let own = |colour: Color| (colour != Color::Reset).then_some(colour);
    let (mut ink, mut paper) = (screen.rgb(own(cell.fg), true), screen.rgb(own(cell.bg), false));
    if cell.modifier.contains(Modifier::REVERSED) {
        (ink, paper) = (paper, ink);
    }
    paint(pixels, (x, y), (WIDE as f32, HIGH as f32), paper);
    let c = cell.symbol().chars().next().unwrap_or(' ');
    if c == ' ' {
        return;
    }
    if let Some((blocks, bits)) = PIXELS.get(&c) {
        let (across, down) = blocks.pixels();
        let (wide, high) = (WIDE as f32 / across as f32, HIGH as f32 / down as f32);
        for bit in (0..across * down).filter(|bit| bits >> bit & 1 == 1) {
            let (column, row) = ((bit % across) as f32, (bit / across) as f32);
            let at = (x + column * wide, (y + row * high).round());
            let end = (y + (row + 1.0) * high).round();
            paint(pixels, at, (wide, end - at.1), ink);
        }
        return;
    }
    let (outline, _) = letters.outline(cell.symbol(), cell.modifier.contains(Modifier::BOLD));
    let [r, g, b] = ink.map(|part| part as u8);
    let (base, scale) = (y + 15.5, 16.6);
    let _ = write!(
        words,
        r#"<path d="{outline}" fill="rgb({r},{g},{b})" transform="translate({x} {base}) scale({scale} -{scale})"/>"#
    );
}

/// The first of these cells that can be chosen, chosen with the keys, so that cursor and marks are seen.
fn begin_turn(rig: &mut Rig) {
    let steps = rig.sitting().board.steps();
    let step = steps.iter().rev().find(|step| step.gesture.len() > 1).unwrap_or(&steps[0]);
    let cell = step.gesture[0].cell.unwrap();
    let name = rig.sitting().board.diagram().cells[cell].name.clone();
    if step.gesture.len() > 1 {
        rig.click_cell(&name);
    }
    // The keys show the cursor and go to the next cell that can be chosen.
    rig.keys("<Tab><Tab>");
}

/// A game that has gone on for a while.
fn begun(game: &str) -> Rig {
    let mut rig = Rig::playing(game, ["human:Ana", "human:Ben"], "");
    let mut random = rules::random::Random::new(5);
    let mut turns = Vec::new();
    let mut board = rig.sitting().board.boxed_clone();
    while turns.len() < TURNS {
        let turn = random.pick(&board.turns()).unwrap().clone();
        let mut next = board.boxed_clone();
        next.play(&turn).unwrap();
        if next.result().is_none() {
            turns.push(turn);
            board = next;
        }
    }
    rig.sit(game, ["human:Ana", "human:Ben"], &turns.join(" "), None);
    rig
}

#[test]
#[ignore = "writes pictures to be looked at"]
fn pictures_of_the_documents() {
    let folder = folder();
    let octants = Kind::Blocks(Blocks::Octants);
    for (game, size, theme) in [
        ("glaisher", (140, 45), Theme::Dark),
        ("jeson-mor", (100, 30), Theme::Dark),
        ("six-making", (100, 30), Theme::Light),
    ] {
        write(&folder.join(format!("docs/terminal-{game}.png")), game, (octants, theme), size);
    }
}

#[test]
#[ignore = "writes pictures to be looked at"]
fn pictures_of_every_game_at_every_size_in_every_kind() {
    let folder = folder();
    for entry in engine::GAMES {
        let game = entry.info.id;
        for (name, kind) in KINDS {
            for size in SIZES {
                let file = format!("{game}-{}x{}-{name}.png", size.0, size.1);
                write(&folder.join(file), game, (kind, Theme::Dark), size);
            }
        }
    }
}

fn folder() -> PathBuf {
    PathBuf::from(std::env::var_os("QUADRILLE_PICTURES").expect("QUADRILLE_PICTURES"))
}

fn write(path: &Path, game: &str, (kind, theme): (Kind, Theme), size: (u16, u16)) {
    let mut rig = begun(game);
    rig.app.context.look = look(kind, theme);
    rig.size = size;
    begin_turn(&mut rig);
    let light = theme == Theme::Light;
    let screen = Screen { look: rig.app.context.look, palette: 0, light };
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    shot(&rig, size, &screen).save_png(path).unwrap();
}
