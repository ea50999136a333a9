/** The card of a turn: the prompt, the stages, the choices, and a text field. */
import { button, form, submit } from '../common/controls.js';
import { adopt, el, fill, keepFocus, setText } from '../common/dom.js';
import { capital } from '../common/text.js';

/**
 * @typedef {import('../program/views.js').Tap} Tap
 * @typedef {{title: string, able: boolean, begun: boolean, done: Tap[], ahead: string[], choices: Tap[],
 *   tint: string, advice: string, proposed: boolean, mayPlay: boolean, plays: boolean, error: string}} Shown
 *   what the card shows: whether a turn can be entered, whether one has been started, its stages, the choices and their
 *   colour, whether it can be confirmed, and whether the user is to move, or plays at all
 */

/**
 * @param {{onBack: () => void, onClear: () => void, onPlay: () => void, onType: (text: string) => Promise<boolean>,
 *   onChoose: (choice: Tap) => void, onPeek: (choice: Tap|null) => void, ofBoard: () => HTMLElement|null}} hooks
 *   `onType` returns whether the text was accepted; `onPeek` gets the choice being hovered; `ofBoard` is the cell that
 *   gets the focus when the focused control disappears
 */
export const createStageCard = (hooks) => {
  const title = document.getElementById('prompt') ?? el('p#prompt.prompt');
  const strip = el('ol.stages', { 'aria-label': 'Stages of this turn' });
  const chips = el('div.chips', { role: 'group', 'aria-label': 'Choices' });
  const back = button('#stage-back', 'Back', hooks.onBack);
  const clear = button('#stage-clear', 'Clear', hooks.onClear);
  const play = button('#stage-play.primary', 'Play', hooks.onPlay);
  const error = el('p#move-error.error', { role: 'alert' });
  const advice = el('p#advice.advice');
  const entry = el('input#move-text', {
    type: 'text',
    'aria-label': 'Type a move',
    placeholder: 'Type a move',
    autocomplete: 'off',
    spellcheck: false,
    autocapitalize: 'none',
    enterkeyhint: 'go',
  });
  const send = async () => {
    const text = entry.value.trim();
    if (text && (await hooks.onType(text))) entry.value = '';
  };
  const typing = form('.joined.entry', send, entry, submit('#move-go', 'Go'));
  const header = adopt('.stage > header', 'header', title, back, clear);
  const element = adopt(
    '.stage',
    'section.card.stage',
    { 'aria-label': 'Your turn' },
    ...[header, advice, strip, chips, play, typing, error],
  );
  let choosing = '';

  /** The choices; unchanged ones keep the focus. */
  const paintChoices = (/** @type {Tap[]} */ choices) => {
    const key = JSON.stringify(choices);
    if (key === choosing) return;
    choosing = key;
    fill(chips, ...choices.map((choice) => chip(choice, hooks)));
  };

  /** @param {Shown} shown */
  const show = (shown) => {
    setText(title, shown.title);
    setText(error, shown.error);
    setText(advice, shown.advice);
    element.hidden = !shown.title && !shown.plays;
    title.classList.toggle('mine', shown.able);
    element.classList.toggle('begun', shown.able && shown.begun);
    // Once there were stages, their space is reserved, so that nothing jumps between turns.
    if (shown.done.length + shown.ahead.length > 0) element.classList.add('staged');
    fill(strip, ...stages(shown));
    play.hidden = !shown.proposed;
    chips.className = `chips tint-${shown.tint}`;
    paintChoices(shown.choices);
    for (const one of [back, clear]) {
      one.disabled = !shown.able || !shown.begun;
      // A button that is disabled is hidden but keeps its space.
      one.classList.toggle('resting', one.disabled);
    }
    // Disabling the field would take the focus from somebody who is about to type the next turn.
    entry.readOnly = !shown.mayPlay;
    typing.hidden = !shown.plays;
  };

  const nextToFocus = () => chips.querySelector('button') ?? (play.hidden ? hooks.ofBoard() : play);
  /** @param {Shown} shown */
  const paint = (shown) => keepFocus(() => show(shown), nextToFocus);

  return { element, entry, paint };
};

/** @param {Tap} choice @param {Parameters<typeof createStageCard>[0]} hooks */
const chip = (choice, { onChoose, onPeek }) => {
  const one = button('.chip', choice.label, () => onChoose(choice), {
    'data-choice': choice.label,
    onmouseenter: () => onPeek(choice),
    onfocus: () => onPeek(choice),
    onmouseleave: () => onPeek(null),
    onblur: () => onPeek(null),
  });
  const heights = heightsOf(choice.label);
  if (heights.length > 0) one.prepend(stacks(heights));
  return one;
};

/** The heights of the parts in a choice: "1+5" means one and five. @param {string} label */
const heightsOf = (label) => (/^\d+(\+\d+)*$/.test(label) ? label.split('+').map(Number) : []);

/** Parts as small stacks. @param {number[]} heights */
const stacks = (heights) => {
  const all = heights.map((height) => {
    const one = el('i');
    one.style.setProperty('--height', String(height));
    return one;
  });
  return el('span.stacks', { 'aria-hidden': 'true' }, ...all);
};

/** The stages so far and to come. @param {Shown} shown */
const stages = ({ done, ahead }) => [
  ...done.map(({ stage, label }) => el('li.done', el('small', capital(stage)), label)),
  ...ahead.map((name, i) =>
    el(
      i === 0 ? 'li.now' : 'li',
      i === 0 ? { 'aria-current': 'step' } : {},
      el('small', capital(name)),
      '…',
    ),
  ),
];
