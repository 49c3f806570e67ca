// Trims two bodies to the members that a change is about, with a little around them, for a reader who compares them.
import { LEFT_OUT } from '../src/kernel/openapi/examples.ts';

export interface Trimming {
  /** The names of the members that the change is about. */
  fields: ReadonlySet<string>;
  /** Members that say more, such as those to read instead; with dots for nested ones. */
  around: readonly string[];
}

interface Pair {
  before: unknown;
  after: unknown;
}

type Members = Record<string, unknown>;

/** More than these are left out where they are not what a change is about. */
const MANY_MEMBERS = 8;

/** What names a thing; one of them is shown. */
const NAMES = ['full_name', 'login', 'slug', 'name', 'path', 'id'];

/** Undefined where the bodies do not differ in any of the fields. */
export function trimDifference(before: unknown, after: unknown, trimming: Trimming): Pair | undefined {
  if (Array.isArray(before) && Array.isArray(after)) return trimItems(before, after, trimming);
  if (!isMembers(after)) return undefined;
  if (isMembers(before)) return trimMembers(before, after, trimming);
  // What was a text is an object now.
  const isOther = before !== null && typeof before !== 'object' && before !== undefined;
  return isOther && Object.keys(after).some((name) => trimming.fields.has(name))
    ? { before, after }
    : undefined;
}

function trimItems(before: unknown[], after: unknown[], trimming: Trimming): Pair | undefined {
  for (const [index, item] of before.entries()) {
    const pair = trimDifference(item, after[index], trimming);
    if (pair === undefined) continue;
    const cut = (one: unknown, all: unknown[]) => (all.length === 1 ? [one] : [one, LEFT_OUT]);
    return { before: cut(pair.before, before), after: cut(pair.after, after) };
  }
  return undefined;
}

function trimMembers(before: Members, after: Members, trimming: Trimming): Pair | undefined {
  const old: Members = {};
  const fresh: Members = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (trimming.fields.has(name) && isDifferent(before[name], after[name])) {
      if (name in before) old[name] = shorten(before[name]);
      if (name in after) fresh[name] = shorten(after[name]);
      continue;
    }
    const inner = trimDifference(before[name], after[name], trimming);
    if (inner === undefined) continue;
    old[name] = inner.before;
    fresh[name] = inner.after;
  }
  if (Object.keys(old).length + Object.keys(fresh).length === 0) return undefined;
  return { before: withContext(old, before, trimming), after: withContext(fresh, after, trimming) };
}

/** How many values of two trimmed bodies differ that the change is not about: two calls may have been about different things. */
export function countOtherDifferences(before: unknown, after: unknown, fields: ReadonlySet<string>): number {
  if (Array.isArray(before) && Array.isArray(after))
    return before.reduce<number>((sum, item, at) => sum + countOtherDifferences(item, after[at], fields), 0);
  // What has changed its type is what the change is about.
  if (!isMembers(before) || !isMembers(after)) return isMembers(after) || before === after ? 0 : 1;
  const names = Object.keys(before).filter((name) => name in after && !fields.has(name));
  return names.reduce((sum, name) => sum + countOtherDifferences(before[name], after[name], fields), 0);
}

/** Of a list of objects the first, and of an object with many members its name. */
function shorten(value: unknown): unknown {
  if (Array.isArray(value)) {
    const [first, ...rest] = value as unknown[];
    if (!isMembers(first)) return value;
    return rest.length === 0 ? [shorten(first)] : [shorten(first), LEFT_OUT];
  }
  if (!isMembers(value)) return value;
  const members = Object.entries(value);
  const name = NAMES.find((one) => ['string', 'number'].includes(typeof value[one]));
  if (members.length > MANY_MEMBERS && name !== undefined) return { [name]: value[name], [LEFT_OUT]: '' };
  return Object.fromEntries(members.map(([key, inner]) => [key, shorten(inner)]));
}

function isDifferent(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) !== JSON.stringify(after);
}

function withContext(kept: Members, all: Members, { around }: Trimming): Members {
  const shown: Members = {};
  const name = NAMES.find((one) => ['string', 'number'].includes(typeof all[one]));
  if (name !== undefined && !(name in kept)) shown[name] = all[name];
  let members: Members = { ...shown, ...kept };
  for (const path of around) members = { ...memberAt(all, path.split('.')), ...members };
  // In the order of the body.
  const ordered: Members = Object.fromEntries(
    Object.keys(all).flatMap((one) => (one in members ? [[one, members[one]]] : [])),
  );
  return Object.keys(ordered).length < Object.keys(all).length ? { ...ordered, [LEFT_OUT]: '' } : ordered;
}

/** The member at a path alone, in objects that are trimmed to it. */
function memberAt(all: Members, [name, ...rest]: readonly string[]): Members {
  if (name === undefined || !Object.hasOwn(all, name)) return {};
  const inner = all[name];
  if (rest.length === 0) return { [name]: inner };
  if (!isMembers(inner)) return {};
  const found = memberAt(inner, rest);
  if (Object.keys(found).length === 0) return {};
  const isWhole = Object.keys(inner).length === 1;
  return { [name]: isWhole ? found : { ...found, [LEFT_OUT]: '' } };
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
