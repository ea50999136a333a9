/**
 * Whether the server is reachable. Callers report how their requests went; while none is answered, probes are sent one
 * after another, and listeners are notified when the server is back.
 */
import { below, hasServer } from '../address.js';

/**
 * @param {{probe: () => Promise<boolean>, sleep: (ms: number) => Promise<void>, random?: () => number}} means
 *   `probe` returns whether a request was answered, and never throws
 */
export const createReach = ({ probe, sleep, random = Math.random }) => {
  const LONGEST = 5_000;
  let answering = true;
  /** @type {Set<(answering: boolean) => void>} */
  const listeners = new Set();
  /** @type {(() => void)[]} */
  let waiting = [];
  /** Ends the current pause between probes. */
  let wake = () => {};

  const tell = () => listeners.forEach((listener) => listener(answering));

  const search = async () => {
    for (let tries = 0; !answering; tries++) {
      const pause = Math.min(LONGEST, 300 * 2 ** tries) * (0.6 + 0.4 * random());
      await Promise.race([
        sleep(pause),
        new Promise((resolve) => {
          wake = () => resolve(undefined);
        }),
      ]);
      if (!answering && (await probe())) found();
    }
  };

  const found = () => {
    if (answering) return;
    answering = true;
    tell();
    const all = waiting;
    waiting = [];
    all.forEach((resolve) => resolve());
  };

  const lost = () => {
    if (!answering) return;
    answering = false;
    tell();
    search();
  };

  return {
    answering: () => answering,
    /** Reports that a request was answered. */
    found,
    /** Reports that a request was not answered. */
    lost,
    /** Probes at once, because something suggests that the server is back. */
    hurry: () => wake(),
    /** Resolves when the server is reachable. @returns {Promise<void>} */
    back: () =>
      answering
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve);
          }),
    /** @param {(answering: boolean) => void} listener */
    watch: (listener) => {
      listeners.add(listener);
    },
  };
};

export const sleep = (/** @type {number} */ ms) =>
  /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      setTimeout(resolve, ms);
    })
  );

const PROBE_WITHIN = 4_000;

/** The reachability of the server for this page. */
export const reach = createReach({
  sleep,
  probe: () =>
    fetch(below(hasServer() ? 'api/health' : 'manifest.webmanifest'), {
      cache: 'no-store',
      signal: AbortSignal.timeout(PROBE_WITHIN),
    }).then(
      (answer) => answer.ok,
      () => false,
    ),
});
