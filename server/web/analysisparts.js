/** What an analysis is drawn with: board and engine, tabs of turns, review, notes and tools. */
import { adopt, button, el, fill, iconButton, placeLine, stepsNav, unzenButton } from './dom.js';
import { importForm } from './intake.js';
import { createTabs } from './tabs.js';

/**
 * @typedef {{first: () => void, step: (by: number) => void, last: () => void, flip: () => void, comment: (text: string) => void,
 *   promote: () => void, remove: () => void, best: () => void, threat: () => void, record: () => void, link: () => void,
 *   rules: () => void}} Deeds
 */

/** @param {import('./api.js').GameInfo} info @param {import('./api.js').GameInfo[]} games @param {HTMLElement} review @param {Deeds} deeds */
export const createParts = (info, games, review, deeds) => {
  const moves = el('div.moves', {
    id: 'moves',
    tabIndex: 0,
    role: 'region',
    'aria-label': 'Turns and variations',
  });
  const note = el('textarea', {
    id: 'comment',
    'aria-label': 'Comment',
    placeholder: 'Comment on this position',
    rows: 2,
    oninput: () => deeds.comment(note.value),
  });
  const promote = button('Make main line', deeds.promote, { id: 'promote' });
  const remove = button('Delete from here', deeds.remove, { id: 'delete' });
  const nav = stepsNav({
    first: deeds.first,
    back: () => deeds.step(-1),
    on: () => deeds.step(1),
    last: deeds.last,
  });
  const [first, back, on, last] = nav.querySelectorAll('button');
  nav.append(
    iconButton('flip', 'Turn the board round', deeds.flip, {
      id: 'flip',
      title: 'Turn the board round (f)',
    }),
  );
  const tools = createTools(info, games, deeds);
  const notes = el(
    'section.note',
    { 'aria-label': 'Comment' },
    note,
    el('div.row', {}, promote, remove),
  );
  const tabs = createTabs([
    { id: 'moves', name: 'Moves', panel: moves },
    { id: 'review', name: 'Review', panel: review },
    { id: 'notes', name: 'Notes', panel: notes },
    { id: 'tools', name: 'Tools', panel: tools.panel },
  ]);
  /** @param {{comment: string, atStart: boolean, atEnd: boolean, main: boolean}} shown where in the tree the turn is that is seen */
  const paint = ({ comment, atStart, atEnd, main }) => {
    if (document.activeElement !== note) note.value = comment;
    promote.disabled = atStart || main;
    first.disabled = back.disabled = remove.disabled = atStart;
    on.disabled = last.disabled = atEnd;
  };
  const preview = el('div.card.preview', { hidden: true, 'aria-hidden': 'true' });
  return { ...tools, moves, nav, tabs, preview, paint };
};

/** @param {import('./api.js').GameInfo} info @param {import('./api.js').GameInfo[]} games @param {Deeds} deeds */
const createTools = (info, games, deeds) => {
  const playHere = el('a.button', { id: 'play-here', title: 'Play from here' }, 'Play');
  const editHere = el('a.button', { id: 'edit-here' }, 'Set up');
  const position = el('input', {
    type: 'text',
    readOnly: true,
    id: 'position-text',
    'aria-label': 'Position',
    onfocus: () => position.select(),
  });
  const actions = el(
    'div.actions',
    { role: 'group', 'aria-label': 'Actions' },
    button('Best', deeds.best, { id: 'best', title: 'Play the best move (space)' }),
    button('Threat', deeds.threat, { id: 'threat', title: 'Show the threat (x)' }),
    playHere,
    editHere,
    button('Record', deeds.record, { id: 'export' }),
    button('Link', deeds.link, { id: 'copy-link' }),
    button('Rules', deeds.rules, { id: 'rules-open' }),
  );
  const panel = el(
    'div.tools-panel',
    {},
    actions,
    el('div.field', {}, el('label', { for: 'position-text' }, 'Position'), position),
    importForm(games, info),
  );
  return { playHere, editHere, position, panel };
};

/** Puts the page together. @param {HTMLElement} main @param {import('./api.js').GameInfo} info @param {import('./analysis.js').Page} page */
export const layOut = (main, info, { parts, play, thinking }) => {
  const { tabs, nav, preview } = parts;
  const here = el('span.connection.here', {}, 'On this device');
  main.className = 'table analysis';
  fill(
    main,
    el('div.boardbox.with-bar', {}, thinking.bar, play.board.element),
    adopt(
      '.side',
      'div.side',
      {},
      placeLine(info.name, 'analysis', here),
      thinking.element,
      play.card,
      el(
        'section.card.tabbox',
        { 'aria-label': 'Turns, review, notes and tools' },
        tabs.list,
        ...tabs.panels,
        nav,
      ),
    ),
    preview,
    unzenButton(),
  );
};
