// The routes of an API by path and method: finds the one of a request, and the parameters in its path. ADR 0048.
import { restOf, withoutRest, type RoutePlace } from './path-template.ts';
import { requestPath } from './prefixes.ts';
import { METHODS } from './route.ts';

interface Leaf<T> {
  route: T;
  /** With the index of its segment. One that comes several times stands for all of these segments. */
  parameters: [name: string, index: number][];
  /** The parameter that stands for the rest, from this segment on. */
  rest: [name: string, index: number] | undefined;
  isEmptyRest: boolean;
}

/** By method. */
type Leaves<T> = Map<string, Leaf<T>>;

interface Branch<T> {
  literals: Map<string, Branch<T>>;
  parameter?: Branch<T>;
  leaves?: Leaves<T>;
  /** Of the paths that have at least one more segment. */
  rest?: Leaves<T>;
}

export interface RouteMatch<T> {
  route: T;
  params: Record<string, string>;
}

/**
 * Literal segments take precedence over parameters, even where the literal path lacks the method. Paths with a rest come
 * after all others, the longest first.
 */
export class RouteTree<T> {
  readonly #root: Branch<T> = { literals: new Map() };

  /** The route may have a parameter for the rest that its place lacks; it is empty there. */
  add(place: RoutePlace, route: T, rest = restOf(place.path)): void {
    const { method, path } = place;
    const isEmptyRest = place.isEmptyRest === true;
    const words = withoutRest(path).split('/').slice(1);
    let branch = this.#root;
    for (const word of words) branch = branchAt(branch, word);
    const leaves = restOf(path) === undefined ? (branch.leaves ??= new Map()) : (branch.rest ??= new Map());
    const other = leaves.get(method);
    if (other !== undefined && isEmptyRest && !other.isEmptyRest) return;
    if (other !== undefined && (isEmptyRest || !other.isEmptyRest))
      throw new Error(`Two routes for ${method} ${path}`);
    leaves.set(method, {
      route,
      parameters: words.flatMap((word, index): Leaf<T>['parameters'] =>
        isParameter(word) ? [[word.slice(1, -1), index]] : [],
      ),
      rest: rest === undefined ? undefined : [rest, words.length],
      isEmptyRest,
    });
  }

  /**
   * Undefined where the path is unknown or lacks the method. The segments are those below the API's prefix. They are not
   * normalised: `..` and empty segments are the handler's to judge.
   */
  find(method: string, words: readonly string[]): RouteMatch<T> | undefined {
    const leaves = this.#leavesAt(words) ?? leavesAt(this.#root, words, 0, true);
    const leaf = leaves?.get(method === 'HEAD' ? 'GET' : method);
    if (leaf === undefined) return undefined;
    const params: Record<string, string> = {};
    for (const [name, index] of leaf.parameters) {
      const before = params[name];
      params[name] = before === undefined ? words[index]! : `${before}/${words[index]!}`;
    }
    if (leaf.rest !== undefined) params[leaf.rest[0]] = words.slice(leaf.rest[1]).join('/');
    return { route: leaf.route, params };
  }

  /** The methods of a path; undefined for an unknown one, such as one with an empty parameter. */
  allowAt(words: readonly string[]): string | undefined {
    const leaves = this.#leavesAt(words);
    if (leaves === undefined) return undefined;
    const allowed = METHODS.filter((method) => leaves.has(method));
    return ['OPTIONS', ...(leaves.has('GET') ? ['HEAD'] : []), ...allowed].join(', ');
  }

  #leavesAt(words: readonly string[]): Leaves<T> | undefined {
    // The root may come without its slash, or as the `*` of an OPTIONS request for the whole server.
    if (words.length === 0) return this.#root.literals.get('')?.leaves;
    return leavesAt(this.#root, words, 0, false) ?? restAt(this.#root, words, 0);
  }
}

/** The decoded segments of a request's path, from one on. */
export function segmentsOf(url: string, from: number): string[] {
  const path = requestPath(url);
  const words = path.split('/').slice(from);
  return path.includes('%') ? words.map((word) => decodeURIComponent(word)) : words;
}

function branchAt<T>(branch: Branch<T>, word: string): Branch<T> {
  if (isParameter(word)) return (branch.parameter ??= { literals: new Map() });
  const known = branch.literals.get(word);
  if (known !== undefined) return known;
  const grown: Branch<T> = { literals: new Map() };
  branch.literals.set(word, grown);
  return grown;
}

function isParameter(word: string): boolean {
  return word.startsWith('{');
}

function leavesAt<T>(
  { literals, parameter, leaves }: Branch<T>,
  words: readonly string[],
  index: number,
  mayBeEmpty: boolean,
): Leaves<T> | undefined {
  const word = words[index];
  if (word === undefined) return leaves;
  const literal = literals.get(word);
  const found = literal && leavesAt(literal, words, index + 1, mayBeEmpty);
  if (found !== undefined || parameter === undefined || (word === '' && !mayBeEmpty)) return found;
  return leavesAt(parameter, words, index + 1, mayBeEmpty);
}

function restAt<T>(
  { literals, parameter, rest }: Branch<T>,
  words: readonly string[],
  index: number,
): Leaves<T> | undefined {
  const word = words[index];
  if (word === undefined) return undefined;
  const literal = literals.get(word);
  return (
    (literal && restAt(literal, words, index + 1)) ??
    (word !== '' && parameter ? restAt(parameter, words, index + 1) : undefined) ??
    rest
  );
}
