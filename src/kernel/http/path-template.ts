// Where routes are: their paths with parameters, of which `{id}` stands for one segment and `{path...}` at the end for any number of them, and their aliases.
import type { Method, RouteShape } from './route.ts';

const REST = /\/\{(\w+)\.\.\.\}$/;

/** The name of the parameter that stands for the rest of the path. */
export function restOf(path: string): string | undefined {
  return REST.exec(path)?.[1];
}

/** The path before the rest; the path itself where it has none. */
export function withoutRest(path: string): string {
  return path.replace(REST, '');
}

/** The path as documents show it. */
export function describedPath(path: string): string {
  return path.replace(REST, '/{$1}');
}

/** Slashes in names of branches are few. */
const MAX_PARTS = 8;

/** The path, and the same for values with slashes of one of these parameters: `/a/{name}/b`, `/a/{name}/{name}/b` and so on. */
export function withSlashesIn(path: string, names: readonly string[]): string[] {
  const name = names.find((one) => path.includes(`/{${one}}`));
  if (name === undefined) return [path];
  return Array.from({ length: MAX_PARTS }, (_, more) =>
    path.replace(`/{${name}}`, `/{${name}}`.repeat(more + 1)),
  );
}

export function parametersOf(path: string): string[] {
  return [...describedPath(path).matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

/** The path for a call. Each segment is encoded; the slashes of the rest stay. */
export function fillPath(path: string, params: Readonly<Record<string, string | number>>): string {
  const rest = restOf(path);
  return describedPath(path).replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`The path ${path} needs the parameter ${name}`);
    const segments = name === rest ? String(value).split('/') : [String(value)];
    // A URL parser resolves such segments, encoded or not, so that the call would go to another path.
    if (segments.some((segment) => segment === '.' || segment === '..'))
      throw new Error(`A URL cannot have the path segment "${String(value)}"`);
    return segments.map(encodeURIComponent).join('/');
  });
}

/** A method and path at which an operation is served. */
export interface RoutePlace {
  method: Method;
  path: string;
  /** The path ends where the rest would begin. A route of its own at this path takes precedence. */
  isEmptyRest?: true;
}

/** The place that is described first, then its aliases: the route's own, and each with another beginning of its path. */
export function placesOf(
  { method, path, aliases = [] }: Pick<RouteShape, 'method' | 'path' | 'aliases'>,
  pathAliases: Readonly<Record<string, string>> = {},
): RoutePlace[] {
  const own = [
    { method, path },
    ...aliases.map((alias) => ({ method: alias.method ?? method, path: alias.path ?? path })),
  ];
  const renamed = Object.entries(pathAliases).flatMap(([alias, name]) =>
    own
      .filter((place) => place.path === name || place.path.startsWith(`${name}/`))
      .map((place) => ({ ...place, path: alias + place.path.slice(name.length) })),
  );
  return [...own, ...renamed].flatMap((place) =>
    restOf(place.path) === undefined
      ? place
      : [place, { ...place, path: withoutRest(place.path), isEmptyRest: true as const }],
  );
}

/** The operations as documents have them: the route itself, and each of its aliases. */
export function describedShapes(shape: RouteShape): RouteShape[] {
  const { aliases = [], ...own } = shape;
  return [
    shape,
    ...aliases.map((alias, index) => ({
      ...own,
      ...alias,
      id: alias.id ?? `${shape.id}-alias-${index + 1}`,
      description: `The same as \`${shape.id}\`.${own.description === undefined ? '' : ` ${own.description}`}`,
      aliasOf: shape.id,
    })),
  ];
}

/** The literal words that paths of routes begin with, which no account may have as its name. Complete when the server is ready. */
export class ReservedPathSegments {
  readonly #words = new Set<string>();

  /** A path that begins with a parameter has no such word. */
  add(path: string): void {
    const [, word = ''] = path.split('/', 2);
    if (/^[\w.-]+$/.test(word)) this.#words.add(word);
  }

  has(word: string): boolean {
    return this.#words.has(word);
  }

  all(): string[] {
    return [...this.#words];
  }
}
