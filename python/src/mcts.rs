//! Monte Carlo tree search in many games at once, with a network that judges all leaves together.
//!
//! Selection is AlphaZero's PUCT. A leaf that waits for the network counts as lost on its path (virtual loss), so that
//! several leaves of one tree can wait at the same time. Ends of games make results certain (as in MCTS-Solver), and a move
//! whose result is certain counts as just that. Trees share nothing: what a game's search finds depends on
//! its own random numbers and the network's answers alone, not on threads.

use crate::actions::Numbered;
use crate::batch::{Games, Many, Reason, Slot, Terms, reason};
use crate::pool::Pool;
use rules::random::Random;
use rules::{Outcome, Player};

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
}

/// The trees of many games, their type erased.
pub trait Forest: Send {
    /// Takes over where the games of the batch stand; the part of a tree that is still about the game is kept.
    fn follow(&mut self, games: &dyn Games) -> Result<(), String>;
    /// Allows this many more simulations in each tree.
    fn allow(&mut self, simulations: u32);
    /// Goes on until leaves wait for the network, and says how many; none when all simulations are done.
    fn select(&mut self, pool: &Pool, settings: &Settings) -> usize;
    /// Writes what the network is to judge.
    fn show(&mut self, pool: &Pool, planes: &mut [f32], masks: &mut [u8]);
    /// Takes the network's answer: a row of priors and a value for each leaf that waits.
    fn learn(&mut self, settings: &Settings, priors: &[f32], values: &[f32]) -> Result<(), String>;
    /// Gives up the leaves that wait, after a network that failed.
    fn abandon(&mut self);
    /// Writes the share of visits of each move, and the mean value to the player to move.
    fn tell(&self, policies: &mut [f32], values: &mut [f32]);
    /// Chooses a move in each game: in proportion to visits to the power of 1 / temperature.
    fn choose(&mut self, temperatures: &[f64], actions: &mut [i64]);
}

const NONE: u32 = u32::MAX;

#[derive(Clone)]
struct Node<G> {
    pos: G,
    /// How often the position has been there before, in the game and on the path.
    before: usize,
    parent: u32,
    /// Where its edges begin, once the network has judged it.
    first: u32,
    edges: u32,
    visits: u32,
    /// The sum of all values to the player to move here.
    total: f32,
    /// What the end of the game is worth to player 1, if it is over or its result is certain.
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
    /// What the move is certainly worth to that player, if that is known.
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
    /// The game that it is about, and how many moves that has had at the root.
    episode: (u64, u32),
    past: Vec<u64>,
}

