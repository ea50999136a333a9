//! A position as a standalone SVG drawing.
//!
//! The markup holds concrete colours and neither styles nor references, so that browsers and resvg
//! draw the same picture and any number of drawings can share a page.

mod canvas;
mod caption;
mod frame;
mod marks;
pub(crate) mod palette;
mod pieces;
mod raster;

use crate::diagram::{Diagram, DrawnCell, Piece, Tone};
pub use canvas::Lettering;
use canvas::{Canvas, Num, Point, Type, escape};
use caption::Caption;
use frame::Frame;
use palette::Palette;
use pieces::Painter;
pub use raster::{Figure, Raster, board, cells, raster};

const FONTS: &str = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";

/// Which colours a drawing has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Warm paper.
    #[default]
    Light,
    /// Deep slate.
    Dark,
    /// Black, white and bright colours.
    Contrast,
    /// The colours of the page that shows the drawing, from its custom properties. Such a drawing has
    /// names for its parts and no words of its own, because the page speaks for it.
    Page,
}

impl Theme {
    /// The themes that people choose from.
    pub const ALL: [Theme; 3] = [Theme::Dark, Theme::Light, Theme::Contrast];

    /// The name in options and settings.
    pub const fn name(self) -> &'static str {
        match self {
            Theme::Light => "light",
            Theme::Dark => "dark",
            Theme::Contrast => "contrast",
            Theme::Page => "page",
        }
    }

    /// The theme of this name. `slate` is the old name of the dark one.
    pub fn named(name: &str) -> Option<Theme> {
        let name = if name == "slate" { "dark" } else { name };
        Theme::ALL.into_iter().find(|theme| theme.name() == name)
    }
}

/// How a diagram is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Which colours it has.
    pub theme: Theme,
    /// Whether coordinates stand beside the board.
    pub coordinates: bool,
    /// Whether the board is turned round, as the second player sees it.
    pub flipped: bool,
    /// Whether the status and the reserves stand below the board.
    pub caption: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style { theme: Theme::Light, coordinates: true, flipped: false, caption: false }
    }
}

/// Where things lie on a drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Its width and height.
    pub size: (f64, f64),
    /// The middle of each cell.
    pub cells: Vec<(f64, f64)>,
}

/// Where the cells lie on a drawing without caption.
pub fn plan(diagram: &Diagram, style: &Style) -> Plan {
    let frame = Frame::new(diagram, style);
    Plan { cells: diagram.cells.iter().map(|cell| frame.cell(cell)).collect(), size: frame.size }
}

/// Draws a diagram as a standalone SVG document.
pub fn svg(diagram: &Diagram, style: &Style) -> String {
    draw(diagram, style, None)
}

/// Draws a diagram whose letters are shapes of this font.
pub fn outlined(diagram: &Diagram, style: &Style, lettering: &dyn Lettering) -> String {
    draw(diagram, style, Some(lettering))
}

fn draw(diagram: &Diagram, style: &Style, lettering: Option<&dyn Lettering>) -> String {
    let frame = Frame::new(diagram, style);
    let palette = Palette::of(style.theme);
    let painter = Painter { palette, players: &diagram.players, grain: 0.0 };
    let named = style.theme == Theme::Page;
    let board = Board { diagram, frame, palette, painter, named };
    let caption = style.caption.then(|| Caption::new(diagram, board.frame.size.0));
    let mut canvas = Canvas::new(lettering);
    let (width, height) = board.frame.size;
    let height = height + caption.as_ref().map_or(0.0, Caption::height);
    if named {
        canvas.open(&page_opening((width, height)));
    } else {
        canvas.open(&opening(diagram, (width, height)));
        canvas.add(&format!("<title>{}</title>", escape(&diagram.status)));
        board.tile(&mut canvas, (width, height));
    }
    board.cells(&mut canvas);
    board.marks_below(&mut canvas);
    board.pieces(&mut canvas);
    if style.coordinates {
        board.labels(&mut canvas);
    }
    if let Some(caption) = caption {
        board.caption(&mut canvas, &caption);
    }
    canvas.close("svg");
    canvas.finish()
}

fn opening(diagram: &Diagram, (width, height): Point) -> String {
    let (width, height) = (Num(width), Num(height));
    let status = escape(&diagram.status);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\"\n  role=\"img\" aria-label=\"{status}\" fill=\"none\" \
         text-anchor=\"middle\"\n  font-family=\"{FONTS}\">"
    )
}

/// The page provides size, tile and description.
fn page_opening((width, height): Point) -> String {
    let (width, height) = (Num(width), Num(height));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         aria-hidden=\"true\" fill=\"none\" text-anchor=\"middle\">"
    )
}

