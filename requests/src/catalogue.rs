//! What there is to play, and the rules pages.

use crate::given;
use crate::refusal::{Kind, Refusal};
use engine::levels::LEVELS;
use engine::{Entry, GAMES, Session};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};
use rules::notation::option_value;
use rules::svg::{Style, Theme, svg};
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// The drawing of a position that the rules page shows.
fn sample(entry: &Entry, name: &str) -> Option<String> {
    let (_, text) = entry.info.samples.iter().find(|(own, _)| *own == name)?;
    let session = (entry.from_text)(text, &Map::new()).ok()?;
    Some(drawing(session.as_ref()))
}

/// A game's picture on a shelf: a position from its middle.
pub fn picture(entry: &Entry) -> Option<String> {
    sample(entry, "intermediate")
}

fn drawing(session: &dyn Session) -> String {
    svg(&session.diagram(), &Style { theme: Theme::Page, ..Style::default() })
}

fn game(entry: &Entry) -> Value {
    let info = entry.info;
    let option = |option: &rules::game::OptionInfo| {
        json!({
            "name": option.name,
            "about": option.about,
            "values": option.values.list(),
            "default": option_value(option.default),
        })
    };
    let start = (entry.start)(&Map::new()).ok();
    let seeds = start.as_ref().map(|session| session.seed_players()).unwrap_or_default();
    let seed = |about: &engine::seed::About| json!({ "id": about.id, "name": about.name, "about": about.about });
    json!({
        "id": info.id,
        "name": info.name,
        "tagline": info.tagline,
        "players": info.players,
        "options": info.options.iter().map(option).collect::<Vec<_>>(),
        "seeds": seeds.iter().map(seed).collect::<Vec<_>>(),
        "brushes": info.brushes.iter()
            .map(|brush| json!({ "id": brush.id, "label": brush.label }))
            .collect::<Vec<_>>(),
        "start": start.map(|session| session.text()),
        "picture": picture(entry),
    })
}

static CATALOGUE: LazyLock<Value> = LazyLock::new(|| {
    let level = |level: &engine::levels::Level| json!({ "number": level.number, "name": level.name, "about": level.about });
    json!({
        "games": GAMES.iter().map(game).collect::<Vec<_>>(),
        "levels": LEVELS.iter().map(level).collect::<Vec<_>>(),
    })
});

/// The games and levels, as menus list them.
pub fn catalogue() -> &'static Value {
    &CATALOGUE
}

/// The rules page of a game, as HTML with drawings.
pub fn rules(id: &str) -> Result<String, Refusal> {
    let entry = given::game(id).map_err(|refusal| Refusal { kind: Kind::NotThere, ..refusal })?;
    let mut page = String::new();
    html::push_html(
        &mut page,
        pictures(entry, Parser::new_ext(entry.info.rules, Options::ENABLE_TABLES)),
    );
    Ok(page)
}

/// The page with drawings in the place of its pictures.
fn pictures<'a>(
    entry: &'static Entry,
    page: impl Iterator<Item = Event<'a>>,
) -> impl Iterator<Item = Event<'a>> {
    let mut picture: Option<(String, String)> = None;
    page.filter_map(move |event| match (event, &mut picture) {
        (Event::Start(Tag::Image { dest_url, .. }), _) => {
            let name = dest_url.rsplit(['-', '/']).next().unwrap_or_default();
            let drawing = sample(entry, name.trim_end_matches(".svg")).unwrap_or_default();
            picture = Some((drawing, String::new()));
            None
        }
        (Event::End(TagEnd::Image), Some((drawing, words))) => {
            let words = words.replace('&', "&amp;").replace('"', "&quot;");
            let figure = format!(
                r#"<span class="picture" role="img" aria-label="{words}">{drawing}</span>"#
            );
            picture = None;
            Some(Event::InlineHtml(CowStr::from(figure)))
        }
        (Event::Text(text), Some((_, words))) => {
            words.push_str(&text);
            None
        }
        (_, Some(_)) => None,
        (event, None) => Some(event),
    })
}
