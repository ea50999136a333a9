//! Solving and checking with the game type erased, as commands see it.

use super::certificate::{Certificate, Claim, Fault, Proof};
use super::check::{Checked, verify};
use super::knowledge::Prove;
use super::question::{Progress, Settings, Verdict, solve};
use crate::control::Stop;
use crate::play::Play;
use crate::session::{Match, Session};
use crate::thinker::turn_texts;
use rules::{ByPlayer, Player};

/// A win, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WinView {
    /// Who wins.
    pub player: Player,
    /// Upper bound of the win distance, in turns of the winner.
    pub turns: u32,
    /// Whether that is the exact win distance.
    pub exact: bool,
    /// A line that shows it, turn by turn.
    pub line: Vec<String>,
    /// The certificate, if there is one, and the number of its stored positions.
    pub certificate: Option<(String, usize)>,
}

/// Closed sets, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawView {
    /// Who cannot force a win.
    pub against: Vec<Player>,
    /// The certificate, and the number of its stored positions against each player.
    pub certificate: (String, ByPlayer<usize>),
}

/// The result of an attempt, as text.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The win, if one was found.
    pub win: Option<WinView>,
    /// The proof that nobody whose win was searched can force one, if found.
    pub draw: Option<DrawView>,
    /// What was spent and what is ruled out.
    pub progress: Progress,
    /// What quiet moves are, if the game counts them.
    pub quiet_means: Option<&'static str>,
}

/// A certificate that has passed its check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven {
    /// The claim's position, in one line.
    pub position: String,
    /// What is proven about it.
    pub claim: Claim,
    /// Statistics of the check.
    pub checked: Checked,
}

/// Solves the position of a match of this game.
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
    let (mut win, mut draw) = (None, None);
    match answer.verdict {
        Verdict::Open => {}
        Verdict::Win(found) => {
            win = Some(WinView {
                player: found.player,
                turns: found.turns,
                exact: found.exact,
                line: turn_texts(game.position(), &found.line),
                certificate: found.certificate.map(|proof| (proof.write(), proof.stored.len())),
            });
        }
        Verdict::Draw(closed) => {
            let mut sizes = ByPlayer::both(0);
            closed.stored.keys().for_each(|pos| sizes[pos.turn()] += 1);
            let certificate = (closed.write(), sizes);
            draw = Some(DrawView { against: closed.against, certificate });
        }
    }
    let quiet_means = G::Judge::default().quiet_means();
    Ok(Report { win, draw, progress: answer.progress, quiet_means })
}

/// Reads and checks a certificate of this game.
pub(crate) fn verify_text<G: Play>(
    text: &str,
    news: &mut dyn FnMut(usize, usize),
) -> Result<Proven, Fault> {
    match Proof::<G>::read(text)? {
        Proof::Win(certificate) => {
            let all = certificate.stored.len();
            let checked = verify(&certificate, &mut |done| news(done, all))?;
            let Certificate { start, winner: player, within, .. } = certificate;
            let claim = Claim::Wins { player, within };
            Ok(Proven { position: start.text(), claim, checked })
        }
        Proof::Closed(closed) => {
            let all = closed.stored.len();
            let checked = closed.verify(&mut |done| news(done, all))?;
            Ok(Proven { position: closed.start.text(), claim: closed.claim(), checked })
        }
    }
}
