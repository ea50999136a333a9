/** The page of one game: play it, or watch it. */
import { catalogue, getJson, patient, postJson, toPath, view as askView } from './api.js';
import { thought } from './ask.js';
import { leftNow, paintClock } from './clock.js';
import { freshName } from './commands.js';
import {
  barButton,
  barLink,
  button,
  confirmBox,
  copyField,
  copyText,
  el,
  fill,
  moreMenu,
  onKeys,
  placeLine,
  say,
  setText,
  stepsNav,
  toast,
  unzenButton,
  zen,
} from './dom.js';
import { join } from './join.js';
import { after, firstPlayer, isComputer, seatName } from './live.js';
import { announcement, headline, progress, question } from './notices.js';
import { EMPTY, isPending, pendingTurn } from './outbox.js';
import { arrows, createPlay } from './play.js';
import { forever, forgetGame, hasServer, myGame, prefs, rememberGame, setPrefs } from './prefs.js';
import { reach, sleep } from './reach.js';
import { rulesPanel } from './rules.js';
import { hold, proposal, settled, whoOf } from './seats.js';
import { play as sound } from './sound.js';
import { showState } from './status.js';
import { capital, clockName, resultText, scoreWords } from './text.js';
import { deviceTable, handOver, recordOf, serverTable } from './tables.js';
import { createTurns } from './turns.js';

/** A command that is answered sooner need not be shown. */
const SOON = 600;

/** Things that happen within this time are announced together. */
const TOGETHER = 700;

/** How long an announcement waits for its board. */
const LATE = 1_500;

