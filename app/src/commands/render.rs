//! `quadrille render`: positions as text, pictures and notations.

use crate::cli::{PositionArgs, Word, words};
use crate::output::inline::Protocol;
use crate::output::{pages, picture};
use crate::shell::failure::{Failure, write};
use crate::shell::input;
use clap::{Args, ValueEnum};
use engine::Session;
use rules::diagram::Diagram;
use rules::notation::no_term;
use rules::{svg, text};
use std::path::{Path, PathBuf};

/// Arguments of `render`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  quadrille render glaisher                                 the start, in the terminal
  quadrille render gekitai '2x1x1/6/o2x2/4ox/1o4/4o1 1'     a position
  quadrille render jeson-mor --moves 'c1-d3 c9-d7' -o a.svg moves, as a picture
  quadrille render --file game.txt --after 12 -o twelve.png a recorded game after 12 turns
  quadrille render --file game.txt --width 400 -o game.apng a whole game, animated
  quadrille render --file game.txt -o game.sgf              a recorded game as SGF
  quadrille render gekitai --format prolog                  another notation")]
pub struct RenderArgs {
    /// What to draw.
    #[command(flatten)]
    pub position: PositionArgs,
    /// Show a recorded game after this many turns
    #[arg(long, value_name = "TURNS")]
    pub after: Option<usize>,
    /// What to write; by default what the name of the output file says, or else text
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draw text with ASCII characters only
    #[arg(long)]
    pub ascii: bool,
    /// Colour text
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
    /// Size of the cells in text
    #[arg(long, default_value = "small", value_parser = words(SCALES))]
    pub scale: text::Scale,
    /// Colours of a picture
    #[arg(long, default_value = "light", value_parser = words(THEMES))]
    pub theme: svg::Theme,
    /// Turn the board round, as the second player sees it
    #[arg(long)]
    pub flip: bool,
    /// Leave out the coordinates of a picture
    #[arg(long)]
    pub no_coordinates: bool,
    /// Put whose turn it is, and the reserves, below a picture
    #[arg(long)]
    pub caption: bool,
    /// Width of a PNG in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 800, value_parser = clap::value_parser!(u32).range(16..=8192))]
    pub width: u32,
}

/// What `render` writes.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A board for the terminal
    Text,
    /// A picture
    Svg,
    /// A picture in pixels
    Png,
    /// A whole game as an animated PNG, one picture for each turn
    Apng,
    /// The picture itself, as the terminal can show it
    Picture,
    /// The picture itself in terminals that speak kitty's protocol: kitty, Ghostty, WezTerm, Konsole
    Kitty,
    /// The picture itself in terminals that speak iTerm2's protocol: iTerm2, WezTerm, mintty
    Iterm,
    /// The picture itself in terminals that show sixels: foot, mlterm, xterm -ti vt340
    Sixel,
    /// The position as JSON
    Json,
    /// The position in one line
    Line,
    /// The position as a Prolog term
    Prolog,
    /// The game as a record
    Record,
    /// The game as SGF
    Sgf,
}

/// When to use colours.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

const SCALES: &[Word<text::Scale>] = &[
    ("small", "Fits 80 by 24 characters", text::Scale::Small),
    ("medium", "Somewhat larger", text::Scale::Medium),
    ("large", "As large as looks good", text::Scale::Large),
];

const THEMES: &[Word<svg::Theme>] = &[
    ("light", "Warm paper", svg::Theme::Light),
    ("dark", "Deep slate", svg::Theme::Dark),
    ("contrast", "Black, white and bright colours", svg::Theme::Contrast),
];

