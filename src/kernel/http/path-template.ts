// The path of a route with its parameters: `{id}` stands for one segment, and `{path...}` at the end for any number of them.

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
