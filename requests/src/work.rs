//! Requests that need an engine: validated before they are queued, then worked off step by step. The command line,
//! the server and its workers all use this.

use crate::review::Reviewing;
use crate::{Answer, Budget, Desk, Refusal, Request, query, think};
use engine::Stop;

/// A validated request.
pub enum Ready {
    /// Needs an engine.
    Work(Work),
    /// Can be answered immediately.
    Quick(Box<Request>),
}

/// A validated request that needs an engine.
pub enum Work {
    /// A query.
    Query(query::Prepared),
    /// A hint.
    Hint(think::Prepared),
    /// An analysis.
    Analysis(think::Prepared),
    /// A computer player's turn.
    Turn(think::PreparedTurn),
    /// A review.
    Review(Box<Reviewing>),
}

impl Request {
    /// Validates the request and replays its position, so that errors are reported before it is queued.
    pub fn prepare(self, budget: &Budget) -> Result<Ready, Refusal> {
        Ok(Ready::Work(match self {
            Request::Query(query) => Work::Query(query.prepare(budget)?),
            Request::Hint(search) => Work::Hint(search.hint(budget)?),
            Request::Analysis(search) => Work::Analysis(search.analysis(budget)?),
            Request::Turn(turn) => Work::Turn(turn.prepare(budget)?),
            Request::Review(review) => Work::Review(Box::new(review.review(budget)?)),
            quick => return Ok(Ready::Quick(Box::new(quick))),
        }))
    }
}

impl Work {
    /// Does the next part of the work and reports its results; returns whether there is more. The engine may serve
    /// other work between two steps.
    pub fn step(&mut self, desk: &mut Desk, stop: &Stop, tell: &mut dyn FnMut(Answer)) -> bool {
        match self {
            Work::Query(query) => tell(Answer::Query(query.answer(desk, stop))),
            Work::Hint(search) => tell(Answer::Hint(search.hint(desk, stop))),
            Work::Analysis(search) => {
                search.analyse(desk, stop, &mut |news| tell(Answer::Analysis(news)));
            }
            Work::Turn(turn) => tell(Answer::Turn { turn: turn.choose(desk, stop) }),
            Work::Review(review) => {
                let judged = review.step(desk, stop);
                let more = judged.is_some();
                judged.into_iter().for_each(|judged| tell(Answer::Review(judged)));
                return more;
            }
        }
        false
    }
}
