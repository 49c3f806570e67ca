// Matches two lists of named items: removed, added, kept, and probably renamed ones.

export interface MatchedNames<T> {
  removed: [name: string, value: T][];
  added: [name: string, value: T][];
  kept: { name: string; before: T; after: T }[];
  /** The end of a sentence about the removed or added item; empty unless one replaced the other. */
  renamedTo: string;
  renamedFrom: string;
}

/** A rename cannot be proven: one item removed and a similar one added in the same place is taken for one. */
export function matchNames<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  isAlike: (removed: T, added: T) => boolean,
): MatchedNames<T> {
  const removed = [...before].filter(([name]) => !after.has(name));
  const added = [...after].filter(([name]) => !before.has(name));
  const kept = [...before].flatMap(([name, value]) => {
    const now = after.get(name);
    return now === undefined ? [] : [{ name, before: value, after: now }];
  });
  const [[lost], [found]] = [removed, added];
  const isRename =
    lost !== undefined &&
    found !== undefined &&
    removed.length === 1 &&
    added.length === 1 &&
    isAlike(lost[1], found[1]);
  return {
    removed,
    added,
    kept,
    renamedTo: isRename ? `; it was probably renamed to "${found[0]}"` : '',
    renamedFrom: isRename ? `; it was probably called "${lost[0]}"` : '',
  };
}
