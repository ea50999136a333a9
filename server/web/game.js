/** The page of one game: play it, or watch it. */
import { catalogue, getJson, postJson, toPath, view as askView } from './api.js';
import { leftNow, paintClock } from './clock.js';
import { button, confirmBox, copyField, el, fill, onKeys, say, setText, stepsNav, toast } from './dom.js';
import { after, firstPlayer, isComputer, seatName } from './live.js';
import { arrows, createPlay } from './play.js';
import { myGame, prefs, rememberGame, setPrefs } from './prefs.js';
import { rulesPanel } from './rules.js';
import { connect } from './socket.js';
import { play as sound } from './sound.js';
import { capital, clockName, resultText, scoreWords } from './text.js';
import { createTurns } from './turns.js';

/** The token in the address goes into the browser's memory, so that the address can be shared. */
const tokenOf = (/** @type {string} */ id) => {
  const fresh = decodeURIComponent(location.hash.slice(1));
  if (!fresh) return myGame(id)?.token ?? null;
  if (rememberGame({ id, token: fresh })) history.replaceState(null, '', location.pathname);
  return fresh;
};

/** @param {HTMLElement} main @param {string} id @param {{embed?: boolean}} [how] */
export const gamePage = async (main, id, { embed = false } = {}) => {
  const token = embed ? null : tokenOf(id);
  const [game, { games }] = await Promise.all([getJson(`/api/games/${id}`, token), catalogue()]);
  /** @type {{game: import('./live.js').Game, ply: number|null, flipped: boolean, skew: number, online: boolean, presence: any}} */
  const state = { game, ply: null, flipped: false, skew: 0, online: false, presence: null };
  const info = /** @type {import('./api.js').GameInfo} */ (games.find((one) => one.id === game.game));
  const you = state.game.you ?? [];
  state.flipped = you.length === 1 && you[0] === 2;

  const now = () => state.game.turns.length;
  const placeAt = (/** @type {number} */ turns) => ({ game: state.game.game, options: state.game.options, position: state.game.start, turns: state.game.turns.slice(0, turns) });
  // Asked for at once, shown when the page around it stands.
  askView(placeAt(now()), state.flipped).catch(() => {});
  const ply = () => state.ply ?? now();
  const live = () => state.ply === null;
  const name = (/** @type {1|2} */ player) => seatName(state.game, player, info.players[player - 1]);
  const names = () => /** @type {[string, string]} */ ([name(1), name(2)]);
  const mine = (/** @type {1|2} */ player) => you.includes(player);
  const started = () => state.game.seats.every((seat) => seat.kind !== 'open' || seat.joined);
  const mayPlay = () => live() && !state.game.result && started() && mine(state.game.turn);
  const against = () => you.length === 1 && isComputer(state.game, you[0] === 1 ? 2 : 1);

  const idle = () => {
    const { result, turns } = state.game;
    if (!live()) return `Turn ${ply()} of ${turns.length}`;
    if (result) return resultText(result, play.base()?.over ? play.base()?.status ?? '' : '', names());
    if (!started()) return 'Waiting for a friend to join';
    if (isComputer(state.game, state.game.turn)) return `${name(state.game.turn)} is thinking`;
    return `${name(state.game.turn)} to move`;
  };

  const play = createPlay({
    label: `Board of ${info.name}`,
    mayPlay,
    idle,
    onTurn: (turn) => socket.send('move', { turn, seq: state.game.seq + 1 }),
  });

  const list = createTurns((at) => go(at));
  const seats = [1, 2].map((number) => seatBar(/** @type {1|2} */ (number), info));
  const notice = el('div.notice', { id: 'notice' });
  const connection = el('span.connection', { id: 'connection' });
  const watchers = el('span', { id: 'watchers' });

  const nav = stepsNav({ first: () => go(0), back: () => step(-1), on: () => step(1), last: () => go(now()), flip: () => flip() });

  const hint = button('Hint', () => askHint(), { id: 'hint', title: 'Ask for a hint (h)' });
  const undo = button('Undo', () => command('undo'), { id: 'undo', title: 'Take back (u)' });
  const draw = button('Draw', () => command('offer-draw'), { id: 'offer-draw', 'aria-label': 'Offer a draw', title: 'Offer a draw' });
  const resign = button('Resign', async () => { if (await confirmBox('Give this game up?', 'Resign', 'Play on')) command('resign'); }, { id: 'resign' });
  const rematch = button('Rematch', () => command('rematch'), { id: 'rematch', className: 'primary' });
  const analyse = el('a.button', { id: 'analyse' }, 'Analyse');
  const review = el('a.button', { id: 'review' }, 'Review');
  const rulesButton = button('Rules', () => rulesPanel(info), { id: 'rules-open', title: 'The rules of this game' });
  const share = button('Share', () => showLinks(), { id: 'share', title: 'Links to this game' });
  const actions = el('div.actions', { role: 'group', 'aria-label': 'Actions' }, rematch, hint, undo, draw, resign, review, analyse, rulesButton, share);
  const foot = el('p.foot', {}, connection, watchers, el('span', { id: 'clock-name' }, clockName(state.game.clock)));

  main.className = embed ? 'table embed' : 'table';
  fill(main,
    el('h1.sr', {}, `${info.name}: ${names().join(' against ')}`),
    el('div.boardbox', {}, play.board.element),
    seats[0].element, seats[1].element,
    ...(embed ? [el('p.foot', {}, el('a', { href: `/${id}`, target: '_blank', rel: 'noopener' }, `Open this game of ${info.name}`))]
      : [el('div.side', {}, notice, play.card, nav, el('section.card.list', {}, list.element), actions, foot)]));

  const remember = () => {
    if (!embed && (you.length > 0 || myGame(id))) rememberGame({ id, game: info.id, over: Boolean(state.game.result), names: names().join(' – ') });
  };

  /** Shows the position that is to be seen, and everything around it. */
  const render = async (animate = true) => {
    renderAround();
    const shown = await play.show(placeAt(ply()), { flipped: state.flipped, animate });
    if (shown) renderAround();
  };

  const renderAround = () => {
    const { game } = state;
    const seen = play.view();
    seats.forEach(({ element, paint }, i) => {
      const player = /** @type {1|2} */ (i + 1);
      element.classList.toggle('top', (player === 2) !== state.flipped);
      element.classList.toggle('bottom', (player === 2) === state.flipped);
      paint({ game, name: name(player), seat: seen?.players[i], turn: !game.result && game.turn === player, you: you.length === 1 && mine(player), winner: game.result?.winner === player, here: state.presence?.seats[i] });
    });
    list.show(game.turns, ply(), { first: firstPlayer(game) });
    const [first, back, on, last] = nav.querySelectorAll('button');
    first.disabled = back.disabled = ply() === 0;
    on.disabled = last.disabled = ply() >= now();
    const over = Boolean(game.result);
    const computerGame = you.length === 0 && isComputer(game, 1) && isComputer(game, 2);
    hint.hidden = over || you.length === 0;
    hint.disabled = !mayPlay();
    undo.hidden = over || you.length === 0;
    undo.disabled = !game.turns.length || game.offer !== null;
    draw.hidden = over || you.length !== 1 || against();
    draw.disabled = game.offer !== null || !game.turns.length || !started();
    resign.hidden = over || you.length === 0;
    rematch.hidden = !over || you.length === 0;
    rematch.disabled = Boolean(game.rematch?.seat && mine(game.rematch.seat) && you.length === 1);
    setText(rematch, rematch.disabled ? 'Rematch asked' : 'Rematch');
    review.hidden = !over || game.turns.length === 0;
    analyse.hidden = you.length > 0 && !over && !computerGame;
    analyse.href = `/analysis/${game.game}?game=${id}`;
    review.href = `/analysis/${game.game}?game=${id}&review=1`;
    setText(connection, state.online ? 'Connected' : 'Connecting again…');
    connection.classList.toggle('lost', !state.online);
    setText(watchers, state.presence?.watchers ? `${state.presence.watchers} watching` : '');
    play.card.classList.toggle('over', over && live());
    document.title = `${mayPlay() ? 'Your turn – ' : over ? 'Over – ' : ''}${info.name} – Quadrille`;
    renderNotice();
    play.render();
  };

  /** Offers and invitations. */
  const renderNotice = () => {
    const { game } = state;
    const offer = game.offer;
    const mySeat = you[0];
    if (you.length === 1 && game.seats[mySeat - 1].kind === 'open' && !game.seats[mySeat - 1].joined) {
      if (notice.dataset.kind === 'join') return;
      notice.dataset.kind = 'join';
      const field = el('input', { type: 'text', id: 'join-name', maxLength: 40, value: prefs().name, placeholder: 'Your name', 'aria-label': 'Your name' });
      fill(notice, el('form.card', { onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); setPrefs({ name: field.value.trim() }); command('join', { name: field.value.trim() || undefined }); } },
        el('p', {}, `You are invited to play ${info.players[mySeat - 1]}.`), el('div.joined', {}, field, el('button.primary', { type: 'submit', id: 'join' }, 'Join'))));
      return;
    }
    if (!started() && myGame(id)?.invite && !embed) {
      if (notice.dataset.kind === 'invite') return;
      notice.dataset.kind = 'invite';
      fill(notice, el('div.card', {}, el('p', {}, 'Send this link to your friend. Whoever opens it may take the other seat.'), copyField('Link for your friend', `${location.origin}/${id}#${myGame(id)?.invite}`, 'invite-link')));
      return;
    }
    if (offer && you.length === 1 && !mine(offer.seat)) {
      notice.dataset.kind = 'offer';
      fill(notice, el('div.card', { role: 'group', 'aria-label': 'Offer' }, el('p', {}, offer.kind === 'draw' ? `${name(offer.seat)} offers a draw.` : `${name(offer.seat)} asks to take back a turn.`),
        el('div.row', {}, button('Decline', () => command('decline'), { id: 'decline' }), button('Accept', () => command('accept'), { id: 'accept', className: 'primary' }))));
      return;
    }
    if (offer) {
      notice.dataset.kind = 'asked';
      fill(notice, el('p.card', {}, offer.kind === 'draw' ? 'A draw is offered.' : 'Asked to take back a turn.'));
      return;
    }
    if (game.rematch?.seat && you.length === 1 && !mine(game.rematch.seat)) {
      notice.dataset.kind = 'rematch';
      fill(notice, el('p.card', {}, `${name(game.rematch.seat)} asks for a rematch.`));
      return;
    }
    delete notice.dataset.kind;
    fill(notice);
  };

  const showLinks = () => {
    const base = location.origin;
    const invite = myGame(id)?.invite;
    const box = el('dialog.box', { id: 'links', 'aria-label': 'Links to this game' }, el('form', { method: 'dialog' },
      el('h2', {}, 'Links to this game'),
      copyField('To watch', `${base}/${id}`, 'watch-link'),
      token ? copyField('Your seat, secret', `${base}/${id}#${token}`, 'seat-link') : null,
      token && invite ? copyField('Your friend’s seat, secret', `${base}/${id}#${invite}`, 'friend-link') : null,
      copyField('To show on another page', `<iframe src="${base}/embed/${id}" width="420" height="560"></iframe>`, 'embed-link'),
      el('div.row', {}, el('a.button', { href: `/api/games/${id}/record`, id: 'record-link' }, 'The game as text'), el('button.primary', {}, 'Close'))));
    box.addEventListener('close', () => box.remove());
    document.body.append(box);
    box.showModal();
  };

  const command = async (/** @type {string} */ what, fields = {}) => {
    const seat = you.length === 2 ? { seat: state.game.turn } : {};
    try {
      await socket.send(what, { ...seat, ...fields });
    } catch (error) {
      toast(capital(/** @type {Error} */ (error).message), 'bad');
    }
  };

  const go = (/** @type {number} */ to) => {
    const at = Math.max(0, Math.min(now(), to));
    if (play.busy() && at === now()) return;
    state.ply = at >= now() ? null : at;
    render();
  };
  const step = (/** @type {number} */ by) => go(ply() + by);
  const flip = () => { state.flipped = !state.flipped; render(false); };

  const askHint = async () => {
    if (!mayPlay() || hint.disabled) return;
    hint.disabled = true;
    setText(hint, 'Thinking…');
    const { game } = state;
    const place = placeAt(now());
    try {
      const answer = await postJson('/api/hint', place);
      const turn = answer.engine?.turn ?? answer.seed?.turns[0];
      const shown = await askView({ ...place, turns: [...game.turns, turn] }, state.flipped);
      if (state.game.seq !== game.seq) return;
      play.clear();
      play.hint(arrows(shown.last));
      const other = answer.seed && !answer.seed.turns.includes(turn) ? ` ${answer.seed.name} would play ${answer.seed.turns[0]}.` : '';
      const words = answer.engine ? `: ${scoreWords(answer.engine, game.turn, info.players)}` : '';
      toast(`Hint: ${turn}${words}.${other}`);
    } catch (error) {
      toast(capital(/** @type {Error} */ (error).message), 'bad');
    } finally {
      setText(hint, 'Hint');
      hint.disabled = !mayPlay();
    }
  };

  const toRematch = async (/** @type {string} */ next) => {
    if (token) {
      const { tokens, token: one } = await getJson(`/api/games/${id}/rematch`, token);
      const own = one ?? tokens?.find((/** @type {string|null} */ each) => each);
      if (own) rememberGame({ id: next, game: info.id, token: own });
    }
    location.href = `/${next}`;
  };

  const onEvent = async (/** @type {any} */ event) => {
    const before = state.game;
    state.game = after(before, event);
    const seat = /** @type {1|2} */ (event.seat);
    if (event.kind === 'move') {
      sound(mine(seat) ? 'move' : 'other');
      await render();
      const status = play.base()?.status ?? '';
      if (!mine(seat) || you.length === 2) say(`${name(seat)} plays ${event.turn}. ${mayPlay() && you.length === 1 ? 'Your turn.' : capital(status)}`);
    } else if (event.kind === 'undone') {
      state.ply = null;
      await render(false);
      say(`Taken back to turn ${event.turns}.`);
    } else if (event.kind === 'result') {
      sound('end');
      await render();
      say(idle());
      remember();
    } else if (event.kind === 'rematch' && event.id) {
      if (you.length > 0) await toRematch(event.id);
    } else {
      if (event.kind === 'joined') say(`${name(seat)} has joined.`);
      if (event.kind === 'declined') toast('Declined.');
      await render();
      remember();
    }
  };

  const socket = connect(id, {
    token,
    seq: () => state.game.seq,
    onEvent,
    onState: (how) => { state.online = how === 'open'; renderAround(); if (how === 'lost' && !embed) say('Connection lost. Connecting again.'); },
    onPresence: (presence) => { state.presence = presence; renderAround(); },
    onHello: (hello) => { if (hello.at) state.skew = hello.at - Date.now(); },
  });

  const tick = () => seats.forEach(({ clock }, i) => {
    const player = /** @type {1|2} */ (i + 1);
    paintClock(clock, leftNow(state.game.clocks, player, state.skew), !state.game.result && state.game.clocks?.running === player);
  });
  setInterval(tick, 100);

  onKeys({
    ArrowLeft: () => step(-1), k: () => step(-1), ArrowRight: () => step(1), j: () => step(1),
    Home: () => go(0), End: () => go(now()), PageUp: () => step(-10), PageDown: () => step(10),
    f: flip, h: askHint, u: () => { if (!undo.hidden && !undo.disabled) command('undo'); },
    z: () => document.documentElement.classList.toggle('zen'),
    Escape: () => { if (!play.back()) { state.ply = null; render(); } },
    m: () => play.entry.focus(),
  });
  document.addEventListener('prefs', renderAround);

  remember();
  tick();
  await render(false);
};

