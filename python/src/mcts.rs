//! Monte Carlo tree search in many games at once, with a network that evaluates all leaves together.
//!
//! Selection is AlphaZero's PUCT, or that of Gumbel AlphaZero. A leaf that waits for the network counts as lost on its
//! path (virtual loss), so that several leaves of one tree can wait at the same time. Ends of games make results
//! certain (as in MCTS-Solver), and a move whose result is certain counts as just that. Trees share nothing: what a
//! game's search finds depends on its own random numbers and the network's answers alone, not on threads.

mod forest;
mod gumbel;
mod noise;

pub use forest::{Forest, Trees};

use crate::actions::Numbered;
use crate::batch::{Occurred, Reason, Slot, Terms, reason};
use gumbel::Arm;
use noise::{dirichlet, unit};
use rules::random::Random;
use rules::{Outcome, Player};
use std::collections::VecDeque;

/// How a search chooses.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How much priors and few visits count against values.
    pub exploration: f32,
    /// The share of noise in the priors of the root.
    pub noise: f32,
    /// The concentration of the noise; by default 10 divided by the number of legal moves.
    pub alpha: Option<f64>,
    /// Whether the network sees each leaf turned or mirrored by chance.
    pub symmetries: bool,
    /// How many leaves of a tree may wait for the network at once.
    pub parallel: usize,
    /// How many moves of the root a search with Gumbel noise considers; none if it goes by PUCT.
    pub gumbel: usize,
}

const NONE: u32 = u32::MAX;
/// How many simulations may end with the game before Ctrl-C is checked: in a decided position all of them do.
const MOST_ENDS: u32 = 256;

#[derive(Clone)]
struct Node<G> {
    pos: G,
    /// How often the position has occurred before, in the game and on the path.
    before: usize,
    /// Whether no earlier position can occur after it.
    settled: bool,
    parent: u32,
    /// Where its edges begin, once the network has evaluated it.
    first: u32,
    edges: u32,
    visits: u32,
    /// The sum of all values to the player to move here.
    total: f32,
    /// The network's value to that player.
    value: f32,
    /// The game's result for player 1, if it is over or certain.
    end: Option<f32>,
}

#[derive(Clone, Copy)]
struct Edge<M> {
    m: M,
    prior: f32,
    visits: u32,
    /// Visits that wait for the network.
    waiting: u32,
    /// The sum of all values to the player who makes the move.
    total: f32,
    /// The move's certain result for that player, if known.
    certain: Option<f32>,
    child: u32,
}

/// A leaf that waits for the network.
struct Leaf<M> {
    node: u32,
    path: Vec<(u32, u32)>,
    moves: Vec<M>,
    /// Which image of it the network sees.
    image: usize,
}

struct Tree<G: Numbered> {
    nodes: Vec<Node<G>>,
    edges: Vec<Edge<G::Move>>,
    leaves: Vec<Leaf<G::Move>>,
    /// The noise of the root's edges, if there is any.
    noise: Vec<f32>,
    random: Random,
    left: u32,
    /// How many simulations were allowed.
    allowed: u32,
    /// How many visits the moves have that are considered in each simulation.
    plan: Vec<u32>,
    /// The game that it is about, and how many moves that has had at the root.
    episode: (u64, u32),
    past: Vec<u64>,
    recent: VecDeque<Occurred<G>>,
}

enum Went {
    /// A game ended: the simulation is done.
    End,
    /// A leaf waits.
    Leaf,
    /// All promising paths lead to leaves that wait.
    Blocked,
}

impl<G: Numbered> Tree<G> {
    fn new(slot: &Slot<G>, random: Random) -> Tree<G> {
        let mut tree = Tree {
            nodes: Vec::new(),
            edges: Vec::new(),
            leaves: Vec::new(),
            noise: Vec::new(),
            random,
            left: 0,
            allowed: 0,
            plan: Vec::new(),
            episode: (slot.episode, slot.count),
            past: slot.past.clone(),
            recent: slot.recent.clone(),
        };
        tree.nodes.push(node(slot.pos.clone(), slot.before, NONE, None));
        tree
    }

    /// Makes the root the position of a game, and keeps what is known about it.
    fn follow(&mut self, slot: &Slot<G>, settings: &Settings) {
        self.noise.clear();
        self.stand_at(slot, settings);
        // A root that the network has not evaluated yet gets its noise afterwards.
        if self.nodes[0].edges > 0 {
            self.draw_noise(settings);
        }
    }

