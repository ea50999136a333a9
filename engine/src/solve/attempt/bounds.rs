//! The searches that raise bounds: in turns, in quiet moves, and in turns once more by the plain search.

use super::{Attempt, MOST_TURNS, told, writer};
use crate::control::{Control, Limits};
use crate::play::Play;
use crate::solve::bound::{Bounder, Count};
use crate::solve::knowledge::{Within, Writer};
use crate::solve::plain::Plain;
use crate::solve::question::{Method, Win};
use crate::solve::strategy::{extract, line};
use rules::Player;

impl<G: Play> Attempt<'_, G> {
    /// The player and the bound in turns to try next.
    pub(super) fn next_bound(&self) -> Option<(Player, u32)> {
        let excluded =
            if self.keeper.quiet { self.progress.no_quiet } else { self.progress.no_win };
        let turns = |player: Player| excluded[player] + 1;
        let next = self.players().into_iter().min_by_key(|player| turns(*player))?;
        let most = self.settings.most_turns.unwrap_or(MOST_TURNS);
        (turns(next) <= most).then(|| (next, turns(next)))
    }

    /// Raises the bounds in turns as far as the limits of a round allow.
    pub(super) fn bound(&mut self, round: u64) -> Option<Win<G>> {
        let end = self.progress.nodes.saturating_add(round);
        while let Some((player, turns)) = self.next_bound() {
            let left = end.saturating_sub(self.progress.nodes);
            if left == 0 || self.is_over() {
                break;
            }
            match self.try_bound(player, turns, left) {
                None => break,
                Some(None) => self.keeper.keep(&mut self.progress, &writer(&self.table)),
                Some(win) => return win,
            }
        }
        None
    }

    /// The player and the bound in quiet moves to try next.
    pub(super) fn next_quiet(&self) -> Option<(Player, u32)> {
        let bound = |player: Player| self.progress.no_quiet[player] + 1;
        let next = self.players().into_iter().min_by_key(|player| bound(*player))?;
        let own = self.within.as_ref()?.most();
        let most = self.settings.most_turns.map_or(own, |most| most.min(own));
        (bound(next) <= most).then(|| (next, bound(next)))
    }

    /// Raises the bounds in quiet moves as far as the limits of a round allow.
    pub(super) fn quiet(&mut self, round: u64) -> Option<Win<G>> {
        let end = self.progress.nodes.saturating_add(round);
        while let Some((player, bound)) = self.next_quiet() {
            if self.progress.nodes >= end || self.is_over() {
                break;
            }
            let mut within = self.within.take()?;
            let found = self.try_quiet(within.as_mut(), player, bound, end);
            let win = (found == Some(true)).then(|| self.quiet_win(within.as_mut(), player));
            self.within = Some(within);
            match found {
                None => break,
                Some(false) => self.progress.no_quiet[player] = bound,
                Some(true) => return win?,
            }
        }
        None
    }

    /// Whether a player wins before this many quiet moves are made; `None` if a limit stopped the search.
    fn try_quiet(
        &mut self,
        within: &mut dyn Within<G>,
        player: Player,
        bound: u32,
        end: u64,
    ) -> Option<bool> {
        let name = G::INFO.players[player];
        self.progress.doing = format!("{name} within {bound} quiet moves");
        let control = Control::new(&self.limits(u64::MAX), self.stop);
        let end = self.settings.nodes.map_or(end, |most| most.min(end));
        let before = self.progress.nodes - within.nodes().min(self.progress.nodes);
        let (spent, started) = (self.before, self.started);
        let (news, progress, keeper) = (&mut self.news, &mut self.progress, &mut self.keeper);
        let mut go_on = |nodes: u64, table: Writer<'_>| {
            progress.nodes = before + nodes;
            progress.time = spent + started.elapsed();
            news(progress);
            if keeper.quiet {
                keeper.keep_if_due(progress, table);
            }
            let late = control.limits().time.is_some_and(|most| control.elapsed() >= most);
            !self.stop.is_stopped() && !late && progress.nodes < end
        };
        let found = within.wins(self.pos, player, bound, &mut go_on);
        self.progress.nodes = before + within.nodes();
        self.progress.used = Some(within.used());
        found
    }

    /// Extracts the strategy of a win that the game's own search has found.
    fn quiet_win(&mut self, within: &mut dyn Within<G>, player: Player) -> Option<Win<G>> {
        if self.keeper.quiet {
            self.keeper.keep(&mut self.progress, &|out| within.write(out));
        }
        let before = self.progress.nodes - within.nodes().min(self.progress.nodes);
        let strategy =
            extract(within, self.pos, &mut told(self.news, &mut self.progress, self.stop))?;
        let moves = line(within, &strategy, self.pos);
        self.progress.nodes = before + within.nodes();
        let turns = strategy.within;
        let certificate = Some(Box::new(self.certificate(player, strategy)));
        let win = Win { player, turns, exact: false, line: moves, certificate };
        let spent = self.progress.nodes;
        Some(if self.settings.method == Method::All { self.sharpen(win, spent) } else { win })
    }

    /// Whether a player can force a win within this many turns; `None` if a limit stopped the search.
    #[allow(clippy::option_option)]
    pub(super) fn try_bound(
        &mut self,
        player: Player,
        turns: u32,
        round: u64,
    ) -> Option<Option<Win<G>>> {
        if self.settings.method == Method::Plain {
            return self.try_plain(player, turns);
        }
        let quiet = self.settings.method == Method::Quiet;
        let count = if quiet { Count::Quiet } else { Count::Turns };
        let bound = match count {
            Count::Quiet => turns,
            Count::Turns => self.plies(player, turns),
        };
        let name = G::INFO.players[player];
        self.progress.doing =
            format!("{name} within {turns} {}", if quiet { "quiet turns" } else { "turns" });
        let control = Control::new(&self.limits(round), self.stop);
        let nodes = self.progress.nodes;
        let (news, progress) = (&mut self.news, &mut self.progress);
        let (before, started) = (self.before, self.started);
        let mut watch = || {
            progress.nodes = nodes + control.nodes();
            progress.time = before + started.elapsed();
            news(progress);
        };
        let mut bounder = Bounder::new(&self.judge, &mut self.bounds, &control, player, count);
        bounder = bounder.watched(&mut watch);
        let found = bounder.wins(self.pos, bound);
        let spent = bounder.nodes();
        drop(bounder);
        self.progress.nodes = nodes + spent;
        if found != Some(true) {
            found?;
            match count {
                Count::Quiet => self.progress.no_quiet[player] = turns,
                Count::Turns => self.progress.no_win[player] = turns,
            }
            return Some(None);
        }
        let control = Control::new(&Limits::default(), self.stop);
        let mut bounder = Bounder::new(&self.judge, &mut self.bounds, &control, player, count);
        if bounder.wins(self.pos, bound) != Some(true) {
            return None;
        }
        let stop = self.stop;
        let strategy = extract(&mut bounder, self.pos, &mut |_| !stop.is_stopped());
        let line = match &strategy {
            Some(strategy) if quiet => line(&bounder, strategy, self.pos),
            _ => bounder.line(self.pos, bound),
        };
        let spent = bounder.nodes();
        drop(bounder);
        self.progress.nodes += spent;
        // Where the loser's own move ends the game, the winner needs no move after it.
        let turns = match &strategy {
            Some(strategy) if quiet => strategy.within,
            Some(strategy) => turns.min(strategy.within),
            None => turns,
        };
        let certificate = strategy.map(|strategy| Box::new(self.certificate(player, strategy)));
        Some(Some(Win { player, turns, exact: !quiet, line, certificate }))
    }

    /// Turns of both players in which a player has this many.
    fn plies(&self, player: Player, turns: u32) -> u32 {
        2 * turns - u32::from(player == self.pos.turn())
    }

    /// The same as `try_bound` by the plain search, which writes no strategy down.
    #[allow(clippy::option_option)]
    fn try_plain(&mut self, player: Player, turns: u32) -> Option<Option<Win<G>>> {
        let name = G::INFO.players[player];
        self.progress.doing = format!("{name} within {turns} turns, plainly");
        let control = Control::new(&self.limits(u64::MAX), self.stop);
        let bound = self.plies(player, turns);
        let (nodes, started) = (self.progress.nodes, self.started);
        let (news, progress) = (&mut self.news, &mut self.progress);
        let mut watch = || {
            progress.nodes = nodes + control.nodes();
            progress.time = started.elapsed();
            news(progress);
        };
        let mut plain = Plain::new(&mut self.plain[player], &control, player, &mut watch);
        let found = plain.wins(self.pos, bound);
        let spent = plain.nodes();
        drop(plain);
        self.progress.nodes = nodes + spent;
        if found? {
            let line = Vec::new();
            return Some(Some(Win { player, turns, exact: true, line, certificate: None }));
        }
        self.progress.no_win[player] = turns;
        Some(None)
    }
}
