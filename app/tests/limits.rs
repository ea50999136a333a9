//! The tables of limits in the documents, written from the constants that the program obeys.
//!
//! A table stands between `<!-- limits of NAME -->` and `<!-- end -->`. With `QUADRILLE_BLESS=1` the documents are
//! rewritten instead of compared.

use engine::levels::{LEVELS, Skills};
use engine::play::Play;
use engine::solve::{self, check};
use requests::{Budget, query, review, think};
use server::http::{
    analysis, connections, guard, limits, meter, networks, places, refused, socket,
};
use std::fs;
use std::path::Path;
use std::time::Duration;
use table::{clock, referee};

/// The rows of a table, head first.
type Table = Vec<Vec<String>>;

macro_rules! table {
    ($([$($cell:expr),* $(,)?]),* $(,)?) => {
        vec![$(vec![$($cell.to_string()),*]),*]
    };
}

fn markdown(table: &Table) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = format!("|{}\n", "---|".repeat(table[0].len()));
    line(&table[0]) + &rule + &table[1..].iter().map(|row| line(row)).collect::<String>()
}

/// 12345 as `12,345`; a power of ten from 10¹⁰ on is written as one.
fn number(value: u64) -> String {
    let zeros = value.checked_ilog10().unwrap_or(0);
    if zeros >= 10 && value == 10u64.pow(zeros) {
        let raised = |digit: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit as usize - '0' as usize).unwrap();
        return format!("10{}", zeros.to_string().chars().map(raised).collect::<String>());
    }
    let digits = value.to_string();
    let groups: Vec<_> =
        digits.as_bytes().rchunks(3).rev().map(|d| str::from_utf8(d).unwrap()).collect();
    groups.join(",")
}