    fn stand_at(&mut self, slot: &Slot<G>, settings: &Settings) {
        let (episode, count) = self.episode;
        if settings.gumbel > 0 {
            *self = Tree::new(slot, self.random);
            return;
        }
        if episode == slot.episode && count == slot.count && self.nodes[0].pos == slot.pos {
            return;
        }
        let known = (episode == slot.episode && count + 1 == slot.count)
            .then(|| {
                self.child(slot.last?).filter(|child| self.nodes[*child as usize].pos == slot.pos)
            })
            .flatten();
        match known {
            Some(child) => {
                self.keep(child);
                self.episode = (slot.episode, slot.count);
                (self.past, self.recent) = (slot.past.clone(), slot.recent.clone());
            }
            None => *self = Tree::new(slot, self.random),
        }
    }

    fn child(&self, m: G::Move) -> Option<u32> {
        let edge = self.of(0).iter().find(|edge| edge.m == m)?;
        (edge.child != NONE).then_some(edge.child)
    }

    /// Drops everything but the subtree of a node.
    fn keep(&mut self, root: u32) {
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        let mut todo = VecDeque::from([(root, NONE)]);
        while let Some((old, parent)) = todo.pop_front() {
            let (own, first) = (nodes.len() as u32, edges.len() as u32);
            let mut node = Node { parent, first, ..self.nodes[old as usize].clone() };
            node.first = first;
            for edge in self.of(old) {
                edges.push(Edge { child: NONE, ..*edge });
                if edge.child != NONE {
                    // Filled in below, when its number is known: children are numbered in this order.
                    let number = own + 1 + todo.len() as u32;
                    if let Some(last) = edges.last_mut() {
                        last.child = number;
                    }
                    todo.push_back((edge.child, own));
                }
            }
            nodes.push(node);
        }
        nodes[0].end = None;
        (self.nodes, self.edges) = (nodes, edges);
    }

    fn of(&self, node: u32) -> &[Edge<G::Move>] {
        let node = &self.nodes[node as usize];
        &self.edges[node.first as usize..(node.first + node.edges) as usize]
    }

    /// The moves of a node as the search with Gumbel noise sees them.
    fn arms(&self, at: u32) -> Vec<Arm> {
        let arm = |edge: &Edge<G::Move>| Arm {
            prior: edge.prior,
            visits: edge.visits + edge.waiting,
            value: edge.certain.or((edge.visits > 0).then(|| edge.total / edge.visits as f32)),
        };
        self.of(at).iter().map(arm).collect()
    }

    /// The edge of the next simulation.
    fn next(&self, at: u32, settings: &Settings) -> u32 {
        if settings.gumbel == 0 {
            return self.best(at, settings);
        }
        let (node, arms) = (&self.nodes[at as usize], self.arms(at));
        let done = (self.allowed - self.left) as usize + self.leaves.len();
        let place = match (at, self.plan.get(done)) {
            (0, Some(visits)) => gumbel::root(&arms, node.value, &self.noise, *visits),
            _ => gumbel::below(&arms, node.value),
        };
        node.first + place as u32
    }

    /// The edge that PUCT prefers; ties go to the first.
    fn best(&self, at: u32, settings: &Settings) -> u32 {
        let node = &self.nodes[at as usize];
        let scale = settings.exploration * (node.visits.max(1) as f32).sqrt();
        // A move that was never tried is expected to be worth what its position is worth on average.
        let unknown = node.total / node.visits.max(1) as f32;
        let (mut best, mut highest) = (0, f32::NEG_INFINITY);
        for (i, edge) in self.of(at).iter().enumerate() {
            let prior = match self.noise.get(i) {
                Some(noise) if at == 0 => edge.prior + settings.noise * (noise - edge.prior),
                _ => edge.prior,
            };
            let visits = (edge.visits + edge.waiting) as f32;
            let value = match (edge.certain, edge.visits + edge.waiting) {
                (Some(value), _) => value,
                (None, 0) => unknown,
                (None, _) => (edge.total - edge.waiting as f32) / visits,
            };
            let score = value + scale * prior / (1.0 + visits);
            if score > highest {
                (best, highest) = (i as u32, score);
            }
        }
        node.first + best
    }

    /// One descent into the tree.
    fn descend(&mut self, settings: &Settings, terms: Terms) -> Went {
        let mut path = Vec::new();
        let mut at = 0;
        loop {
            let node = &self.nodes[at as usize];
            if let Some(worth) = node.end {
                self.back_up(&path, worth);
                self.make_certain(&path, worth);
                return Went::End;
            }
            if node.edges == 0 {
                if self.leaves.iter().any(|leaf| leaf.node == at) {
                    self.release(&path);
                    return Went::Blocked;
                }
                let moves = node.pos.moves();
                let image = if settings.symmetries { self.random.below(G::IMAGES) } else { 0 };
                self.leaves.push(Leaf { node: at, path, moves, image });
                return Went::Leaf;
            }
            let edge = self.next(at, settings);
            self.edges[edge as usize].waiting += 1;
            path.push((at, edge));
            let child = self.edges[edge as usize].child;
            at = if child == NONE { self.grow(at, edge, terms) } else { child };
        }
    }