/** A player's bar: form and colour, name, what the rules count, clock. @param {1|2} number @param {import('./api.js').GameInfo} info */
const seatBar = (number, info) => {
  const icon = el('span.icon', { 'aria-hidden': 'true' });
  const who = el('b');
  const what = el('small');
  const clock = el('span.clock', { id: `clock-${number}`, hidden: true, role: 'timer', 'aria-live': 'off' });
  const turn = el('span.turn-mark', { hidden: true }, 'to move');
  const element = el('section.card.seat', { id: `seat-${number}`, 'aria-label': info.players[number - 1] }, icon, el('div.who', {}, el('span.line', {}, who, turn), what), clock);
  /** @param {any} now */
  const paint = ({ name, seat, turn: on, you, winner, here, game }) => {
    const letter = info.players[number - 1].length === 1 ? info.players[number - 1] : '';
    icon.className = `icon player-${number} tint-${seat?.tint ?? ''}${letter ? ' letter' : ''}`;
    setText(icon, letter);
    setText(who, you ? (name === info.players[number - 1] ? 'You' : `${name} (you)`) : name);
    const reserve = seat?.reserve != null ? `, ${seat.reserve} in hand` : '';
    const away = game.seats[number - 1].kind === 'person' || game.seats[number - 1].kind === 'open' ? (here === false && !you && game.seats[number - 1].joined !== false ? ' · away' : '') : '';
    const colour = info.players[number - 1];
    setText(what, `${name === colour && !you ? '' : `${colour} · `}${seat ? `${seat.count}${reserve}` : ''}${away}`);
    element.classList.toggle('turn', Boolean(on));
    element.classList.toggle('won', Boolean(winner));
    turn.hidden = !on && !winner;
    setText(turn, winner ? 'has won' : 'to move');
  };
  return { element, paint, clock };
};

export const analysisLink = (/** @type {import('./api.js').View} */ view) => `/analysis/${view.game}/${toPath(view.text)}`;
