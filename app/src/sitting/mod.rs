//! A game at this terminal: the table's state of it, and the board that is shown.

pub mod clock;
pub mod record;
pub mod seat;
pub mod work;

use clock::{Terms, millis};
use engine::puzzles::Puzzle;
use engine::{Entry, Limits, Session, Who};
use rules::diagram::Diagram;
use rules::{ByPlayer, Outcome, Player};
use std::time::{Duration, Instant};
use table::{
    Action, Created, Ending, Fact, Reason, Seat, State, TimeControl, Tree, referee, words,
};

/// The level that defends in a puzzle: it sees the loss coming and answers at once.
const RESISTANCE: u8 = 7;

/// A game, and the turns that were taken back in it.
pub struct Sitting {
    pub entry: &'static Entry,
    /// The state that the referee has decided, here or on a server.
    pub state: State,
    /// The board as shown: ahead of the state by half a turn, or by turns that the server has not acknowledged.
    pub board: Box<dyn Session>,
    /// The user's seats in a game that a server keeps, empty for a watcher; `None` in a game kept here.
    pub own: Option<Vec<Player>>,
    pub terms: Option<Terms>,
    /// Variations and comments.
    pub notes: Option<Tree>,
    undone: Vec<String>,
}

impl Sitting {
    /// A game that is kept here. Its clock runs from the beginning.
    pub fn new(
        entry: &'static Entry,
        board: Box<dyn Session>,
        seats: ByPlayer<Seat>,
        terms: Option<Terms>,
    ) -> Sitting {
        let mut session = board.boxed_clone();
        if session.in_turn() {
            session.undo_turn();
        }
        let created = Created {
            game: entry.info.id.to_owned(),
            options: session.options(),
            start: session.start().text(),
            turns: session.history(),
            seats,
            shared: true,
            clock: TimeControl::None,
            club: None,
        };
        let clock = terms.map(|terms| terms.clock());
        let mut state = State::of(created, session, clock, 0, 0);
        (state.course.result, state.course.begun) = (referee::ending(board.as_ref()), true);
        Sitting { entry, state, board, own: None, terms, notes: None, undone: Vec::new() }
    }

    /// An attempt at a puzzle; `None` if it cannot be read.
    pub fn attempt(entry: &'static Entry, puzzle: &Puzzle) -> Option<Sitting> {
        let game = (entry.from_text)(&puzzle.position, &Default::default()).ok()?;
        let mut seats = seat::people();
        seats[game.turn().other()].who = Who::Level { level: RESISTANCE };
        Some(Sitting::new(entry, game, seats, None))
    }

    /// A game that a server keeps, at which the user plays these seats.
    pub fn followed(state: State, own: Vec<Player>) -> Result<Sitting, String> {
        let entry = requests::game(&state.created.game).map_err(|refusal| refusal.message)?;
        let (board, terms) = (state.session.boxed_clone(), Terms::of(state.created.clock));
        let (own, notes, undone) = (Some(own), None, Vec::new());
        Ok(Sitting { entry, state, board, own, terms, notes, undone })
    }

    /// Seats another player.
    pub fn seat(&mut self, player: Player, seat: Seat) {
        let name = seat.name.clone().or_else(|| seat.who.name(self.board.as_ref()));
        self.state.course.names[player] = name.map(Into::into);
        self.state.created.seats[player] = seat;
    }

    /// Puts a full clock beside the board.
    pub fn set_clock(&mut self, terms: Terms) {
        (self.terms, self.state.course.clock) = (Some(terms), Some(terms.clock()));
    }

    pub fn seats(&self) -> &ByPlayer<Seat> {
        &self.state.created.seats
    }

    /// The result, which a server may not have acknowledged yet.
    pub fn result(&self) -> Option<Outcome> {
        let told = self.state.course.result;
        self.board.result().or(told.map(|told| told.outcome().unwrap_or(Outcome::Draw)))
    }

    /// The result, if the board does not show it.
    fn given(&self) -> Option<Ending> {
        self.state.course.result.filter(|_| self.board.result().is_none())
    }

    /// Whose turn it is; nobody's when the game is over.
    pub fn mover(&self) -> Option<Player> {
        self.result().is_none().then(|| self.board.turn())
    }

    /// The player to move, if that is a person at this keyboard.
    pub fn person(&self) -> Option<Player> {
        self.mover().filter(|player| self.is_person(*player))
    }

    /// The player to move, if that is a computer that plays here.
    pub fn computer(&self) -> Option<Player> {
        self.mover().filter(|player| self.is_computer(*player))
    }

