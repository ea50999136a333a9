//! `quadrille render`: positions as text, pictures and notations.

use crate::cli::{Color, Format, RenderArgs, Scale, Theme};
use crate::failure::{Failure, print};
use crate::{inline, input, pages, picture};
use engine::Session;
use rules::notation::no_term;
use rules::{svg, text};
use std::path::Path;

pub fn run(args: &RenderArgs) -> Result<(), Failure> {
    let format = format(args)?;
    let mut session = input::position(&args.position)?;
    if let Some(turns) = args.after {
        rewind(session.as_mut(), turns)?;
    }
    let bytes = match format {
        Format::Text => as_text(session.as_ref(), args).into_bytes(),
        Format::Svg => svg::svg(&session.diagram(), &style(args)).into_bytes(),
        Format::Png => picture::png(&session.diagram(), &style(args), args.width)?,
        Format::Kitty => {
            inline::kitty(&picture::png(&session.diagram(), &style(args), args.width)?)
        }
        Format::Iterm => {
            inline::iterm(&picture::png(&session.diagram(), &style(args), args.width)?)
        }
        Format::Json => format!("{}\n", session.position()).into_bytes(),
        Format::Line => format!("{}\n", session.text()).into_bytes(),
        Format::Prolog => as_term(session.as_ref())?.into_bytes(),
        Format::Record => session.record(&[]).to_string().into_bytes(),
    };
    match &args.output {
        None => print(&bytes),
        Some(path) => std::fs::write(path, bytes)
            .map_err(|error| Failure::user(format!("cannot write {}: {error}", path.display()))),
    }
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
        (None, Some("json")) => Ok(Format::Json),
        (None, Some("pl")) => Ok(Format::Prolog),
        (None, Some("txt") | None) => Ok(Format::Text),
        (None, Some(other)) => {
            let message = format!("no format is known for `.{other}`; say one with --format");
            Err(Failure::user(message))
        }
    }
}

/// Takes turns back until this many are left.
fn rewind(session: &mut dyn Session, turns: usize) -> Result<(), Failure> {
    let played = session.turns_played();
    if turns > played {
        return Err(Failure::user(format!("the game has {played} turns, not {turns}")));
    }
    session.rewind(turns);
    Ok(())
}

fn as_text(session: &dyn Session, args: &RenderArgs) -> String {
    let style = text::Style {
        charset: if args.ascii { text::Charset::Ascii } else { text::Charset::Unicode },
        flipped: args.flip,
        scale: match args.scale {
            Scale::Small => text::Scale::Small,
            Scale::Medium => text::Scale::Medium,
            Scale::Large => text::Scale::Large,
        },
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
        theme: match args.theme {
            Theme::Light => svg::Theme::Light,
            Theme::Dark => svg::Theme::Dark,
        },
        coordinates: !args.no_coordinates,
        flipped: args.flip,
        caption: args.caption,
    }
}
