//! Why a turn was a mistake, in one sentence that follows from the rules and the engine's lines.
//!
//! Every sentence comes with the turns that it mentions, so that a page can play them out. If none of the sentences
//! applies, there is none.

use crate::lessons::wins_at_once;
use engine::Session;
use rules::diagram::{Diagram, Look, Piece};
use rules::{Edit, Outcome, Player, spoken};
use serde::Serialize;

/// A reason, and the turns that show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Why {
    /// What kind of reason it is.
    pub kind: Kind,
    /// The reason, as a sentence.
    pub text: String,
    /// The turns that show it, starting from the position before the mistake.
    pub line: Vec<String>,
}

/// The kinds of reasons, most obvious first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WhyKind"))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A better turn would have won at once.
    Missed,
    /// The reply wins at once.
    Allowed,
    /// A proof says that the turn throws away the win or the draw.
    Proved,
    /// The turn, or the reply, leaves the opponent ahead in what decides the game.
    Behind,
    /// A better turn would have taken the lead in what decides the game.
    Ahead,
    /// The reply wins by force, as the line shows to the end.
    Lost,
    /// A better turn would have won by force, as the line shows to the end.
    Won,
    /// The reply captures something.
    Taken,
    /// A better turn would have captured something.
    Takes,
    /// A better turn would have threatened to win.
    Threat,
    /// The reply threatens to win.
    Danger,
}

/// A mistake, in the position where it was played.
pub(crate) struct Mistake<'a> {
    /// The game before the turn.
    pub before: &'a dyn Session,
    pub played: &'a str,
    /// The best line instead.
    pub better: &'a [String],
    /// The opponent's best line afterwards.
    pub answer: &'a [String],
    /// The proven winner after the turn, nobody for a draw; none unless both values are proven.
    pub proved: Option<Option<Player>>,
}

