/** A position as a picture, for the clipboard or a file. */
import { el, toast } from '../common/dom.js';
import { ask } from '../program/ask.js';

/** The scale of the picture, for high-density screens. */
const SCALE = 2;

/** @param {import('../program/views.js').Place} place @returns {Promise<Blob>} */
const pictureOf = async (place) => {
  const { svg } = await ask('query', { ...place, want: ['svg'] });
  const image = new Image();
  // The Content-Security-Policy only allows images from the host and data URLs.
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = el('canvas', { width: image.width * SCALE, height: image.height * SCALE });
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    const done = (/** @type {Blob|null} */ blob) =>
      blob ? resolve(blob) : reject(new Error('this browser cannot draw the picture'));
    canvas.toBlob(done, 'image/png');
  });
};

/**
 * Copies a picture of the position to the clipboard; browsers that do not allow this save it as a file.
 * @param {import('../program/views.js').Place} place
 */
export const copyPicture = async (place) => {
  const picture = pictureOf(place);
  try {
    // Safari needs the promise: after an await, the click no longer counts as a user gesture.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]);
    toast('Picture copied.');
  } catch {
    const address = URL.createObjectURL(await picture);
    el('a', { href: address, download: `${place.game}.png` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    toast('Picture saved.');
  }
};