    fn grow(&mut self, at: u32, edge: u32, terms: Terms) -> u32 {
        let (from, m) = (&self.nodes[at as usize].pos, self.edges[edge as usize].m);
        let (pos, settled) = (from.after(m), from.settles(m));
        let counts = terms.repetition && !settled;
        let before = if counts { self.before(at, pos.key()) } else { 0 };
        // The search ignores the limit on a game's length, which says nothing about the position.
        let end = reason(&pos, before, 0, terms).map(|reason| worth(&pos, reason));
        let number = self.nodes.len() as u32;
        self.nodes.push(Node { settled, ..node(pos, before, at, end) });
        self.edges[edge as usize].child = number;
        number
    }

    /// How often a position that follows `at` has occurred before.
    fn before(&self, at: u32, key: u64) -> usize {
        let (mut at, mut count) = (at, 0);
        while at != NONE {
            let node = &self.nodes[at as usize];
            count += usize::from(node.pos.key() == key);
            if node.settled {
                return count;
            }
            at = node.parent;
        }
        count + self.past.iter().filter(|past| **past == key).count()
    }

    /// The positions before a node that may occur again, the last one first.
    fn earlier(&self, at: u32) -> impl Iterator<Item = Occurred<&G>> {
        let before = |at: &u32| {
            let node = &self.nodes[*at as usize];
            (!node.settled && node.parent != NONE).then_some(node.parent)
        };
        let path = std::iter::successors(before(&at), before).map(|at| &self.nodes[at as usize]);
        let settled =
            std::iter::successors(Some(at), before).any(|at| self.nodes[at as usize].settled);
        let recent = if settled { None } else { Some(&self.recent) };
        let game = recent.into_iter().flatten().map(|(pos, before)| (pos, *before));
        path.map(|node| (&node.pos, node.before)).chain(game)
    }

    /// `worth` is to player 1.
    fn back_up(&mut self, path: &[(u32, u32)], worth: f32) {
        for (at, edge) in path {
            let node = &mut self.nodes[*at as usize];
            let value = if node.pos.turn() == Player::One { worth } else { -worth };
            node.visits += 1;
            node.total += value;
            let edge = &mut self.edges[*edge as usize];
            edge.waiting -= 1;
            edge.visits += 1;
            edge.total += value;
        }
    }

    /// Marks the result of the last move of a path as certain, and what follows from that: a position is won if one
    /// move wins, and decided if all moves are.
    fn make_certain(&mut self, path: &[(u32, u32)], worth: f32) {
        let mut worth = worth;
        for (at, edge) in path.iter().rev() {
            let sign = self.sign(*at);
            self.edges[*edge as usize].certain = Some(sign * worth);
            // The root stays open, so that its moves can be compared.
            if *at == 0 {
                return;
            }
            let known = |best: f32, edge: &Edge<G::Move>| Some(best.max(edge.certain?));
            let best = match sign * worth >= 1.0 {
                true => Some(1.0),
                false => self.of(*at).iter().try_fold(-1.0, known),
            };
            let Some(best) = best else { return };
            worth = sign * best;
            self.nodes[*at as usize].end = Some(worth);
        }
    }

    /// 1 if player 1 is to move, else -1.
    fn sign(&self, at: u32) -> f32 {
        if self.nodes[at as usize].pos.turn() == Player::One { 1.0 } else { -1.0 }
    }

    fn release(&mut self, path: &[(u32, u32)]) {
        path.iter().for_each(|(_, edge)| self.edges[*edge as usize].waiting -= 1);
    }

    fn select(&mut self, settings: &Settings, terms: Terms) {
        let mut ends = 0;
        while ends < MOST_ENDS
            && self.leaves.len() < settings.parallel
            && (self.left as usize > self.leaves.len() || self.nodes[0].edges == 0)
        {
            match self.descend(settings, terms) {
                Went::End => (self.left, ends) = (self.left - 1, ends + 1),
                Went::Leaf if self.nodes[0].edges == 0 => return,
                Went::Leaf => {}
                Went::Blocked => return,
            }
        }
    }