fn bytes(value: usize) -> String {
    match value {
        _ if value.is_multiple_of(1 << 20) => format!("{} MiB", value >> 20),
        _ if value.is_multiple_of(1 << 10) => format!("{} KiB", value >> 10),
        _ => format!("{} bytes", number(value as u64)),
    }
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

fn of_requests() -> Table {
    let row = |field: &str, meaning: &str, of: fn(&Budget) -> u64, without: &str| {
        let most = |budget: &Budget| match of(budget) {
            u64::MAX => "no limit".to_owned(),
            most => number(most),
        };
        table![[format!("`{field}`"), meaning, most(&Budget::OWN), most(&Budget::SERVED), without]]
            .remove(0)
    };
    vec![
        table![["field", "meaning", "at most, at home", "over HTTP", "if left out"]].remove(0),
        row("time_ms", "milliseconds", |b| b.time_ms, "no limit"),
        row("nodes", "positions looked at", |b| b.nodes, "no limit"),
        row("depth", "moves looked ahead", |b| b.depth, "no limit"),
        row("lines", "best lines", |b| b.lines, "1"),
        row("threads", "threads", |b| b.threads, "1"),
        row(
            "turns",
            "turns from the position, or in a tree or a game",
            |b| u64::try_from(b.turns).unwrap(),
            "none",
        ),
    ]
}

fn of_searches() -> Table {
    let most = |budget: &Budget| seconds(Duration::from_millis(budget.time_ms));
    let review = seconds(Duration::from_millis(Budget::SERVED.review_ms));
    let proof = format!("{} positions", number(engine::solve::follow::MOST_POSITIONS.into()));
    table![
        ["request", "without a limit", "over HTTP at most"],
        ["`query` with `search`", seconds(query::TIME), most(&Budget::SERVED)],
        ["`hint`", seconds(think::HINT), most(&analysis::HINT)],
        ["`turn` of the last level", seconds(think::TURN), most(&analysis::HINT)],
        ["`analysis`", seconds(think::ANALYSIS), most(&Budget::SERVED)],
        ["`review`, for each position", seconds(review::TIME), review],
        ["`proof`", proof, proof],
    ]
}

fn of_prices() -> Table {
    let work = format!(
        "{} ms of processor time, whatever it is spent on, beyond what the request has paid",
        limits::MICROSECONDS_FOR_ONE as f64 / 1_000.0
    );
    table![
        ["what", "price"],
        ["a request, or a frame of a socket", limits::REQUEST],
        ["a command, beyond the request or frame that brings it", limits::COMMAND],
        ["a game that has to be read from the store, beside its events", limits::GAME],
        [format!("{} stored events that are read", limits::EVENTS_FOR_ONE), 1],
        [format!("{} turns of a game that is shown", limits::TURNS_FOR_ONE), 1],
        [format!("{} of a body", bytes(limits::BODY_FOR_ONE as usize)), 1],
        [format!("{} of an answer", bytes(limits::ANSWER_FOR_ONE as usize)), 1],
        [work, 1],
        [
            format!(
                "{} ms of an engine's processor time",
                limits::ENGINE_MICROSECONDS_FOR_ONE / 1_000
            ),
            1
        ],
    ]
}

fn of_http() -> Table {
    let (least, most) = (referee::SECRET_LENGTH.start(), referee::SECRET_LENGTH.end());
    let allowance = limits::USUAL_ALLOWANCE;
    let window = seconds(Duration::from_millis(limits::SEAT_WINDOW as u64));
    table![
        ["what", "limit", "beyond it"],
        [
            "what an address spends",
            format!(
                "{} a second, {} saved up (`--allowance`)",
                number(allowance.into()),
                number((allowance * limits::SAVED_SECONDS).into())
            ),
            "429, or a socket is closed with 1008",
        ],
        ["commands of a seat", format!("{} in {window}", limits::OF_A_SEAT), "429"],
        [
            "what players at an address spend on commands and frames",
            "as much again",
            "429, or a socket is closed with 1008",
        ],
        [
            "new games of an address, until both players have made a turn",
            format!("{} a minute (`--new-games`)", limits::USUAL_NEW_GAMES),
            "429",
        ],
        [
            "rematches of a seat",
            format!(
                "{} a minute (half of `--new-games`)",
                limits::USUAL_NEW_GAMES / limits::NEW_GAMES_FOR_A_REMATCH
            ),
            "429",
        ],
        [
            "what an address stores",
            format!(
                "{} a day, half of it for turns (grows with `--new-games`)",
                bytes(limits::USUAL_STORED as usize)
            ),
            "429",
        ],
        ["answers that an address has not read", bytes(limits::UNREAD), "429"],
        [
            "connections of an address",
            format!("{} (`--connections`)", number(limits::USUAL_CONNECTIONS as u64)),
            "429",
        ],
        ["searches of an address, under way or waiting", limits::SEARCHES, "429"],
        [
            "head of a request",
            format!(
                "about {}, within {}",
                bytes(connections::MOST_HEAD),
                seconds(connections::Patience::default().head)
            ),
            "431, or the connection is closed",
        ],
        [
            "body of a request",
            format!("{}, within {}", bytes(guard::MOST_BODY), seconds(refused::SLOW)),
            "413, 408",
        ],
        ["frame of a socket", bytes(socket::MOST_FRAME), "closed with 1008"],
        ["silence of a socket", seconds(socket::SILENCE), "closed"],
        [
            "events of a game before names can no longer be changed",
            referee::MOST_EVENTS_BEFORE,
            "409"
        ],
        ["events of a game", number(referee::MOST_EVENTS.unsigned_abs()), "409"],
        ["a turn's text", format!("{} bytes", referee::MOST_TURN), "422"],
        ["a player's name", format!("{} characters", referee::MOST_NAME), "422"],
        ["a command's name", format!("{} characters", referee::MOST_WORD), "400"],
        ["a secret", format!("{least} to {most} letters and digits"), "400"],
        [
            "a clock of kind `time`",
            format!(
                "{} s for the game, {} s for each turn",
                number(clock::MOST_SECONDS.into()),
                number(clock::MOST_INCREMENT.into())
            ),
            "422",
        ],
        ["a clock of kind `days`", format!("{} days for each turn", clock::MOST_DAYS), "422"],
    ]
}

fn of_hosting() -> Table {
    table![
        ["what", "limit"],
        [
            "connections, spending, new games and stored bytes of a network",
            format!(
                "{} times an address's for a /56 of IPv6, {} times for a /48, and for a /24 of IPv4",
                networks::OF_A_PART,
                networks::OF_A_SITE
            ),
        ],
        [
            "connections of all",
            format!(
                "{}, or {} fewer than the files the system lets the process open; 1 in {} is for players at a seat",
                number(connections::MOST as u64),
                connections::OTHER_FILES,
                places::FOR_SEATS
            ),
        ],
        [
            "connections of an address that count as players at a seat",
            format!("1 in {}", places::STAYING),
        ],
        [
            "threads of the engine",
            format!("one more than there are cores, at least {}", server::LEAST_WORKERS)
        ],
        [
            "answers before prices rise",
            format!("{} % of the machine's processor time", meter::SHARE * 100.0)
        ],
        ["kernel buffer for what a client does not read", bytes(server::UNSENT as usize)],
        ["pages and files kept drawn and packed", bytes(server::pages::MOST_KEPT)],
        ["games in memory that nobody is in", bytes(server::games::rooms::MOST_WEIGHT)],
    ]
}

fn of_certificates() -> Table {
    table![
        ["what", "at most"],
        ["the file, and its text when it is compressed", bytes(solve::MOST_BYTES)],
        ["a line, with its line feed", bytes(solve::LONGEST_LINE)],
        ["stored positions", number(solve::MOST_STORED as u64)],
        ["moves of a claim, and a rank", number(solve::MOST_MOVES.into())],
        ["moves of a `try`", solve::MOST_TRIED],
        [
            "steps of a check",
            format!(
                "{} and {} for each stored position; {} in all",
                number(check::STEPS),
                number(check::STEPS_PER_STORED),
                number(check::MOST_STEPS)
            ),
        ],
    ]
}

fn of_names() -> Table {
    let level = |level: &engine::levels::Level| {
        vec![level.number.to_string(), level.name.to_owned(), level.about.to_owned()]
    };
    let head = table![["level", "name", "what to expect"]];
    head.into_iter().chain(LEVELS.iter().map(level)).collect()
}

fn of_levels() -> Table {
    fn skills<G: Play>() -> (&'static str, Skills) {
        (G::INFO.name, G::SKILLS)
    }
    let mut games = Vec::new();
    macro_rules! all {
        ($($module:ident: $game:ty),* $(,)?) => { $(games.push(skills::<$game>());)* };
    }
    rules::every_game!(all);
    let mut head = vec!["level".to_owned()];
    head.extend(games.iter().map(|(name, _)| (*name).to_owned()));
    let row = |i: usize| {
        let cells = games.iter().map(|(_, skills)| {
            let skill = &skills[i];
            let blur = number(u64::from(skill.blur.unsigned_abs()));
            format!("{}, {blur}, {}", number(skill.nodes), skill.careless)
        });
        [(i + 1).to_string()].into_iter().chain(cells).collect()
    };
    [head].into_iter().chain((0..LEVELS.len() - 1).map(row)).collect()
}

#[test]
fn tables_of_limits_say_what_the_program_obeys() {
    let tables = [
        ("docs/requests.md", "requests", of_requests()),
        ("docs/requests.md", "searches", of_searches()),
        ("docs/http.md", "prices", of_prices()),
        ("docs/http.md", "HTTP", of_http()),
        ("docs/hosting.md", "hosting", of_hosting()),
        ("docs/certificates.md", "certificates", of_certificates()),
        ("docs/levels.md", "names", of_names()),
        ("docs/levels.md", "levels", of_levels()),
    ];
    for (document, name, table) in tables {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(document);
        let text = fs::read_to_string(&path).unwrap();
        let mark = format!("<!-- limits of {name} -->\n");
        let (before, rest) =
            text.split_once(&mark).unwrap_or_else(|| panic!("{document}: no {mark}"));
        let (written, after) = rest.split_once("<!-- end -->").unwrap();
        let wanted = format!("\n{}\n", markdown(&table));
        if written != wanted && std::env::var("QUADRILLE_BLESS").is_ok() {
            fs::write(&path, format!("{before}{mark}{wanted}<!-- end -->{after}")).unwrap();
            continue;
        }
        assert_eq!(written, wanted, "{document}: QUADRILLE_BLESS=1 writes the table of {name}");
    }
}
