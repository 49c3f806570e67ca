// The differences between two JSON values, by JSON pointers, as many as fit into a reply.
import { isObject } from '../../kernel/json/json-value.ts';

export interface JsonDifference {
  /** A JSON pointer; empty for the whole value. */
  path: string;
  /** Absent where there was nothing. */
  before?: unknown;
  after?: unknown;
}

/** Values whose JSON is longer are not sent whole. */
const MAX_VALUE = 2000;
const MAX_DEPTH = 20;
const SECRET = /^ENCRYPTED_(?:VALUE|JSON):/;

export class JsonDifferences {
  readonly items: JsonDifference[] = [];
  total = 0;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Undefined stands for nothing. Secrets are encrypted anew for each run, so that two of them count as the same. */
  compare(before: unknown, after: unknown, path = '', depth = 0): void {
    if (isSecret(before) && isSecret(after)) return;
    if (depth < MAX_DEPTH && isObject(before) && isObject(after)) {
      for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
        const [one, other] = [before, after].map((value) =>
          Object.hasOwn(value, key) ? value[key] : undefined,
        );
        this.compare(one, other, `${path}/${escapeKey(key)}`, depth + 1);
      }
    } else if (depth < MAX_DEPTH && Array.isArray(before) && Array.isArray(after)) {
      for (let at = 0; at < Math.max(before.length, after.length); at += 1)
        this.compare(before[at], after[at], `${path}/${at}`, depth + 1);
    } else if (JSON.stringify(before) !== JSON.stringify(after)) {
      this.total += 1;
      if (this.items.length < this.#most)
        this.items.push({
          path: path.slice(0, MAX_VALUE),
          ...(before !== undefined && { before: shown(before) }),
          ...(after !== undefined && { after: shown(after) }),
        });
    }
  }
}

function isSecret(value: unknown): boolean {
  return typeof value === 'string' && SECRET.test(value);
}

function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function shown(value: unknown): unknown {
  if (isSecret(value)) return '***';
  const text = JSON.stringify(value, (_key, member: unknown) => (isSecret(member) ? '***' : member));
  return text.length <= MAX_VALUE ? (JSON.parse(text) as unknown) : `${text.slice(0, MAX_VALUE)}…`;
}
