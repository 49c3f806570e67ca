// Sets two lists of named things side by side: what went, what came, what stayed, and what was probably renamed.

export interface MatchedNames<T> {
  removed: [name: string, value: T][];
  added: [name: string, value: T][];
  kept: { name: string; before: T; after: T }[];
  /** Ends a sentence about the removed one and about the added one; empty unless one took the other's place. */
  renamedTo: string;
  renamedFrom: string;
}

/** A rename cannot be seen for sure: one thing gone and one alike come, in the same spot, is a good guess. */
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
