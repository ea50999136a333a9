/** Analysis: any position or record, the engine, a tree of variations, and the review of a game. */
import { catalogue, fromPath, getJson, toPath, view as askView } from './api.js';
import { ask, thought } from './ask.js';
import {
  button,
  copyText,
  drawing,
  el,
  fill,
  iconButton,
  onKeys,
  placeLine,
  say,
  setText,
  stepsNav,
  toast,
  unzenButton,
  zen,
} from './dom.js';
import { playLink } from './home.js';
import { firstPlayer } from './live.js';
import { arrows, createPlay } from './play.js';
import { myGames, saveTree, savedTree } from './prefs.js';
import { createReview, mistakes } from './review.js';
import { rulesPanel } from './rules.js';
import { play as sound } from './sound.js';
import { deviceTable, treeOf } from './tables.js';
import { createTabs } from './tabs.js';
import { capital } from './text.js';
import { createThinking } from './thinking.js';
import {
  addLine,
  children,
  commentOf,
  emptyTree,
  isMain,
  lineFrom,
  mainLine,
  pathOf,
  promote,
  remove,
  sibling,
  turnsOf,
  withComment,
} from './tree.js';
import { MARKS } from './turns.js';

/** @typedef {{tree: import('./tree.js').Tree, review?: import('./review.js').Entry[]}} Saved */

/** @param {HTMLElement} main @param {string[]} rest */
export const analysisPage = async (main, rest) => {
  const { games } = await catalogue();
  const info = games.find((one) => one.id === rest[0]);
  if (!info) return intakePage(main, games);
  return board(main, info, rest.slice(1).join('/'));
};

/** Where an analysis can come from. @param {HTMLElement} main @param {import('./api.js').GameInfo[]} games */
const intakePage = (main, games) => {
  document.title = 'Analyse – Quadrille';
  main.className = 'page';
  const done = myGames().filter((game) => game.over);
  fill(
    main,
    el('h1', {}, 'Analyse'),
    el('p.lead', {}, 'Paste a position or a record, or begin with a game.'),
    importForm(games, null),
    el('h2', {}, 'From the start'),
    el(
      'div.shelf',
      {},
      ...games.map((one) =>
        el(
          'a.card.tile',
          { href: `/analysis/${one.id}`, 'data-game': one.id },
          drawing(one.picture),
          el('b', {}, one.name),
        ),
      ),
    ),
    done.length > 0
      ? el(
          'section.mine',
          {},
          el('h2', {}, 'My finished games'),
          el(
            'ul.games',
            {},
            ...done.slice(0, 12).map((game) =>
              el(
                'li',
                {},
                el(
                  'a',
                  {
                    href: `/analysis/${game.game}?${game.device ? 'device' : 'game'}=${game.id}&review=1`,
                  },
                  el('b', {}, games.find((one) => one.id === game.game)?.name ?? ''),
                  el('span', {}, game.names ?? ''),
                ),
              ),
            ),
          ),
        )
      : null,
  );
};

/** Reads a position or a record. @param {import('./api.js').GameInfo[]} games @param {import('./api.js').GameInfo|null} prefer */
const importForm = (games, prefer) => {
  const field = el('textarea', {
    id: 'import-text',
    rows: 4,
    'aria-label': 'A position or a record',
    placeholder: 'A position in one line or JSON, or a whole record',
    spellcheck: false,
  });
  const wrong = el('p.error', { id: 'import-error', role: 'alert' });
  const open = async () => {
    const text = field.value.trim();
    if (!text) return;
    try {
      location.href = await addressOf(
        text,
        prefer ? [prefer, ...games.filter((one) => one !== prefer)] : games,
      );
    } catch (error) {
      setText(wrong, capital(/** @type {Error} */ (error).message));
    }
  };
  return el(
    'form.card.import',
    {
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        open();
      },
    },
    field,
    wrong,
    el('div.row', {}, el('button.primary', { type: 'submit', id: 'import' }, 'Analyse this')),
  );
};

