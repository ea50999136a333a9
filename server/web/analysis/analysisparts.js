/** The elements of the analysis page: board and engine, and tabs with turns, review, notes and tools. */
import { button, field, iconButton, placeLine, shownText } from '../common/controls.js';
import { adopt, el, fill } from '../common/dom.js';
import { createTabs } from '../common/tabs.js';
import { stepsNav, unzenButton } from '../play/turns.js';
import { importForm } from './intake.js';
import { createPlayed } from './played.js';

/**
 * @typedef {{first: () => void, step: (by: number) => void, last: () => void, flip: () => void, comment: (text:
 *   string) => void,
 *   promote: () => void, remove: () => void, best: () => void, threat: () => void, record: () => void, link: () =>
 *   void, position: () => void, picture: () => void, rules: () => void, played: (turn: string) => void}} Deeds
 */

/**
 * @param {import('../program/views.js').GameInfo} info @param {import('../program/views.js').GameInfo[]} games
 * @param {HTMLElement} review @param {Deeds} deeds
 */
export const createParts = (info, games, review, deeds) => {
  const moves = el('div#moves.moves', {
    tabIndex: 0,
    role: 'region',
    'aria-label': 'Turns and variations',
  });
  const note = el('textarea#comment', {
    'aria-label': 'Comment',
    placeholder: 'Comment on this position',
    rows: 2,
    oninput: () => deeds.comment(note.value),
  });
  const promote = button('#promote', 'Make main line', deeds.promote);
  const remove = button('#delete', 'Delete from here', deeds.remove);
  const nav = stepsNav(deeds);
  nav.element.append(
    iconButton('#flip', 'flip', 'Turn the board round', deeds.flip, {
      title: 'Turn the board round (f)',
    }),
  );
  const tools = createTools(info, games, deeds, () => tabs.show('tools'));
  const notes = el(
    'section.note',
    { 'aria-label': 'Comment' },
    note,
    el('div.row', promote, remove),
  );
  const tabs = createTabs([
    { id: 'moves', name: 'Moves', panel: moves },
    { id: 'review', name: 'Review', panel: review },
    { id: 'notes', name: 'Notes', panel: notes },
    { id: 'tools', name: 'Tools', panel: tools.panel },
  ]);
  /**
   * @param {{comment: string, atStart: boolean, atEnd: boolean, main: boolean}} shown the current turn's
   *   place in the tree
   */
  const paint = ({ comment, atStart, atEnd, main }) => {
    if (document.activeElement !== note) note.value = comment;
    promote.disabled = atStart || main;
    remove.disabled = atStart;
    nav.paint(atStart, atEnd);
  };
  const preview = el('div.card.preview', { hidden: true, 'aria-hidden': 'true' });
  return { ...tools, moves, nav, tabs, preview, paint };
};

/**
 * @param {import('../program/views.js').GameInfo} info @param {import('../program/views.js').GameInfo[]} games
 * @param {Deeds} deeds @param {() => void} show scrolls to the tools
 */
const createTools = (info, games, deeds, show) => {
  const playHere = el(
    'a#play-here.button',
    { title: 'Play a game from this position' },
    'Play from here',
  );
  const editHere = el('a#edit-here.button', 'Set up');
  const position = shownText('position-text', 'Position');
  const played = createPlayed(info.players, deeds.played);
  const actions = el(
    'div.actions',
    { role: 'group', 'aria-label': 'Actions' },
    button('#best', 'Best move', deeds.best, { title: 'Play the best move (space)' }),
    button('#threat', 'Threat', deeds.threat, { title: 'Show the threat (x)' }),
    playHere,
    editHere,
    button('#export', 'Export', deeds.record),
    button('#copy-link', 'Copy link', deeds.link, { title: 'Copy the link to this analysis' }),
    button('#copy-position', 'Copy position', deeds.position),
    button('#copy-picture', 'Copy picture', deeds.picture),
    button('#rules-open', 'Rules', deeds.rules),
  );
  const panel = el(
    'div.tools-panel',
    actions,
    field('Position', position),
    played.element,
    importForm(games, info, show),
  );
  return { playHere, editHere, position, played, panel };
};

/**
 * Assembles the page.
 * @param {HTMLElement} main @param {import('../program/views.js').GameInfo} info
 * @param {import('./analysis.js').Page} page
 */
export const putTogether = (main, info, { parts, play, thinking, review }) => {
  const { tabs, nav, preview } = parts;
  const here = el('span.connection.here', 'On this device');
  main.className = 'table analysis';
  fill(
    main,
    el('div.boardbox.with-bar', thinking.bar, play.board.element),
    adopt(
      '.side',
      'div.side',
      placeLine(info.name, 'analysis', here),
      review.card,
      thinking.element,
      play.card,
      el(
        'section.card.tabbox',
        { 'aria-label': 'Turns, review, notes and tools' },
        tabs.list,
        ...tabs.panels,
        nav.element,
      ),
    ),
    preview,
    unzenButton(),
  );
};
