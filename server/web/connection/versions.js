/** Registers the service worker, and offers new versions. */
import { below } from '../address.js';
import { button } from '../common/controls.js';
import { el, say } from '../common/dom.js';

/** Offers a new version, which is only used if the user wants it. @param {ServiceWorker} waiting */
const offer = (waiting) => {
  if (document.getElementById('new-version')) return;
  const words = 'There is a new version of Quadrille.';
  const line = el(
    'section#new-version.link',
    { 'aria-label': 'New version' },
    words,
    ' ',
    button('#take-over', 'Use it', () => waiting.postMessage('take over')),
    ' ',
    // The offer may cover something that the user needs.
    button('#later', 'Later', () => line.remove()),
  );
  document.body.append(line);
  say(words);
};

export const followVersions = async () => {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  const before = serviceWorker.controller;
  // A new version has taken over, but this page belongs to the old one.
  serviceWorker.addEventListener('controllerchange', () => {
    if (before) location.reload();
  });
  let kept;
  try {
    kept = await serviceWorker.register(below('sw.js'), { updateViaCache: 'none' });
  } catch {
    // If files may change at any time, they are not cached.
    return;
  }
  if (!kept) return;
  const { waiting } = kept;
  if (waiting && before) offer(waiting);
  kept.addEventListener('updatefound', () => {
    const next = kept.installing;
    next?.addEventListener('statechange', () => {
      if (next.state === 'installed' && serviceWorker.controller) offer(next);
    });
  });
};
