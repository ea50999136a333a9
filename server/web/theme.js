// Runs before the first paint, so that a dark page does not flash light.
try {
  const { theme, coordinates } = JSON.parse(localStorage.getItem('quadrille.prefs') ?? '{}');
  document.documentElement.dataset.theme = theme ?? 'auto';
  if (coordinates === false) document.documentElement.classList.add('no-coordinates');
} catch {
  document.documentElement.dataset.theme = 'auto';
}