/// A diagram with all that is needed to draw it.
struct Board<'a> {
    diagram: &'a Diagram,
    frame: Frame,
    palette: &'a Palette,
    painter: Painter<'a>,
    /// Whether the parts have names, so that a page can find and move them.
    named: bool,
}

impl Board<'_> {
    fn tile(&self, canvas: &mut Canvas, (width, height): Point) {
        let Palette { tile, rim, .. } = self.palette;
        let (width, height) = (Num(width - 1.0), Num(height - 1.0));
        let place = format!(r#"x="0.5" y="0.5" width="{width}" height="{height}" rx="13""#);
        canvas.add(&format!(r#"<rect {place} fill="{tile}" stroke="{rim}"/>"#));
    }

    fn cells(&self, canvas: &mut Canvas) {
        let Palette { rim, line, accent, .. } = self.palette;
        let thin = Num(self.painter.at_least(0.8, 0.5));
        canvas.open(&format!(
            r#"<g fill="{rim}" stroke="{rim}" stroke-width="4.4" stroke-linejoin="round">"#
        ));
        for cell in &self.diagram.cells {
            self.frame.outline(canvas, self.frame.cell(cell), 0.0, "");
        }
        canvas.close("g");
        for cell in &self.diagram.cells {
            let (at, fill) = (self.frame.cell(cell), self.palette.tone(cell.tone));
            let name = escape(&cell.name);
            let look = format!(
                r#"fill="{fill}" stroke="{line}" stroke-width="{thin}" data-cell="{name}""#
            );
            self.frame.outline(canvas, at, 0.5, &look);
            if cell.tone == Tone::Goal {
                let wide = Num(self.painter.at_least(2.2, 0.6));
                canvas.circle(at, 19.5, &format!(r#"stroke="{accent}" stroke-width="{wide}""#));
                let dot = self.painter.at_least(3.6, 0.7);
                canvas.circle(at, dot, &format!(r#"fill="{accent}""#));
            }
        }
    }

    /// The pieces from the top row to the bottom one, and what lies over them.
    fn pieces(&self, canvas: &mut Canvas) {
        let placed = |(i, cell): (usize, &DrawnCell)| {
            cell.piece.clone().map(|piece| (i, self.frame.cell(cell), piece))
        };
        let mut pieces: Vec<(usize, Point, Piece)> =
            self.diagram.cells.iter().enumerate().filter_map(placed).collect();
        let below = |(_, a, _): &(usize, Point, Piece), (_, b, _): &(usize, Point, Piece)| {
            a.1.total_cmp(&b.1).then(a.0.total_cmp(&b.0))
        };
        pieces.sort_by(below);
        // Pieces of a page move over the arrows.
        if self.named {
            self.marks_above(canvas);
        }
        for (cell, at, piece) in &pieces {
            self.open_named(canvas, "piece", *cell);
            canvas.open_at(*at);
            self.painter.body(canvas, piece);
            canvas.close("g");
            self.close_named(canvas);
        }
        if !self.named {
            self.marks_above(canvas);
        }
        // On coarse pixels the caller writes the figures.
        let pieces = if self.painter.grain > 0.0 { &[][..] } else { &pieces };
        for (cell, at, piece) in pieces {
            self.open_named(canvas, "figure", *cell);
            self.painter.figure(canvas, *at, piece);
            self.close_named(canvas);
        }
    }

    fn open_named(&self, canvas: &mut Canvas, what: &str, number: usize) {
        if self.named {
            canvas.open(&format!(r#"<g data-{what}="{number}">"#));
        }
    }

    fn close_named(&self, canvas: &mut Canvas) {
        if self.named {
            canvas.close("g");
        }
    }

    fn labels(&self, canvas: &mut Canvas) {
        for (number, label) in self.diagram.labels.iter().enumerate() {
            let at = self.frame.label(label, self.diagram);
            self.open_named(canvas, "label", number);
            let look = Type { size: 12.5, weight: 500, centred: true };
            canvas.text(at, &label.text, self.palette.soft, look);
            self.close_named(canvas);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::by_player::ByPlayer;
    use crate::diagram::{Look, Marks, Seat, Shape, Tint, square_labels};
    use crate::game::Player;
    use crate::grid::Layout;

    /// An empty chequered board.
    pub(super) fn squares(size: i16) -> Diagram {
        let cell = |i: i16| DrawnCell {
            name: format!("c{i}"),
            x: i % size * 2,
            y: i / size,
            tone: if (i % size + i / size) % 2 == 0 { Tone::Light } else { Tone::Dark },
            piece: None,
        };
        let seat = |name, tint| Seat { name, tint, count: String::new(), reserve: Some(3) };
        Diagram {
            shape: Shape::Square,
            towers: false,
            cells: (0..size * size).map(cell).collect(),
            labels: square_labels(Layout::<8> { size: size as usize, first_row_at_top: false }),
            players: ByPlayer::new(seat("Blue", Tint::Blue), seat("Orange", Tint::Orange)),
            turn: Some(Player::One),
            status: "Blue to move".to_string(),
            marks: Marks::default(),
        }
    }

    /// A board with a piece of every look.
    fn busy() -> Diagram {
        let mut diagram = squares(4);
        let tower = Look::Tower { discs: vec![Player::Two, Player::One], letter: 'R' };
        let looks = [Look::Marker, Look::Knight, Look::Stack(12), tower];
        let pieces = Player::BOTH.iter().flat_map(|&owner| looks.iter().map(move |l| (owner, l)));
        for (cell, (owner, look)) in diagram.cells.iter_mut().zip(pieces) {
            cell.piece = Some(Piece { owner, look: look.clone() });
        }
        diagram
    }

    #[test]
    fn every_cell_label_and_figure_is_drawn() {
        for shape in [Shape::Square, Shape::Hexagon] {
            let drawing = svg(&Diagram { shape, ..busy() }, &Style::default());
            assert_eq!(drawing.matches("data-cell=").count(), 16);
            for text in ["a", "d", "1", "4", "12", "R"] {
                assert!(drawing.contains(&format!(">{text}</text>")), "{text} is missing");
            }
        }
        let bare = svg(&busy(), &Style { coordinates: false, ..Style::default() });
        assert!(!bare.contains(">a</text>"));
    }

    #[test]
    fn text_is_escaped() {
        let mut diagram = squares(4);
        diagram.status = "\"A\" < B & C".to_string();
        let drawing = svg(&diagram, &Style { caption: true, ..Style::default() });
        assert!(drawing.contains("<title>&quot;A&quot; &lt; B &amp; C</title>"));
        assert!(!drawing.contains("< B"));
        assert!(drawing.contains("Orange: 3 in hand"));
    }

    #[test]
    fn themes_differ_in_colours_only() {
        let light = svg(&busy(), &Style::default());
        let dark = svg(&busy(), &Style { theme: Theme::Dark, ..Style::default() });
        assert_ne!(light, dark);
        assert_eq!(light.lines().count(), dark.lines().count());
    }

    #[test]
    fn a_drawing_for_a_page_has_its_colours_from_the_page() {
        let page = svg(&busy(), &Style { theme: Theme::Page, ..Style::default() });
        assert!(page.contains(r#"fill="var(--board-cell)""#));
        assert!(page.contains(r#"<g data-piece="#) && !page.contains("<title>"));
        let light = svg(&busy(), &Style::default());
        assert!(!light.contains("var(") && !light.contains("data-piece"));
        for board_colour in ["#f6f0e4", "#cdbfa6"] {
            assert!(light.contains(board_colour) && !page.contains(board_colour));
        }
    }

    #[test]
    fn a_plan_says_where_the_cells_are_drawn() {
        let diagram = squares(3);
        let plan = plan(&diagram, &Style::default());
        assert_eq!(plan.cells.len(), diagram.cells.len());
        let inside =
            |(x, y): &Point| (0.0..plan.size.0).contains(x) && (0.0..plan.size.1).contains(y);
        assert!(plan.cells.iter().all(inside));
        let flipped = super::plan(&diagram, &Style { flipped: true, ..Style::default() });
        assert!(flipped.cells[0].0 > flipped.cells[2].0);
    }

    #[test]
    fn odd_diagrams_are_drawn_all_the_same() {
        let mut diagram = busy();
        diagram.marks = Marks {
            last: vec![0, 99],
            arrows: vec![(0, 0), (0, 99), (1, 2)],
            winning: vec![0, 1, 99],
            selected: Some(99),
            targets: vec![0, 15, 99],
            hints: vec![(3, 3), (99, 0), (0, 15)],
        };
        for look in [Look::Stack(0), Look::Tower { discs: vec![], letter: '<' }] {
            diagram.cells[5].piece = Some(Piece { owner: Player::One, look });
            let drawing =
                svg(&diagram, &Style { flipped: true, caption: true, ..Style::default() });
            assert!(!drawing.contains("NaN") && !drawing.contains("inf"));
        }
        diagram.cells.clear();
        assert!(!svg(&diagram, &Style::default()).contains("NaN"));
    }
}
