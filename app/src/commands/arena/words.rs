//! The messages of a match to other programs in UGI and UCI, and the parsing of their answers.

use crate::commands::ugi::dialect::Dialect;
use crate::shell::input;
use engine::arena::Fault;
use engine::{Limits, Session};
use rules::Info;
use rules::game::shorten;
use serde_json::{Map, Value};

/// The settings to send: the game and its options if the program knows them, then what the user asked for.
/// `declared` are the lines of the program's greeting.
pub fn setting(
    dialect: Dialect,
    declared: &[String],
    asked: &[(String, String)],
    info: &Info,
    game_options: &Map<String, Value>,
) -> Result<Vec<(String, String)>, Fault> {
    let known: Vec<&str> = declared.iter().filter_map(|line| option_name(line)).collect();
    let find = |name: &str| known.iter().find(|own| plain(own) == plain(name));
    let mut settings = Vec::new();
    match dialect {
        Dialect::Ugi => {
            let options =
                game_options.iter().map(|(name, value)| (name.as_str(), input::plain(value)));
            for (name, value) in [("Game", info.id.to_owned())].into_iter().chain(options) {
                settings.extend(find(name).map(|own| ((*own).to_owned(), value)));
            }
        }
        Dialect::Uci => {
            let name = "UCI_Variant";
            let offers = |line: &String, variant| {
                option_name(line) == Some(name) && line.split(' ').any(|word| word == variant)
            };
            if let Some(variant) = info.uci
                && declared.iter().any(|line| offers(line, variant))
            {
                settings.push((name.to_owned(), variant.to_owned()));
            }
        }
    }
    for (name, value) in asked {
        let Some(own) = find(name) else {
            return Err(Fault::Crash(format!("the program has no option `{}`", shorten(name))));
        };
        settings.retain(|(name, _)| name != own);
        settings.push(((*own).to_owned(), value.clone()));
    }
    Ok(settings)
}

/// The name in `option name NAME type …`.
fn option_name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("option name ")?;
    Some(rest.split_once(" type ").map_or(rest, |(name, _)| name).trim())
}

/// A name without case and punctuation: `min_parts` is `MinParts`.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The command that sets up the present position of a game.
pub fn position(dialect: Dialect, game: &dyn Session) -> String {
    let record = game.record(&[]);
    let start = match (dialect, record.tag("Position")) {
        (Dialect::Ugi, Some(text)) => format!("fen {text}"),
        (Dialect::Uci, Some(text)) => format!("fen {}", fen(text)),
        // A program that cannot be told the options must at least see the board.
        (Dialect::Uci, None) if record.tag("Options").is_some() => {
            format!("fen {}", fen(&game.start().text()))
        }
        (_, None) => "startpos".to_owned(),
    };
    let mut line = format!("position {start}");
    let turns = game.history();
    if !turns.is_empty() {
        line += " moves";
    }
    for turn in turns {
        line.push(' ');
        line += &dialect.turn(&turn);
    }
    line
}

/// One-line text as UCI knows positions: the board and the side.
pub fn fen(text: &str) -> String {
    let (board, player) = text.split_once(' ').unwrap_or((text, "1"));
    let board = board.split(';').next().unwrap_or_default();
    let side = if player.starts_with('2') { 'b' } else { 'w' };
    format!("{board} {side} - - 0 1")
}

/// The command that starts a search.
pub fn go(limits: &Limits) -> String {
    let mut line = "go".to_owned();
    let time = limits.time.map(|time| time.as_millis().to_string());
    let nodes = limits.nodes.map(|nodes| nodes.to_string());
    let depth = limits.depth.map(|depth| depth.to_string());
    for (word, value) in [("movetime", time), ("nodes", nodes), ("depth", depth)] {
        if let Some(value) = value {
            line += &format!(" {word} {value}");
        }
    }
    line
}

/// The turn in a line that begins with `bestmove`, if it has one.
pub fn bestmove(line: &str) -> Option<Option<String>> {
    let mut words = line.split_whitespace();
    (words.next() == Some("bestmove")).then(|| words.next().map(str::to_owned))
}

