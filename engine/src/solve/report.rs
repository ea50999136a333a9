//! Solving and checking with the game type erased, as commands see it.

use super::certificate::{Certificate, Fault};
use super::check::{Checked, verify};
use super::question::{Progress, Settings, Verdict, solve};
use crate::control::Stop;
use crate::play::Play;
use crate::session::{Match, Session};
use crate::thinker::turn_texts;
use rules::Player;

/// A win, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WinView {
    /// Who wins.
    pub player: Player,
    /// In how many of the winner's turns at most.
    pub turns: u32,
    /// Whether there is no quicker win.
    pub exact: bool,
    /// A line that shows it, turn by turn.
    pub line: Vec<String>,
    /// The certificate, if there is one, and how many positions it stores.
    pub certificate: Option<(String, usize)>,
}

/// What an attempt has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The win, if one was found.
    pub win: Option<WinView>,
    /// What was spent, and what is excluded.
    pub progress: Progress,
}

/// A certificate that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven {
    /// The position that is won, in one line.
    pub position: String,
    /// Who wins it.
    pub winner: Player,
    /// In how many moves of the winner at most.
    pub within: u32,
    /// What the check has looked at.
    pub checked: Checked,
}

/// Solves the position of a match; nothing if it is another game's.
pub(crate) fn solve_match<G: Play>(
    game: &dyn Session,
    settings: &Settings,
    stop: &Stop,
    news: &mut dyn FnMut(&Progress),
) -> Result<Report, String> {
    let Some(game) = game.as_any().downcast_ref::<Match<G>>() else {
        return Err(format!("this is not a match of {}", G::INFO.name));
    };
    let answer = solve(game.position(), settings, stop, news)?;
    let win = match answer.verdict {
        Verdict::Open => None,
        Verdict::Win(win) => Some(WinView {
            player: win.player,
            turns: win.turns,
            exact: win.exact,
            line: turn_texts(game.position(), &win.line),
            certificate: win.certificate.map(|proof| (proof.write(), proof.stored.len())),
        }),
    };
    Ok(Report { win, progress: answer.progress })
}

/// Reads and checks a certificate of this game.
pub(crate) fn verify_text<G: Play>(
    text: &str,
    news: &mut dyn FnMut(usize, usize),
) -> Result<Proven, Fault> {
    let certificate = Certificate::<G>::read(text)?;
    let all = certificate.stored.len();
    let checked = verify(&certificate, &mut |done| news(done, all))?;
    let Certificate { start, winner, within, .. } = certificate;
    Ok(Proven { position: start.text(), winner, within, checked })
}
