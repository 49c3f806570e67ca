// Checks a JSON value against a shape: the few keywords of JSON Schema that the extracted shapes have.

export interface Shape {
  /** The name of another shape. */
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Shape>;
  required?: string[];
  additionalProperties?: boolean | Shape;
  items?: Shape;
  allOf?: Shape[];
  anyOf?: Shape[];
  oneOf?: Shape[];
}

type Find = (name: string) => Shape;

/** What is wrong, with its place; empty where the value fits. More properties than the shape names are no problem. */
export function problemsWith(value: unknown, shape: Shape, find: Find, at = ''): string[] {
  if (shape.$ref !== undefined) return problemsWith(value, find(shape.$ref), find, at);
  const place = at === '' ? 'the body' : at;
  if (!hasType(value, shape.type)) return [`${place} is ${typeOf(value)}, not ${String(shape.type)}`];
  if (shape.enum !== undefined && !shape.enum.includes(value))
    return [`${place} is ${JSON.stringify(value)}, not one of ${JSON.stringify(shape.enum)}`];
  return [
    ...(shape.allOf ?? []).flatMap((part) => problemsWith(value, part, find, at)),
    // Branches overlap in the original, so that one of them is as good as exactly one.
    ...problemsWithBranches(value, shape.anyOf ?? shape.oneOf ?? [], find, at),
    ...problemsInside(value, shape, find, at),
  ];
}

function problemsWithBranches(value: unknown, branches: Shape[], find: Find, at: string): string[] {
  const tried = branches.map((branch) => problemsWith(value, branch, find, at));
  if (tried.length === 0 || tried.some((problems) => problems.length === 0)) return [];
  return tried.toSorted((a, b) => a.length - b.length)[0]!;
}

function problemsInside(value: unknown, shape: Shape, find: Find, at: string): string[] {
  const { items, properties = {}, required = [], additionalProperties: others } = shape;
  if (Array.isArray(value))
    return items === undefined
      ? []
      : value.flatMap((item, index) => problemsWith(item, items, find, `${at}/${index}`));
  if (typeof value !== 'object' || value === null) return [];
  const missing = required
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => `${at}/${name} is missing`);
  const wrong = Object.entries(value).flatMap(([name, inner]) => {
    const own = properties[name] ?? (typeof others === 'object' ? others : undefined);
    return own === undefined ? [] : problemsWith(inner, own, find, `${at}/${name}`);
  });
  return [...missing, ...wrong];
}

function hasType(value: unknown, type: Shape['type']): boolean {
  if (type === undefined) return true;
  const types = Array.isArray(type) ? type : [type];
  const actual = typeOf(value);
  return types.includes(actual) || (actual === 'integer' && types.includes('number'));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
