// Finds the rule of CODEOWNERS that decides about each of many files: the last one that matches.
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { matchesPattern, type OwnerPattern } from './pattern.ts';
import type { OwnerRule } from './parse.ts';

const NONE = -1;

/** The last rules with one literal name or path: for the file of this name, and for what is below a folder of it. */
interface LastRules {
  self: Map<string, number>;
  below: Map<string, number>;
}

interface OwnerIndex {
  paths: LastRules;
  names: LastRules;
  extensions: Map<string, number>;
  /** Those that have to be compared, the last one first. */
  others: { position: number; pattern: OwnerPattern }[];
}

/** In the order of the paths, and in slices; undefined for files that no rule is about. */
export async function findOwnerRules(
  rules: readonly OwnerRule[],
  paths: readonly string[],
): Promise<(OwnerRule | undefined)[]> {
  const slice = new TimeSlice();
  const index = await buildIndex(rules, slice);
  const found: (OwnerRule | undefined)[] = [];
  for (const path of paths) {
    found.push(rules[await findLast(index, path, slice)]);
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return found;
}

/** Most rules of large files are names and paths, so that a file is compared with few of them. */
async function buildIndex(rules: readonly OwnerRule[], slice: TimeSlice): Promise<OwnerIndex> {
  const newRules = (): LastRules => ({ self: new Map(), below: new Map() });
  const index: OwnerIndex = { paths: newRules(), names: newRules(), extensions: new Map(), others: [] };
  const others = new Map<string, OwnerIndex['others'][number]>();
  for (const [position, { text, pattern }] of rules.entries()) {
    const { literal, extension } = pattern;
    if (literal !== undefined && (literal.isAnchored || !literal.path.includes('/'))) {
      const { self, below } = literal.isAnchored ? index.paths : index.names;
      below.set(literal.path, position);
      if (!literal.isFolder) self.set(literal.path, position);
    } else if (extension === undefined) others.set(text, { position, pattern });
    else index.extensions.set(extension, position);
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  index.others = [...others.values()].sort((one, other) => other.position - one.position);
  return index;
}

async function findLast(index: OwnerIndex, path: string, slice: TimeSlice): Promise<number> {
  const names = path.split('/');
  let last = NONE;
  let at = '';
  for (const [depth, name] of names.entries()) {
    const side = depth === names.length - 1 ? 'self' : 'below';
    at = depth === 0 ? name : `${at}/${name}`;
    const dot = name.lastIndexOf('.');
    last = Math.max(
      last,
      index.paths[side].get(at) ?? NONE,
      index.names[side].get(name) ?? NONE,
      (dot === -1 ? undefined : index.extensions.get(name.slice(dot + 1))) ?? NONE,
    );
  }
  for (const { position, pattern } of index.others) {
    if (position < last) break;
    if (matchesPattern(pattern, names)) return position;
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return last;
}
