//! The user's own settings: a file of lines such as `theme = dark` and `key z = u`, which nothing writes to.

use crate::saves::Choices;
use crate::tui;
use ratatui::crossterm::event::KeyCode;
use rules::game::shorten;
use rules::svg::Theme;
use rules::text::Rgb;
use std::path::{Path, PathBuf};

/// The contents of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The colour of keys, of chosen rows and of the cursor.
    pub accent: Option<Rgb>,
    /// Key bindings: the first key acts as the second.
    pub keys: Vec<(KeyCode, KeyCode)>,
    changes: Vec<Change>,
}

/// The change of one choice, and the value to set.
type Change = (fn(&mut Choices, &str), String);

/// A setting: its name, its values (none for any text), and what it changes.
struct Setting {
    name: &'static str,
    values: fn() -> Vec<&'static str>,
    change: fn(&mut Choices, &str),
}

const ON: fn() -> Vec<&'static str> = || vec!["on", "off"];

const SETTINGS: [Setting; 9] = [
    Setting {
        name: "theme",
        values: || Theme::ALL.map(Theme::name).into_iter().chain(["automatic"]).collect(),
        change: |choices, value| choices.theme = named(value),
    },
    Setting {
        name: "boards",
        values: || tui::block_names().into_iter().chain(["automatic"]).collect(),
        change: |choices, value| choices.blocks = named(value),
    },
    Setting { name: "motion", values: ON, change: |choices, value| choices.still = value == "off" },
    Setting { name: "bell", values: ON, change: |choices, value| choices.silent = value == "off" },
    Setting { name: "bar", values: ON, change: |choices, value| choices.bar = value == "on" },
    Setting {
        name: "proposals",
        values: ON,
        change: |choices, value| choices.advice = value == "on",
    },
    Setting {
        name: "line-boards",
        values: ON,
        change: |choices, value| choices.no_boards = value == "off",
    },
    Setting {
        name: "name",
        values: Vec::new,
        change: |choices, value| value.clone_into(&mut choices.names[0]),
    },
    Setting {
        name: "server",
        values: Vec::new,
        change: |choices, value| value.clone_into(&mut choices.server),
    },
];

/// An empty name lets the terminal decide.
fn named(value: &str) -> String {
    if value == "automatic" { String::new() } else { value.to_owned() }
}

/// Where the file is, if the user has a place for it.
pub fn usual_path() -> Option<PathBuf> {
    let named = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let usual = || Some(std::env::home_dir()?.join(".config"));
    let folder = named.filter(|path| path.is_absolute()).or_else(usual)?;
    Some(folder.join("quadrille/config"))
}

/// Reads the user's file; there need not be one.
pub fn load() -> Result<Config, String> {
    let Some(path) = usual_path() else { return Ok(Config::default()) };
    match std::fs::read_to_string(&path) {
        Ok(text) => read(&text).map_err(|why| said(&path, &why)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Config::default()),
        Err(error) => Err(said(&path, &error.to_string())),
    }
}

fn said(path: &Path, why: &str) -> String {
    format!("{}: {why}", path.display())
}

pub fn read(text: &str) -> Result<Config, String> {
    let mut config = Config::default();
    for (number, line) in (1..).zip(text.lines()) {
        // Keys may be hashes themselves.
        let is_key = line.trim_start().starts_with("key ");
        let line = if is_key { line } else { line.split(" # ").next().unwrap_or(line) }.trim();
        if !line.is_empty() && !line.starts_with('#') {
            config.take(line).map_err(|why| format!("line {number}: {why}"))?;
        }
    }
    Ok(config)
}

impl Config {
    fn take(&mut self, line: &str) -> Result<(), String> {
        let wrong = || format!("expected `name = value`, got `{}`", shorten(line));
        // The sign itself can be a key: `key = = +`.
        let (name, value) = match line.strip_prefix("key ") {
            Some(keys) => {
                let (from, to) = keys.trim().rsplit_once('=').ok_or_else(wrong)?;
                let (from, to) = (key(from)?, key(to)?);
                if let KeyCode::Char(c) = from
                    && begins_cell(c)
                {
                    return Err(format!(
                        "`{c}` is needed for typing cells such as c4: choose another key"
                    ));
                }
                self.keys.push((from, to));
                return Ok(());
            }
            None => line.split_once('=').ok_or_else(wrong)?,
        };
        let (name, value) = (name.trim(), value.trim());
        if name == "accent" {
            self.accent = Some(colour(value)?);
            return Ok(());
        }
        let Some(setting) = SETTINGS.iter().find(|setting| setting.name == name) else {
            let names: Vec<_> = SETTINGS.iter().map(|setting| setting.name).collect();
            let names = names.join(", ");
            return Err(format!("`{}` is none of accent, key, {names}", shorten(name)));
        };
        let values = (setting.values)();
        if !values.is_empty() && !values.contains(&value) {
            let values = values.join(", ");
            return Err(format!("{name} is one of {values}, got `{}`", shorten(value)));
        }
        self.changes.push((setting.change, value.to_owned()));
        Ok(())
    }

    /// Puts what the file says in the place of what was chosen before.
    pub fn apply(&self, choices: &mut Choices) {
        for (change, value) in &self.changes {
            change(choices, value);
        }
    }

    /// The key whose meaning this one has.
    pub fn key(&self, code: KeyCode) -> KeyCode {
        let own = self.keys.iter().rev().find(|(from, _)| *from == code);
        own.map_or(code, |(_, to)| *to)
    }