impl Mistake<'_> {
    /// The most obvious reason that applies.
    pub fn why(&self) -> Option<Why> {
        self.missed()
            .or_else(|| self.allowed())
            .or_else(|| self.by_proof())
            .or_else(|| self.behind())
            .or_else(|| self.ahead())
            .or_else(|| self.lost())
            .or_else(|| self.won())
            .or_else(|| self.taken())
            .or_else(|| self.takes())
            .or_else(|| self.threat())
            .or_else(|| self.danger())
    }

    fn mover(&self) -> Player {
        self.before.turn()
    }

    fn name(&self, player: Player) -> &'static str {
        self.before.info().players[player]
    }

    /// The game after some turns; none if one of them is not legal.
    fn after<'t>(&self, turns: impl IntoIterator<Item = &'t str>) -> Option<Box<dyn Session>> {
        let mut session = self.before.boxed_clone();
        turns.into_iter().try_for_each(|turn| session.play(turn)).ok()?;
        Some(session)
    }

    fn because(&self, kind: Kind, text: String, line: &[&str]) -> Option<Why> {
        let line = line.iter().map(|turn| (*turn).to_owned()).collect();
        Some(Why { kind, text, line })
    }

    fn missed(&self) -> Option<Why> {
        let better = self.better.first()?;
        let end = self.after([better.as_str()])?;
        if end.result() != Some(Outcome::Win(self.mover())) {
            return None;
        }
        let how = end.diagram().status;
        self.because(Kind::Missed, format!("{better} wins at once: {how}."), &[better])
    }

    fn allowed(&self) -> Option<Why> {
        let (played, answer) = (self.played, self.answer.first()?);
        let end = self.after([played, answer])?;
        let other = self.mover().other();
        if end.result() != Some(Outcome::Win(other)) {
            return None;
        }
        let how = end.diagram().status;
        let prevents = self.better.first().filter(|better| {
            let next = self.after([better.as_str()]);
            next.is_some_and(|next| next.result().is_none() && !wins_at_once(next.as_ref()))
        });
        let more = prevents.map_or(String::new(), |better| format!(" {better} prevents that."));
        let text = format!("After {played}, {answer} wins at once: {how}.{more}");
        self.because(Kind::Allowed, text, &[played, answer])
    }

    fn by_proof(&self) -> Option<Why> {
        let played = self.played;
        let text = match self.proved? {
            Some(winner) => {
                format!("After {played} {} wins by force; this is proved.", self.name(winner))
            }
            None => format!("After {played} nobody can force a win; this is proved."),
        };
        let answer = self.answer.first().map(String::as_str);
        let line: Vec<_> = [played].into_iter().chain(answer).collect();
        self.because(Kind::Proved, text, &line)
    }

    /// How many turns the winner needs, if the line reaches the end of the game.
    fn forced(&self, line: &[&str], winner: Player) -> Option<usize> {
        let end = self.after(line.iter().copied())?;
        let own = end.turns_played() - self.before.turns_played();
        let own = if winner == self.mover() { own.div_ceil(2) } else { own / 2 };
        (end.result() == Some(Outcome::Win(winner)) && own > 1).then_some(own)
    }

    fn lost(&self) -> Option<Why> {
        let (played, other) = (self.played, self.mover().other());
        let line: Vec<_> =
            [played].into_iter().chain(self.answer.iter().map(String::as_str)).collect();
        let turns = self.forced(&line, other)?;
        let (name, answer) = (self.name(other), self.answer.first()?);
        let text = format!("After {played} {name} wins in {turns} turns, beginning with {answer}.");
        self.because(Kind::Lost, text, &line)
    }

    fn won(&self) -> Option<Why> {
        let line: Vec<_> = self.better.iter().map(String::as_str).collect();
        let turns = self.forced(&line, self.mover())?;
        let text = format!("{} wins in {turns} turns.", line.first()?);
        self.because(Kind::Won, text, &line)
    }

    /// What a player leads in after these turns.
    fn leads(&self, who: Player, turns: &[&str]) -> Option<String> {
        let (leader, what) = self.after(turns.iter().copied())?.lead()?;
        (leader == who).then_some(what)
    }

    /// What a player takes the lead in with the last of these turns, unless the next turn of the line takes it back.
    fn gains(&self, who: Player, turns: &[&str], next: Option<&String>) -> Option<String> {
        let (_, before) = turns.split_last()?;
        let lasts = |next: &String| self.leads(who, &[turns, &[next]].concat()).is_some();
        let what = self.leads(who, turns)?;
        (self.leads(who, before).is_none() && next.is_none_or(lasts)).then_some(what)
    }

    fn behind(&self) -> Option<Why> {
        let (played, other, better) = (self.played, self.mover().other(), self.better.first()?);
        let kept: Vec<_> = self.better.iter().take(2).map(String::as_str).collect();
        if self.leads(other, &[better]).is_some() || self.leads(other, &kept).is_some() {
            return None;
        }
        let name = self.name(other);
        if let Some(what) = self.leads(other, &[played]) {
            return self.because(
                Kind::Behind,
                format!("After {played} {name} has {what}."),
                &[played],
            );
        }
        let turns = [played, self.answer.first()?];
        let what = self.gains(other, &turns, self.answer.get(1))?;
        let text = format!("After {played}, {} gives {name} {what}.", turns[1]);
        self.because(Kind::Behind, text, &turns)
    }

    fn ahead(&self) -> Option<Why> {
        let (mover, better) = (self.mover(), self.better.first()?);
        let what = self.gains(mover, &[better], self.better.get(1))?;
        if self.leads(mover, &[self.played]).is_some() {
            return None;
        }
        let text = format!("{better} gives {} {what}.", self.name(mover));
        self.because(Kind::Ahead, text, &[better])
    }

    fn taken(&self) -> Option<Why> {
        let (played, answer) = (self.played, self.answer.first()?);
        let what = takes(self.after([played])?.as_ref(), answer)?;
        self.because(Kind::Taken, format!("After {played}, {answer} {what}."), &[played, answer])
    }

    fn takes(&self) -> Option<Why> {
        let better = self.better.first()?;
        let what = takes(self.before, better)?;
        self.because(Kind::Takes, format!("{better} {what}."), &[better])
    }

    fn threat(&self) -> Option<Why> {
        let better = self.better.first()?;
        let then = threat(self.after([better.as_str()])?.as_ref())?;
        let text = format!("{better} threatens {then}.");
        self.because(Kind::Threat, text, &[better])
    }

    fn danger(&self) -> Option<Why> {
        let (played, answer) = (self.played, self.answer.first()?);
        let then = threat(self.after([played, answer])?.as_ref())?;
        let text = format!("After {played}, {answer} threatens {then}.");
        self.because(Kind::Danger, text, &[played, answer])
    }
}