enum Went {
    /// A game ended: the simulation is done.
    End,
    /// A leaf waits.
    Leaf,
    /// All good ways lead to leaves that wait.
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
            episode: (slot.episode, slot.count),
            past: slot.past.clone(),
        };
        tree.nodes.push(node(slot.pos.clone(), slot.before, NONE, None));
        tree
    }

    /// Makes the root the position of a game, and keeps what is known about it.
    fn follow(&mut self, slot: &Slot<G>) {
        self.noise.clear();
        let (episode, count) = self.episode;
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
                (self.episode, self.past) = ((slot.episode, slot.count), slot.past.clone());
            }
            None => *self = Tree::new(slot, self.random),
        }
    }

    fn child(&self, m: G::Move) -> Option<u32> {
        let edge = self.of(0).iter().find(|edge| edge.m == m)?;
        (edge.child != NONE).then_some(edge.child)
    }

    /// Drops everything but a node and what follows from it.
    fn keep(&mut self, root: u32) {
        let (mut nodes, mut edges) = (Vec::new(), Vec::new());
        let mut todo = std::collections::VecDeque::from([(root, NONE)]);
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

    /// One way down the tree.
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
            let edge = self.best(at, settings);
            self.edges[edge as usize].waiting += 1;
            path.push((at, edge));
            let child = self.edges[edge as usize].child;
            at = if child == NONE { self.grow(at, edge, terms) } else { child };
        }
    }

    fn grow(&mut self, at: u32, edge: u32, terms: Terms) -> u32 {
        let pos = self.nodes[at as usize].pos.after(self.edges[edge as usize].m);
        let before = if terms.repetition { self.before(at, pos.key()) } else { 0 };
        // How long a game may take is not known to the search: it says nothing about the position.
        let end = reason(&pos, before, 0, terms).map(|reason| worth(&pos, reason));
        let number = self.nodes.len() as u32;
        self.nodes.push(node(pos, before, at, end));
        self.edges[edge as usize].child = number;
        number
    }

    /// How often a position that follows `at` has been there before.
    fn before(&self, at: u32, key: u64) -> usize {
        let (mut at, mut count) = (at, 0);
        while at != NONE {
            let node = &self.nodes[at as usize];
            count += usize::from(node.pos.key() == key);
            at = node.parent;
        }
        count + self.past.iter().filter(|past| **past == key).count()
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

    /// Notes that the last move of a path leads to a certain result, and what follows from that: a position is won if
    /// one move wins, and decided if all moves are.
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
        while self.leaves.len() < settings.parallel
            && (self.left as usize > self.leaves.len() || self.nodes[0].edges == 0)
        {
            match self.descend(settings, terms) {
                Went::End => self.left -= 1,
                Went::Leaf if self.nodes[0].edges == 0 => return,
                Went::Leaf => {}
                Went::Blocked => return,
            }
        }
    }

    /// Takes the network's answers for the leaves that wait.
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
            let worth = if node.pos.turn() == Player::One { value } else { -value };
            self.back_up(&leaf.path, worth);
            match leaf.node {
                0 => {}
                _ => self.left = self.left.saturating_sub(1),
            }
        }
        if self.noise.is_empty() && settings.noise > 0.0 {
            let count = self.nodes[0].edges as usize;
            let alpha = settings.alpha.unwrap_or(10.0 / count.max(1) as f64);
            self.noise = dirichlet(&mut self.random, alpha, count);
        }
        Ok(())
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

    fn choose(&mut self, temperature: f64) -> i64 {
        let edges = self.of(0);
        let most = edges.iter().map(|edge| edge.visits).max().unwrap_or(0);
        let weight = |edge: &Edge<G::Move>| match temperature {
            _ if most == 0 => 1.0,
            t if t <= 1e-3 => f64::from(u8::from(edge.visits == most)),
            t => (f64::from(edge.visits) / f64::from(most)).powf(1.0 / t),
        };
        let weights: Vec<_> = edges.iter().map(weight).collect();
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
    Node { pos, before, parent, first: 0, edges: 0, visits: 0, total: 0.0, end }
}

/// What the end of a game is worth to player 1.
fn worth<G: Numbered>(pos: &G, reason: Reason) -> f32 {
    match (reason, pos.outcome()) {
        (Reason::Won, Some(Outcome::Win(Player::One))) => 1.0,
        (Reason::Won, Some(Outcome::Win(Player::Two))) => -1.0,
        _ => 0.0,
    }
}

/// A number from 0 to 1, without 1.
fn unit(random: &mut Random) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Numbers that sum up to 1: normalised draws from a gamma distribution, by the method of Marsaglia and Tsang.
fn dirichlet(random: &mut Random, alpha: f64, count: usize) -> Vec<f32> {
    let mut drawn: Vec<f64> = (0..count).map(|_| gamma(random, alpha)).collect();
    let sum: f64 = drawn.iter().sum();
    let even = 1.0 / count.max(1) as f64;
    drawn.iter_mut().for_each(|each| *each = if sum > 0.0 { *each / sum } else { even });
    drawn.into_iter().map(|each| each as f32).collect()
}