    /// The keys of a text such as `[ ]` or `n`, as the user has them; a text with other words stays as it is.
    pub fn shown(&self, text: &str) -> String {
        let words: Vec<&str> = text.split(' ').collect();
        let code = |word: &&str| {
            key_named(word.strip_suffix(',').filter(|own| !own.is_empty()).unwrap_or(word))
        };
        let is_key = |word: &&str| code(word).is_some() || matches!(*word, "or" | "to");
        if self.keys.is_empty() || !words.iter().all(is_key) {
            return text.to_owned();
        }
        let own = |word: &str| match code(&word) {
            Some(code) => self.key_for(code).map(name_of),
            None => Some(word.to_owned()),
        };
        words.into_iter().filter_map(own).collect::<Vec<_>>().join(" ")
    }

    /// The key that has the meaning of this one by default; `None` if the user has left it without.
    fn key_for(&self, code: KeyCode) -> Option<KeyCode> {
        let others = self.keys.iter().map(|(from, _)| *from);
        [code].into_iter().chain(others).find(|from| self.key(*from) == code)
    }

    /// The user's name: what was given, or else what the file says.
    pub fn name_or(&self, given: &str) -> String {
        if !given.is_empty() {
            return given.to_owned();
        }
        let mut choices = Choices::default();
        self.apply(&mut choices);
        choices.names[0].clone()
    }
}

/// Whether a character is part of the names of cells.
fn begins_cell(c: char) -> bool {
    let has_cell = |entry: &engine::Entry| {
        let game = (entry.start)(&Default::default());
        game.is_ok_and(|game| game.diagram().cells.iter().any(|cell| cell.name.starts_with(c)))
    };
    c.is_ascii_digit() || engine::GAMES.iter().any(has_cell)
}

/// The keys that have names.
const NAMED: [(&str, KeyCode); 14] = [
    ("space", KeyCode::Char(' ')),
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("Backspace", KeyCode::Backspace),
    ("Delete", KeyCode::Delete),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PgUp", KeyCode::PageUp),
    ("PgDn", KeyCode::PageDown),
];

/// A key by its name: a character, F1 to F12, or one of a few words.
pub fn key_named(name: &str) -> Option<KeyCode> {
    let function = name.strip_prefix('F').and_then(|number| number.parse().ok());
    if let Some(number @ 1..=12) = function {
        return Some(KeyCode::F(number));
    }
    let mut letters = name.chars();
    match (NAMED.iter().find(|(own, _)| *own == name), letters.next(), letters.next()) {
        (Some((_, code)), ..) => Some(*code),
        (None, Some(letter), None) => Some(KeyCode::Char(letter)),
        _ => None,
    }
}

fn name_of(code: KeyCode) -> String {
    match (NAMED.iter().find(|(_, own)| *own == code), code) {
        (Some((name, _)), _) => (*name).to_owned(),
        (None, KeyCode::Char(letter)) => letter.to_string(),
        (None, KeyCode::F(number)) => format!("F{number}"),
        _ => String::new(),
    }
}

fn key(name: &str) -> Result<KeyCode, String> {
    let name = name.trim();
    key_named(name).ok_or_else(|| {
        let named = NAMED.map(|(name, _)| name).join(", ");
        format!("a key is a character, F1 to F12, {named}, got `{}`", shorten(name))
    })
}

fn colour(text: &str) -> Result<Rgb, String> {
    let wrong = || format!("a colour is written as #5fd7af, got `{}`", shorten(text));
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6).ok_or_else(wrong)?;
    let number = u32::from_str_radix(digits, 16).map_err(|_| wrong())?;
    Ok([16, 8, 0].map(|bits| (number >> bits) as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_chooses_looks_and_keys() {
        let text = "# mine\n\ntheme = contrast\nboards=halves\n motion = off\naccent = #ff8000\n\
                    key z = u\nkey F2 = h\nkey = = +\nkey space = Enter\nname = Ana Luz\n";
        let config = read(text).unwrap();
        let mut choices = Choices { bar: true, ..Choices::default() };
        config.apply(&mut choices);
        let expected = Choices {
            theme: "contrast".into(),
            blocks: "halves".into(),
            still: true,
            bar: true,
            names: ["Ana Luz".into(), String::new()],
            ..Choices::default()
        };
        assert_eq!(choices, expected);
        assert_eq!(config.accent, Some([255, 128, 0]));
        let does = |code| config.key(code);
        assert_eq!(does(KeyCode::Char('z')), KeyCode::Char('u'));
        assert_eq!(does(KeyCode::F(2)), KeyCode::Char('h'));
        assert_eq!(does(KeyCode::Char('=')), KeyCode::Char('+'));
        assert_eq!(does(KeyCode::Char(' ')), KeyCode::Enter);
        assert_eq!(does(KeyCode::Char('q')), KeyCode::Char('q'));
    }

    #[test]
    fn the_example_of_the_document_can_be_read() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/terminal.md");
        let document = std::fs::read_to_string(path).unwrap();
        let start = document.find("# Lines that begin with a hash").unwrap();
        let example = document[start..].split("```").next().unwrap();
        let config = read(example).unwrap();
        assert_eq!(config.changes.len(), SETTINGS.len());
        assert_eq!(config.keys.len(), 3);
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_line() {
        let cases = [
            (
                "theme = drak",
                "line 1: theme is one of dark, light, contrast, automatic, got `drak`",
            ),
            ("\nthem = dark", "line 2: `them` is none of accent, key, theme, boards"),
            ("motion", "line 1: expected `name = value`, got `motion`"),
            ("accent = red", "line 1: a colour is written as #5fd7af, got `red`"),
            ("key Fly = u", "line 1: a key is a character, F1 to F12"),
            ("key e = u", "line 1: `e` is needed for typing cells such as c4"),
            ("key 4 = u", "line 1: `4` is needed for typing cells such as c4"),
        ];
        for (text, expected) in cases {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