    /// Whether a player is a person at this keyboard.
    pub fn is_person(&self, player: Player) -> bool {
        self.own.as_ref().map_or(!self.state.is_computer(player), |own| own.contains(&player))
    }

    fn is_computer(&self, player: Player) -> bool {
        self.own.is_none() && self.state.is_computer(player)
    }

    /// Whether the user only watches a game on a server.
    pub fn looks_on(&self) -> bool {
        self.own.as_ref().is_some_and(Vec::is_empty)
    }

    /// Whether the user is playing a game on a server: no engine may help.
    pub fn is_played_online(&self) -> bool {
        self.own.as_ref().is_some_and(|own| !own.is_empty()) && self.result().is_none()
    }

    /// Whether both players are people at this keyboard.
    pub fn is_between_people(&self) -> bool {
        Player::BOTH.into_iter().all(|player| self.is_person(player))
    }

    /// Whether computers play each other here.
    pub fn is_unattended(&self) -> bool {
        self.own.is_none() && self.state.is_exhibition()
    }

    /// The game's name for a player: `Red`.
    pub fn colour(&self, player: Player) -> &'static str {
        self.entry.info.players[player]
    }

    /// The player's name, if there is one besides the colour.
    pub fn called(&self, player: Player) -> Option<&str> {
        self.state.course.names[player].as_deref()
    }

    /// The player's name, or the colour of one who has none.
    pub fn name(&self, player: Player) -> &str {
        self.state.course.name(player)
    }

    /// Name and colour: `Ana (Red)`.
    pub fn full_name(&self, player: Player) -> String {
        self.state.course.with_colours().name(player).to_owned()
    }

    /// Who plays what against whom: `Gekitai: Ana (Red) against Ben (Blue)`.
    pub fn heading(&self) -> String {
        let [one, two] = Player::BOTH.map(|player| self.full_name(player));
        format!("{}: {one} against {two}", self.entry.info.name)
    }

    /// The drawing of the board, with the names in its status line.
    pub fn diagram(&self) -> Diagram {
        let (mut diagram, course) = (self.board.diagram(), self.state.course.with_colours());
        diagram.status = match self.given() {
            Some(ending) => {
                diagram.turn = None;
                words::result(ending, &course)
            }
            None => words::named(&diagram.status, &course),
        };
        diagram
    }

    /// The round that is being played, from 1; a round is a turn of each player.
    pub fn round(&self) -> usize {
        let turns = first_ply(self.board.as_ref());
        if self.result().is_some() { turns.div_ceil(2).max(1) } else { turns / 2 + 1 }
    }

    /// A player's time left on the clock, in milliseconds.
    pub fn left(&self, player: Player, now: Instant) -> Option<i64> {
        self.state.course.clock.as_ref().map(|clock| clock.left(millis(now))[player])
    }

    /// The limits of a computer's turn.
    pub fn limits(&self, player: Player, now: Instant) -> Limits {
        let time = |millis: i64| Duration::from_millis(millis.unsigned_abs());
        let increment = self.state.course.clock.as_ref().map_or(0, |clock| clock.increment());
        let clock = self.left(player, now).map(|left| Limits::clock(time(left), time(increment)));
        seat::limits(&self.seats()[player].who, clock)
    }

    /// Plays a move or a whole turn, or says why not and changes nothing.
    pub fn play(&mut self, text: &str, now: Instant) -> Result<(), String> {
        let Some(mover) = self.mover() else {
            return Err("the game is over: `n` begins another, `u` takes back".into());
        };
        self.read(text)?;
        if self.board.turn() == mover && self.board.outcome().is_none() {
            return Ok(());
        }
        let turn = self.board.last_turn().unwrap_or_default();
        if self.undone.pop_if(|undone| *undone == turn).is_none() {
            self.undone.clear();
        }
        let settled = if self.own.is_some() { Ok(()) } else { self.settle(&turn, now) };
        if settled.is_err() {
            self.show_state();
        }
        settled
    }

    /// Plays a text, or what the original programs would read in it: with a full stop, in parts, in capitals.
    fn read(&mut self, text: &str) -> Result<(), String> {
        let plain = text.trim().trim_end_matches('.');
        let joined: String = plain.split_whitespace().collect();
        let error = match self.board.play(text) {
            Ok(()) => return Ok(()),
            Err(error) => error.to_string(),
        };
        let differs = joined != text.trim() && !joined.is_empty();
        if differs && self.board.play(&joined).is_ok() { Ok(()) } else { Err(error) }
    }

    /// Has the referee decide on a whole turn.
    fn settle(&mut self, turn: &str, now: Instant) -> Result<(), String> {
        let mover = self.state.course.turn;
        let decision = referee::play(&self.state, mover, turn);
        self.happen(Some(mover), decision.map_err(|refusal| refusal.message)?.facts(), now)
    }

    fn happen(
        &mut self,
        seat: Option<Player>,
        facts: Vec<Fact>,
        now: Instant,
    ) -> Result<(), String> {
        let events = self.state.events(seat, facts, None, millis(now));
        events.iter().try_for_each(|event| self.state.apply(event))
    }

    /// Shows what has been decided, and nothing ahead of it.
    pub fn show_state(&mut self) {
        self.board = self.state.session.boxed_clone();
    }

    /// Takes back the moves of an incomplete turn, and returns whether there were any.
    pub fn take_back_part(&mut self) -> bool {
        self.board.in_turn() && self.board.undo_turn()
    }

    /// Takes back all turns but this many, and the result.
    fn take_back_to(&mut self, turns: usize, now: Instant) {
        // Taking back is always possible: only turns can be refused.
        let _ = self.happen(None, vec![Fact::Undone { turns }], now);
        self.show_state();
    }

    /// Takes back an incomplete turn, or turns until a person is to move again.
    pub fn undo(&mut self, now: Instant) -> bool {
        if self.take_back_part() {
            return true;
        }
        let (played, last) = (self.state.course.turns, self.state.course.turn);
        let mover = |turns: usize| if (played - turns) % 2 == 1 { last.other() } else { last };
        let is_given = self.given().is_some();
        let mut turns = played;
        // After a resignation the game continues where it was.
        if !is_given || !self.is_person(last) {
            turns = turns.saturating_sub(1);
            while turns > 0 && self.is_computer(mover(turns)) && !self.is_unattended() {
                turns -= 1;
            }
        }
        if turns == played && !is_given {
            return false;
        }
        self.undone.extend(self.board.history().into_iter().skip(turns).rev());
        self.take_back_to(turns, now);
        true
    }

    /// Replays what was taken back, until a person is to move. That adds nothing to a clock.
    pub fn redo(&mut self, now: Instant) -> bool {
        let mut done = false;
        self.state.course.rest(true, millis(now));
        while let Some(turn) = self.undone.pop() {
            if self.settle(&turn, now).is_err() {
                self.undone.clear();
                break;
            }
            self.show_state();
            done = true;
            if self.is_unattended() || self.person().is_some() {
                break;
            }
        }
        done
    }

    /// Goes to the end of another line, or says why it cannot be played and stays.
    pub fn go_to(&mut self, line: &[String], now: Instant) -> Result<(), String> {
        let before = self.state.session.history();
        let same = line.iter().zip(&before).take_while(|(a, b)| a == b).count();
        self.take_back_to(same, now);
        let rest = line.get(same..).unwrap_or_default();
        let gone = rest.iter().try_for_each(|turn| self.settle(turn, now));
        self.show_state();
        match gone {
            Ok(()) => Ok(()),
            Err(why) => self.go_to(&before, now).and(Err(why)),
        }
    }

    pub fn resign(&mut self, player: Player, now: Instant) {
        if let Ok(decision) = referee::decide(&self.state, player, &Action::Resign) {
            let _ = self.happen(Some(player), decision.facts(), now);
            self.show_state();
        }
    }

    /// Lets the clock of the player to move run, or none while the game is paused, and returns whether somebody
    /// has run out of time.
    pub fn tend_clock(&mut self, rests: bool, now: Instant) -> bool {
        let course = &mut self.state.course;
        course.rest(rests, millis(now));
        let Some(loser) = course.out_of_time(millis(now)) else { return false };
        let result = Fact::Result(Ending::new(Some(loser.other()), Reason::Time));
        self.happen(None, vec![result], now).is_ok()
    }

    /// The same game again, from its start; the players may change sides.
    pub fn rematch(&self, swapped: bool) -> Sitting {
        let seats = self.seats().clone();
        let seats = if swapped { seats.swapped() } else { seats };
        Sitting::new(self.entry, self.board.start(), seats, self.terms)
    }
}

