// Plays a game with the package that is installed.
import { load, Refused } from 'quadrille-games';

const quadrille = await load();
/** @type {string[]} */
const turns = [];
/** @type {import('quadrille-games').Game} */
const game = 'gekitai';
for (;;) {
  const { over } = await quadrille.ask({ game, turns });
  if (over || turns.length >= 60) break;
  const player = { kind: /** @type {const} */ ('level'), level: 2 + (turns.length % 2) };
  const { turn } = await quadrille.ask({ ask: 'turn', game, turns, player, seed: 1 });
  turns.push(turn);
}
if (turns.length < 5) throw new Error(`a game of ${turns.length} turns`);
const { games } = /** @type {{ games: { id: import('quadrille-games').Game }[] }} */ (
  /** @type {unknown} */ (await quadrille.ask({ ask: 'catalogue' }))
);
if (games.length < 4) throw new Error(`${games.length} games`);
for (const { id: own } of games) {
  const { engine } = await quadrille.ask({ ask: 'hint', game: own, nodes: 100 });
  const { puzzles } = await quadrille.ask({ ask: 'puzzles', game: own });
  if (!engine.turn || !puzzles) throw new Error(`nothing about ${own}`);
}
const { results } = await quadrille.ask({ ask: 'results', game });
const { winner } = await quadrille.ask({ ask: 'proof', game });
if (!results || winner !== 1) throw new Error('nothing is proved');
const { atlas } = await quadrille.ask({ ask: 'atlas', game });
if (!Object.keys(atlas).length) throw new Error('the atlas is empty');
// One that no certificate of the package covers.
const { moves } = await quadrille.ask({ ask: 'proof', game, moves: ['a1'] });
if (!moves.length) throw new Error('nothing is proved after a first move');
/** @type {import('quadrille-games').Line[]} */
const lines = (await quadrille.ask({ ask: 'analysis', game, nodes: 1000, threads: 1 })).lines;
if (!lines[0].turns.length) throw new Error('nothing was analysed');
const refused = await quadrille.ask({ game, turns: ['zz'] }).catch((error) => error);
if (!(refused instanceof Refused) || refused.field !== 'turns[0]') throw refused;