/** The address of the analysis of a text. @param {string} text @param {import('./api.js').GameInfo[]} games */
const addressOf = async (text, games) => {
  if (text.startsWith('[') || (/\n/.test(text) && !text.startsWith('{'))) {
    const tree = await ask('tree', { record: text }).catch((error) =>
      ask('tree', { record: `${text} *` }).catch(() => {
        throw error;
      }),
    );
    const id = Math.random().toString(36).slice(2, 10);
    saveTree(`tree:${id}`, { tree });
    return `/analysis/${tree.game}/${toPath(tree.start)}?tree=${id}`;
  }
  if (text.startsWith('{')) {
    const position = JSON.parse(text);
    const seen = await askView({ game: position.game ?? '', position });
    return `/analysis/${seen.game}/${toPath(seen.text)}`;
  }
  /** @type {string[]} */
  const reasons = [];
  for (const { id, name } of games) {
    try {
      const seen = await askView({ game: id, position: text });
      return `/analysis/${seen.game}/${toPath(seen.text)}`;
    } catch (error) {
      reasons.push(`as ${name}, ${/** @type {Error} */ (error).message}`);
    }
  }
  throw new Error(`this is a position of none of the games: ${reasons.join('; ')}`);
};

/** What is to be analysed at first. @param {import('./api.js').GameInfo} info @param {string} path @returns {Promise<{key: string, saved: Saved, fresh: boolean}>} */
const begin = async (info, path) => {
  const asked = new URLSearchParams(location.search);
  const id = asked.get('game') ?? asked.get('device');
  if (id) {
    const game = asked.has('device')
      ? await deviceTable(id).look()
      : await getJson(`/api/games/${id}`);
    const key = `game:${id}`;
    const old = /** @type {Saved|undefined} */ (savedTree(key));
    const base = old?.tree ?? emptyTree(game.game, game.start, game.options);
    const tags = /** @type {[string, string][]} */ (treeOf(game, info.players).tags);
    const { tree } = addLine({ ...base, tags }, null, game.turns);
    return { key, saved: { ...old, tree }, fresh: !old };
  }
  const key = asked.get('tree') ? `tree:${asked.get('tree')}` : `${info.id}/${path}`;
  const old = /** @type {Saved|undefined} */ (savedTree(key));
  if (old) return { key, saved: old, fresh: false };
  const start = path ? fromPath(path) : info.start;
  const seen = await askView({ game: info.id, position: start });
  return { key, saved: { tree: emptyTree(info.id, seen.text, {}) }, fresh: true };
};

