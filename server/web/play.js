/**
 * Making a turn: taps, drags, keys and typed text on a board, in stages that can be taken back.
 * The game page and the analysis both play through this.
 *
 * @typedef {import('./api.js').View} View
 * @typedef {import('./api.js').Place} Place
 */
import { view as askView } from './api.js';
import { ask } from './ask.js';
import { createBoard } from './board.js';
import { button, el, fill, say, setText } from './dom.js';
import { NOTHING, back, drag, stageNames, stageOf, starts, tapCell, tapChoice } from './gesture.js';
import { prefs, touch } from './prefs.js';
import { NONE, due, short, tapped } from './premove.js';
import { reach, sleep } from './reach.js';
import { capital, plural } from './text.js';

/** What is to be done next, in words. @param {View} view @param {import('./gesture.js').Spelling} spelling */
const prompt = (view, spelling) => {
  const { candidates, choices, stage } = stageOf(view.steps, spelling);
  const places = candidates.filter(
    (step) => step.trace.placed !== null && step.taps.length === 1,
  ).length;
  if (choices.length > 0) return `Choose the ${stage}`;
  if (places > 0 && places === candidates.length)
    return view.in_turn ? `Place the ${stage}` : 'Choose an empty cell';
  return places > 0 ? `Choose the ${stage}, or an empty cell` : `Choose the ${stage}`;
};

/** How long the board may be waited for before a turn that needs no board goes on without. */
const LATE = 700;

/**
 * @param {{onTurn: (turn: string) => Promise<any>|void, mayPlay: () => boolean, idle: () => string, label?: string, sure?: boolean,
 *   onWay?: (turn: string) => string, plays?: () => boolean,
 *   premove?: () => 1|2|null}} hooks
 *   `sure` never asks for confirmation, `onWay` says how far a turn is that has been played, `plays` whether anybody plays here,
 *   `premove` who may choose a turn ahead
 */
