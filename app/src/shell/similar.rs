//! Did you mean: the known word that is nearest to a mistyped one.

use crate::cli::Cli;
use clap::CommandFactory;
use rules::game::shorten;
use strsim::damerau_levenshtein;

/// Longer words are not considered typos.
const LONGEST: usize = 64;

/// The word that was probably meant, if one is near enough; never the typed word itself.
pub fn nearest<'a>(typed: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = typed.to_lowercase();
    let letters = word.chars().count();
    let most = (letters / 3).clamp(1, 3);
    let others = known.iter().copied().filter(|own| *own != typed && letters <= LONGEST);
    let near = others.map(|own| (damerau_levenshtein(&word, &own.to_lowercase()), own));
    let near = near.filter(|(steps, own)| *steps <= most || is_beginning(&word, own));
    near.min_by_key(|(steps, _)| *steps).map(|(_, own)| own)
}

fn is_beginning(word: &str, own: &str) -> bool {
    word.chars().count() >= 3 && own.to_lowercase().starts_with(word)
}

/// "; did you mean `play`?", or nothing.
pub fn meant(typed: &str, known: &[&str]) -> String {
    nearest(typed, known).map_or_else(String::new, |own| format!("; did you mean `{own}`?"))
}

/// The command line, with the flags that clap adds to every command.
fn command_line() -> clap::Command {
    let mut command = Cli::command();
    command.build();
    command
}

/// The hint for an unknown command.
pub fn unknown_command(word: &str) -> String {
    let command = command_line();
    let known: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    format!("there is no command `{}`{}", shorten(word), meant(word, &known))
}

/// The hint for an unknown flag; `None` if the command that is being run has it.
pub fn unknown_flag(text: &str) -> Option<String> {
    let name = text.strip_prefix("--")?;
    let name = name.split('=').next().unwrap_or(name);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let command = command_line();
    let word = std::env::args().nth(1).unwrap_or_default();
    let own = command.find_subcommand(&word).unwrap_or(&command);
    let flags: Vec<&str> = own.get_arguments().filter_map(clap::Arg::get_long).collect();
    if flags.contains(&name) {
        return None;
    }
    let meant = nearest(name, &flags);
    let meant = meant.map_or_else(String::new, |own| format!("; did you mean `--{own}`?"));
    Some(format!("there is no flag `--{}`{meant}", shorten(name)))
}

/// "there is no game `gekitia`; did you mean `gekitai`?", or the list of what there is.
pub fn unknown(what: &str, word: &str, known: &[&str]) -> String {
    let word_shown = shorten(word);
    match nearest(word, known) {
        Some(own) => format!("there is no {what} `{word_shown}`; did you mean `{own}`?"),
        None => format!("there is no {what} `{word_shown}`; there are {}", known.join(", ")),
    }
}

/// The player that was probably meant by a mistyped one such as `levle:3` or `seed:hrad`.
pub fn player(text: &str, known: &[String]) -> Option<String> {
    let (kind, rest) = text.split_once(':').unwrap_or(("", text));
    // Every number is similar to another one.
    if kind == "level" {
        return None;
    }
    let of_kind: Vec<&str> = known.iter().filter_map(|own| own.strip_prefix(kind)).collect();
    let of_kind: Vec<&str> = of_kind.iter().filter_map(|own| own.strip_prefix(':')).collect();
    if !of_kind.is_empty() {
        return nearest(rest, &of_kind).map(|own| format!("{kind}:{own}"));
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    nearest(text, &known).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_and_levels_are_found_by_what_is_near_them() {
        let known = ["human", "seed:easy", "seed:hard", "level:1", "level:3"].map(String::from);
        for (text, meant) in [
            ("levle:3", Some("level:3")),
            ("seed:hrad", Some("seed:hard")),
            ("humna", Some("human")),
            ("sed:easy", Some("seed:easy")),
            ("seed:smart", None),
            ("level:33", None),
            ("somebody", None),
        ] {
            assert_eq!(player(text, &known).as_deref(), meant, "{text}");
        }
    }

    #[test]
    fn what_is_meant_is_found_and_nothing_else() {
        let games = ["glaisher", "gekitai", "jeson-mor", "six-making"];
        for (word, meant) in [
            ("gekitia", Some("gekitai")),
            ("Glaiser", Some("glaisher")),
            ("jesonmor", Some("jeson-mor")),
            ("six", Some("six-making")),
            ("chess", None),
            ("", None),
            ("gekitai", None),
            ("Gekitai", Some("gekitai")),
        ] {
            assert_eq!(nearest(word, &games), meant, "{word}");
        }
        assert_eq!(
            unknown("game", "chess", &games[..2]),
            "there is no game `chess`; there are glaisher, gekitai"
        );
    }
}
