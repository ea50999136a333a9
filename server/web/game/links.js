/** Sharing a game: its links, its text, and moving a local game to the server. */
import { below, gameAt, hasServer, whole } from '../address.js';
import { button, copyField } from '../common/controls.js';
import { closeRow, openDialog, recordBox } from '../common/dialogs.js';
import { complain, el } from '../common/dom.js';
import { forgetGame, myGame } from '../table/mine.js';
import { canBeGiven } from '../table/live.js';
import { handOver, recordOf } from '../table/tables.js';
import { isStarted } from './gamestate.js';

/** @param {import('./gamestate.js').State} state */
export const share = (state) => (state.device ? shareFromHere(state) : showLinks(state));

/** @param {import('./gamestate.js').State} state */
const showLinks = (state) => {
  const { id, seat } = state;
  const invite = myGame(id)?.invite;
  // A player's key gives access to more than this seat, so it never goes into a link.
  const token = seat && !seat.invitation && !seat.token.startsWith('pk-') ? seat.token : null;
  openDialog(
    { id: 'links', title: 'Links to this game' },
    copyField('To watch', whole(gameAt(id)), 'watch-link'),
    token && copyField('Your seat (keep this secret)', whole(gameAt(id, token)), 'seat-link'),
    token &&
      invite &&
      !isStarted(state) &&
      copyField('To invite your friend', whole(gameAt(id, invite)), 'friend-link'),
    copyField(
      'Embed',
      `<iframe src="${whole(below(`embed/${id}`))}" width="420" height="560"></iframe>`,
      'embed-link',
    ),
    closeRow(
      el('a#record-link.button', { href: below(`api/games/${id}/record`) }, 'The game as text'),
    ),
  );
};

/**
 * Shares a local game: as text, or by moving it to the server, where it has a link.
 * @param {import('./gamestate.js').State} state
 */
const shareFromHere = async ({ id, game, info }) => {
  const text = await recordOf(game, info.players);
  const give = async () => {
    hand.disabled = true;
    try {
      const address = await handOver(game);
      // From now on it lives on the server: if both copies went on, they would become two games.
      forgetGame(id);
      location.href = address;
    } catch (error) {
      hand.disabled = false;
      complain(error);
    }
  };
  const hand = button('#hand-over', 'Put it on the server', give, {
    title: 'Gives the game an address that others can open',
  });
  recordBox(text, {
    id: 'links',
    title: 'This game',
    file: `${info.id}.txt`,
    lead: 'It is kept in this browser, and nobody else can see it.',
    more: hasServer() && canBeGiven(game) && hand,
  });
};
