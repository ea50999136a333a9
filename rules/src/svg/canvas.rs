//! SVG markup, one element to a line.

use std::fmt::{self, Display};

/// A place on the drawing.
pub(super) type Point = (f64, f64);

/// A number with at most two decimals.
#[derive(Clone, Copy)]
pub(super) struct Num(pub f64);

impl Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounded = (self.0 * 100.0).round() / 100.0;
        // Adding zero turns -0 into 0.
        write!(f, "{}", rounded + 0.0)
    }
}

/// A font that gives shapes instead of letters, for renderers that have none.
pub trait Lettering {
    /// The outline of a line of text that begins at the origin, in units of the font's size with y
    /// upwards, and how wide the text is.
    fn outline(&self, text: &str, bold: bool) -> (String, f64);
}

/// How text looks, and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Type {
    pub size: f64,
    pub weight: u16,
    /// Whether the place is the middle of the text, not its beginning.
    pub centred: bool,
}

/// A markup builder. Shapes have no fill and no stroke unless given.
pub(super) struct Canvas<'a> {
    markup: String,
    depth: usize,
    lettering: Option<&'a dyn Lettering>,
}

impl<'a> Canvas<'a> {
    /// Empty markup; letters become shapes if there is a font.
    pub(super) fn new(lettering: Option<&'a dyn Lettering>) -> Canvas<'a> {
        Canvas { markup: String::new(), depth: 0, lettering }
    }

    /// Adds a line of markup.
    pub(super) fn add(&mut self, line: &str) {
        self.markup.push_str(&"  ".repeat(self.depth));
        self.markup.push_str(line);
        self.markup.push('\n');
    }

    /// Adds an opening tag; what follows is inside.
    pub(super) fn open(&mut self, tag: &str) {
        self.add(tag);
        self.depth += 1;
    }

    /// Opens a group that is drawn around a place.
    pub(super) fn open_at(&mut self, (x, y): Point) {
        self.open(&format!(r#"<g transform="translate({} {})">"#, Num(x), Num(y)));
    }

    /// Adds a closing tag.
    pub(super) fn close(&mut self, name: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.add(&format!("</{name}>"));
    }

    pub(super) fn path(&mut self, d: &str, attributes: &str) {
        self.add(&format!(r#"<path d="{d}" {attributes}/>"#));
    }

    pub(super) fn circle(&mut self, (x, y): Point, r: f64, attributes: &str) {
        let (x, y, r) = (Num(x), Num(y), Num(r));
        self.add(&format!(r#"<circle cx="{x}" cy="{y}" r="{r}" {attributes}/>"#));
    }

    pub(super) fn ellipse(&mut self, (x, y): Point, rx: f64, ry: f64, attributes: &str) {
        let (x, y, rx, ry) = (Num(x), Num(y), Num(rx), Num(ry));
        self.add(&format!(r#"<ellipse cx="{x}" cy="{y}" rx="{rx}" ry="{ry}" {attributes}/>"#));
    }

    pub(super) fn line(&mut self, from: Point, to: Point, attributes: &str) {
        let d = format!("M{} {}L{} {}", Num(from.0), Num(from.1), Num(to.0), Num(to.1));
        self.path(&d, attributes);
    }

    /// Adds text whose capitals are centred on a height: baselines differ between renderers.
    pub(super) fn text(
        &mut self,
        at: Point,
        text: &str,
        fill: &str,
        Type { size, weight, centred }: Type,
    ) {
        let (x, y) = (at.0, Num(at.1 + 0.36 * size));
        if let Some(lettering) = self.lettering {
            let (outline, width) = lettering.outline(text, weight >= 600);
            let x = Num(if centred { x - width * size / 2.0 } else { x });
            let place = format!("translate({x} {y}) scale({size} -{size})", size = Num(size));
            return self.path(&outline, &format!(r#"fill="{fill}" transform="{place}""#));
        }
        let (x, size, text) = (Num(x), Num(size), escape(text));
        let anchor = if centred { "" } else { r#"text-anchor="start" "# };
        self.add(&format!(
            r#"<text x="{x}" y="{y}" font-size="{size}" fill="{fill}" {anchor}font-weight="{weight}">{text}</text>"#
        ));
    }

    pub(super) fn finish(self) -> String {
        self.markup
    }
}

/// Escapes text for markup, between tags or in an attribute.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML cannot represent the other control characters.
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
