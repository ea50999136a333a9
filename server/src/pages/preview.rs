//! Link previews as Open Graph tags (<https://ogp.me>): a title, a sentence, and a picture if the site knows its URL.

use super::docs::{self, escaped};
use super::words::{WORDS, Words, filled};
use engine::{GAMES, find};
use std::fmt::Write;
use table::{State, words};

/// The preview of a page.
pub(super) struct Preview {
    title: String,
    about: String,
    path: String,
    /// The path of a picture in the recommended size; the icon if there is none.
    picture: Option<String>,
}

const ABOUT: &str = "Abstract board games to play, watch and analyse.";

impl Preview {
    /// The preview of the page at a path.
    pub fn of(path: &str) -> Preview {
        let (title, about) = described(path.trim_matches('/')).unwrap_or_default();
        let about = if about.is_empty() { ABOUT.to_owned() } else { about };
        Preview { title, about, path: path.to_owned(), picture: None }
    }

    /// The preview of a game.
    pub fn of_game(id: &str, state: &State) -> Preview {
        let course = &state.course;
        let [one, two] = rules::Player::BOTH.map(|player| course.name(player));
        let title = format!("{one} – {two}: {}", state.session.info().name);
        let now = || words::named(&state.session.diagram().status, course);
        let about = words::ending(state).unwrap_or_else(now);
        let about = match course.turns {
            0 => about,
            turns => format!("{about}. Turns: {turns}."),
        };
        let picture = Some(format!("/picture/{id}?{}", course.seq));
        Preview { title, about, path: format!("/{id}"), picture }
    }

    /// The document with these tags, and with absolute URLs if the site knows its host.
    pub fn put_into(&self, document: &str, host: Option<&str>, version: &str) -> String {
        let name = |title: &str| format!("<title>{title}</title>");
        let about = |about: &str| format!(r#"<meta name="description" content="{about}">"#);
        let title = match self.title.as_str() {
            "" => "Quadrille".to_owned(),
            title => escaped(title),
        };
        let whole =
            if self.title.is_empty() { title.clone() } else { format!("{title} – Quadrille") };
        let sentence = escaped(&self.about);
        let mut tags = name(&whole);
        let mut tag = |key: &str, value: &str| {
            let _ = write!(tags, "\n  <meta property=\"og:{key}\" content=\"{value}\">");
        };
        tag("site_name", "Quadrille");
        tag("type", "website");
        tag("title", &title);
        tag("description", &sentence);
        if let Some(host) = host {
            tag("url", &escaped(&format!("{host}{}", self.path)));
            let icon = || format!("/assets/{version}/icon-512.png");
            let picture = self.picture.clone().unwrap_or_else(icon);
            tag("image", &escaped(&format!("{host}{picture}")));
            let card = if self.picture.is_some() { "summary_large_image" } else { "summary" };
            let _ = write!(tags, "\n  <meta name=\"twitter:card\" content=\"{card}\">");
        }
        document.replacen(&about(ABOUT), &about(&sentence), 1).replacen(
            &name("Quadrille"),
            &tags,
            1,
        )
    }
}

/// The title and description of a page; none if only the scripts can tell.
fn described(path: &str) -> Option<(String, String)> {
    let mut parts = path.splitn(3, '/');
    let (page, game, rest) = (parts.next()?, parts.next(), parts.next());
    if page == "docs" {
        let title = game.map_or_else(|| Some("Documents".to_owned()), docs::title)?;
        return Some((title, String::new()));
    }
    let Some(game) = game.filter(|game| *game != "all") else {
        let heading = WORDS.pages.get(page).filter(|_| !page.is_empty())?;
        let count = Words::number(GAMES.len());
        return Some((filled(&heading.title, &[("count", &count)]), heading.lead.clone()));
    };
    let info = find(game)?.info;
    let name = info.name;
    let number = || rest?.parse::<usize>().ok();
    let (title, about) = match page {
        "analysis" => (format!("Analysis of {name}"), info.tagline),
        "editor" => (format!("{name}: a position"), info.tagline),
        "rules" => (format!("Rules of {name}"), info.tagline),
        "results" => (format!("{name}: what is known for certain"), info.tagline),
        "puzzles" => match number() {
            Some(number) => (format!("{name}, puzzle {number}"), WORDS.puzzle.only.trim()),
            None => (format!("{name}: puzzles"), WORDS.pages.get(page)?.lead.as_str()),
        },
        "learn" => {
            let lesson = info.lessons.get(number().unwrap_or(1).checked_sub(1)?)?;
            (format!("{} – {name}", lesson.title), lesson.task)
        }
        _ => return None,
    };
    Some((title, about.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::Files;
    use serde_json::json;

    #[test]
    fn every_page_says_what_it_is_and_only_a_known_host_has_pictures() {
        for path in ["/", "/puzzles", "/puzzles/gekitai/7", "/learn/glaisher/2", "/docs/hosting"] {
            let page = Files::new(None).page_at(path);
            assert_eq!(page.matches("og:title").count(), 1, "{path}");
            assert_eq!(page.matches("og:description").count(), 1, "{path}");
            assert!(!page.contains("og:image"), "{path}: an address that nobody knows");
            let page = Files::new(None).at(Some("https://play.example.org/")).page_at(path);
            let own = format!(r#"og:url" content="https://play.example.org{path}""#);
            assert!(page.contains(&own), "{path}");
            assert!(page.contains(r#"og:image" content="https://play.example.org/assets/"#));
            assert_eq!(page.contains("<title>Quadrille</title>"), path == "/", "{path}");
        }
    }

    #[test]
    fn a_game_shows_its_players_its_state_and_its_board() {
        let seats =
            json!([{ "kind": "person", "name": "A<b>\"" }, { "kind": "level", "level": 3 }]);
        let told = json!({ "game": "gekitai", "seats": seats, "turns": ["c4"], "seq": 9 });
        let state = State::read(&told).unwrap();
        let files = Files::new(None).at(Some("https://play.example.org"));
        let page = files.page_with(None, &Preview::of_game("abcdefgh", &state));
        assert!(page.contains("A&lt;b&gt;&quot; – Level 3: Gekitai"), "{page}");
        assert!(page.contains("Level 3 to move. Turns: 1."), "{page}");
        assert!(page.contains("https://play.example.org/picture/abcdefgh?9"), "{page}");
        assert!(page.contains("summary_large_image"));
    }
}
