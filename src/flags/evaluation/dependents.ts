// An index of the flags and segments that refer to a flag or a segment, to find whose results a change may affect.
import type { ClauseData, FlagData, SegmentData } from './data.ts';

/** The direct references to each flag and segment. Names are those of `flagName` and `segmentName`. */
export type DependentsIndex = ReadonlyMap<string, ReadonlySet<string>>;

/** A flag or segment before and after a change; undefined when it does not exist. */
export interface ItemChange<Item> {
  before: Item | undefined;
  after: Item | undefined;
}

const flagName = (key: string) => `flag ${key}`;
const segmentName = (key: string) => `segment ${key}`;

/** The index after the changes; the given one stays as it is. Costs nothing when no reference has changed. */
export function updateDependents(
  index: DependentsIndex,
  flags: readonly ItemChange<FlagData>[],
  segments: readonly ItemChange<SegmentData>[],
): DependentsIndex {
  const edit = new IndexEdit(index);
  for (const { before, after } of flags) {
    edit.replace(flagName((before ?? after)!.key), referencesOfFlag(before), referencesOfFlag(after));
  }
  for (const { before, after } of segments) {
    edit.replace(segmentName((before ?? after)!.key), referencesOf(before), referencesOf(after));
  }
  return edit.result;
}

/**
 * The keys of the flags that depend on any of these, directly or through other flags and segments. Those that are `visited`
 * are left out, and found ones are added to them.
 */
export function findDependents(
  index: DependentsIndex,
  { flags = [], segments = [] }: { flags?: Iterable<string>; segments?: Iterable<string> },
  visited: Set<string> = new Set(),
): Set<string> {
  const prefix = flagName('');
  const found = new Set<string>();
  const waiting = [...Array.from(flags, flagName), ...Array.from(segments, segmentName)];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    for (const dependent of index.get(name) ?? []) {
      if (visited.has(dependent)) continue;
      visited.add(dependent);
      waiting.push(dependent);
      if (dependent.startsWith(prefix)) found.add(dependent.slice(prefix.length));
    }
  }
  return found;
}

/** Copies only what it changes, and once. */
class IndexEdit {
  readonly #before: DependentsIndex;
  readonly #copied = new Set<string>();
  #after: Map<string, Set<string>> | undefined;

  constructor(index: DependentsIndex) {
    this.#before = index;
  }

  get result(): DependentsIndex {
    return this.#after ?? this.#before;
  }

  replace(name: string, before: ReadonlySet<string>, after: ReadonlySet<string>): void {
    for (const referred of before) if (!after.has(referred)) this.#remove(referred, name);
    for (const referred of after) if (!before.has(referred)) this.#setOf(referred).add(name);
  }

  #remove(referred: string, name: string): void {
    const dependents = this.#setOf(referred);
    dependents.delete(name);
    if (dependents.size === 0) this.#after!.delete(referred);
  }

  #setOf(referred: string): Set<string> {
    this.#after ??= new Map(this.#before) as Map<string, Set<string>>;
    const known = this.#after.get(referred);
    if (known !== undefined && this.#copied.has(referred)) return known;
    const copy = new Set(known);
    this.#after.set(referred, copy);
    this.#copied.add(referred);
    return copy;
  }
}

function referencesOfFlag(flag: FlagData | undefined): Set<string> {
  const references = referencesOf(flag);
  for (const { key } of flag?.prerequisites ?? []) references.add(flagName(key));
  return references;
}

function referencesOf(item: { rules: readonly { clauses: readonly ClauseData[] }[] } | undefined) {
  const references = new Set<string>();
  for (const { clauses } of item?.rules ?? []) {
    for (const { op, values } of clauses) {
      if (op !== 'segmentMatch') continue;
      for (const value of values) if (typeof value === 'string') references.add(segmentName(value));
    }
  }
  return references;
}
