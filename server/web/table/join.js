/** Taking an open seat: an invitation is exchanged for a new secret, exactly once, even if answers are lost. */

/**
 * @typedef {{token: string, you: (1|2)[]}} Joined
 * @typedef {{joined: Joined}|{taken: true}|{error: any}} Outcome
 * @param {{invitation: string, secret: string, name: string|undefined, command: string,
 *   send: (body: any, token: string) => Promise<any>, look: (token: string) => Promise<any>, back: () =>
 *   Promise<void>}} how
 *   `send` sends a command, `look` requests the game with a secret, `back` waits until the server is reachable
 * @returns {Promise<Outcome>}
 */
export const join = async ({ invitation, secret, name, command, send, look, back }) => {
  /** The seats that a secret plays; null if it plays none. */
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
      // A server that does not issue secrets continues to accept the invitation.
      return { joined: { token: token ?? invitation, you: [event.seat] } };
    } catch (error) {
      const { status } = /** @type {any} */ (error);
      if (status === 401 || status === 409) {
        // An earlier attempt may have succeeded without an answer; then the secret already plays the seat.
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
