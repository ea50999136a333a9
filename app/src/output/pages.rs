//! A rules page as text for a terminal, and whether that terminal has colours and Unicode.

use crate::output::columns::wrapped;
use crate::shell::input;
use engine::Entry;
use rules::text::{Charset, Style, text};
use std::io::IsTerminal;

const BOLD: &str = "\x1b[1m";
const CODE: &str = "\x1b[36m";
const PLAIN: &str = "\x1b[0m";

/// The characters to draw with: ASCII if asked for, or on a terminal whose locale is not UTF-8.
/// Files and pipes get the same everywhere.
pub fn charset(ascii: bool) -> Charset {
    match ascii || std::io::stdout().is_terminal() && is_locale_narrow() {
        true => Charset::Ascii,
        false => Charset::Unicode,
    }
}

/// Whether the locale is set to something other than UTF-8.
fn is_locale_narrow() -> bool {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
    locale.is_some_and(|locale| !locale.to_ascii_lowercase().contains("utf"))
}

/// Whether standard output is a terminal that may be coloured.
pub fn color_wanted() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// The rules page of a game, with its boards drawn.
pub fn page(entry: &Entry, charset: Charset, color: bool) -> String {
    let mut out = String::new();
    let mut fenced = false;
    for line in entry.info.rules.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            out += &format!("    {line}\n");
        } else if let Some(title) =
            line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#'))
        {
            let title =
                if line.starts_with("##") { title.to_owned() } else { title.to_uppercase() };
            out += &if color { format!("{BOLD}{title}{PLAIN}\n") } else { format!("{title}\n") };
        } else if let Some((alt, picture)) = picture(line) {
            out += &drawn(entry, picture, charset, color);
            out += &caption(alt);
        } else {
            out += &format!("{}\n", inline(line, color));
        }
    }
    out
}

/// The two parts of `![alt](path)`.
fn picture(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("![")?.strip_suffix(')')?.split_once("](")
}

/// The board of a picture, from the position it was made of.
fn drawn(entry: &Entry, path: &str, charset: Charset, color: bool) -> String {
    let name =
        path.rsplit('/').next().and_then(|file| file.strip_suffix(".svg")).unwrap_or_default();
    let sample = name.strip_prefix(entry.info.id).and_then(|name| name.strip_prefix('-'));
    let Some(session) = sample.and_then(|sample| input::sample(entry, sample).ok()) else {
        return String::new();
    };
    let board = text(&session.diagram(), &Style { charset, ..Style::default() }, color);
    // The caption says what the status line would.
    let rows = board.lines().take_while(|line| !line.is_empty());
    rows.map(|line| format!("    {line}\n")).collect::<String>() + "\n"
}

/// Words below a picture, indented and broken to fit a narrow terminal.
fn caption(words: &str) -> String {
    wrapped(words, 72).into_iter().map(|line| format!("    {line}\n")).collect()
}

/// Code spans and bold text, all that the pages use.
fn inline(line: &str, color: bool) -> String {
    let mut out = String::new();
    for (i, part) in line.split('`').enumerate() {
        if i % 2 == 1 {
            out += &if color { format!("{CODE}{part}{PLAIN}") } else { part.to_owned() };
            continue;
        }
        for (j, part) in part.split("**").enumerate() {
            let bold = color && j % 2 == 1;
            out += &if bold { format!("{BOLD}{part}{PLAIN}") } else { part.to_owned() };
        }
    }
    out
}