/** @param {HTMLElement} main @param {string} id @param {{embed?: boolean, device?: boolean}} [how] */
export const gamePage = async (main, id, { embed = false, device = false } = {}) => {
  const table = device ? deviceTable(id) : serverTable(id);
  const infoOf = async (/** @type {import('./live.js').Game} */ game) => {
    const { games } = await catalogue();
    return /** @type {import('./api.js').GameInfo} */ (games.find((one) => one.id === game.game));
  };
  const watching = async () => ({
    game: await patient(() => getJson(`/api/games/${id}`)),
    seat: null,
    note: '',
  });
  const [arrival] = await Promise.all([
    embed ? watching() : table.arrive(main, async (game) => (await infoOf(game)).players),
    catalogue(),
  ]);
  /** @type {{game: import('./live.js').Game, ply: number|null, flipped: boolean, skew: number, told: import('./connection.js').Told,
   *   presence: any, seat: import('./seats.js').Seat|null, note: string, joining: boolean, putOff: boolean}} */
  const state = {
    game: arrival.game,
    ply: null,
    flipped: false,
    skew: 0,
    told: { kind: 'connecting', words: 'Connecting…' },
    presence: null,
    seat: arrival.seat,
    note: arrival.note,
    joining: false,
    putOff: false,
  };
  const info = await infoOf(state.game);
  let you = state.seat?.you ?? [];
  state.flipped = you.length === 1 && you[0] === 2;

  const now = () => state.game.turns.length;
  const placeAt = (/** @type {number} */ turns) => ({
    game: state.game.game,
    options: state.game.options,
    position: state.game.start,
    turns: state.game.turns.slice(0, turns),
  });
  // Asked for at once, shown when the page around it stands.
  askView(placeAt(now()), state.flipped).catch(() => {});
  const ply = () => state.ply ?? now();
  const live = () => state.ply === null;
  /** Who is invited is no friend that is waited for. */
  const name = (/** @type {1|2} */ player) =>
    state.seat?.invitation && mine(player)
      ? info.players[player - 1]
      : seatName(state.game, player, info.players[player - 1]);
  const names = () => /** @type {[string, string]} */ ([name(1), name(2)]);
  const mine = (/** @type {1|2} */ player) => you.includes(player);
  const started = () => state.game.seats.every((seat) => seat.kind !== 'open' || seat.joined);
  const mayPlay = () => live() && !state.game.result && started() && mine(state.game.turn);
  const against = () => you.length === 1 && isComputer(state.game, you[0] === 1 ? 2 : 1);

  const idle = () => {
    const { result, turns } = state.game;
    if (!live()) return `Turn ${ply()} of ${turns.length}`;
    if (result)
      return resultText(result, play.base()?.over ? (play.base()?.status ?? '') : '', names());
    if (!started()) return 'Waiting for a friend to join';
    if (isComputer(state.game, state.game.turn)) return `${name(state.game.turn)} is thinking`;
    return `${name(state.game.turn)} to move`;
  };

  const play = createPlay({
    label: `Board of ${info.name}`,
    premove: () =>
      live() &&
      !state.game.result &&
      started() &&
      you.length === 1 &&
      !state.seat?.invitation &&
      !mine(state.game.turn)
        ? you[0]
        : null,
    plays: () => you.length > 0 && !state.game.result && !state.seat?.invitation,
    mayPlay,
    idle,
    onTurn: (turn) => give('move', { turn, board_seq: state.game.board_seq }),
    onWay: (turn) => {
      const one = pendingTurn(box());
      return one ? progress(one, state.told.kind === 'connected') : `${turn} is played`;
    },
  });

  const list = createTurns((at) => go(at));
  const seats = [1, 2].map((number) => seatBar(/** @type {1|2} */ (number), info));
  const notice = el('div.notice', { id: 'notice' });
  const outboxList = el('ul.outbox', { id: 'outbox' });
  const connection = el(device ? 'span.connection.here' : 'span.connection', { id: 'connection' });
  const watchers = el('span', { id: 'watchers' });

  const nav = stepsNav({
    first: () => go(0),
    back: () => step(-1),
    on: () => step(1),
    last: () => go(now()),
  });

  const small = [
    barButton('back', 'Back', () => step(-1), { id: 'bar-back', className: 'only-small' }),
    barButton('on', 'Forward', () => step(1), { id: 'bar-on', className: 'only-small' }),
  ];
  const hint = barButton('hint', 'Hint', () => askHint(), {
    id: 'hint',
    title: 'Ask for a hint (h)',
  });
  const undo = barButton('undo', 'Take back', () => command('undo'), {
    id: 'undo',
    title: 'Take back (u)',
  });
  const turnRound = barButton('flip', 'Flip', () => flip(), {
    id: 'flip',
    title: 'Turn the board round (f)',
  });
  const draw = button('Offer a draw', () => command('offer-draw'), { id: 'offer-draw' });
  const resign = button(
    'Resign',
    async () => {
      if (await confirmBox('Give this game up?', 'Resign', 'Play on')) command('resign');
    },
    { id: 'resign', className: 'danger' },
  );
  const rematch = barButton('again', 'Rematch', () => command('rematch'), {
    id: 'rematch',
    className: 'primary',
  });
  const analyse = barLink('analyse', 'Analyse', { id: 'analyse' });
  const review = barLink('review', 'Review', { id: 'review' });
  const rulesButton = button('Rules', () => rulesPanel(info), {
    id: 'rules-open',
    title: 'The rules of this game',
  });
  const share = button('Share', () => showLinks(), { id: 'share', title: 'Links to this game' });
  const type = button(
    'Type a move',
    () => {
      play.card.classList.add('typing');
      play.entry.focus();
    },
    { id: 'type-open' },
  );
  const bar = el(
    'div.bar',
    { role: 'group', 'aria-label': 'Actions' },
    rematch,
    review,
    analyse,
    ...small,
    hint,
    undo,
    turnRound,
    moreMenu(type, draw, rulesButton, share, resign),
  );
  const place = placeLine(
    info.name,
    clockName(state.game.clock),
    el('span', {}, watchers, connection),
  );

  main.className = embed ? 'table embed' : 'table';
  fill(
    main,
    el('div.boardbox', {}, play.board.element),
    el(
      'div.side',
      {},
      seats[0].element,
      seats[1].element,
      ...(embed
        ? [
            el(
              'p.foot',
              {},
              el(
                'a',
                { href: `/${id}`, target: '_blank', rel: 'noopener' },
                `Open this game of ${info.name}`,
              ),
            ),
          ]
        : [
            place,
            el('section.card.turnlist', { 'aria-label': 'Turns' }, list.element, nav),
            el('div.now', {}, notice, outboxList, play.card),
            bar,
          ]),
    ),
    ...(embed ? [] : [unzenButton()]),
  );

  const remember = () => {
    if (!embed && (device || you.length > 0 || myGame(id)))
      rememberGame({
        id,
        game: info.id,
        over: Boolean(state.game.result),
        names: names().join(' – '),
        ...(device ? { device } : {}),
      });
  };

  /** Shows the position that is to be seen, and everything around it. */
  const render = async (animate = true) => {
    renderAround();
    const shown = await play.show(placeAt(ply()), {
      flipped: state.flipped,
      animate,
      forgive: false,
    });
    if (shown) renderAround();
  };

  const renderAround = () => {
    const { game } = state;
    const seen = play.view();
    const turned = seen ? play.turned() : state.flipped;
    seats.forEach(({ element, paint }, i) => {
      const player = /** @type {1|2} */ (i + 1);
      // The seats lie as the board does, which may be turned round a little later.
      element.classList.toggle('top', (player === 2) !== turned);
      element.classList.toggle('bottom', (player === 2) === turned);
      paint({
        game,
        name: name(player),
        seat: seen?.players[i],
        turn: !game.result && game.turn === player,
        you: you.length === 1 && mine(player),
        winner: game.result?.winner === player,
        here: state.presence?.seats[i],
      });
    });
    list.show(game.turns, ply(), { first: firstPlayer(game) });
    const [first, back, on, last] = nav.querySelectorAll('button');
    first.disabled = back.disabled = small[0].disabled = ply() === 0;
    on.disabled = last.disabled = small[1].disabled = ply() >= now();
    const over = Boolean(game.result);
    const waits = (/** @type {string} */ what) => isPending(box(), what);
    const computerGame = you.length === 0 && isComputer(game, 1) && isComputer(game, 2);
    const sits = you.length > 0 && !state.seat?.invitation;
    hint.hidden = over || !sits;
    hint.disabled = !mayPlay();
    undo.hidden = over || !sits;
    undo.disabled = !game.turns.length || game.offer !== null || waits('undo');
    draw.hidden = over || !sits || you.length !== 1 || against();
    draw.disabled = game.offer !== null || !game.turns.length || !started() || waits('offer-draw');
    resign.hidden = over || !sits;
    resign.disabled = waits('resign');
    rematch.hidden = !over || !sits;
    const asked = Boolean(game.rematch?.seat && mine(game.rematch.seat) && you.length === 1);
    rematch.disabled = asked || waits('rematch');
    setText(rematch.querySelector('span'), asked ? 'Rematch asked' : 'Rematch');
    review.hidden = !over || game.turns.length === 0;
    analyse.hidden = you.length > 0 && !over && !computerGame;
    analyse.href = `/analysis/${game.game}?${table.query}`;
    review.href = `/analysis/${game.game}?${table.query}&review=1`;
    setText(connection, state.told.words);
    connection.classList.toggle('lost', state.told.kind !== 'connected');
    setText(watchers, state.presence?.watchers ? `${state.presence.watchers} watching` : '');
    play.card.classList.toggle('over', over && live());
    document.title = `${headline(game, you, name, mayPlay())}${info.name} – Quadrille`;
    renderNotice();
    renderOutbox();
    play.render();
  };

  /** Fills the notice when it is another one than before. */
  const showNotice = (/** @type {string} */ kind, /** @type {() => Node} */ make) => {
    if (notice.dataset.kind === kind) return;
    notice.dataset.kind = kind;
    fill(notice, make());
  };

  /** Invitations, offers, and what a link was worth. */
  const renderNotice = () => {
    const { game, seat } = state;
    const open = question(game, you, name);
    const [mySeat] = you;
    if (seat?.invitation) showNotice(`join ${state.joining}`, () => joinForm(mySeat));
    else if (!started() && myGame(id)?.invite && !embed) {
      showNotice('invite', () =>
        el(
          'div.card',
          {},
          el('p', {}, 'Send this link to your friend. Whoever opens it may take the other seat.'),
          copyField(
            'Link for your friend',
            `${location.origin}/${id}#${myGame(id)?.invite}`,
            'invite-link',
          ),
        ),
      );
    } else if (open && !(open.kind === 'rematch' && (state.putOff || game.rematch?.id))) {
      const answering =
        isPending(box(), 'accept') ||
        isPending(box(), 'decline') ||
        (open.kind === 'rematch' && isPending(box(), 'rematch'));
      showNotice(`${open.kind} ${open.text} ${answering}`, () => questionCard(open, answering));
    } else if (game.rematch?.id && you.length === 0) {
      showNotice(`next ${game.rematch.id}`, () =>
        el(
          'p.card',
          {},
          'They play again: ',
          el('a', { href: `/${game.rematch.id}`, id: 'to-rematch' }, 'watch the rematch'),
          '.',
        ),
      );
    } else if (state.note) {
      showNotice(state.note, () =>
        el(
          'p.card',
          { id: 'seat-note' },
          `${state.note} You are ${you.length > 0 ? 'at the seat that this browser holds' : 'watching'}.`,
        ),
      );
    } else if (notice.dataset.kind) {
      delete notice.dataset.kind;
      fill(notice);
    }
  };

  const joinForm = (/** @type {1|2} */ mySeat) => {
    const field = el('input', {
      type: 'text',
      id: 'join-name',
      maxLength: 40,
      value: prefs().name,
      placeholder: 'Your name',
      'aria-label': 'Your name',
      disabled: state.joining,
    });
    return el(
      'form.card',
      {
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          setPrefs({ name: field.value.trim() });
          takeSeat(field.value.trim() || undefined);
        },
      },
      el('p', {}, `You are invited to play ${info.players[mySeat - 1]}.`),
      el(
        'div.joined',
        {},
        field,
        el(
          'button.primary',
          { type: 'submit', id: 'join', disabled: state.joining },
          state.joining ? 'Joining…' : 'Join',
        ),
      ),
    );
  };

  const questionCard = (
    /** @type {import('./notices.js').Question} */ open,
    /** @type {boolean} */ answering,
  ) => {
    if (open.kind === 'asked') return el('p.card', {}, open.text);
    const again = open.kind === 'rematch';
    const no = again
      ? button(
          'Not now',
          () => {
            state.putOff = true;
            renderAround();
          },
          { id: 'decline', disabled: answering },
        )
      : button('Decline', () => command('decline'), { id: 'decline', disabled: answering });
    const yes = button(
      'Accept',
      () => (again ? command('rematch') : command('accept', { board_seq: state.game.board_seq })),
      { id: 'accept', className: 'primary', disabled: answering },
    );
    return el(
      'div.card',
      { role: 'group', 'aria-label': 'Offer' },
      el('p', {}, open.text),
      el('div.row', {}, no, yes),
    );
  };

  /** Exchanges the invitation for a seat. */
  const takeSeat = async (/** @type {string|undefined} */ called) => {
    const invitation = state.seat?.token;
    if (!invitation || state.joining) return;
    state.joining = true;
    renderAround();
    let secret;
    try {
      secret = proposal(forever, id, invitation, (bytes) => crypto.getRandomValues(bytes));
    } catch {
      state.joining = false;
      renderAround();
      toast(
        'This browser keeps nothing, so it could not keep the seat. Allow it to store data for this page.',
        'bad',
      );
      return;
    }
    const outcome = await join({
      invitation,
      secret,
      name: called,
      command: freshName(),
      send: (body, token) => postJson(`/api/games/${id}/commands`, body, token),
      look: (token) => getJson(`/api/games/${id}`, token),
      back: async () => {
        await Promise.all([sleep(1_000), reach.back()]);
      },
    });
    state.joining = false;
    if ('joined' in outcome) {
      hold(forever, id, whoOf(outcome.joined.you), outcome.joined.token);
      settled(forever, id);
      rememberGame({ id, game: info.id, invited: undefined });
      history.replaceState(null, '', location.pathname);
      sit({ ...outcome.joined, invitation: false });
    } else if ('taken' in outcome) {
      settled(forever, id);
      rememberGame({ id, game: info.id, invited: undefined });
      state.note = 'This invitation has been used: somebody has taken the seat.';
      say(state.note);
      sit(null);
    } else {
      renderAround();
      toast(capital(outcome.error.message), 'bad');
    }
  };

  /** Takes a seat of this page, or none. @param {import('./seats.js').Seat|null} seat */
  const sit = (seat) => {
    state.seat = seat;
    you = seat?.you ?? [];
    state.flipped = you.length === 1 && you[0] === 2;
    commands = seat && !seat.invitation ? desk(seat) : null;
    socket.again();
    remember();
    render(false);
  };

  /** Commands that are on their way or were refused; turns are shown with the board. */
  const renderOutbox = () => {
    const connected = state.told.kind === 'connected';
    const late = (/** @type {import('./outbox.js').Command} */ one) =>
      one.phase === 'refused' || !connected || Date.now() - one.at > SOON;
    const shown = box().commands.filter(
      (one) => !(one.what === 'move' && (one.own || onBoard.has(one.name))) && late(one),
    );
    const next = JSON.stringify(shown.map((one) => [one.name, progress(one, connected)]));
    if (outboxList.dataset.shown === next) return;
    outboxList.dataset.shown = next;
    fill(
      outboxList,
      ...shown.map((one) =>
        el(
          'li',
          { 'data-phase': one.phase, className: one.phase === 'refused' ? 'refused' : '' },
          progress(one, connected),
          one.phase === 'refused'
            ? button('OK', () => commands?.forget(one.name), {
                'aria-label': `Dismiss: ${progress(one, connected)}`,
              })
            : null,
        ),
      ),
    );
  };

  const dialogOf = (
    /** @type {string} */ name,
    /** @type {string} */ title,
    /** @type {any[]} */ ...parts
  ) => {
    const dialog = el(
      'dialog.box',
      { id: name, 'aria-label': title },
      el('form', { method: 'dialog' }, el('h2', {}, title), ...parts),
    );
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  };

  const showLinks = () => {
    if (device) {
      shareFromHere();
      return;
    }
    const base = location.origin;
    const invite = myGame(id)?.invite;
    const token = state.seat && !state.seat.invitation ? state.seat.token : null;
    dialogOf(
      'links',
      'Links to this game',
      copyField('To watch', `${base}/${id}`, 'watch-link'),
      token ? copyField('Your seat, secret', `${base}/${id}#${token}`, 'seat-link') : null,
      token && invite && !started()
        ? copyField('To invite your friend', `${base}/${id}#${invite}`, 'friend-link')
        : null,
      copyField(
        'To show on another page',
        `<iframe src="${base}/embed/${id}" width="420" height="560"></iframe>`,
        'embed-link',
      ),
      el(
        'div.row',
        {},
        el('a.button', { href: `/api/games/${id}/record`, id: 'record-link' }, 'The game as text'),
        el('button.primary', {}, 'Close'),
      ),
    );
  };

  /** A game of this browser: as text, or handed to the server, where it has an address. */
  const shareFromHere = async () => {
    const text = await recordOf(state.game, info.players);
    const area = el('textarea', {
      readOnly: true,
      rows: 8,
      value: text,
      id: 'record-text',
      'aria-label': 'Record',
    });
    const give = button(
      'Put it on the server',
      async () => {
        give.disabled = true;
        try {
          const address = await handOver(state.game);
          // From now on it is the server's: two that go on apart would be two games.
          forgetGame(id);
          location.href = address;
        } catch (error) {
          give.disabled = false;
          toast(capital(/** @type {Error} */ (error).message), 'bad');
        }
      },
      { id: 'hand-over', title: 'Gives the game an address that others can open' },
    );
    dialogOf(
      'links',
      'This game',
      el('p', {}, 'It is kept in this browser, and nobody else can see it.'),
      area,
      el(
        'div.row',
        {},
        button('Copy', () => copyText(text, area)),
        hasServer() ? give : null,
        el('button.primary', {}, 'Close'),
      ),
    );
  };

  const box = () => commands?.box() ?? EMPTY;
  /** The commands of other pages that the board shows. @type {Set<string>} */
  const onBoard = new Set();

  /** Gives a command and delivers it, now or later. */
  const give = (/** @type {string} */ what, /** @type {Record<string, any>} */ fields = {}) => {
    if (!commands) return Promise.reject(new Error('you are watching'));
    // A command that is repeated must be the same player's: whose turn it is may change meanwhile.
    const seat = you.length === 2 ? { seat: state.game.turn } : {};
    const answer = commands.give(what, { ...seat, ...fields });
    setTimeout(renderOutbox, SOON + 50);
    socket.flush();
    return answer;
  };

  const command = async (/** @type {string} */ what, fields = {}) => {
    try {
      await give(what, fields);
    } catch (error) {
      sound('low');
      say(capital(/** @type {Error} */ (error).message));
    }
  };

  /** A turn that waits since before this page was loaded, or that another page has played, is shown here, too. */
  const adoptTurn = () => {
    const turn = pendingTurn(box());
    if (
      !commands ||
      !turn ||
      turn.own ||
      onBoard.has(turn.name) ||
      !mayPlay() ||
      turn.fields.board_seq !== state.game.board_seq
    )
      return;
    if (play.adopt(turn.fields.turn, commands.answerTo(turn.name))) onBoard.add(turn.name);
  };

  const go = (/** @type {number} */ to) => {
    const at = Math.max(0, Math.min(now(), to));
    if (play.busy() && at === now()) return;
    state.ply = at >= now() ? null : at;
    render();
  };
  const step = (/** @type {number} */ by) => go(ply() + by);
  let turning = false;
  /** Turns the board and the seats together, when the board is there. */
  const flip = async () => {
    if (turning) return;
    turning = true;
    await askView(placeAt(ply()), !state.flipped);
    turning = false;
    state.flipped = !state.flipped;
    render(false);
  };

  const askHint = async () => {
    if (!mayPlay() || hint.disabled) return;
    hint.disabled = true;
    setText(hint.querySelector('span'), 'Thinking…');
    const { game } = state;
    const place = placeAt(now());
    try {
      const answer = await thought('hint', place);
      const turn = answer.engine?.turn ?? answer.seed?.turns[0];
      const shown = await askView({ ...place, turns: [...game.turns, turn] }, state.flipped);
      if (state.game.seq !== game.seq) return;
      play.clear();
      play.hint(arrows(shown.last));
      const other =
        answer.seed && !answer.seed.turns.includes(turn)
          ? ` ${answer.seed.name} would play ${answer.seed.turns[0]}.`
          : '';
      const words = answer.engine ? `: ${scoreWords(answer.engine, game.turn, info.players)}` : '';
      toast(`Hint: ${turn}${words}.${other}`);
    } catch (error) {
      toast(capital(/** @type {Error} */ (error).message), 'bad');
    } finally {
      setText(hint.querySelector('span'), 'Hint');
      hint.disabled = !mayPlay();
    }
  };

  const toRematch = async (/** @type {string} */ next) => {
    const address = await table.rematch(next, info.id, state.seat?.token);
    location.href = address;
    // Where only the part behind # differs, nothing would be loaded.
    if (device) location.reload();
  };

  /** The game goes on at once; what is to be seen and heard follows in order, however long a board takes. */
  let shown = Promise.resolve();
  const onEvent = (/** @type {any} */ event) => {
    state.game = after(state.game, event);
    if (['move', 'undone', 'result'].includes(event.kind)) {
      commands?.moved();
      play.forgive();
    }
    if (state.seat?.invitation && !state.joining && state.game.seats[you[0] - 1].joined) {
      state.note = 'Somebody else has taken the seat.';
      sit(null);
    }
    const words = announcement(state.game, event, you, name);
    shown = shown.then(() => present(event, words)).catch(() => {});
  };

  let announced = { words: '', at: 0 };
  /** Announces what has happened; things that happen together are told together. */
  const tell = (/** @type {string} */ words) => {
    const now = Date.now();
    announced = {
      words: now - announced.at < TOGETHER ? `${announced.words} ${words}` : words,
      at: now,
    };
    say(announced.words);
  };

  const present = async (
    /** @type {any} */ event,
    /** @type {ReturnType<typeof announcement>} */ words,
  ) => {
    const seat = /** @type {1|2} */ (event.seat);
    if (event.kind === 'undone') state.ply = null;
    if (event.kind === 'move') sound(mine(seat) ? 'move' : 'other');
    else if (event.kind === 'result') sound('end');
    else if (words?.sound) sound(words.sound);
    await Promise.race([render(event.kind !== 'undone'), sleep(LATE)]);
    if (event.kind === 'move') {
      const status = play.base()?.status ?? '';
      if (!mine(seat) || you.length === 2)
        tell(
          `${name(seat)} plays ${event.turn}. ${mayPlay() && you.length === 1 ? 'Your turn.' : capital(status)}`,
        );
    } else if (event.kind === 'undone') tell(`Taken back to turn ${event.turns}.`);
    else if (event.kind === 'result') tell(idle());
    else if (words) tell(words.words);
    if (event.kind === 'rematch' && event.id && you.length > 0) await toRematch(event.id);
    if (event.kind !== 'move' && event.kind !== 'undone') remember();
  };

  /** Asks for the whole game, where page and server do not agree. */
  const resync = async () => {
    state.game = { ...(await table.look()), you };
    await render(false);
  };

  const desk = (/** @type {import('./seats.js').Seat} */ seat) =>
    table.desk(seat, () => {
      renderAround();
      adoptTurn();
    });
  /** @type {ReturnType<typeof desk>|null} */
  let commands = null;

  const socket = table.connect({
    token: () => (state.seat && !state.seat.invitation ? state.seat.token : null),
    seq: () => state.game.seq,
    commands: () => commands,
    onEvent,
    onGap: resync,
    onStranger: () => {
      state.note = 'The server does not know the seat that this browser holds.';
      state.seat = null;
      commands = null;
      you = [];
      renderAround();
    },
    onState: (told) => {
      state.told = told;
      if (!embed) showState(told);
      renderAround();
    },
    onPresence: (presence) => {
      state.presence = presence;
      renderAround();
    },
    onClocks: ({ left, running, at }) => {
      state.skew = at - Date.now();
      state.game = { ...state.game, clocks: { left, running, at } };
    },
    onHello: (hello) => {
      if (hello.at) state.skew = hello.at - Date.now();
      const { seq, board_seq: board } = state.game;
      if (
        hello.seq < seq ||
        (hello.seq === seq && hello.board_seq !== undefined && hello.board_seq !== board)
      )
        resync();
    },
  });

  const tick = () =>
    seats.forEach(({ clock }, i) => {
      const player = /** @type {1|2} */ (i + 1);
      paintClock(
        clock,
        leftNow(state.game.clocks, player, state.skew),
        !state.game.result && state.game.clocks?.running === player,
      );
    });
  setInterval(tick, 100);

  onKeys({
    ArrowLeft: () => step(-1),
    k: () => step(-1),
    ArrowRight: () => step(1),
    j: () => step(1),
    Home: () => go(0),
    End: () => go(now()),
    PageUp: () => step(-10),
    PageDown: () => step(10),
    f: flip,
    h: askHint,
    u: () => {
      if (!undo.hidden && !undo.disabled) command('undo');
    },
    z: zen,
    Escape: () => {
      if (!play.back()) {
        state.ply = null;
        render();
      }
    },
    m: () => play.entry.focus(),
  });
  document.addEventListener('prefs', renderAround);

  remember();
  tick();
  if (state.seat && !state.seat.invitation) commands = desk(state.seat);
  await render(false);
  adoptTurn();
  socket.flush();
};

