/**
 * Glicko-2 (Mark E. Glickman, "Example of the Glicko-2 system"): a rating, its uncertainty, and its volatility. All
 * functions are pure.
 *
 * @typedef {{rating: number, deviation: number, volatility: number}} Rating
 */

/** The rating of a new player. @type {Rating} */
export const UNKNOWN = { rating: 1500, deviation: 350, volatility: 0.06 };

/** The ratio between Glicko's scale and the internal one. */
const SCALE = 173.7178;
/** Constrains changes of volatility; the paper suggests 0.3 to 1.2. */
const TAU = 0.5;
const ENOUGH = 1e-6;

/** @param {number} phi */
const g = (phi) => 1 / Math.sqrt(1 + (3 * phi * phi) / (Math.PI * Math.PI));

/**
 * The new volatility: the root of the paper's function f, found with the Illinois algorithm.
 * @param {number} phi @param {number} sigma @param {number} v @param {number} delta
 */
const newVolatility = (phi, sigma, v, delta) => {
  const a = Math.log(sigma * sigma);
  const f = (/** @type {number} */ x) => {
    const ex = Math.exp(x);
    const sum = phi * phi + v + ex;
    return (ex * (delta * delta - sum)) / (2 * sum * sum) - (x - a) / (TAU * TAU);
  };
  let low = a;
  let high = Math.log(Math.max(delta * delta - phi * phi - v, 0));
  if (!Number.isFinite(high)) {
    let k = 1;
    while (f(a - k * TAU) < 0) k += 1;
    high = a - k * TAU;
  }
  let [atLow, atHigh] = [f(low), f(high)];
  while (Math.abs(high - low) > ENOUGH) {
    const next = low + ((low - high) * atLow) / (atHigh - atLow);
    const atNext = f(next);
    if (atNext * atHigh <= 0) [low, atLow] = [high, atHigh];
    else atLow /= 2;
    [high, atHigh] = [next, atNext];
  }
  return Math.exp(low / 2);
};

/**
 * The rating after games against these opponents, with the score of each from 0 to 1.
 * @param {Rating} own @param {{rating: number, deviation: number, score: number}[]} games @returns {Rating}
 */
export const rated = ({ rating, deviation, volatility }, games) => {
  const mu = (rating - 1500) / SCALE;
  const phi = deviation / SCALE;
  const all = games.map((game) => {
    const weight = g(game.deviation / SCALE);
    const expected = 1 / (1 + Math.exp(-weight * (mu - (game.rating - 1500) / SCALE)));
    return { weight, expected, score: game.score };
  });
  const sum = all.reduce((total, one) => total + one.weight * (one.score - one.expected), 0);
  const information = all.reduce(
    (total, { weight, expected }) => total + weight * weight * expected * (1 - expected),
    0,
  );
  const v = 1 / information;
  const sigma = newVolatility(phi, volatility, v, v * sum);
  const before = phi * phi + sigma * sigma;
  const after = 1 / Math.sqrt(1 / before + information);
  return {
    rating: 1500 + SCALE * (mu + after * after * sum),
    deviation: Math.min(SCALE * after, UNKNOWN.deviation),
    volatility: sigma,
  };
};