/// How many turns have been played, counted so that player 1 has the even ones.
pub fn first_ply(game: &dyn Session) -> usize {
    let played = game.turns_played() - usize::from(game.in_turn());
    played + usize::from(played % 2 != game.turn().index())
}

/// The proposal of a player of the original program: a few of its turns, and how many more there are.
pub fn proposal(game: &dyn Session, id: &str, turns: &[String]) -> String {
    const SHOWN: usize = 4;
    let players = game.seed_players();
    let name = players.iter().find(|about| about.id == id).map_or(id, |about| about.name);
    let turns = match turns {
        [] => "none".into(),
        turns if turns.len() <= SHOWN => turns.join(" "),
        turns => format!("{} and {} more", turns[..SHOWN - 1].join(" "), turns.len() - SHOWN + 1),
    };
    format!("Original {name}: {turns}")
}

/// A value of an original program with its sign and without trailing zeros. Such a program writes the largest values
/// for a decided game.
pub fn signed(value: f64) -> String {
    if value.abs() >= DECIDED {
        return if value > 0.0 { "won" } else { "lost" }.into();
    }
    let digits = if value.abs() < 10.0 { 2 } else { 1 };
    let text = format!("{value:+.digits$}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "+0" | "-0" => "0".into(),
        text => text.into(),
    }
}