pub fn run(args: &RenderArgs) -> Result<(), Failure> {
    let format = format(args)?;
    let (mut session, record) = input::given(&args.position)?;
    if let Some(turns) = args.after {
        input::rewind(session.as_mut(), turns)?;
    }
    // The comments and variations of a record that is shown whole.
    let game = || {
        let whole = record.filter(|_| args.after.is_none());
        whole.unwrap_or_else(|| session.record(&[]))
    };
    let bytes = match format {
        Format::Text => as_text(session.as_ref(), args).into_bytes(),
        Format::Svg => svg::svg(&session.diagram(), &style(args)).into_bytes(),
        Format::Png => picture::png(&session.diagram(), &style(args), args.width)?,
        Format::Apng => picture::animation(course(session.as_ref()), &style(args), args.width)?,
        Format::Picture | Format::Kitty | Format::Iterm | Format::Sixel => {
            protocol(format)?.picture(&session.diagram(), &style(args), args.width)?
        }
        Format::Json => format!("{}\n", session.position()).into_bytes(),
        Format::Line => format!("{}\n", session.text()).into_bytes(),
        Format::Prolog => as_term(session.as_ref())?.into_bytes(),
        Format::Record => game().to_string().into_bytes(),
        Format::Sgf => game().to_sgf().into_bytes(),
    };
    write(args.output.as_deref(), bytes)
}

/// The most turns of an animation: each is a picture of its own.
const MOST_TURNS: usize = 400;

/// The board before the first turn and after each of the last ones.
fn course(session: &dyn Session) -> impl ExactSizeIterator<Item = Diagram> {
    let played = session.turns_played();
    let count = played.min(MOST_TURNS) + 1;
    (0..count).map(move |number| {
        let mut game = session.boxed_clone();
        game.rewind(played + 1 - count + number);
        game.diagram()
    })
}

fn as_term(session: &dyn Session) -> Result<String, Failure> {
    let term = session.term().ok_or_else(|| Failure::user(no_term(session.info())))?;
    Ok(format!("{term}.\n"))
}

fn format(args: &RenderArgs) -> Result<Format, Failure> {
    let extension = args.output.as_deref().and_then(Path::extension).and_then(|e| e.to_str());
    match (args.format, extension) {
        (Some(format), _) => Ok(format),
        (None, Some("svg")) => Ok(Format::Svg),
        (None, Some("png")) => Ok(Format::Png),
        (None, Some("apng")) => Ok(Format::Apng),
        (None, Some("json")) => Ok(Format::Json),
        (None, Some("pl")) => Ok(Format::Prolog),
        (None, Some("sgf")) => Ok(Format::Sgf),
        (None, Some("txt") | None) => Ok(Format::Text),
        (None, Some(other)) => {
            let message = format!("unknown ending `.{other}`; name a format with --format");
            Err(Failure::user(message))
        }
    }
}

/// How a picture is shown in the terminal.
fn protocol(format: Format) -> Result<Protocol, Failure> {
    match format {
        Format::Kitty => Ok(Protocol::Kitty),
        Format::Iterm => Ok(Protocol::Iterm),
        Format::Sixel => Ok(Protocol::Sixel),
        _ => Protocol::of_terminal(|name| std::env::var(name).ok()).ok_or_else(|| {
            Failure::user(
                "this terminal is not known to show pictures: try --format kitty, iterm or sixel, \
                 or write a file with -o board.png",
            )
        }),
    }
}

fn as_text(session: &dyn Session, args: &RenderArgs) -> String {
    let style = text::Style {
        charset: match (args.ascii, &args.output) {
            (false, Some(_)) => text::Charset::Unicode,
            (ascii, _) => pages::charset(ascii),
        },
        flipped: args.flip,
        scale: args.scale,
    };
    let color = match args.color {
        Color::Auto => args.output.is_none() && pages::color_wanted(),
        Color::Always => true,
        Color::Never => false,
    };
    text::text(&session.diagram(), &style, color)
}

fn style(args: &RenderArgs) -> svg::Style {
    svg::Style {
        theme: args.theme,
        coordinates: !args.no_coordinates,
        flipped: args.flip,
        caption: args.caption,
    }
}
