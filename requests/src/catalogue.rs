//! The catalogue: which games and levels there are.

use engine::levels::LEVELS;
use engine::{Entry, GAMES, Session};
use rules::notation::option_value;
use rules::svg::{Style, Theme, plan, svg};
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// A named sample position of the rules page, drawn as SVG.
pub(crate) fn sample(entry: &Entry, name: &str) -> Option<String> {
    let (_, text) = entry.info.samples.iter().find(|(own, _)| *own == name)?;
    let session = (entry.from_text)(text, &Map::new()).ok()?;
    Some(drawing(session.as_ref(), false).0)
}

/// A game's cover picture: a position from the middle of a game.
pub fn picture(entry: &Entry) -> Option<String> {
    sample(entry, "intermediate")
}

/// A position drawn for a page, and whether the drawing is wider than it is high.
pub fn drawing(session: &dyn Session, flipped: bool) -> (String, bool) {
    let (diagram, style) =
        (session.diagram(), Style { theme: Theme::Page, flipped, ..Style::default() });
    let (width, height) = plan(&diagram, &style).size;
    (svg(&diagram, &style), width > 1.05 * height)
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
    let level = |level: &engine::levels::Level| {
        let measured = |entry: &Entry| {
            let elo = entry.level_elo.get(usize::from(level.number) - 1)?;
            Some((entry.info.id.to_owned(), Value::from(*elo)))
        };
        let elo: Map<String, Value> = GAMES.iter().filter_map(measured).collect();
        json!({ "number": level.number, "name": level.name, "about": level.about, "elo": elo })
    };
    json!({
        "games": GAMES.iter().map(game).collect::<Vec<_>>(),
        "levels": LEVELS.iter().map(level).collect::<Vec<_>>(),
    })
});

/// The games and levels, as menus list them. Built once.
pub fn catalogue() -> &'static Value {
    &CATALOGUE
}
