//! Searches for a closed set: picks replies that survive a shallow search and repairs them where they lose.
//!
//! Positions with the attacker to move are added one by one, each with a reply to every turn of the attacker.
//! A position without such replies is lost, and its predecessors are examined again. In the end either the
//! start is lost, or the positions reachable from it form a closed set.

use super::bound::{Bounder, Bounds, Count};
use crate::control::{Meter, Share};
use crate::evaluate::static_eval;
use crate::play::{Play, whole_turns};
use rules::{Outcome, Player};
use std::collections::HashMap;

/// A reply must survive this many turns of the attacker to be chosen.
const LOOKS: [u32; 2] = [2, 3];

/// The result of a search for a closed set.
#[derive(Clone, Debug)]
pub enum Held<G> {
    /// A closed set: positions with the attacker to move, up to symmetry.
    Set(Vec<G>),
    /// The attacker wins, if the evaluator is right.
    Lost,
    /// A limit stopped the search.
    Stopped,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Discovered, without replies yet.
    Pending,
    /// Has a reply to every turn.
    Held,
    Lost,
}

struct Node<G> {
    pos: G,
    state: State,
    /// The positions that its replies lead to.
    replies: Vec<u32>,
    /// Its predecessors; some may since have chosen another reply.
    users: Vec<u32>,
}

/// A reply either ends the game or leads to a position.
#[derive(Clone, Copy)]
enum Reply {
    Ends,
    To(u32),
}

/// A search for a closed set against one player.
pub struct Holder<'a, G: Play> {
    judge: &'a G::Judge,
    attacker: Player,
    bounder: Bounder<'a, G, G::Judge>,
    meter: Meter<'a>,
    nodes: Vec<Node<G>>,
    numbers: HashMap<G, u32>,
    /// Positions to examine, a stack.
    stack: Vec<u32>,
    /// The start.
    first: Option<u32>,
    /// The most positions it may store.
    most: usize,
}

impl<'a, G: Play> Holder<'a, G> {
    /// A search for a closed set against `attacker`.
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

    /// Limits the number of stored positions, at which the search stops.
    #[must_use]
    pub fn at_most(self, most: usize) -> Self {
        Holder { most, ..self }
    }

    /// Whether it has stopped at that limit.
    pub fn is_full(&self) -> bool {
        self.nodes.len() >= self.most
    }

    /// Searches for a closed set that contains a position. Calls `news` now and then with the number of
    /// positions stored and of those still to be examined.
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

    /// Whether a position can be held, once everything reachable from it is settled; `None` if a limit
    /// stopped the search.
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

    /// Finds replies for a position, unless no reply leads to it any more.
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

    /// Whether a position is the start, or a chosen reply leads to it.
    fn is_needed(&self, node: u32) -> bool {
        let relies = |user: &u32| {
            let user = &self.nodes[*user as usize];
            user.state == State::Held && user.replies.contains(&node)
        };
        let users = &self.nodes[node as usize].users;
        self.first == Some(node) || users.iter().any(relies)
    }

    /// Marks a position as lost and its predecessors for another examination.
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

    /// A reply for the defender: one that ends the game, one to a stored position, or the best by static
    /// evaluation of those that survive.
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
                None => new.push((static_eval(self.judge, &canonical), canonical)),
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

    /// Whether the attacker, to move, does not win soon; `None` if a limit stopped the search.
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

    /// Every position reachable through the chosen replies.
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
