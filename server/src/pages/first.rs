//! The first paint: what a page shows before any script has run. The scripts then show the same, and need not request
//! it again, since the document also contains the answers to their first requests.

use super::words::{WORDS, Words, filled};
use super::{covers, docs};
use engine::{Entry, GAMES, Session, find};
use requests::view::Shown;
use requests::{Budget, Request};
use serde_json::{Map, Value, json};
use table::event::Created;

/// The content of the page at a path; none if only the scripts can tell.
pub fn content(path: &str) -> Option<String> {
    let path = path.trim_matches('/');
    let mut words = path.splitn(3, '/');
    let (page, game, rest) = (words.next()?, words.next(), words.next());
    if page == "docs" {
        let content = game.map_or_else(|| Some(docs::contents()), docs::document)?;
        return Some(main("page reading", &content));
    }
    let Some(game) = game.filter(|game| *game != "all") else { return shelf(page) };
    let entry = find(game)?;
    let id = entry.info.id;
    let numbered = || rest.unwrap_or("1").parse::<usize>().ok()?.checked_sub(1);
    match page {
        "analysis" => {
            let start = || Some((entry.start)(&Map::new()).ok()?.text());
            let position = rest.map(addressed).or_else(start)?;
            beside(entry, "analysis", Some(&position), None, stage)
        }
        "editor" => {
            let position = rest.map(addressed);
            let status = |view: &Value| {
                let words = capital(view["status"].as_str().unwrap_or_default());
                card(&format!(r#"<p class="prompt" id="edit-status">{words}</p>"#))
            };
            beside(entry, "reader", position.as_deref(), None, status)
        }
        "learn" => {
            let lesson = entry.info.lessons.get(numbered()?)?;
            let list = Given::answer("lessons", json!({ "game": id }))?;
            let (title, task) = (lesson.title, lesson.task);
            let task = card(&format!(r#"<h2>{title}</h2><p class="task">{task}</p>"#));
            let words = |view: &Value| task + &stage(view);
            beside(entry, "reader lesson", Some(lesson.position), Some(list), words)
        }
        "puzzles" => {
            rest?;
            let list = json!({ "game": id, "number": numbered()? + 1 });
            let list = Given::answer("puzzles", list)?;
            let puzzle = &list.answer["puzzles"][0];
            let position = puzzle["position"].as_str()?.to_owned();
            let turns = puzzle["turns"].as_u64()?;
            let words = |view: &Value| {
                let player = entry.info.players[usize::from(view["turn"] == 2)];
                let (task, only) = (puzzle_task(turns, player), &WORDS.puzzle.only);
                card(&format!(r#"<p class="task"><b>{task}</b>{only}</p>"#)) + &stage(view)
            };
            beside(entry, "reader puzzle", Some(&position), Some(list), words)
        }
        "results" => {
            let known = Given::answer("results", json!({ "game": id }))?;
            let position = known.answer["results"][numbered()?]["position"].as_str()?.to_owned();
            beside(entry, "reader result", Some(&position), Some(known), |_| String::new())
        }
        "rules" => {
            let html = requests::pages::rules(id).ok()?;
            Some(main("page reading", &format!(r#"<article class="prose">{html}</article>"#)))
        }
        _ => None,
    }
}

/// Whether the atlas has boards of a game.
pub fn has_atlas(game: &str) -> bool {
    let known = Given::answer("atlas", json!({ "game": game }));
    known
        .is_some_and(|given| given.answer["atlas"].as_object().is_some_and(|rows| !rows.is_empty()))
}

/// How many results about a game are known.
pub fn results(game: &str) -> usize {
    let known = Given::answer("results", json!({ "game": game }));
    known.and_then(|given| Some(given.answer["results"].as_array()?.len())).unwrap_or(0)
}

/// A request and its answer, to be embedded in the document.
struct Given {
    request: Value,
    answer: Value,
}

impl Given {
    fn answer(ask: &str, fields: Value) -> Option<Given> {
        let Value::Object(map) = &fields else { return None };
        let request = Request::read(ask, map.clone()).ok()?;
        let answer = request.answer_at_once(&Budget::SERVED).ok()?;
        Given::new(ask, fields, serde_json::to_value(answer).ok()?)
    }

    fn new(ask: &str, mut request: Value, answer: Value) -> Option<Given> {
        request.as_object_mut()?.insert("ask".into(), ask.into());
        Some(Given { request, answer })
    }

    /// Takes the drawing out of the answer, so that the document contains it only once.
    fn drawing(&mut self) -> String {
        match self.answer.as_object_mut().and_then(|answer| answer.shift_remove("svg")) {
            Some(Value::String(svg)) => svg,
            _ => String::new(),
        }
    }

    /// Whether a position is drawn wider than it is high.
    fn is_wide(&self) -> bool {
        let side = |i: usize| self.answer["size"][i].as_f64().unwrap_or(1.0);
        side(0) > 1.05 * side(1)
    }
}

/// Answers as data that browsers do not run; `<` is escaped, so nothing in them can end the element.
fn data(all: &[Given]) -> String {
    let pairs: Vec<_> = all.iter().map(|given| json!([given.request, given.answer])).collect();
    let text = Value::from(pairs).to_string().replace('<', "\\u003c");
    format!(r#"<script type="application/json" id="answers">{text}</script>"#)
}

fn main(class: &str, content: &str) -> String {
    format!(r#"<main id="main" class="{class}" tabindex="-1">{content}</main>"#)
}

/// The task of a puzzle.
fn puzzle_task(turns: u64, player: &str) -> String {
    let words = if turns == 1 { &WORDS.puzzle.now } else { &WORDS.puzzle.later };
    filled(words, &[("player", player), ("turns", &turns.to_string())])
}

/// The tiles for choosing a game.
fn shelf(page: &str) -> Option<String> {
    let heading = WORDS.pages.get(if page.is_empty() { "home" } else { page })?;
    let count = Words::number(GAMES.len());
    let (title, lead) = (filled(&heading.title, &[("count", &count)]), &heading.lead);
    let tile = |entry: &Entry| {
        let info = entry.info;
        let (id, name) = (info.id, info.name);
        let picture = covers::pointer(entry, covers::PLACE).unwrap_or_default();
        let inside = format!("{picture}<b>{name}</b><small>{}</small>", capital(info.tagline));
        if page.is_empty() {
            let ways = format!(
                r#"<a class="button" href="/learn/{id}">{}</a><a class="button" href="/?new={id}">{}</a>"#,
                WORDS.tile.learn, WORDS.tile.play
            );
            format!(r#"<div class="card tile">{inside}<div class="row">{ways}</div></div>"#)
        } else {
            format!(r#"<a class="card tile" href="/{page}/{id}">{inside}</a>"#)
        }
    };
    let tiles: String = GAMES.iter().map(tile).collect();
    let class = if page.is_empty() { "page home" } else { "page" };
    let lead =
        if lead.is_empty() { String::new() } else { format!(r#"<p class="lead">{lead}</p>"#) };
    Some(main(class, &format!(r#"<h1>{title}</h1>{lead}<div class="shelf drawn">{tiles}</div>"#)))
}

/// The board of a game, once for each side to look from: only the browser knows which seat is its user's.
pub fn table(session: &dyn Session, created: &Created, embed: bool) -> String {
    let view = |flipped: bool| {
        let place = json!({
            "game": created.game, "options": created.options, "position": created.start,
            "turns": session.history(), "flipped": flipped,
        });
        let shown = serde_json::to_value(Shown::of(session, flipped)).ok()?;
        Given::new("view", place, shown)
    };
    let mut views: Vec<_> = [false, true].into_iter().filter_map(view).collect();
    let wide = views.first().is_some_and(Given::is_wide);
    let pictures: String = views
        .iter_mut()
        .zip(["one", "two"])
        .enumerate()
        .map(|(i, (view, class))| drawn(&format!("picture {class}"), i, &view.drawing()))
        .collect();
    let class = if embed { "table embed" } else { "table" };
    let board = board(wide, &pictures);
    let (side, data) = (side(session.info().name, ""), data(&views));
    main(class, &format!(r#"<div class="boardbox">{board}</div>{side}{data}"#))
}

fn board(wide: bool, pictures: &str) -> String {
    let shape = if wide { "drawn wide" } else { "drawn" };
    format!(r#"<div class="board {shape}">{pictures}</div>"#)
}

/// A drawing, with the index of the answer it was taken from.
fn drawn(class: &str, answer: usize, svg: &str) -> String {
    format!(r#"<div class="{class}" data-answer="{answer}">{svg}</div>"#)
}

/// The column beside a board: the name of the game, and some content.
fn side(name: &str, words: &str) -> String {
    format!(r#"<div class="side"><header class="place"><h1>{name}</h1></header>{words}</div>"#)
}

fn card(content: &str) -> String {
    format!(r#"<section class="card">{content}</section>"#)
}

/// The prompt for the first step of a turn, in the words of the scripts.
fn stage(view: &Value) -> String {
    let steps = view["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    let Some(first) = steps.first() else { return String::new() };
    let stage = first["taps"][0]["stage"].as_str().unwrap_or_default();
    let places = |step: &&Value| {
        !step["trace"]["placed"].is_null()
            && step["taps"].as_array().is_some_and(|taps| taps.len() == 1)
    };
    let places = steps.iter().filter(places).count();
    let prompts = &WORDS.prompt;
    let words = if steps.iter().any(|step| step["taps"][0]["cell"].is_null()) || places == 0 {
        &prompts.choose
    } else if places < steps.len() {
        &prompts.either
    } else {
        &prompts.empty
    };
    let words = filled(words, &[("stage", stage)]);
    let prompt = format!(r#"<p class="prompt mine" id="prompt">{words}</p>"#);
    format!(r#"<section class="card stage"><header>{prompt}</header></section>"#)
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A page with a board where the scripts will put theirs, a column beside it, and the answers that they need.
fn beside(
    entry: &Entry,
    class: &str,
    position: Option<&str>,
    more: Option<Given>,
    words: impl FnOnce(&Value) -> String,
) -> Option<String> {
    // The player who has to find a turn sits at the bottom.
    let flipped = class.ends_with("puzzle") && position.is_some_and(|text| text.ends_with(" 2"));
    let place = json!({ "game": entry.info.id, "position": position, "flipped": flipped });
    let mut view = Given::answer("view", place)?;
    let board = board(view.is_wide(), &drawn("picture", 0, &view.drawing()));
    let side = side(entry.info.name, &words(&view.answer));
    let (frame, bar) = match class {
        "analysis" => (" with-bar", r#"<div class="evalbar"></div>"#),
        _ => ("", ""),
    };
    let data = data(&[view].into_iter().chain(more).collect::<Vec<_>>());
    Some(main(
        &format!("table {class}"),
        &format!(r#"<div class="boardbox{frame}">{bar}{board}</div>{side}{data}"#),
    ))
}

/// Decodes a position in a URL, where `_` stands for the space before the player.
fn addressed(path: &str) -> String {
    match path.rsplit_once('_') {
        Some((board, player)) => format!("{board} {player}"),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_that_begins_with_a_board_is_served_with_it() {
        for entry in GAMES {
            let id = entry.info.id;
            let mut paths = vec![format!("/analysis/{id}"), format!("/editor/{id}/")];
            if !entry.info.lessons.is_empty() {
                paths.extend([format!("/learn/{id}"), format!("/learn/{id}/2")]);
            }
            if engine::puzzles::count(id) > 0 {
                paths.push(format!("/puzzles/{id}/7"));
            }
            if results(id) > 0 {
                paths.push(format!("/results/{id}"));
            }
            for path in paths {
                let page = content(&path).unwrap_or_else(|| panic!("nothing at {path}"));
                assert!(page.contains(r#"<div class="board drawn"#), "{path}");
                assert!(page.contains("<svg"), "{path}");
            }
            assert!(content(&format!("/rules/{id}")).is_some_and(|page| page.contains("<h1")));
        }
        for path in ["/", "/analysis", "/learn", "/puzzles", "/results", "/editor", "/rules/all"] {
            assert_eq!(
                content(path).unwrap_or_default().matches("<svg").count(),
                GAMES.len(),
                "{path}"
            );
        }
    }

    #[test]
    fn every_document_is_below_twenty_kilobytes_as_it_is_sent() {
        const MOST: usize = 20_000;
        let files = super::super::Files::new(None);
        let sent =
            |page: &str| super::super::packing::packed(page.as_bytes(), Default::default()).len();
        let mut pages = vec![("/docs".to_owned(), files.page_at("/docs"))];
        for entry in GAMES {
            let id = entry.info.id;
            for page in ["analysis", "editor", "learn", "rules", "results", "puzzles"] {
                let number = if ["learn", "puzzles"].contains(&page) { "/3" } else { "" };
                let path = format!("/{page}/{id}{number}");
                let page = files.page_at(&path);
                pages.push((path, page));
            }
            for (name, start) in entry.info.samples {
                let seats = json!([{ "kind": "person" }, { "kind": "person" }]);
                let told = json!({ "game": id, "start": start, "seats": seats });
                let state = table::State::read(&told).unwrap();
                let content = table(state.session.as_ref(), &state.created, false);
                let page = files.page_with(Some(content), &super::super::preview::Preview::of("/"));
                pages.push((format!("a game of {id}, {name}"), page));
            }
        }
        for (path, page) in pages {
            assert!(sent(&page) < MOST, "{path}: {} of {} bytes", sent(&page), page.len());
        }
    }

    #[test]
    fn what_only_the_scripts_know_is_left_to_them() {
        for path in [
            "/abcdefgh",
            "/play",
            "/analysis/chess",
            "/analysis/gekitai/nonsense",
            "/puzzles/gekitai/0",
        ] {
            assert_eq!(content(path), None, "{path}");
        }
    }
}