export const createPlay = ({
  onTurn,
  mayPlay,
  idle,
  label,
  sure = false,
  onWay = () => 'Sending…',
  plays = () => true,
  premove = () => null,
}) => {
  /** @type {Place|null} */
  let place = null;
  /** Which way round the board is to be, and is. */
  let flipped = false;
  let turned = false;
  /** Whether the board shows the place, and not one before it that is still to be replaced. */
  let current = false;
  /** @type {View|null} the position without what is being made */
  let base = null;
  /** @type {View|null} what is on the board */
  let view = null;
  /** @type {{text: string, view: View, taps: import('./api.js').Tap[]}[]} */
  let draft = [];
  let spelling = NOTHING;
  /** @type {{text: string, cell: number|null, before: View, spelling: import('./gesture.js').Spelling}|null} */
  let proposal = null;
  /** @type {import('./board.js').Hint[]} */
  let hints = [];
  let threat = false;
  /** Counts the places that were to be shown, and the turns that were tried: a board that comes too late is not shown. */
  let shows = 0;
  let tries = 0;
  /** How many boards have been waited for too long. */
  let late = 0;
  /** @type {{text: string, from: string}|null} a turn that has not been answered, and where it was played */
  let sending = null;
  let upcoming = NONE;
  /** @type {import('./board.js').Marks} what is marked, but for what is only pointed at */
  let marked = {};
  /** @type {{to: number, height: number}[]} */
  let ghosts = [];

  const board = createBoard({
    label,
    onTap: (cell) => tap(cell),
    onDrag: (from, to) => dragged(from, to),
  });

  const title = el('p.prompt', { id: 'prompt' });
  const strip = el('ol.stages', { 'aria-label': 'Stages of this turn' });
  const chips = el('div.chips', { role: 'group', 'aria-label': 'Choices' });
  const backButton = button('Back', () => stepBack(), { id: 'stage-back' });
  const clearButton = button('Clear', () => clear(), { id: 'stage-clear' });
  const playButton = button('Play', () => confirm(), { id: 'stage-play', className: 'primary' });
  const entry = el('input', {
    type: 'text',
    id: 'move-text',
    'aria-label': 'Type a move',
    placeholder: 'Type a move',
    autocomplete: 'off',
    spellcheck: false,
    autocapitalize: 'none',
    enterkeyhint: 'go',
  });
  const wrong = el('p.error', { id: 'move-error', role: 'alert' });
  const form = el(
    'form.joined.entry',
    {
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        typed();
      },
    },
    entry,
    el('button', { type: 'submit', id: 'move-go' }, 'Go'),
  );
  const card = el(
    'section.card.stage',
    { 'aria-label': 'Your turn' },
    el('header', {}, title, backButton, clearButton),
    strip,
    chips,
    playButton,
    form,
    wrong,
  );

  const turnsWith = (/** @type {string} */ text) => [...(place?.turns ?? []), text];
  const made = () => draft.map((one) => one.text).join('');
  const ready = () => mayPlay() && !sending && current;
  const key = (/** @type {Place|null} */ one) => JSON.stringify(one);
  const marker = () => draft.length > 0 || spelling.taps.length > 0 || proposal !== null;

  /** Shows everything as it stands. */
  const render = () => {
    if (!view) return;
    const able = ready();
    const stage = able && !proposal ? stageOf(view.steps, spelling) : null;
    const begun = spelling.taps.length > 0;
    const heads = able && !proposal ? starts(view.steps) : new Map();
    const placing = stage && !begun && view.steps.every((step) => step.trace.placed !== null);
    const selected =
      begun && !proposal ? (spelling.taps.find((one) => one.cell !== null)?.cell ?? null) : null;
    const later = upcoming.chosen ? arrows([upcoming.chosen.trace]) : [];
    const from = upcoming.spelling.taps[0]?.cell ?? null;
    ghosts = [];
    marked = {
      selected: selected ?? from,
      targets:
        stage && begun
          ? stage.cells
          : from !== null
            ? stageOf(upcoming.steps, upcoming.spelling).cells
            : new Set(),
      later,
      grab: new Set(heads.keys()),
      // Where a piece may be put; quietly, because there are many such cells.
      faint: new Set(
        stage && !begun
          ? view.steps.flatMap((step) =>
              step.taps.length === 1 && step.trace.placed !== null ? [step.trace.placed] : [],
            )
          : [],
      ),
      hints,
      threat,
      says: (cell) => {
        if (!stage) return '';
        if (cell === selected) return 'selected';
        if (begun) return stage.cells.has(cell) ? 'legal target' : '';
        return heads.has(cell)
          ? placing
            ? 'can be chosen'
            : plural(heads.get(cell), 'legal move')
          : '';
      },
    };
    board.mark(marked);
    board.element.classList.toggle('able', able && !proposal);
    board.element.classList.toggle('placing', Boolean(placing));
    renderCard(able, stage);
  };

  const renderCard = (/** @type {boolean} */ able, /** @type {any} */ stage) => {
    if (!view) return;
    const now = sending
      ? onWay(sending.text)
      : late > 0
        ? 'Fetching the rules…'
        : upcoming.chosen
          ? `Next: ${upcoming.chosen.text}`
          : able
            ? proposal
              ? `Play ${proposal.text}?`
              : prompt(view, spelling)
            : idle();
    setText(title, now);
    card.classList.toggle('begun', able && marker());
    title.classList.toggle('mine', able);
    const done = [
      ...draft.flatMap((one) => one.taps),
      ...(proposal ? proposal.spelling.taps : spelling.taps),
    ];
    const ahead = stage ? stageNames(view.steps, spelling).slice(spelling.taps.length) : [];
    const total = done.length + ahead.length;
    if (able && total > 1) card.classList.add('staged');
    fill(
      strip,
      ...(able && total > 1
        ? [
            ...done.map((one) => el('li.done', {}, el('small', {}, capital(one.stage)), one.label)),
            ...ahead.map((name, i) =>
              el(
                i === 0 ? 'li.now' : 'li',
                i === 0 ? { 'aria-current': 'step' } : {},
                el('small', {}, capital(name)),
                '…',
              ),
            ),
          ]
        : []),
    );
    fill(
      chips,
      ...(stage?.choices ?? []).map((/** @type {any} */ choice) =>
        button(choice.label, () => choose(choice), {
          className: 'chip',
          'data-choice': choice.label,
          onmouseenter: () => foresee(choice),
          onfocus: () => foresee(choice),
          onmouseleave: () => foresee(null),
          onblur: () => foresee(null),
        }),
      ),
    );
    backButton.disabled = !able || !marker();
    clearButton.disabled = !able || !marker();
    // A button that can do nothing hides, and keeps its place.
    for (const one of [backButton, clearButton]) one.classList.toggle('resting', one.disabled);
    playButton.hidden = proposal === null || sending !== null;
    const hasFocus = document.activeElement === playButton;
    if (playButton.hidden && hasFocus) board.cells.querySelector('button[tabindex="0"]')?.focus();
    // A field that is disabled would lose the focus of whoever types the next turn.
    entry.readOnly = !mayPlay();
    form.hidden = !plays();
  };

  /** Shows where the parts of a choice would land, in every direction. @param {import('./api.js').Tap|null} choice */
  const foresee = (choice) => {
    if (!view) return;
    const steps = choice
      ? stageOf(view.steps, tapChoice(view.steps, spelling, choice)).candidates
      : [];
    const all = steps.flatMap(({ trace }) =>
      trace.travels.flatMap(({ to, height }) => (to === null ? [] : [{ to, height }])),
    );
    ghosts = all.filter(({ to }, i) => all.findIndex((other) => other.to === to) === i);
    board.mark({ ...marked, ghosts });
  };

  /** Says so when an answer takes long. @template T @param {Promise<T>} answer @returns {Promise<T>} */
  const noticing = async (answer) => {
    let noticed = 0;
    const timer = setTimeout(() => {
      noticed = 1;
      late += 1;
      render();
    }, LATE);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      late -= noticed;
    }
  };

  /** Asks for a position and shows it, unless another was asked for meanwhile. @param {string[]} turns @param {boolean} animate */
  const look = async (turns, animate) => {
    if (!place) return null;
    const [show, attempt, way] = [shows, ++tries, flipped];
    const next = await noticing(askView({ ...place, turns }, way));
    if (show !== shows || attempt !== tries) return null;
    // Of a turn in the making, only the latest move has not been seen.
    const shown =
      draft.length > 0 && next.last.length > 1 ? next.last.slice(draft.length) : next.last;
    view = next;
    turned = way;
    board.show(next, { animate, steps: shown });
    return next;
  };

  const tap = async (/** @type {number} */ cell) => {
    if (view && !ready() && (await chooseAhead(cell))) return;
    if (!view || !ready()) {
      if (!sending) render();
      return;
    }
    if (proposal) {
      if (proposal.cell === cell) {
        confirm();
        return;
      }
      stepBack();
      return;
    }
    spelling = tapCell(view.steps, spelling, cell);
    advance();
  };

  const dragged = (/** @type {number} */ from, /** @type {number} */ to) => {
    if (!view || !ready() || proposal) return;
    spelling = drag(view.steps, from, to);
    if (from === to) render();
    else advance();
  };

  const choose = (/** @type {import('./api.js').Tap} */ choice) => {
    if (!view) return;
    const fromKeys = document.activeElement?.classList.contains('chip');
    spelling = tapChoice(view.steps, spelling, choice);
    advance();
    if (fromKeys)
      /** @type {any} */ (
        chips.querySelector('button') ?? board.cells.querySelector('button[tabindex="0"]')
      )?.focus();
  };

  /** Plays a step that is spelled out, or shows the next stage. */
  const advance = async () => {
    if (!view) return;
    const { step, candidates, stage, choices } = stageOf(view.steps, spelling);
    // What was tried before is given up.
    tries++;
    setText(wrong, '');
    hints = [];
    if (!step || candidates.length > 1) {
      render();
      if (spelling.taps.length > 0)
        say(
          choices.length > 0
            ? `Choose the ${stage}: ${choices.map((one) => one.label).join(', ')}`
            : prompt(view, spelling),
        );
      return;
    }
    const before = view;
    const cell = spelling.taps.findLast((one) => one.cell !== null)?.cell ?? null;
    await attempt(
      made() + step.text,
      { text: step.text, taps: spelling.taps, cell, before, step },
      false,
    );
  };

  /** Looks what a text makes of the turn: more of it, or all. */
  const attempt = async (
    /** @type {string} */ text,
    /** @type {any} */ from,
    /** @type {boolean} */ certain,
  ) => {
    const was = spelling;
    const looking = look(turnsWith(text), true);
    const mine = [shows, tries].join();
    let next;
    try {
      next = await (from.step?.ends
        ? Promise.race([looking, sleep(reach.answering() ? LATE : 0)])
        : looking);
    } catch (error) {
      setText(wrong, capital(/** @type {Error} */ (error).message));
      render();
      return false;
    }
    if (mine !== [shows, tries].join()) return false;
    if (!next) {
      // The board comes later; what was chosen is marked on the present one.
      hints = arrows([from.step.trace]);
      looking.then(
        (late) => {
          if (late) {
            hints = [];
            render();
          }
        },
        () => {},
      );
    }
    spelling = NOTHING;
    if (next?.in_turn) {
      draft = [...draft, { text: from.text, view: from.before, taps: from.taps }];
      render();
      say(prompt(next, NOTHING));
      return true;
    }
    proposal = { text, cell: from.cell, before: from.before, spelling: was };
    const ask = prefs().confirm;
    if (
      !certain &&
      !sure &&
      (ask === 'always' || (ask === 'auto' && (touch() || draft.length > 0)))
    ) {
      render();
      say(`Play ${text}? Confirm with Play, or go back.`);
      return true;
    }
    await confirm();
    return true;
  };

  const confirm = async () => {
    if (!proposal || sending) return;
    const { text } = proposal;
    await deliver(text, () => onTurn(text));
  };

  /** Shows a turn as played until it is answered. */
  const deliver = async (
    /** @type {string} */ text,
    /** @type {() => Promise<any>|void} */ answer,
  ) => {
    sending = { text, from: key(place) };
    render();
    try {
      await answer();
      sending = null;
      draft = [];
      proposal = null;
      spelling = NOTHING;
    } catch (error) {
      sending = null;
      clear();
      setText(wrong, capital(/** @type {Error} */ (error).message));
    }
    hints = [];
    render();
  };

  /** A turn that was played before, or on another page, and has not been answered. @param {string} text @param {Promise<any>} answer */
  const adopt = (text, answer) => {
    if (sending || !current || !view) return false;
    clear();
    proposal = { text, cell: null, before: view, spelling: NOTHING };
    look(turnsWith(text), true).catch(() => {});
    deliver(text, () => answer);
    return true;
  };

  const typed = async () => {
    const text = entry.value.trim();
    if (!view || !text || !ready()) return;
    if (proposal) stepBack();
    setText(wrong, '');
    const goesOn = draft.length > 0;
    const step = view.steps.find((one) => one.text === text.toLowerCase());
    const from = {
      text,
      taps: [{ stage: 'typed', label: text, cell: null }],
      cell: null,
      before: view,
      step,
    };
    if (goesOn && (await attempt(made() + text, from, true))) {
      entry.value = '';
      return;
    }
    if (goesOn) clear();
    if (await attempt(text, { ...from, before: base }, true)) {
      entry.value = '';
      setText(wrong, '');
    }
  };

  /** Chooses a turn for later, or takes it back. Says whether that is what a tap means now. @param {number} cell */
  const chooseAhead = async (cell) => {
    const seat = premove();
    if (!seat || !base || !current) return false;
    const here = base;
    if (upcoming === NONE) {
      const steps = short(
        await ask('edit', { game: here.game, position: here.position, edit: { turn: seat } }).then(
          (other) => other.steps,
          () => [],
        ),
      );
      if (base !== here || premove() !== seat || steps.length === 0) return base === here;
      // A second tap may have come while the first waited: they are taken in order.
      if (upcoming === NONE) upcoming = { ...NONE, steps };
    }
    upcoming = tapped(upcoming, cell);
    render();
    say(
      upcoming.chosen
        ? `${upcoming.chosen.text} will be played next. Tap, or press Escape, to take it back.`
        : upcoming.spelling.taps.length > 0
          ? 'Choose where to'
          : 'Nothing is chosen',
    );
    return true;
  };

  /** Plays what was chosen ahead, if it still can be. */
  const playAhead = () => {
    const was = upcoming;
    if (was === NONE || !view || !ready()) return;
    upcoming = NONE;
    const text = due(was, view.steps);
    if (text)
      attempt(
        text,
        {
          text,
          taps: [],
          cell: null,
          before: view,
          step: view.steps.find((one) => one.text === text),
        },
        true,
      );
    else if (was.chosen) {
      say(`${was.chosen.text} cannot be played any more.`);
      render();
    }
  };

  /** Takes back one stage. Says whether there was one. */
  const stepBack = () => {
    if (upcoming !== NONE) {
      upcoming = NONE;
      render();
      return true;
    }
    if (sending || !marker() || !view) return false;
    setText(wrong, '');
    tries++;
    if (proposal) {
      const { before, spelling: was } = proposal;
      proposal = null;
      view = before;
      board.show(before);
      spelling = back(before.steps, was);
    } else if (spelling.taps.length > 0) spelling = back(view.steps, spelling);
    else {
      const last = draft.at(-1);
      draft = draft.slice(0, -1);
      if (last) {
        view = last.view;
        board.show(last.view);
        spelling = back(last.view.steps, { taps: last.taps, aim: null });
      }
    }
    render();
    say(prompt(view, spelling));
    return true;
  };

  const clear = () => {
    if (sending) return;
    draft = [];
    proposal = null;
    spelling = NOTHING;
    // A board that is about to be replaced needs no repair.
    if (base && current) {
      tries++;
      view = base;
      board.show(base);
    }
    render();
  };

  /**
   * Shows a position. What was being made there is forgotten when the position is another one.
   * @param {Place} next @param {{flipped?: boolean, animate?: boolean, forgive?: boolean}} [how] `forgive` clears the last error
   */
  const show = async (next, { flipped: round = false, animate = true, forgive = true } = {}) => {
    const same = place !== null && key(place) === key(next);
    if (same && round === flipped) {
      render();
      return view;
    }
    const goesOn =
      !same && view?.in_turn && draft.length > 0 && next.turns?.at(-1)?.startsWith(made());
    place = next;
    flipped = round;
    if (!goesOn) draft = [];
    const waits = proposal !== null && next.turns?.at(-1) === proposal.text;
    if (!waits && !sending) {
      proposal = null;
      hints = [];
      threat = false;
    }
    spelling = NOTHING;
    if (!same && forgive) setText(wrong, '');
    current = false;
    const mine = ++shows;
    render();
    const shown = await look(next.turns ?? [], animate && (!same || goesOn === true));
    if (mine !== shows || !shown) return null;
    current = true;
    base = shown;
    draft = [];
    // A turn that is on its way is shown where it was played.
    if (sending?.from === key(next)) look(turnsWith(sending.text), false).catch(() => {});
    render();
    playAhead();
    return shown;
  };

  return {
    board,
    card,
    entry,
    show,
    adopt,
    /** Clears an error that something else has followed. */
    forgive: () => setText(wrong, ''),
    render,
    back: stepBack,
    clear,
    confirm,
    view: () => view,
    base: () => base,
    /** Whether the board that is seen is turned round. */
    turned: () => turned,
    busy: () => marker() || sending !== null,
    /** @param {import('./board.js').Hint[]} shown */
    hint: (shown, isThreat = false) => {
      hints = shown;
      threat = isThreat;
      render();
    },
  };
};

/** What a turn does, as it is drawn. @param {import('./api.js').Trace[]} traces @returns {import('./board.js').Hint[]} */
export const arrows = (traces) => traces.flatMap((trace) => hintsOf(trace));

/** @param {import('./api.js').Trace} trace @returns {import('./board.js').Hint[]} */
const hintsOf = (trace) => {
  // A placement is the advice; what it pushes follows by itself.
  if (trace.placed !== null) return [{ place: trace.placed }];
  const parts = trace.travels.flatMap(({ from, to, height }) =>
    to === null ? [] : [{ from, to, height }],
  );
  // All parts of a stack lie on one arrow.
  return [...new Set(parts.map(({ from }) => from))].map((from) => ({
    from,
    parts: parts.filter((part) => part.from === from),
  }));
};
