// Runs before the first paint, so that a dark page does not flash and a board is not turned round afterwards.
{
  const page = document.documentElement;
  const [path, fragment] = [
    location.pathname
      .replace(/\/(index\.html)?$/, '')
      .split('/')
      .at(-1),
    location.hash.slice(1),
  ];
  const kept = (/** @type {string} */ key) => localStorage.getItem(`quadrille.${key}`);
  page.dataset.theme = 'auto';
  try {
    const { theme = 'auto', coordinates, board: look, size } = JSON.parse(kept('prefs') ?? '{}');
    Object.assign(page.dataset, { theme, board: look ?? 'paper', size: size ?? 'full' });
    page.classList.toggle('no-coordinates', coordinates === false);
    page.dataset.seat = kept(`seat.${path}.2`) && !kept(`seat.${path}.1`) ? '2' : '1';
    // The server knows nothing about a local game, so show the board as last seen.
    const board = path === 'play' ? kept(`board.${fragment}`) : null;
    const show = (/** @type {string} */ text) => {
      const main = document.getElementById('main');
      if (!main || main.childElementCount > 0) return;
      const { svg, wide, words } = JSON.parse(text);
      const drawing = new DOMParser().parseFromString(svg, 'text/html').body.firstElementChild;
      if (!drawing) return;
      const box = (/** @type {string} */ name, /** @type {Node|string} */ child, tag = 'div') => {
        const one = document.createElement(tag);
        one.className = name;
        one.append(child);
        return one;
      };
      const picture = box('picture', document.importNode(drawing, true));
      main.className = 'table';
      main.append(box('boardbox', box(`board drawn${wide ? ' wide' : ''}`, picture)));
      if (!words) return;
      const prompt = Object.assign(box('prompt mine', words, 'p'), { id: 'prompt' });
      const stage = box('card stage', box('', prompt, 'header'), 'section');
      main.append(box('side', box('now', stage)));
    };
    if (board) document.addEventListener('readystatechange', () => show(board), { once: true });
  } catch {
    // If the browser stores nothing, there is nothing to show early.
  }
}
