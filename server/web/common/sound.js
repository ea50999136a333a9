/** Synthesised sounds. */
import { prefs } from './prefs.js';

/** @type {AudioContext|null} */
let context = null;

/** A tap on wood: a short burst of filtered noise. */
const tap = (
  /** @type {AudioContext} */ audio,
  /** @type {number} */ pitch,
  /** @type {number} */ loud,
  at = 0,
) => {
  const length = 0.06;
  const buffer = audio.createBuffer(1, audio.sampleRate * length, audio.sampleRate);
  const data = buffer.getChannelData(0);
  for (let i = 0; i < data.length; i++)
    data[i] = (Math.random() * 2 - 1) * (1 - i / data.length) ** 6;
  const source = audio.createBufferSource();
  source.buffer = buffer;
  const filter = audio.createBiquadFilter();
  filter.type = 'bandpass';
  filter.frequency.value = pitch;
  filter.Q.value = 3;
  const gain = audio.createGain();
  gain.gain.value = loud;
  source.connect(filter).connect(gain).connect(audio.destination);
  source.start(audio.currentTime + at);
};

const SOUNDS = {
  move: [[900, 0.9, 0]],
  other: [[600, 0.9, 0]],
  end: [
    [500, 0.9, 0],
    [750, 0.9, 0.12],
    [1000, 0.9, 0.24],
  ],
  low: [[300, 0.8, 0]],
  offer: [
    [700, 0.8, 0],
    [700, 0.8, 0.16],
  ],
};

/** Sounds that are played even if the page is hidden. */
const CALLS = new Set(['offer']);

/** @param {keyof typeof SOUNDS} name */
export const play = (name) => {
  if (!prefs().sound || (document.hidden && !CALLS.has(name))) return;
  // Browsers allow sound only after a user gesture.
  if (!navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  const audio = context;
  for (const [pitch, loud, at] of SOUNDS[name]) tap(audio, pitch, loud, at);
};
