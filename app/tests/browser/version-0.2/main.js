// What version 0.2 does about versions (its versions.js), with just enough of a page around it.
const offer = (waiting) => {
  if (document.getElementById('new-version')) return;
  const button = document.createElement('button');
  button.id = 'take-over';
  button.append('Use it');
  button.addEventListener('click', () => waiting.postMessage('take over'));
  const box = document.createElement('p');
  box.id = 'new-version';
  box.append('There is a new version of Quadrille. ', button);
  document.body.append(box);
};

const followVersions = async () => {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  const before = serviceWorker.controller;
  // Another version has taken over: what is open belongs to the old one.
  serviceWorker.addEventListener('controllerchange', () => {
    if (before) location.reload();
  });
  let kept;
  try {
    kept = await serviceWorker.register('/sw.js', { updateViaCache: 'none' });
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
followVersions();