/// The least value that stands for a decided game.
const DECIDED: f64 = 99_999.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read_as_the_original_programs_read_them() {
        let entry = engine::find("gekitai").unwrap();
        let game = (entry.start)(&Default::default()).unwrap();
        let mut sitting = Sitting::new(entry, game, seat::people(), None);
        for text in ["C 4", "d3.", " E  5 ."] {
            sitting.play(text, Instant::now()).unwrap();
        }
        assert_eq!(sitting.board.history(), ["c4", "d3", "e5"]);
        assert_eq!(sitting.state.session.history(), ["c4", "d3", "e5"]);
        let error = sitting.play("c 9.", Instant::now()).unwrap_err();
        assert!(error.contains("`c 9.`"), "{error}");
    }

    fn sitting(seats: [&str; 2], clock: &str) -> Sitting {
        let entry = engine::find("gekitai").unwrap();
        let game = (entry.start)(&Default::default()).unwrap();
        let seats = seats.map(|code| seat::parse(code, game.as_ref()).unwrap());
        Sitting::new(entry, game, seats.into(), Terms::parse(clock).ok())
    }

    #[test]
    fn taking_back_and_replaying_adds_nothing_to_a_clock() {
        let start = Instant::now();
        let later = |seconds| start + Duration::from_secs(seconds);
        let mut sitting = sitting(["human", "human"], "1+2");
        assert!(!sitting.tend_clock(false, start));
        sitting.play("c3", later(15)).unwrap();
        assert_eq!(sitting.left(Player::One, later(60)), Some(47_000));
        assert!(sitting.undo(later(20)) && sitting.redo(later(20)));
        assert_eq!(sitting.left(Player::One, later(20)), Some(47_000));
        assert!(!sitting.tend_clock(false, later(20)));
        assert!(!sitting.tend_clock(false, later(74)));
        assert!(sitting.tend_clock(false, later(75)));
        assert_eq!(sitting.result(), Some(Outcome::Win(Player::One)));
    }

    #[test]
    fn a_resignation_is_taken_back_before_any_turn_and_a_computer_s_turn_with_the_person_s() {
        let now = Instant::now();
        let mut sitting = sitting(["human", "level:1"], "");
        ["c3", "d4", "a1", "f6"].into_iter().for_each(|turn| sitting.play(turn, now).unwrap());
        sitting.resign(Player::One, now);
        assert!(sitting.mover().is_none() && sitting.undo(now));
        assert_eq!((sitting.board.turns_played(), sitting.mover()), (4, Some(Player::One)));
        assert!(sitting.undo(now));
        assert_eq!(sitting.state.session.history(), ["c3", "d4"]);
        assert!(sitting.redo(now) && !sitting.redo(now));
        assert_eq!(sitting.board.history(), ["c3", "d4", "a1", "f6"]);
        assert!(sitting.undo(now) && sitting.undo(now) && !sitting.undo(now));
    }

    #[test]
    fn a_line_that_cannot_be_played_leaves_the_board_where_it_was() {
        let now = Instant::now();
        let line = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let mut sitting = sitting(["human", "human"], "");
        sitting.go_to(&line("c3 d4 a1"), now).unwrap();
        assert!(sitting.go_to(&line("c3 b2 b2"), now).is_err());
        assert_eq!(sitting.board.history(), ["c3", "d4", "a1"]);
    }

    #[test]
    fn values_are_short() {
        let values = [0.0, -0.001, 1.25, -3.0, 12.34, 999_999.0, -1e300];
        assert_eq!(values.map(signed), ["0", "0", "+1.25", "-3", "+12.3", "won", "lost"]);
    }
}