/// The turn with which the player who has just moved would win if it were their turn again, and how: "c3, which would
/// win with three in a row".
fn threat(session: &dyn Session) -> Option<String> {
    if session.result().is_some() || session.in_turn() {
        return None;
    }
    let again = session.edited(Edit::Turn(session.turn().other())).ok()?;
    let won = Some(Outcome::Win(again.turn()));
    let turn = again.children().into_iter().find(|child| child.outcome == won)?.turn;
    let mut end = again;
    end.play(&turn).ok()?;
    let status = end.diagram().status;
    let how = status.split_once(" has won").map_or("", |(_, how)| how);
    Some(format!("{turn}, which would win{how}"))
}

/// What a turn captures, to complete a sentence: "takes the black knight on d4".
fn takes(session: &dyn Session, turn: &str) -> Option<String> {
    let other = session.turn().other();
    let before = session.diagram();
    let mut next = session.boxed_clone();
    next.play(turn).ok()?;
    let (after, traces) = (next.diagram(), next.last_traces());
    let of_other = |piece: &&Piece| piece.owner == other;
    let mut words = Vec::new();
    for travel in traces.iter().flat_map(|trace| &trace.travels) {
        let (cell, verb) = match travel.to {
            None => (travel.from, "off"),
            Some(to) => (to, "on"),
        };
        let Some(piece) = before.cells.get(cell)?.piece.as_ref().filter(of_other) else { continue };
        let stays = after.cells.get(cell)?.piece.as_ref().is_some_and(|piece| of_other(&piece));
        let words_of = |verb: &str| format!("{verb} the {}", named(&before, cell));
        match (verb, &piece.look) {
            ("off", _) => words.push(words_of("pushes") + " off the board"),
            _ if stays => {}
            (_, Look::Marker) => {}
            (_, Look::Tower { .. }) => words.push(words_of("tops")),
            (_, Look::Knight | Look::Stack(_)) => words.push(words_of("takes")),
        }
    }
    words.dedup();
    (!words.is_empty()).then(|| words.join(" and "))
}

/// The theme of a turn: `capture`, `push` (off the board), `top` (of a tower), or `quiet`.
pub(crate) fn theme(session: &dyn Session, turn: &str) -> &'static str {
    match takes(session, turn).as_deref().and_then(|words| words.split(' ').next()) {
        Some("takes") => "capture",
        Some("pushes") => "push",
        Some("tops") => "top",
        _ => "quiet",
    }
}

/// The piece on a cell: "black knight on d4".
fn named(diagram: &Diagram, cell: usize) -> String {
    let drawn = &diagram.cells[cell];
    let said = spoken::cell(diagram, drawn);
    let rest = said.strip_prefix(drawn.name.as_str()).unwrap_or(&said).trim_start_matches(", ");
    let rest = rest.trim_start_matches("goal, ");
    let piece = rest.split(", from").next().unwrap_or(rest);
    format!("{piece} on {}", drawn.name)
}

#[cfg(test)]
mod tests;