/** @param {HTMLElement} main @param {import('./api.js').GameInfo} info @param {string} path */
const board = async (main, info, path) => {
  const { key, saved } = await begin(info, path);
  document.title = `Analysis of ${info.name} – Quadrille`;
  const state = {
    tree: saved.tree,
    review: saved.review,
    node: /** @type {number|null} */ (null),
    flipped: false,
  };
  const line = decodeURIComponent(location.hash.slice(1)).split(',').filter(Boolean);
  if (line.length > 0) {
    try {
      await askView({ game: info.id, position: state.tree.start, turns: line });
      const { tree, node } = addLine(state.tree, null, line);
      [state.tree, state.node] = [tree, node];
    } catch {
      toast('The turns in the address are not legal here.', 'bad');
    }
  } else
    state.node = ['game', 'device'].some((one) => new URLSearchParams(location.search).has(one))
      ? (mainLine(state.tree).at(-1) ?? null)
      : null;

  const placeAt = (/** @type {number|null} */ node) => ({
    game: info.id,
    position: state.tree.start,
    turns: turnsOf(state.tree, node),
  });
  const save = () => {
    if (!saveTree(key, { tree: state.tree, review: state.review }))
      toast('The browser keeps nothing: a reload loses this analysis.', 'bad');
  };

  const play = createPlay({
    label: `Board of ${info.name}`,
    sure: true,
    mayPlay: () => !play.base()?.over,
    idle: () => capital(play.base()?.status ?? ''),
    onTurn: (turn) => tryTurn(turn),
  });
  const thinking = createThinking(info, {
    onPick: (turns) => playTurns(turns),
    onBest: () => showBest(),
    onPeek: (turns) => peek(turns),
  });
  const names = /** @type {[string, string]} */ (
    [1, 2].map(
      (n) => state.tree.tags.find(([name]) => name === `Player${n}`)?.[1] ?? info.players[n - 1],
    )
  );
  const first = firstPlayer(/** @type {any} */ ({ start: state.tree.start }));
  const review = createReview({
    players: names,
    first,
    saved: state.review,
    place: () => ({ ...placeAt(mainLine(state.tree).at(-1) ?? null) }),
    onGo: (ply) => go(mainLine(state.tree)[ply - 1] ?? null),
    onChange: (entries) => {
      state.review = entries;
      save();
      renderMoves();
    },
    onRetry: (ply) => {
      go(mainLine(state.tree)[ply - 1] ?? null);
      retrying();
    },
    onJudged: () => retrying(),
  });

  /** While a better turn is looked for, nothing tells it. */
  const retrying = () => {
    main.classList.toggle('retrying', review.trying());
    thinking.hush(review.trying());
    if (review.trying()) play.hint([]);
  };

  /** Plays a turn, which is judged if it is a try. */
  const tryTurn = async (/** @type {string} */ turn) => {
    const judged = review.trying() ? review.judge(turn) : null;
    playTurns([turn]);
    sound('move');
    await judged;
  };

  /** The best turn as an arrow. */
  const showBest = async () => {
    const best = thinking.best();
    const { node } = state;
    if (!best || play.busy() || review.trying()) return;
    const shown = await askView(
      { ...placeAt(node), turns: [...turnsOf(state.tree, node), best] },
      state.flipped,
    ).catch(() => null);
    if (
      shown &&
      state.node === node &&
      thinking.best() === best &&
      !play.busy() &&
      !review.trying()
    )
      play.hint(arrows(shown.last));
  };

  const preview = el('div.card.preview', { hidden: true, 'aria-hidden': 'true' });
  /** A small board for a turn of a line, while it is pointed at. */
  const peek = async (/** @type {string[]|null} */ turns) => {
    preview.hidden = turns === null;
    if (!turns) return;
    const shown = await askView(
      { ...placeAt(state.node), turns: [...turnsOf(state.tree, state.node), ...turns] },
      state.flipped,
    );
    fill(
      preview,
      el('div.picture', {}, drawing(shown.svg)),
      el('small', {}, `After ${turns.at(-1)}`),
    );
    const { bottom, right } = thinking.element.getBoundingClientRect();
    preview.style.setProperty('top', `${bottom + 4}px`);
    preview.style.setProperty('right', `${innerWidth - right}px`);
  };

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
    oninput: () => {
      state.tree = withComment(state.tree, state.node, note.value);
      save();
      renderMoves();
    },
  });
  const up = button(
    'Make main line',
    () => {
      if (state.node !== null) {
        Object.assign(state, promote(state.tree, state.node));
        changed();
      }
    },
    { id: 'promote' },
  );
  const del = button(
    'Delete from here',
    () => {
      if (state.node !== null) {
        Object.assign(state, remove(state.tree, state.node));
        changed();
      }
    },
    { id: 'delete' },
  );
  const nav = stepsNav({
    first: () => go(null),
    back: () => step(-1),
    on: () => step(1),
    last: () => step(9999),
  });
  nav.append(
    iconButton('flip', 'Turn the board round', () => flip(), {
      id: 'flip',
      title: 'Turn the board round (f)',
    }),
  );
  const playHere = el('a.button', { id: 'play-here', title: 'Play from here' }, 'Play');
  const editHere = el('a.button', { id: 'edit-here' }, 'Set up');
  const actions = el(
    'div.actions',
    { role: 'group', 'aria-label': 'Actions' },
    button('Best', () => bestMove(), { id: 'best', title: 'Play the best move (space)' }),
    button('Threat', () => showThreat(), { id: 'threat', title: 'Show the threat (x)' }),
    playHere,
    editHere,
    button('Record', () => exportRecord(), { id: 'export' }),
    button(
      'Link',
      async () => toast((await copyText(location.href)) ? 'The link is copied.' : location.href),
      { id: 'copy-link' },
    ),
    button('Rules', () => rulesPanel(info), { id: 'rules-open' }),
  );
  const position = el('input', {
    type: 'text',
    readOnly: true,
    id: 'position-text',
    'aria-label': 'Position',
    onfocus: () => position.select(),
  });
  const { games } = await catalogue();

  const tabs = createTabs([
    { id: 'moves', name: 'Moves', panel: moves },
    { id: 'review', name: 'Review', panel: review.element },
    {
      id: 'notes',
      name: 'Notes',
      panel: el('section.note', { 'aria-label': 'Comment' }, note, el('div.row', {}, up, del)),
    },
    {
      id: 'tools',
      name: 'Tools',
      panel: el(
        'div.tools-panel',
        {},
        actions,
        el('div.field', {}, el('label', { for: 'position-text' }, 'Position'), position),
        importForm(games, info),
      ),
    },
  ]);
  main.className = 'table analysis';
  fill(
    main,
    el('div.boardbox.with-bar', {}, thinking.bar, play.board.element),
    el(
      'div.side',
      {},
      placeLine(info.name, 'analysis', el('span.connection.here', {}, 'On this device')),
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

  const glyphs = () =>
    new Map(
      mistakes(review.entries()).map((entry) => [
        mainLine(state.tree)[entry.ply - 1],
        entry.mistake,
      ]),
    );

  /** The tree as text that can be clicked. */
  const renderMoves = () => {
    const marks = glyphs();
    const gap = first - 1;
    const turn = (
      /** @type {number} */ node,
      /** @type {number} */ ply,
      /** @type {boolean} */ numbered,
    ) => {
      const at = ply + gap;
      const mark = marks.get(node);
      const one = state.tree.nodes[node];
      return [
        at % 2 === 0 || numbered
          ? el('span.number', {}, `${Math.floor(at / 2) + 1}${at % 2 === 0 ? '.' : '…'}`)
          : null,
        button(one.turn + (one.glyph ?? ''), () => go(node), {
          'data-node': node,
          'aria-current': node === state.node ? 'step' : null,
        }),
        mark ? el(`span.mark.mark-${mark}`, { title: mark }, MARKS[mark] ?? '') : null,
        one.comment ? el('span.comment', {}, ` ${one.comment} `) : null,
      ];
    };
    /** @returns {Node[]} */
    const lineAfter = (/** @type {number|null} */ from, /** @type {number} */ ply) => {
      /** @type {any[]} */
      const out = [];
      let numbered = true;
      for (
        let [next, ...others] = children(state.tree, from);
        next !== undefined;
        [next, ...others] = children(state.tree, next)
      ) {
        out.push(...turn(next, ply, numbered));
        for (const other of others)
          out.push(
            el(
              'span.variation',
              {},
              ...turn(other, ply, true).filter(Boolean),
              ...lineAfter(other, ply + 1),
            ),
          );
        numbered = others.length > 0 || Boolean(state.tree.nodes[next].comment);
        ply += 1;
      }
      return out.filter(Boolean);
    };
    const parts = lineAfter(null, 0);
    fill(
      moves,
      state.tree.comment ? el('span.comment', {}, state.tree.comment) : null,
      ...(parts.length > 0 ? parts : [el('small', {}, 'Play a turn on the board, or type it.')]),
    );
    const here = moves.querySelector('[aria-current]');
    if (here) {
      const top = here.offsetTop;
      if (top < moves.scrollTop || top > moves.scrollTop + moves.clientHeight - 30)
        moves.scrollTop = top - 40;
    } else moves.scrollTop = 0;
  };

  const render = async (animate = true) => {
    const place = placeAt(state.node);
    history.replaceState(
      null,
      '',
      `${location.pathname}${location.search}${place.turns.length > 0 ? `#${place.turns.map(encodeURIComponent).join(',')}` : ''}`,
    );
    renderMoves();
    if (document.activeElement !== note) note.value = commentOf(state.tree, state.node);
    up.disabled = state.node === null || isMain(state.tree, state.node);
    del.disabled = state.node === null;
    nav
      .querySelectorAll('button')
      .forEach((/** @type {HTMLButtonElement} */ one, /** @type {number} */ i) => {
        one.disabled =
          i < 2
            ? state.node === null
            : i < 4
              ? children(state.tree, state.node).length === 0
              : false;
      });
    review.show(isMain(state.tree, state.node) ? pathOf(state.tree, state.node).length : -1);
    const seen = await play.show(place, { flipped: state.flipped, animate });
    if (!seen || play.busy()) return;
    thinking.think(place, seen, state.flipped);
    playHere.href = playLink(seen);
    editHere.href = `/editor/${info.id}/${toPath(seen.text)}`;
    position.value = seen.text;
  };

  const changed = () => {
    save();
    render(false);
  };
  const go = (/** @type {number|null} */ node) => {
    state.node = node;
    render();
  };
  const step = (/** @type {number} */ by) => {
    if (by < 0) go(pathOf(state.tree, state.node).at(by - 1) ?? null);
    else {
      const ahead = lineFrom(state.tree, state.node);
      if (ahead.length > 0) go(ahead[Math.min(by, ahead.length) - 1]);
    }
  };
  const flip = () => {
    state.flipped = !state.flipped;
    render(false);
  };
  const playTurns = (/** @type {string[]} */ turns) => {
    const { tree, node } = addLine(state.tree, state.node, turns);
    [state.tree, state.node] = [tree, node];
    save();
    return render();
  };

  const bestMove = async () => {
    if (play.base()?.over) return;
    const turn =
      thinking.best() ??
      (await thought('hint', placeAt(state.node)).catch(() => null))?.engine?.turn;
    if (turn) {
      say(`Best: ${turn}`);
      tryTurn(turn);
    }
  };

  /** What the opponent would do if it were their turn. */
  const showThreat = async () => {
    const seen = play.base();
    if (!seen || seen.over) return;
    try {
      const other = await ask('edit', {
        game: info.id,
        position: seen.position,
        edit: { turn: seen.turn === 1 ? 2 : 1 },
      });
      const { engine } = await thought('hint', { game: info.id, position: other.position });
      const after = await askView(
        { game: info.id, position: other.position, turns: [engine.turn] },
        state.flipped,
      );
      play.hint(arrows(after.last), true);
      toast(`Threat: ${engine.turn}`);
    } catch (error) {
      toast(capital(/** @type {Error} */ (error).message), 'bad');
    }
  };

  const exportRecord = async () => {
    try {
      const { record: text } = await ask('record', state.tree);
      const area = el('textarea', {
        readOnly: true,
        rows: 12,
        value: text,
        id: 'record-text',
        'aria-label': 'Record',
      });
      const file = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
      const box = el(
        'dialog.box',
        { id: 'record', 'aria-label': 'Record' },
        el(
          'form',
          { method: 'dialog' },
          el('h2', {}, 'The record'),
          area,
          el(
            'div.row',
            {},
            el('a.button', { href: file, download: `${info.id}.txt` }, 'Save'),
            button('Copy', () => copyText(text, area), {}),
            el('button.primary', {}, 'Close'),
          ),
        ),
      );
      box.addEventListener('close', () => {
        URL.revokeObjectURL(file);
        box.remove();
      });
      document.body.append(box);
      box.showModal();
    } catch (error) {
      toast(capital(/** @type {Error} */ (error).message), 'bad');
    }
  };

  const vary = (/** @type {number} */ by) => go(sibling(state.tree, state.node, by));
  onKeys({
    ArrowLeft: () => step(-1),
    k: () => step(-1),
    ArrowRight: () => step(1),
    j: () => step(1),
    ArrowUp: () => vary(-1),
    ArrowDown: () => vary(1),
    Home: () => go(null),
    End: () => step(9999),
    PageUp: () => step(-10),
    PageDown: () => step(10),
    f: flip,
    z: zen,
    l: () => thinking.toggle(),
    ' ': bestMove,
    x: showThreat,
    n: () => review.nextMistake(),
    Escape: () => play.back(),
    m: () => play.entry.focus(),
  });

  // Who comes to review a game wants to see that first.
  if (state.review || new URLSearchParams(location.search).has('review')) tabs.show('review');
  save();
  await render(false);
  if (
    new URLSearchParams(location.search).has('review') &&
    !state.review &&
    mainLine(state.tree).length > 0
  )
    review.go();
};
