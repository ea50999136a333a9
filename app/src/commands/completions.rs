//! `quadrille completions`: scripts that know games, players, levels and values of options.

use crate::cli::Cli;
use crate::shell::failure::{Failure, print};
use crate::shell::input::plain;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory, ValueHint};
use clap_complete::Shell;
use engine::{GAMES, Who};
use std::collections::BTreeSet;

pub fn run(shell: Shell) -> Result<(), Failure> {
    // `generate` panics if a pipe is closed, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "quadrille", &mut script);
    if shell == Shell::Bash {
        let text = String::from_utf8_lossy(&script);
        let text = text.replace("complete -F _quadrille ", "complete -F _quadrille_with_colons ");
        script = (text + COLONS).into_bytes();
    }
    print(&script)
}

/// Bash splits words at colons, which names of players contain here: this joins them for the script, and removes
/// everything up to the last colon from the answers.
const COLONS: &str = r#"
_quadrille_with_colons() {
    local -a words=()
    local i word cur glue=""
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        if [[ $i -gt 0 && ( "$word" == :* || -n "$glue" ) ]]; then
            words[${#words[@]}-1]+="$word"
        else
            words+=("$word")
        fi
        glue=""
        [[ "$word" == *: ]] && glue=1
    done
    local -a COMP_WORDS=("${words[@]}")
    local COMP_CWORD=$((${#words[@]} - 1))
    cur="${COMP_WORDS[COMP_CWORD]}"
    _quadrille "$1" "$cur" "${COMP_WORDS[COMP_CWORD-1]}"
    if [[ "$cur" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${cur%"${cur##*:}"}"}")
    fi
}
"#;

/// The command line with all values that can be offered; never used for parsing.
fn command() -> Command {
    Cli::command().mut_subcommands(|command| command.mut_args(complete))
}

fn complete(arg: Arg) -> Arg {
    let of = |words: Vec<String>| PossibleValuesParser::new(words);
    let games = || GAMES.iter().map(|entry| entry.info.id.to_owned()).collect();
    if !arg.get_action().takes_values() {
        return arg;
    }
    match arg.get_id().as_str() {
        "game" => arg.value_parser(of(games())),
        "first" | "second" => arg.value_parser(of(players(&["human"]))),
        "a" | "b" => arg.value_parser(of(players(&["engine", "random"]))),
        "sample" => arg.value_parser(of(samples())),
        "clock" => arg.value_parser(["1+0", "3+2", "5+3", "10+5", "30+10"]),
        "theme" if arg.get_value_parser().possible_values().is_none() => {
            arg.value_parser(rules::svg::Theme::ALL.map(rules::svg::Theme::name))
        }
        "blocks" => arg.value_parser(of(crate::tui::block_names()
            .iter()
            .map(|name| (*name).to_owned())
            .collect())),
        "position" | "moves" | "link" => arg.value_hint(ValueHint::Other),
        "file" | "load" | "output" | "out" | "table" | "resume" | "checkpoint" => {
            arg.value_hint(ValueHint::FilePath)
        }
        "data" => arg.value_hint(ValueHint::AnyPath),
        name => match values(name) {
            Some(values) => arg.value_parser(of(values)),
            None => arg,
        },
    }
}

/// The players of all games, as the command line names them.
fn players(more: &[&str]) -> Vec<String> {
    let starts = GAMES.iter().filter_map(|entry| (entry.start)(&Default::default()).ok());
    let computers = starts.flat_map(|game| Who::computers(game.as_ref()));
    let more = more.iter().map(|word| (*word).to_owned());
    unique(more.chain(computers.map(|who| who.to_string())))
}

/// Words without repetitions, in their order.
fn unique(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut known = Vec::new();
    for word in words {
        if !known.contains(&word) {
            known.push(word);
        }
    }
    known
}

fn samples() -> Vec<String> {
    let names = GAMES.iter().flat_map(|entry| entry.info.samples).map(|(name, _)| *name);
    names.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The values of an option of the games.
fn values(name: &str) -> Option<Vec<String>> {
    let options = GAMES.iter().flat_map(|entry| entry.info.options);
    let own = options.filter(|option| option.name == name);
    let values = unique(own.flat_map(|option| option.values.list()).map(|value| plain(&value)));
    (!values.is_empty()).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_players_levels_and_options_are_offered() {
        let mut command = command();
        command.build();
        let offered = |name: &str, arg: &str| -> Vec<String> {
            let command = command.find_subcommand(name).unwrap();
            let arg = command.get_arguments().find(|own| own.get_id() == arg).unwrap();
            arg.get_possible_values().iter().map(|own| own.get_name().to_owned()).collect()
        };
        assert_eq!(offered("rules", "game").len(), GAMES.len());
        let players = offered("play", "second");
        for word in ["human", "level:1", "level:10", "seed:greedy"] {
            assert!(players.contains(&word.to_owned()), "{players:?}");
        }
        assert!(offered("render", "both").contains(&"draw".to_owned()));
        assert!(offered("arena", "a").contains(&"random".to_owned()));
    }
}