/// A turn that wins the game for the player to move.
pub fn wins_at_once(game: &dyn Session) -> Option<String> {
    let mover = game.turn();
    let won =
        |outcome: Option<rules::Outcome>| outcome.and_then(rules::Outcome::winner) == Some(mover);
    game.children().into_iter().find(|child| won(child.outcome)).map(|child| child.turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::find;
    use serde_json::json;

    fn info(id: &str) -> &'static Info {
        find(id).unwrap().info
    }

    fn game(id: &str, text: &str, moves: &str) -> Box<dyn Session> {
        let entry = find(id).unwrap();
        let options = Map::new();
        let mut game = match text {
            "" => (entry.start)(&options).unwrap(),
            text => (entry.from_text)(text, &options).unwrap(),
        };
        moves.split_whitespace().for_each(|turn| game.play(turn).unwrap());
        game
    }

    #[test]
    fn positions_are_told_from_where_the_game_began() {
        let start = game("jeson-mor", "", "c1d3 c9-d7");
        assert_eq!(position(Dialect::Uci, start.as_ref()), "position startpos moves c1d3 c9d7");
        assert_eq!(position(Dialect::Ugi, start.as_ref()), "position startpos moves c1-d3 c9-d7");
        let rows = "nnnnnnnnn/9/9/9/9/9/9/9/NNNNNNNN1";
        let later = game("jeson-mor", &format!("{rows} 2"), "a9b7");
        let expected = format!("position fen {rows} b - - 0 1 moves a9b7");
        assert_eq!(position(Dialect::Uci, later.as_ref()), expected);
        let small = game("jeson-mor", "nnnnn/5/5/5/NNNNN 1", "");
        let expected = "position fen nnnnn/5/5/5/NNNNN w - - 0 1";
        assert_eq!(position(Dialect::Uci, small.as_ref()), expected);
        let expected = "position startpos";
        assert_eq!(position(Dialect::Ugi, small.as_ref()), expected);
    }

    #[test]
    fn a_program_is_told_the_game_as_far_as_it_knows_the_words() {
        let lines =
            ["id name X", "option name Game type combo var gekitai", "option name MinParts"];
        let lines = lines.map(str::to_owned);
        let options = json!({"size": 4, "min_parts": 2});
        let options = options.as_object().unwrap();
        let asked = [("game".to_owned(), "other".to_owned())];
        let told = |asked: &[_]| setting(Dialect::Ugi, &lines, asked, info("gekitai"), options);
        let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
            list.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
        };
        assert_eq!(told(&[]), Ok(pairs(&[("Game", "gekitai"), ("MinParts", "2")])));
        assert_eq!(told(&asked), Ok(pairs(&[("MinParts", "2"), ("Game", "other")])));
        let wrong = [("Thread".to_owned(), "1".to_owned())];
        assert_eq!(told(&wrong), Err(Fault::Crash("the program has no option `Thread`".into())));
        let uci =
            ["option name UCI_Variant type combo default chess var chess var jesonmor".into()];
        let told = setting(Dialect::Uci, &uci, &[], info("jeson-mor"), &Map::new());
        assert_eq!(told, Ok(pairs(&[("UCI_Variant", "jesonmor")])));
    }

    #[test]
    fn searches_and_answers_are_put_into_words() {
        let limits = Limits { depth: Some(3), ..Limits::nodes(7) };
        assert_eq!(go(&limits), "go nodes 7 depth 3");
        assert_eq!(bestmove("info depth 3"), None);
        assert_eq!(bestmove("bestmove"), Some(None));
        assert_eq!(bestmove("bestmove c1a2 ponder a9b7"), Some(Some("c1a2".into())));
    }

    #[test]
    fn a_knight_on_the_centre_wins_by_leaving_it() {
        let won = game("jeson-mor", "n3n/5/2N2/5/N4 1", "");
        let turn = wins_at_once(won.as_ref()).unwrap();
        assert!(turn.starts_with("c3-"), "{turn}");
        assert_eq!(wins_at_once(game("jeson-mor", "", "").as_ref()), None);
    }
}
