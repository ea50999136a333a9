//! Text in the columns of a terminal, of which a character may take none, one or two.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How many columns a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The beginning of a text that fits into this many columns.
pub fn fitting(text: &str, most: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, c)| {
        used += c.width().unwrap_or(0);
        used > most
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// A text cut to a width, with a sign of one column where something is missing.
pub fn cut(text: &str, most: usize, sign: &str) -> String {
    match width(text) <= most {
        true => text.to_owned(),
        false => format!("{}{sign}", fitting(text, most.saturating_sub(1))),
    }
}

/// A text in lines of at most this width, broken between words.
pub fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let used = lines.last().map_or(0, |line| width(line));
        if used > 0 && used + 1 + width(word) > most {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_and_not_characters() {
        assert_eq!([width("Ana"), width("李小龍"), width("e\u{301}")], [3, 6, 1]);
        assert_eq!(
            [fitting("李小龍", 5), fitting("李小龍", 6), fitting("Ana", 0)],
            ["李小", "李小龍", ""]
        );
        assert_eq!([cut("李小龍", 5, "…"), cut("李小龍", 6, "…")], ["李小…", "李小龍"]);
        assert_eq!(wrapped("李小 龍 one", 7), ["李小 龍", "one"]);
    }
}
