// The paths of an API with their methods: a known path with a wrong method is not an unknown path.
import { restOf, withoutRest } from './path-template.ts';
import type { Method, RoutePlace } from './route.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'REPORT'] as const satisfies Method[];

interface Path {
  path: string;
  /** Without the parameter for the rest. */
  words: readonly string[];
  hasRest: boolean;
  methods: Set<Method>;
}

export class Paths {
  /**
   * Sorted by the number of parameters: literal segments take precedence over parameters. Those with a rest come last,
   * the longest first.
   */
  readonly #paths: readonly Path[];

  constructor(places: readonly RoutePlace[]) {
    const paths = new Map<string, Path>();
    for (const { path, method } of places) {
      const known = paths.get(path) ?? {
        path,
        words: wordsOf(withoutRest(path)),
        hasRest: restOf(path) !== undefined,
        methods: new Set(),
      };
      if (known.methods.has(method)) throw new Error(`Two routes for ${method} ${path}`);
      known.methods.add(method);
      paths.set(path, known);
    }
    const parametersIn = ({ words }: Path) => words.filter(isParameter).length;
    this.#paths = [...paths.values()].toSorted(
      (one, other) =>
        Number(one.hasRest) - Number(other.hasRest) ||
        (one.hasRest ? other.words.length - one.words.length : 0) ||
        parametersIn(one) - parametersIn(other),
    );
  }

  /** The methods of a path below the API's prefix; undefined for an unknown path. */
  allowAt(path: string): string | undefined {
    const words = wordsOf(path);
    const known = this.#paths.find((one) => standsFor(one, words));
    return known && allowOf(known);
  }

  /** Methods that a path does not have, but another path does whose parameter matches a literal segment of it. */
  *hidden(): Generator<{ path: string; method: Method; allow: string }> {
    for (const known of this.#paths) {
      const others = this.#paths.filter(
        (one) => one !== known && (one.hasRest || !known.hasRest) && standsFor(one, known.words),
      );
      for (const method of METHODS) {
        if (known.methods.has(method) || !others.some(({ methods }) => methods.has(method))) continue;
        yield { path: known.path, method, allow: allowOf(known) };
      }
    }
  }
}

/** The root may come without its slash, or as the `*` of an OPTIONS request for the whole server. */
function wordsOf(path: string): string[] {
  return path === '' || path === '*' ? ['', ''] : path.split('/');
}

function isParameter(word: string): boolean {
  return word.startsWith('{');
}

function standsFor({ words: pattern, hasRest }: Path, words: readonly string[]): boolean {
  return (
    (hasRest ? pattern.length < words.length : pattern.length === words.length) &&
    pattern.every((word, index) => word === words[index] || (isParameter(word) && words[index] !== ''))
  );
}

function allowOf({ methods }: Path): string {
  const allowed = METHODS.filter((method) => methods.has(method));
  return ['OPTIONS', ...(methods.has('GET') ? ['HEAD'] : []), ...allowed].join(', ');
}
