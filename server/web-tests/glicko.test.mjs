import assert from 'node:assert/strict';
import test from 'node:test';
import { UNKNOWN, rated } from '../web/pages/glicko.js';

const near = (value, expected, by) =>
  assert.ok(Math.abs(value - expected) <= by, `${value} is not ${expected}`);

test('the example of the paper', () => {
  const after = rated({ rating: 1500, deviation: 200, volatility: 0.06 }, [
    { rating: 1400, deviation: 30, score: 1 },
    { rating: 1550, deviation: 100, score: 0 },
    { rating: 1700, deviation: 300, score: 0 },
  ]);
  near(after.rating, 1464.06, 0.01);
  near(after.deviation, 151.52, 0.01);
  near(after.volatility, 0.05999, 0.00001);
});

test('a win raises and a loss lowers a rating, the less the surer it is', () => {
  const game = (score) => [{ rating: 1500, deviation: 80, score }];
  const [up, down] = [rated(UNKNOWN, game(1)), rated(UNKNOWN, game(0))];
  assert.ok(up.rating > 1500 && down.rating < 1500);
  near(up.rating - 1500, 1500 - down.rating, 1e-6);
  assert.ok(up.deviation < UNKNOWN.deviation);
  const sure = rated({ ...UNKNOWN, deviation: 60 }, game(1));
  assert.ok(sure.rating - 1500 < (up.rating - 1500) / 4);
});

test('who solves what is far too easy gains next to nothing', () => {
  const strong = { rating: 2200, deviation: 60, volatility: 0.06 };
  const after = rated(strong, [{ rating: 800, deviation: 100, score: 1 }]);
  near(after.rating, 2200, 1);
});
