//! Looks for a closed set: replies that survive a short look, mended wherever one turns out to lose.
//!
//! Positions with the attacker to move are taken in one after the other, each with a reply to every turn
//! of the attacker. A position without one is lost, and those that rely on it are looked at again. In the
//! end the start is lost, or what can be reached from it is closed.

use super::bound::{Bounder, Bounds, Count};
use crate::control::{Meter, Share};
use crate::evaluate::glance;
use crate::play::{Play, whole_turns};
use rules::{Outcome, Player};
use std::collections::HashMap;

/// How many turns of the attacker a reply must survive before it is chosen.
const LOOKS: [u32; 2] = [2, 3];

/// How an attempt to hold a position ends.
#[derive(Clone, Debug)]
pub enum Held<G> {
    /// A closed set: positions with the attacker to move, of all images one.
    Set(Vec<G>),
    /// The attacker wins, as far as the judgement is right.
    Lost,
    /// A limit has ended it.
    Stopped,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// It has been met, and has no replies yet.
    Pending,
    /// It has a reply to every turn.
    Held,
    Lost,
}

struct Node<G> {
    pos: G,
    state: State,
    /// The positions that its replies lead to.
    replies: Vec<u32>,
    /// Positions that have relied on it; some may do so no longer.
    users: Vec<u32>,
}

/// A reply: it ends the game, or leads to a position.
#[derive(Clone, Copy)]
enum Reply {
    Ends,
    To(u32),
}

/// An attempt to hold a position against one player.
pub struct Holder<'a, G: Play> {
    judge: &'a G::Judge,
    attacker: Player,
    bounder: Bounder<'a, G, G::Judge>,
    meter: Meter<'a>,
    nodes: Vec<Node<G>>,
    numbers: HashMap<G, u32>,
    /// Positions to look at, the latest first.
    stack: Vec<u32>,
    /// The one that is to be held.
    first: Option<u32>,
    /// How many positions it may have in hand.
    most: usize,
}

impl<'a, G: Play> Holder<'a, G> {
    /// Wants to show that the attacker cannot force a win.
    pub fn new(
        judge: &'a G::Judge,
        bounds: &'a mut Bounds,
        share: impl Into<Share<'a>>,
        attacker: Player,
    ) -> Self {
        let share = share.into();
        Holder {
            judge,
            attacker,
            bounder: Bounder::new(judge, bounds, share, attacker, Count::Turns),
            meter: share.meter(),
            nodes: Vec::new(),
            numbers: HashMap::new(),
            stack: Vec::new(),
            first: None,
            most: usize::MAX,
        }
    }

    /// The same attempt, which is stopped when it has so many positions in hand.
    #[must_use]
    pub fn at_most(self, most: usize) -> Self {
        Holder { most, ..self }
    }

    /// Whether it has as many positions in hand as it may.
    pub fn is_full(&self) -> bool {
        self.nodes.len() >= self.most
    }

    /// Looks for a closed set that holds a position. Calls `news` now and then with the number of
    /// positions in hand and of those still to be looked at.
    pub fn hold(&mut self, start: &G, news: &mut dyn FnMut(usize, usize)) -> Held<G> {
        if let Some(outcome) = start.outcome() {
            let lost = outcome == Outcome::Win(self.attacker);
            return if lost { Held::Lost } else { Held::Set(Vec::new()) };
        }
        loop {
            let first = if start.turn() == self.attacker {
                Some(Reply::To(self.number(start)))
            } else {
                self.choose(start)
            };
            let first = match first {
                _ if self.meter.is_stopped() => return Held::Stopped,
                None => return Held::Lost,
                Some(Reply::Ends) => return Held::Set(Vec::new()),
                Some(Reply::To(first)) => first,
            };
            match self.settle(first, news) {
                None => return Held::Stopped,
                Some(true) => return Held::Set(self.reached(first)),
                Some(false) if start.turn() == self.attacker => return Held::Lost,
                Some(false) => {}
            }
        }
    }

    /// Whether a position is held once everything that follows from it is; nothing if it was stopped.
    fn settle(&mut self, first: u32, news: &mut dyn FnMut(usize, usize)) -> Option<bool> {
        self.stack.push(first);
        self.first = Some(first);
        let mut steps = 0u32;
        loop {
            while let Some(node) = self.stack.pop() {
                self.look_at(node);
                steps += 1;
                if steps.is_multiple_of(64) {
                    news(self.nodes.len(), self.stack.len());
                }
                if self.meter.tick() || self.is_full() {
                    return None;
                }
            }
            if self.nodes[first as usize].state == State::Lost {
                return Some(false);
            }
            let pending = self.pending(first);
            if pending.is_empty() {
                return Some(true);
            }
            self.stack = pending;
        }
    }

