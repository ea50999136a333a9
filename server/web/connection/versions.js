/** Keeps the pages for when there is no network, and says when there is a new version. */
import { below } from '../address.js';
import { button } from '../common/controls.js';
import { el, say } from '../common/dom.js';

/** Offers the new version; nothing changes before somebody wants it. @param {ServiceWorker} waiting */
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
    // It may lie over what leads on.
    button('#later', 'Later', () => line.remove()),
  );
  document.body.append(line);
  say(words);
};

export const followVersions = async () => {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  const before = serviceWorker.controller;
  // Another version has taken over: what is open belongs to the old one.
  serviceWorker.addEventListener('controllerchange', () => {
    if (before) location.reload();
  });
  let kept;
  try {
    kept = await serviceWorker.register(below('sw.js'), { updateViaCache: 'none' });
  } catch {
    // Where the files may change at any time there is nothing to keep.
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
