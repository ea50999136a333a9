// Plays one side of a game that is known beforehand, by clicks on what the page offers, and notes each turn as soon
// as the page has taken it. A click is made once: what the page takes, it must deliver.
const [turns, mine, seed, offers] = arguments;
const state = { confirmed: [], doing: '', done: false };
window.player = state;

let last = seed;
const random = () => {
  last = (last * 1103515245 + 12345) % 2147483648;
  return last / 2147483648;
};
const $ = (css) => document.querySelector(css);
const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
const until = async (what, is) => {
  state.doing = what;
  while (!is()) await pause(20);
};
const listed = () => document.querySelectorAll('.turns [data-ply]').length;
const prompt = () => $('#prompt')?.textContent ?? '';
const asked = () => prompt().startsWith('Play ');
const taken = () => /^(Sending turn|Turn \S+ waits|\S+ is played)/.test(prompt());

const make = async (number) => {
  const { text, gestures } = turns[number];
  await until(`turn ${number}`, () => listed() === number);
  await pause(300 * random());
  for (const [i, gesture] of gestures.entries()) {
    if (i > 0)
      await until(
        `stage ${gesture[0].stage}`,
        () => $('.stages .now small')?.textContent.toLowerCase() === gesture[0].stage,
      );
    for (const { cell, label } of gesture) {
      if (cell === null) $(`.chips [data-choice="${label}"]`)?.click();
      else {
        const button = () => $(`.cells button[data-cell="${cell}"]`);
        await until(`cell ${cell}`, () => button()?.matches('.grab, .target'));
        button().click();
      }
    }
  }
  await until(`turn ${number} to be taken`, () => asked() || taken() || listed() > number);
  if (asked()) {
    $('#stage-play').click();
    await until(`turn ${number} to be taken`, () => taken() || listed() > number);
  }
  state.confirmed.push(text);
};

/** One side offers draws now and then, and the other declines. */
const talk = async () => {
  while (!state.done) {
    await pause(150 + 900 * random());
    const button = offers ? $('#offer-draw') : $('#decline');
    if (button && !button.disabled && !button.hidden && (!offers || random() < 0.3)) button.click();
  }
};

const waiting = () =>
  Object.keys(localStorage).filter((key) => key.startsWith('quadrille.outbox.')).length;

const play = async () => {
  for (let number = mine; number < turns.length; number += 2) await make(number);
  await until('the end', () => listed() === turns.length && $('.seat.won'));
  await until('all to be answered', () => waiting() === 0);
  await until(
    'the connection',
    () => $('#connection').textContent === 'Connected' && $('#link').hidden,
  );
  state.done = true;
};
talk();
play();
