/** A position as a picture, for the clipboard or a file. */
import { el, toast } from '../common/dom.js';
import { ask } from '../program/ask.js';

/** How much larger than it is drawn: pictures are looked at on fine screens. */
const SCALE = 2;

/** @param {import('../program/views.js').Place} place @returns {Promise<Blob>} */
const pictureOf = async (place) => {
  const { svg } = await ask('query', { ...place, want: ['svg'] });
  const image = new Image();
  // Pages load pictures from nowhere else than their host and addresses that hold them.
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
 * Copies the picture of a position; a browser that does not let pictures be copied saves it.
 * @param {import('../program/views.js').Place} place
 */
export const copyPicture = async (place) => {
  const picture = pictureOf(place);
  try {
    // Safari wants the promise: after waiting, a click is no reason any more.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]);
    toast('The picture is copied.');
  } catch {
    const address = URL.createObjectURL(await picture);
    el('a', { href: address, download: `${place.game}.png` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    toast('The picture is saved.');
  }
};
