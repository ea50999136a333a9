//! The trees of all games of a batch.

use super::{Settings, Tree};
use crate::actions::Numbered;
use crate::batch::{Games, Many, Terms};
use crate::pool::Pool;
use rules::random::Random;

/// The trees of many games, their type erased.
pub trait Forest: Send {
    /// Moves the roots to the current positions of the batch. Subtrees are reused, but not with Gumbel noise, which
    /// counts visits from zero.
    fn follow(&mut self, games: &dyn Games, settings: &Settings) -> Result<(), String>;
    /// Allows this many more simulations in each tree.
    fn allow(&mut self, simulations: u32);
    /// Simulates until leaves wait for the network, and returns how many.
    fn select(&mut self, pool: &Pool, settings: &Settings) -> usize;
    /// Whether all simulations are done, unless leaves wait.
    fn is_done(&self) -> bool;
    /// Writes what the network is to evaluate.
    fn show(&mut self, pool: &Pool, planes: &mut [f32], masks: &mut [u8]);
    /// Takes the network's answer: a row of priors and a value for each leaf that waits.
    fn learn(&mut self, settings: &Settings, priors: &[f32], values: &[f32]) -> Result<(), String>;
    /// Gives up the leaves that wait, after a network that failed.
    fn abandon(&mut self);
    /// Writes the share of visits of each move, or the improved policy, and the mean value to the player to move.
    fn tell(&self, settings: &Settings, policies: &mut [f32], values: &mut [f32]);
    /// Chooses a move in each game: in proportion to that share to the power of 1 / temperature.
    fn choose(&mut self, settings: &Settings, temperatures: &[f64], actions: &mut [i64]);
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
    fn follow(&mut self, games: &dyn Games, settings: &Settings) -> Result<(), String> {
        let Some(many) = games.as_any().downcast_ref::<Many<G>>() else {
            return Err("this is a batch of another game".into());
        };
        if self.trees.is_empty() {
            let mut seeds = Random::new(self.seed);
            let tree = |slot| Tree::new(slot, Random::new(seeds.next_u64()));
            self.trees = many.slots.iter().map(tree).collect();
        }
        self.trees.iter_mut().zip(&many.slots).for_each(|(tree, slot)| tree.follow(slot, settings));
        Ok(())
    }

    fn allow(&mut self, simulations: u32) {
        for tree in &mut self.trees {
            (tree.left, tree.allowed) = (simulations, simulations);
        }
    }

    fn select(&mut self, pool: &Pool, settings: &Settings) -> usize {
        let (terms, each) = (self.terms, pool.part(self.trees.len()));
        pool.each(self.trees.chunks_mut(each), |trees| {
            trees.iter_mut().for_each(|tree| tree.select(settings, terms));
        });
        self.trees.iter().map(|tree| tree.leaves.len()).sum()
    }

    fn is_done(&self) -> bool {
        self.trees.iter().all(|tree| tree.left == 0)
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
                let earlier = tree.earlier(leaf.node).take(terms.history);
                let earlier = earlier.map(|(pos, before)| (pos.image(leaf.image), before));
                terms.observe((&image, node.before), earlier, planes);
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

    fn tell(&self, settings: &Settings, policies: &mut [f32], values: &mut [f32]) {
        policies.fill(0.0);
        let all = policies.len() / values.len().max(1);
        let rows = policies.chunks_exact_mut(all).zip(values);
        for (tree, (policy, value)) in self.trees.iter().zip(rows) {
            let root = &tree.nodes[0];
            for (edge, share) in tree.of(0).iter().zip(tree.policy(settings)) {
                policy[root.pos.number(edge.m)] = share;
            }
            *value = root.total / root.visits.max(1) as f32;
        }
    }

    fn choose(&mut self, settings: &Settings, temperatures: &[f64], actions: &mut [i64]) {
        for ((tree, temperature), action) in self.trees.iter_mut().zip(temperatures).zip(actions) {
            *action = tree.choose(settings, *temperature);
        }
    }
}
