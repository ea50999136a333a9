//! What a page shows before any script has run, drawn by whoever serves it. The scripts put the same in its place.

use engine::{Entry, GAMES, Session, find};
use requests::catalogue::{drawing, picture};
use serde_json::Map;

/// The content of the page at a path; nothing where only the scripts can tell.
pub fn content(path: &str) -> Option<String> {
    let path = path.trim_matches('/');
    let mut words = path.splitn(3, '/');
    let (page, game, rest) = (words.next()?, words.next(), words.next());
    let Some(game) = game.filter(|game| *game != "all") else { return shelf(page) };
    let entry = find(game)?;
    let numbered = || rest.unwrap_or("1").parse::<usize>().ok()?.checked_sub(1);
    match page {
        "analysis" => Some(beside(
            "analysis",
            "with-bar",
            r#"<div class="evalbar"></div>"#,
            &*addressed(entry, rest)?,
        )),
        "editor" => Some(beside("reader", "", "", &*addressed(entry, rest)?)),
        "learn" => {
            let lesson = entry.info.lessons.get(numbered()?)?;
            Some(beside("reader lesson", "", "", &*opened(entry, Some(lesson.position))?))
        }
        "puzzles" => {
            rest?;
            let puzzle = engine::puzzles::shipped(entry.info.id).into_iter().nth(numbered()?)?;
            Some(beside("reader puzzle", "", "", &*opened(entry, Some(&puzzle.position))?))
        }
        "results" => {
            let known = requests::proofs::results(entry.info.id).ok()?;
            let position = known["results"][numbered()?]["position"].as_str()?.to_owned();
            Some(beside("reader result", "", "", &*opened(entry, Some(&position))?))
        }
        "rules" => {
            let html = requests::pages::rules(entry.info.id).ok()?;
            Some(main("page reading", &format!(r#"<article class="prose">{html}</article>"#)))
        }
        _ => None,
    }
}

fn main(class: &str, content: &str) -> String {
    format!(r#"<main id="main" class="{class}" tabindex="-1">{content}</main>"#)
}

/// The title of the first page, as its script writes it.
fn many_games() -> String {
    let words = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight"];
    let count = GAMES.len();
    let count = words.get(count).map_or_else(|| count.to_string(), |word| (*word).to_owned());
    format!("{count} games, one table")
}

/// All games, on the pages that begin with choosing one.
fn shelf(page: &str) -> Option<String> {
    let home = many_games();
    let (title, lead) = match page {
        "" => (
            home.as_str(),
            "Each is learned on the board in a few minutes. No account, nothing to install.",
        ),
        "analysis" => ("Analyse", "Paste a position or a record, or begin with a game."),
        "editor" => ("Set up a position", "Of which game?"),
        "learn" => ("Learn", "A few turns on the board for each game, or the rules to read."),
        "puzzles" => {
            ("Puzzles", "One turn wins, and only one. Find it, and win against the best defence.")
        }
        "results" => (
            "Results",
            "What is known for certain, how anybody can check it, and proofs to play against.",
        ),
        "rules" => ("Rules", ""),
        _ => return None,
    };
    let tile = |entry: &Entry| {
        let info = entry.info;
        let (id, name) = (info.id, info.name);
        let picture = picture(entry).unwrap_or_default();
        let inside = format!("{picture}<b>{name}</b><small>{}</small>", info.tagline);
        if page.is_empty() {
            let ways = format!(
                r#"<a class="button" href="/learn/{id}">Learn</a><a class="button" href="/?new={id}">Play</a>"#
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
    Some(main(class, &format!(r#"<h1>{title}</h1>{lead}<div class="shelf">{tiles}</div>"#)))
}

/// The board of a game as it stands, both ways round: who sits at the second seat looks from the other side, which
/// only the browser knows.
pub fn table(session: &dyn Session, embed: bool) -> String {
    let ((one, wide), (two, _)) = (drawing(session, false), drawing(session, true));
    let board = board(
        wide,
        &format!(r#"<div class="picture one">{one}</div><div class="picture two">{two}</div>"#),
    );
    let class = if embed { "table embed" } else { "table" };
    main(class, &format!(r#"<div class="boardbox">{board}</div>{}"#, side(session)))
}

fn board(wide: bool, pictures: &str) -> String {
    let shape = if wide { "drawn wide" } else { "drawn" };
    format!(r#"<div class="board {shape}">{pictures}</div>"#)
}

fn side(session: &dyn Session) -> String {
    let name = session.info().name;
    format!(r#"<div class="side"><header class="place"><h1>{name}</h1></header></div>"#)
}

/// A board where the scripts will put theirs.
fn beside(class: &str, frame: &str, bar: &str, session: &dyn Session) -> String {
    let (picture, wide) =
        drawing(session, class.ends_with("puzzle") && session.turn().number() == 2);
    let board = board(wide, &format!(r#"<div class="picture">{picture}</div>"#));
    let side = side(session);
    main(
        &format!("table {class}"),
        &format!(r#"<div class="boardbox {frame}">{bar}{board}</div>{side}"#),
    )
}

/// A position as an address names it: there `_` is the blank before the player.
fn addressed(entry: &Entry, path: Option<&str>) -> Option<Box<dyn Session>> {
    let text = path.map(|path| match path.rsplit_once('_') {
        Some((board, player)) => format!("{board} {player}"),
        None => path.to_owned(),
    });
    opened(entry, text.as_deref())
}

/// A position in one line, the start if there is none.
fn opened(entry: &Entry, text: Option<&str>) -> Option<Box<dyn Session>> {
    match text.filter(|text| !text.is_empty()) {
        None => (entry.start)(&Map::new()).ok(),
        Some(text) => (entry.from_text)(text, &Map::new()).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_that_begins_with_a_board_is_served_with_it() {
        for entry in GAMES {
            let id = entry.info.id;
            for path in [
                format!("/analysis/{id}"),
                format!("/editor/{id}/"),
                format!("/learn/{id}"),
                format!("/learn/{id}/2"),
                format!("/puzzles/{id}/7"),
                format!("/results/{id}"),
            ] {
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
