/** Taking an open seat: an invitation is exchanged for a secret of one's own, once, whatever becomes of the answers. */

/**
 * @typedef {{token: string, you: (1|2)[]}} Joined
 * @typedef {{joined: Joined}|{taken: true}|{error: any}} Outcome
 * @param {{invitation: string, secret: string, name: string|undefined, command: string,
 *   send: (body: any, token: string) => Promise<any>, look: (token: string) => Promise<any>, back: () =>
 *   Promise<void>}} how
 *   `send` gives a command, `look` asks for the game with a secret, `back` waits until the server answers
 * @returns {Promise<Outcome>}
 */
export const join = async ({ invitation, secret, name, command, send, look, back }) => {
  /** Whose seat a secret plays now; null if it plays none. */
  const seat = async (/** @type {string} */ token) => {
    try {
      const { you = [] } = await look(token);
      return you.length > 0 ? { token, you } : null;
    } catch (error) {
      if (/** @type {any} */ (error).status === 401) return null;
      throw error;
    }
  };
  for (;;) {
    try {
      const { token, event } = await send({ type: 'join', name, secret, command }, invitation);
      // A server that hands out no secrets goes on with the invitation.
      return { joined: { token: token ?? invitation, you: [event.seat] } };
    } catch (error) {
      const { status } = /** @type {any} */ (error);
      if (status === 401 || status === 409) {
        // An earlier try may have done it, its answer lost: then the secret is worth a seat.
        try {
          const joined = await seat(secret);
          return joined ? { joined } : { taken: true };
        } catch (unanswered) {
          if (!isAway(unanswered)) return { error: unanswered };
        }
      } else if (!isAway(error)) return { error };
    }
    await back();
  }
};

const isAway = (/** @type {any} */ error) => [0, 429, 502, 503, 504].includes(error?.status);