fn gamma(random: &mut Random, alpha: f64) -> f64 {
    if alpha < 1.0 {
        return gamma(random, alpha + 1.0) * (1.0 - unit(random)).powf(1.0 / alpha);
    }
    let d = alpha - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let radius = (-2.0 * (1.0 - unit(random)).ln()).sqrt();
        let x = radius * (std::f64::consts::TAU * unit(random)).cos();
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && (1.0 - unit(random)).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// A tree for each game of a batch.
pub struct Trees<G: Numbered> {
    trees: Vec<Tree<G>>,
    seed: u64,
    terms: Terms,
}

impl<G: Numbered> Trees<G> {
    /// Trees for the games of a batch; what they draw follows from the seed.
    pub fn new(seed: u64, terms: Terms) -> Trees<G> {
        Trees { trees: Vec::new(), seed, terms }
    }
}

impl<G: Numbered> Forest for Trees<G> {
    fn follow(&mut self, games: &dyn Games) -> Result<(), String> {
        let Some(many) = games.as_any().downcast_ref::<Many<G>>() else {
            return Err("this is a batch of another game".into());
        };
        if self.trees.is_empty() {
            let mut seeds = Random::new(self.seed);
            let tree = |slot| Tree::new(slot, Random::new(seeds.next_u64()));
            self.trees = many.slots.iter().map(tree).collect();
        }
        self.trees.iter_mut().zip(&many.slots).for_each(|(tree, slot)| tree.follow(slot));
        Ok(())
    }

    fn allow(&mut self, simulations: u32) {
        self.trees.iter_mut().for_each(|tree| tree.left = simulations);
    }

    fn select(&mut self, pool: &Pool, settings: &Settings) -> usize {
        let (terms, each) = (self.terms, pool.part(self.trees.len()));
        pool.each(self.trees.chunks_mut(each), |trees| {
            trees.iter_mut().for_each(|tree| tree.select(settings, terms));
        });
        self.trees.iter().map(|tree| tree.leaves.len()).sum()
    }

    fn show(&mut self, pool: &Pool, planes: &mut [f32], masks: &mut [u8]) {
        let Some(first) = self.trees.first() else { return };
        let pos = &first.nodes[0].pos;
        let (terms, each) = (self.terms, pool.part(self.trees.len()));
        let (seen, actions) = (terms.observation_len(pos), pos.numbering().len());
        let (mut planes, mut masks) = (planes, masks);
        let mut parts = Vec::new();
        for trees in self.trees.chunks(each) {
            let leaves: usize = trees.iter().map(|tree| tree.leaves.len()).sum();
            let (own_planes, own_masks);
            (own_planes, planes) = std::mem::take(&mut planes).split_at_mut(leaves * seen);
            (own_masks, masks) = std::mem::take(&mut masks).split_at_mut(leaves * actions);
            parts.push((trees, own_planes, own_masks));
        }
        pool.each(parts.into_iter(), |(trees, planes, masks)| {
            let leaves =
                trees.iter().flat_map(|tree| tree.leaves.iter().map(move |leaf| (tree, leaf)));
            let rows = planes.chunks_exact_mut(seen).zip(masks.chunks_exact_mut(actions));
            for ((tree, leaf), (planes, mask)) in leaves.zip(rows) {
                let node = &tree.nodes[leaf.node as usize];
                let image = node.pos.image(leaf.image);
                terms.observe(&image, node.before, planes);
                mask.fill(0);
                for m in &leaf.moves {
                    mask[image.number(node.pos.image_of(*m, leaf.image))] = 1;
                }
            }
        });
    }

    fn learn(&mut self, settings: &Settings, priors: &[f32], values: &[f32]) -> Result<(), String> {
        let all = priors.len() / values.len().max(1);
        let (mut at, mut failed) = (0, None);
        for tree in &mut self.trees {
            let count = tree.leaves.len();
            let own = (&priors[at * all..(at + count) * all], &values[at..at + count]);
            at += count;
            if let Err(error) = tree.learn(settings, own.0, own.1) {
                failed.get_or_insert(error);
            }
        }
        match failed {
            Some(error) => {
                // Trees that learned half of an answer are not worth keeping.
                self.trees.clear();
                Err(error)
            }
            None => Ok(()),
        }
    }

    fn abandon(&mut self) {
        for tree in &mut self.trees {
            for leaf in std::mem::take(&mut tree.leaves) {
                tree.release(&leaf.path);
            }
        }
    }

    fn tell(&self, policies: &mut [f32], values: &mut [f32]) {
        policies.fill(0.0);
        let all = policies.len() / values.len().max(1);
        let rows = policies.chunks_exact_mut(all).zip(values);
        for (tree, (policy, value)) in self.trees.iter().zip(rows) {
            let root = &tree.nodes[0];
            let visits: u32 = tree.of(0).iter().map(|edge| edge.visits).sum();
            for edge in tree.of(0) {
                policy[root.pos.number(edge.m)] = edge.visits as f32 / visits.max(1) as f32;
            }
            *value = root.total / root.visits.max(1) as f32;
        }
    }

    fn choose(&mut self, temperatures: &[f64], actions: &mut [i64]) {
        for ((tree, temperature), action) in self.trees.iter_mut().zip(temperatures).zip(actions) {
            *action = tree.choose(*temperature);
        }
    }
}
