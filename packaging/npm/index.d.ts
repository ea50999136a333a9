/** The id of a game. */
// `pack` writes the ids of all games here.
export type Game = string;

/** Who plays: 1 moves first. */
export type Player = 1 | 2;

/** What a request is about; without a position, the start of the game. */
export interface About {
  game: Game;
  options?: Record<string, number | string>;
  /** One line of text, or an object (docs/notation.md). */
  position?: string | object;
  /** Whole turns or single moves, played from there. */
  turns?: string[];
  /** Another name for `turns`. */
  moves?: string[];
  id?: unknown;
}

/** How much the engine may do; the first limit that is reached ends the search. */
export interface Limits {
  time_ms?: number;
  nodes?: number;
  depth?: number;
  lines?: number;
  /** Here always one. */
  threads?: number;
}

/** A line of play that the engine has found. */
export interface Line {
  turns: string[];
  /** Roughly in hundredths of a piece, for the player to move. */
  score: number;
  /** Turns until a proven win, negative in a lost position. */
  win_in: number | null;
  /** The player's share of an evaluation bar, in thousandths. */
  bar?: number;
  /** The name of the certificate that proves it. */
  proof?: string;
}

export interface Query extends About {
  ask?: 'query';
  want?: ('turns' | 'children' | 'position' | 'text' | 'svg' | 'seed' | 'seed_best' | 'exact')[];
  search?: Limits;
}
export interface QueryAnswer {
  turn: Player;
  over: boolean;
  winner: Player | 'draw' | null;
  turns?: string[];
  children?: { turn: string; position: object; over: boolean; winner: Player | 'draw' | null }[];
  position?: object;
  text?: string;
  svg?: string;
  seed?: { value: [number, number] };
  seed_best?: Record<string, string[]>;
  exact?: { winner: Player | 'draw'; turns: number } | null;
  search?: { depth: number; nodes: number; time_ms: number; lines: Line[] };
}

export interface View extends About {
  ask: 'view';
  flipped?: boolean;
}
export interface ViewAnswer {
  game: Game;
  options: Record<string, number | string>;
  position: object;
  text: string;
  turn: Player;
  over: boolean;
  winner: Player | 'draw' | null;
  in_turn: boolean;
  status: string;
  count: number;
  svg: string;
  size: [number, number];
  cells: { name: string; at: [number, number]; says: string }[];
  steps: { text: string; taps: { stage: string; label: string; cell?: number }[]; ends: boolean }[];
  turns: string[];
  [more: string]: unknown;
}

export interface Hint extends About, Limits {
  ask: 'hint';
}
export interface HintAnswer {
  seed: { name: string; turns: string[] } | null;
  engine: { turn: string; score: number; win_in: number | null };
}

export interface Turn extends About, Limits {
  ask: 'turn';
  player: { kind: 'level'; level: number } | { kind: 'seed'; player: string };
  seed?: number;
}
export interface TurnAnswer {
  turn: string;
}

export interface Analysis extends About, Limits {
  ask: 'analysis';
}
export interface AnalysisAnswer {
  depth: number;
  nodes: number;
  time_ms: number;
  lines: Line[];
  done: boolean;
}

/** Every position of the atlas of a game, by the names of the certificates. */
export interface Atlas {
  ask: 'atlas';
  game: Game;
  id?: unknown;
}
export interface AtlasAnswer {
  game: Game;
  atlas: Record<string, { game: Game; position: string; [more: string]: unknown }>;
}

/** What the certificates say of a position. */
export interface Proof extends About {
  ask: 'proof';
}
export interface ProofAnswer {
  certificate: string | null;
  position: string | null;
  claim: string | null;
  stored: number | null;
  /** Within how many moves of the winner. */
  left: number | null;
  winner: Player | 'draw' | null;
  turn: string | null;
  by: 'stored' | 'at once' | 'tried' | null;
  no_win: Player[];
  moves: { turn: string; left: number | null; winner: Player | 'draw' | null }[];
}

/** The other requests of docs/requests.md. */
export interface Other {
  ask:
    | 'edit' | 'review' | 'tree' | 'branch' | 'record' | 'table' | 'catalogue' | 'rules'
    | 'lessons' | 'lesson' | 'puzzles' | 'puzzle' | 'results';
  game?: Game;
  [field: string]: unknown;
}

export type Request = Query | View | Hint | Turn | Analysis | Atlas | Proof | Other;
export type Answer<R extends Request> = R extends View ? ViewAnswer
  : R extends Hint ? HintAnswer
  : R extends Turn ? TurnAnswer
  : R extends Analysis ? AnalysisAnswer
  : R extends Atlas ? AtlasAnswer
  : R extends Proof ? ProofAnswer
  : R extends Other ? Record<string, unknown>
  : QueryAnswer;

/** A request that was refused. */
export declare class Refused extends Error {
  kind: 'not-understood' | 'against-the-rules' | 'too-much' | 'not-there' | 'conflict' | string;
  field?: string;
}

export interface Quadrille {
  /** The answer to a request, the last one where there are several. */
  ask<R extends Request>(request: R): Promise<Answer<R>>;
  /** All answers to a request. */
  stream<R extends Request>(request: R): Promise<Answer<R>[]>;
  version: string;
}

/** Loads the program; `read` may get the package's files from elsewhere. */
export declare function load(options?: { read?: (name: string) => Promise<Uint8Array> }): Promise<Quadrille>;
