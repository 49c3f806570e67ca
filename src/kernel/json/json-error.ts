// Finds where a text stops being JSON and why, for people who write bodies by hand.

export interface JsonError {
  /** Line and column both count from 1. */
  line: number;
  column: number;
  problem: string;
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
/** Matched piece by piece, because the engine's stack limits how often a group can be repeated. */
// oxlint-disable-next-line no-control-regex -- control characters are what JSON does not take in texts.
const PLAIN_TEXT = /[^"\\\u0000-\u001f]+/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** At most eight characters: errors are logged, and an unquoted word may be a secret. */
const REST_OF_WORD = /[\w.+-]{1,8}/y;

/** Undefined when the text is valid JSON. */
export function findJsonError(text: string): JsonError | undefined {
  const reader = new Reader(text);
  try {
    reader.readAll();
    return undefined;
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    const before = text.slice(0, reader.at);
    const line = before.split('\n').length;
    return { line, column: reader.at - before.lastIndexOf('\n'), problem: error.message };
  }
}

class NotJson extends Error {}

class Reader {
  at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** Not recursive: the sender chooses how deep the text is nested. */
  readAll(): void {
    /** The closing brackets of all open objects and lists. */
    const open: ('}' | ']')[] = [];
    this.#skip();
    for (;;) {
      const opened = this.#value();
      this.#skip();
      if (opened !== undefined && !this.#take(opened)) {
        open.push(opened);
        if (opened === '}') this.#name();
        continue;
      }
      this.#skip();
      while (open.length > 0 && this.#take(open.at(-1)!)) {
        open.pop();
        this.#skip();
      }
      const inside = open.at(-1);
      if (inside === undefined) break;
      if (!this.#take(',')) throw this.#expected(`"," or "${inside}"`);
      this.#skip();
      if (inside === '}') this.#name();
    }
    if (this.at < this.#text.length) throw this.#expected('the end');
  }

  /** Reads a whole value, or the opening bracket of an object or list, and then returns its closing bracket. */
  #value(): '}' | ']' | undefined {
    if (this.#take('{')) return '}';
    if (this.#take('[')) return ']';
    if (this.#text[this.at] === '"') this.#string();
    else if (!this.#match(NUMBER) && !this.#match(WORD)) throw this.#expected('a value');
    return undefined;
  }

  #name(): void {
    if (this.#text[this.at] !== '"') throw this.#expected('a name in double quotes');
    this.#string();
    this.#skip();
    if (!this.#take(':')) throw this.#expected('":"');
    this.#skip();
  }

  #string(): void {
    this.at += 1;
    while (this.#match(PLAIN_TEXT) || this.#match(ESCAPE));
    if (this.#take('"')) return;
    const next = this.#text[this.at];
    if (next === undefined) throw new NotJson('a text is not closed');
    throw new NotJson(next === '\\' ? 'an escape is not known' : 'a control character must be escaped');
  }

  #skip(): void {
    this.#match(SPACE);
  }

  #take(character: string): boolean {
    if (this.#text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.#text)) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  #expected(what: string): NotJson {
    REST_OF_WORD.lastIndex = this.at;
    const found = REST_OF_WORD.exec(this.#text)?.[0] ?? this.#text[this.at];
    return new NotJson(`expected ${what}, found ${found === undefined ? 'the end' : JSON.stringify(found)}`);
  }
}