    /// Expands the waiting leaves with the network's answers.
    fn learn(&mut self, settings: &Settings, priors: &[f32], values: &[f32]) -> Result<(), String> {
        for (i, leaf) in std::mem::take(&mut self.leaves).into_iter().enumerate() {
            let all = priors.len() / values.len().max(1);
            self.expand(&leaf, &priors[i * all..(i + 1) * all])?;
            let node = &mut self.nodes[leaf.node as usize];
            let value = values[i];
            if !value.is_finite() {
                return Err(format!("the network's value of a position is {value}"));
            }
            let value = value.clamp(-1.0, 1.0);
            node.visits += 1;
            node.total += value;
            node.value = value;
            let worth = if node.pos.turn() == Player::One { value } else { -value };
            self.back_up(&leaf.path, worth);
            match leaf.node {
                0 => {}
                _ => self.left = self.left.saturating_sub(1),
            }
        }
        if self.noise.is_empty() {
            self.draw_noise(settings);
        }
        Ok(())
    }

    fn draw_noise(&mut self, settings: &Settings) {
        let count = self.nodes[0].edges as usize;
        if settings.gumbel > 0 {
            self.noise = gumbel::noise(&mut self.random, settings.noise, count);
            self.plan = gumbel::schedule(settings.gumbel.min(count), self.allowed as usize);
        } else if settings.noise > 0.0 {
            let alpha = settings.alpha.unwrap_or(10.0 / count.max(1) as f64);
            self.noise = dirichlet(&mut self.random, alpha, count);
        }
    }

    fn expand(&mut self, leaf: &Leaf<G::Move>, priors: &[f32]) -> Result<(), String> {
        let pos = self.nodes[leaf.node as usize].pos.clone();
        let image = pos.image(leaf.image);
        let first = self.edges.len();
        let mut sum = 0.0;
        for m in &leaf.moves {
            let number = image.number(pos.image_of(*m, leaf.image));
            let prior = priors[number];
            if !prior.is_finite() || prior < 0.0 {
                return Err(format!(
                    "the network's prior of `{m}` is {prior}; priors are 0 or more"
                ));
            }
            sum += prior;
            self.edges.push(Edge {
                m: *m,
                prior,
                visits: 0,
                waiting: 0,
                total: 0.0,
                certain: None,
                child: NONE,
            });
        }
        let even = 1.0 / leaf.moves.len().max(1) as f32;
        for edge in &mut self.edges[first..] {
            edge.prior = if sum > 0.0 { edge.prior / sum } else { even };
        }
        let node = &mut self.nodes[leaf.node as usize];
        (node.first, node.edges) = (first as u32, leaf.moves.len() as u32);
        Ok(())
    }

    /// The share of the simulations that began with each move, or the improved policy.
    fn policy(&self, settings: &Settings) -> Vec<f32> {
        if settings.gumbel > 0 {
            return gumbel::policy(&self.arms(0), self.nodes[0].value);
        }
        let visits: u32 = self.of(0).iter().map(|edge| edge.visits).sum();
        let share = |edge: &Edge<G::Move>| edge.visits as f32 / visits.max(1) as f32;
        self.of(0).iter().map(share).collect()
    }

    fn choose(&mut self, settings: &Settings, temperature: f64) -> i64 {
        let (root, shares) = (&self.nodes[0], self.policy(settings));
        if settings.gumbel > 0 && temperature <= 1e-3 && self.noise.len() == shares.len() {
            let played = gumbel::played(&self.arms(0), root.value, &self.noise);
            return self.of(0).get(played).map_or(-1, |edge| root.pos.number(edge.m) as i64);
        }
        let most = shares.iter().copied().fold(0.0, f32::max);
        let weight = |share: &f32| match temperature {
            _ if most == 0.0 => 1.0,
            t if t <= 1e-3 => f64::from(u8::from(*share == most)),
            t => f64::from(share / most).powf(1.0 / t),
        };
        let weights: Vec<_> = shares.iter().map(weight).collect();
        let mut point = unit(&mut self.random) * weights.iter().sum::<f64>();
        let pos = &self.nodes[0].pos;
        let mut chosen = -1;
        for (edge, weight) in self.of(0).iter().zip(weights) {
            if weight > 0.0 {
                chosen = pos.number(edge.m) as i64;
                point -= weight;
                if point < 0.0 {
                    break;
                }
            }
        }
        chosen
    }
}

fn node<G>(pos: G, before: usize, parent: u32, end: Option<f32>) -> Node<G> {
    Node {
        pos,
        before,
        settled: false,
        parent,
        first: 0,
        edges: 0,
        visits: 0,
        total: 0.0,
        value: 0.0,
        end,
    }
}

/// The result of a game for player 1.
fn worth<G: Numbered>(pos: &G, reason: Reason) -> f32 {
    match (reason, pos.outcome()) {
        (Reason::Won, Some(Outcome::Win(Player::One))) => 1.0,
        (Reason::Won, Some(Outcome::Win(Player::Two))) => -1.0,
        _ => 0.0,
    }
}
