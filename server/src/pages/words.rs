//! The words of the first paint. The scripts import the same file, so nothing changes once they have run.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

pub static WORDS: LazyLock<Words> =
    LazyLock::new(|| serde_json::from_str(SOURCE).unwrap_or_default());

const SOURCE: &str = include_str!("../../web/common/words.json");

/// The words that both server and scripts use.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// Pages on which a game is chosen first.
    pub pages: BTreeMap<String, Heading>,
    pub tile: Tile,
    numbers: Vec<String>,
    pub puzzle: Puzzle,
    pub prompt: Prompt,
}

/// The heading above the games.
#[derive(Default, Deserialize)]
pub struct Heading {
    pub title: String,
    pub lead: String,
}

/// The buttons of a game on the home page.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tile {
    pub learn: String,
    pub play: String,
}

/// The task of a puzzle.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Puzzle {
    pub now: String,
    pub later: String,
    pub only: String,
}

/// The prompt for the next step of a turn.
#[derive(Default, Deserialize)]
pub struct Prompt {
    pub choose: String,
    pub either: String,
    pub empty: String,
}

impl Words {
    /// A number in words if it is small, otherwise in digits.
    pub fn number(count: usize) -> String {
        WORDS.numbers.get(count).cloned().unwrap_or_else(|| count.to_string())
    }
}

/// Fills in values for their names in braces.
pub fn filled(text: &str, values: &[(&str, &str)]) -> String {
    values
        .iter()
        .fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::path::Path;
    use std::{fs, io};

    fn sentences(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) if text.contains(' ') => found.push(text.clone()),
            Value::Array(all) => all.iter().for_each(|one| sentences(one, found)),
            Value::Object(all) => all.values().for_each(|one| sentences(one, found)),
            _ => {}
        }
    }

    fn sources(folder: &Path, found: &mut Vec<(String, String)>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let is_source = path.extension().is_some_and(|kind| kind == "js" || kind == "rs");
            if path.is_dir() {
                sources(&path, found)?;
            } else if is_source {
                found.push((path.display().to_string(), fs::read_to_string(&path)?));
            }
        }
        Ok(())
    }

    #[test]
    fn the_words_are_read_as_they_are_written() {
        serde_json::from_str::<Words>(SOURCE).unwrap();
        assert_eq!(Words::number(4), "Four");
        assert_eq!(Words::number(11), "11");
        assert_eq!(filled("{a} to {b}", &[("a", "1"), ("b", "2")]), "1 to 2");
    }

    #[test]
    fn what_a_page_shows_first_is_written_nowhere_else() {
        let mut words = Vec::new();
        sentences(&serde_json::from_str(SOURCE).unwrap(), &mut words);
        // A page may refer to another one by its title.
        let heading = |text: &String| !text.ends_with("position");
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = Vec::new();
        sources(&root.join("web"), &mut files).unwrap();
        sources(&root.join("src/pages"), &mut files).unwrap();
        for text in words.iter().filter(|text| heading(text)) {
            // The text between the values.
            let parts = text.split(['{', '}']).step_by(2).map(str::trim);
            for part in parts.filter(|part| part.len() > 12) {
                for (name, source) in &files {
                    assert!(!source.contains(part), "{name} writes {part:?} itself");
                }
            }
        }
    }

    #[test]
    fn the_first_paint_says_what_the_words_say() {
        for (page, Heading { title, lead }) in &WORDS.pages {
            let path = if page == "home" { "/".to_owned() } else { format!("/{page}") };
            let first = super::super::first::content(&path).unwrap();
            let title = filled(title, &[("count", &Words::number(engine::GAMES.len()))]);
            assert!(first.contains(&format!("<h1>{title}</h1>")), "{page}");
            assert!(first.contains(lead.as_str()), "{page}");
        }
    }
}