/** A player's bar: form and colour, name, what the rules count, clock. @param {1|2} number @param {import('./api.js').GameInfo} info */
const seatBar = (number, info) => {
  const icon = el('span.icon', { 'aria-hidden': 'true' });
  const who = el('b');
  const what = el('small');
  const clock = el('span.clock', {
    id: `clock-${number}`,
    hidden: true,
    role: 'timer',
    'aria-live': 'off',
  });
  const turn = el('span.turn-mark', { hidden: true }, 'to move');
  const element = el(
    'section.card.seat',
    { id: `seat-${number}`, 'aria-label': info.players[number - 1] },
    icon,
    el('div.who', {}, el('span.line', {}, who, turn), what),
    clock,
  );
  /** @param {any} now */
  const paint = ({ name, seat, turn: on, you, winner, here, game }) => {
    const letter = info.players[number - 1].length === 1 ? info.players[number - 1] : '';
    icon.className = `icon player-${number} tint-${seat?.tint ?? ''}${letter ? ' letter' : ''}`;
    setText(icon, letter);
    setText(who, you ? (name === info.players[number - 1] ? 'You' : `${name} (you)`) : name);
    const reserve = seat?.reserve != null ? `, ${seat.reserve} in hand` : '';
    const away =
      game.seats[number - 1].kind === 'person' || game.seats[number - 1].kind === 'open'
        ? here === false && !you && game.seats[number - 1].joined !== false
          ? ' · away'
          : ''
        : '';
    const colour = info.players[number - 1];
    setText(
      what,
      `${name === colour && !you ? '' : `${colour} · `}${seat ? `${seat.count}${reserve}` : ''}${away}`,
    );
    element.classList.toggle('turn', Boolean(on));
    element.classList.toggle('won', Boolean(winner));
    turn.hidden = !on && !winner;
    setText(turn, winner ? 'won' : 'to move');
  };
  return { element, paint, clock };
};

export const analysisLink = (/** @type {import('./api.js').View} */ view) =>
  `/analysis/${view.game}/${toPath(view.text)}`;
