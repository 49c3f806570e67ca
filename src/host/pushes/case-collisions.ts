// Finds new references whose names differ from others only in case: on the computers of many people they would be one file.
import { foldCase } from '../../kernel/text/fold-case.ts';
import { readRefValues } from '../git/ref-values.ts';
import type { RefChange } from '../protection/check-ref-changes.ts';

/** A sentence for each of them. */
export async function findCaseCollisions(
  git: Parameters<typeof readRefValues>[0],
  changes: readonly RefChange[],
): Promise<string[]> {
  const creates = changes.some(({ from, to }) => from === undefined && to !== undefined);
  return creates ? collisionsAmong(changes, (await readRefValues(git)).keys()) : [];
}

function collisionsAmong(changes: readonly RefChange[], existing: Iterable<string>): string[] {
  const deleted = new Set(changes.filter(({ to }) => to === undefined).map(({ name }) => name));
  const names = new Map<string, string>();
  for (const name of existing) if (!deleted.has(name)) names.set(foldCase(name), name);
  return changes.flatMap(({ name, from, to }) => {
    if (to === undefined || from !== undefined) return [];
    const other = names.get(foldCase(name));
    names.set(foldCase(name), name);
    if (other === undefined || other === name) return [];
    return [`${name} differs from ${other} only in upper and lower case.`];
  });
}
