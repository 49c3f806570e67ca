// Finds the operation that a call was made to, by its method and path.

/** Parameters at the end of a path that stand for several segments. */
const RESTS = new Set(['{path}', '{ref}', '{basehead}']);

interface KnownPath {
  name: string;
  words: string[];
}

export class Operations {
  readonly #byMethod = new Map<string, KnownPath[]>();

  /** The names are such as `GET /users/{username}`. */
  constructor(names: Iterable<string>) {
    for (const name of names) {
      const [method = '', path = ''] = name.split(' ');
      const known = this.#byMethod.get(method) ?? [];
      known.push({ name, words: path.split('/') });
      this.#byMethod.set(method, known);
    }
    // Literal words take precedence over parameters, and longer paths over those whose last parameter is a rest.
    for (const known of this.#byMethod.values())
      known.sort(
        (one, other) => parametersIn(one) - parametersIn(other) || other.words.length - one.words.length,
      );
  }

  find(method: string, path: string): string | undefined {
    const [plain = ''] = path.replace(/^\/api\/v3(?=\/|$)/, '').split('?');
    const known = this.#byMethod.get(method === 'HEAD' ? 'GET' : method) ?? [];
    const found = (words: string[]) => known.find((one) => matches(one.words, words))?.name;
    const whole = (plain === '' ? '/' : plain).split('/');
    return found(whole) ?? found(byName(whole));
  }
}

/** The path of a resource that is named by its number, with names instead. */
function byName(words: string[]): string[] {
  const [, kind, , ...rest] = words;
  if (kind === 'repositories') return ['', 'repos', 'owner', 'repo', ...rest];
  if (kind !== 'organizations') return words;
  const [below, , ...further] = rest;
  return ['', 'orgs', 'org', ...(below === 'team' ? ['teams', 'team', ...further] : rest)];
}

function matches(pattern: string[], words: string[]): boolean {
  const hasRest = RESTS.has(pattern.at(-1)!);
  const joined = hasRest ? words : joinSlashed(pattern, words);
  if (hasRest ? joined.length < pattern.length - 1 : joined.length !== pattern.length) return false;
  return pattern.every((word, index) => word === joined[index] || word.startsWith('{'));
}

/** Names of branches may have slashes, in the middle of a path, too. */
function joinSlashed(pattern: string[], words: string[]): string[] {
  const at = pattern.findIndex((word) => word === '{branch}' || word === '{ref}');
  const more = words.length - pattern.length;
  if (at < 0 || more <= 0) return words;
  return [...words.slice(0, at), words.slice(at, at + more + 1).join('/'), ...words.slice(at + more + 1)];
}

function parametersIn({ words }: KnownPath): number {
  return words.filter((word) => word.startsWith('{')).length;
}