    /// Finds replies for a position, unless nobody relies on it any more.
    fn look_at(&mut self, node: u32) {
        let at = node as usize;
        if self.nodes[at].state != State::Pending || !self.is_needed(node) {
            return;
        }
        let pos = self.nodes[at].pos.clone();
        let mut replies = Vec::new();
        for (_, next) in whole_turns(&pos) {
            let reply = match next.outcome() {
                Some(outcome) if outcome == Outcome::Win(self.attacker) => None,
                Some(_) => Some(Reply::Ends),
                None => self.choose(&next),
            };
            match reply {
                Some(Reply::Ends) => {}
                Some(Reply::To(to)) if replies.contains(&to) => {}
                Some(Reply::To(to)) => replies.push(to),
                None if self.meter.is_stopped() => return,
                None => return self.lose(at),
            }
        }
        for to in &replies {
            let other = &mut self.nodes[*to as usize];
            if other.state == State::Pending {
                self.stack.push(*to);
            }
            if !other.users.contains(&node) {
                other.users.push(node);
            }
        }
        self.nodes[at].replies = replies;
        self.nodes[at].state = State::Held;
    }

    /// Whether a position is the first one, or another's reply leads to it.
    fn is_needed(&self, node: u32) -> bool {
        let relies = |user: &u32| {
            let user = &self.nodes[*user as usize];
            user.state == State::Held && user.replies.contains(&node)
        };
        let users = &self.nodes[node as usize].users;
        self.first == Some(node) || users.iter().any(relies)
    }

    /// A position is lost: whoever relies on it has to be looked at again.
    fn lose(&mut self, at: usize) {
        self.nodes[at].state = State::Lost;
        self.nodes[at].replies = Vec::new();
        for user in std::mem::take(&mut self.nodes[at].users) {
            let relies = self.nodes[user as usize].replies.contains(&(at as u32));
            if relies && self.nodes[user as usize].state == State::Held {
                self.nodes[user as usize].state = State::Pending;
                self.stack.push(user);
            }
        }
    }

    /// A reply for the defender: one that ends the game, one to a position in hand, or else the one that
    /// looks best of those that survive.
    fn choose(&mut self, pos: &G) -> Option<Reply> {
        let mut new = Vec::new();
        let mut known: Option<u32> = None;
        for (_, next) in whole_turns(pos) {
            match next.outcome() {
                Some(outcome) if outcome != Outcome::Win(self.attacker) => {
                    return Some(Reply::Ends);
                }
                Some(_) => continue,
                None => {}
            }
            let canonical = next.canonical().0;
            match self.numbers.get(&canonical).map(|number| (*number, self.state(*number))) {
                Some((_, State::Lost)) => {}
                Some((number, State::Held)) => return Some(Reply::To(number)),
                Some((number, State::Pending)) => known = known.or(Some(number)),
                None => new.push((glance(self.judge, &canonical), canonical)),
            }
        }
        if let Some(number) = known {
            return Some(Reply::To(number));
        }
        new.sort_by_key(|(score, _)| *score);
        for (_, pos) in new {
            let survives = self.survives(&pos)?;
            let number = self.number(&pos);
            if survives {
                return Some(Reply::To(number));
            }
            self.nodes[number as usize].state = State::Lost;
        }
        None
    }

    fn state(&self, number: u32) -> State {
        self.nodes[number as usize].state
    }

    /// Whether the attacker, who is to move, does not win soon; nothing if it was stopped.
    fn survives(&mut self, pos: &G) -> Option<bool> {
        for turns in LOOKS {
            if self.meter.tick() {
                return None;
            }
            if self.bounder.wins(pos, 2 * turns - 1)? {
                return Some(false);
            }
        }
        Some(true)
    }

    fn number(&mut self, pos: &G) -> u32 {
        let canonical = pos.canonical().0;
        if let Some(number) = self.numbers.get(&canonical) {
            return *number;
        }
        let number = self.nodes.len() as u32;
        self.numbers.insert(canonical.clone(), number);
        let (replies, users) = (Vec::new(), Vec::new());
        self.nodes.push(Node { pos: canonical, state: State::Pending, replies, users });
        number
    }

    /// What the replies lead to from here, in any number of turns.
    fn reachable(&self, first: u32) -> Vec<u32> {
        let mut seen = vec![false; self.nodes.len()];
        let (mut all, mut next) = (vec![first], 0);
        seen[first as usize] = true;
        while let Some(node) = all.get(next).copied() {
            next += 1;
            for reply in &self.nodes[node as usize].replies {
                if !std::mem::replace(&mut seen[*reply as usize], true) {
                    all.push(*reply);
                }
            }
        }
        all
    }

    fn pending(&self, first: u32) -> Vec<u32> {
        let is_held = |node: &u32| self.nodes[*node as usize].state == State::Held;
        self.reachable(first).into_iter().filter(|node| !is_held(node)).collect()
    }

    fn reached(&self, first: u32) -> Vec<G> {
        let pos = |node: u32| self.nodes[node as usize].pos.clone();
        self.reachable(first).into_iter().map(pos).collect()
    }
}
