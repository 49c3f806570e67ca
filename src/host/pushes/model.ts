// Which moves of references lie between the values that were last recorded and those that git has.
import type { Initiator } from '../../kernel/identity/identity.ts';
import type { RefChange } from '../protection/check-ref-changes.ts';

/** A push that goes on, or whose server has died. */
export interface Push {
  id: string;
  number: number;
  pusher: Initiator;
  begunAt: number;
  /** Empty while git still reads it, and has moved nothing. */
  changes: readonly RefChange[];
}

/** One reference that one push has moved. */
export interface RefMove extends RefChange {
  /** Undefined where no known push explains the move. */
  push: Push | undefined;
}

/** Values by full name; those that do not exist are missing. */
export type RefValues = ReadonlyMap<string, string>;

/** Only branches and tags are of interest to others. */
export function isRecordedRef(name: string): boolean {
  return name.startsWith('refs/heads/') || name.startsWith('refs/tags/');
}

/**
 * The moves from the recorded values to those of git, for each of the names. Where two pushes have moved the same reference since it
 * was last recorded, each of them is one move.
 */
export function movesBetween(
  names: Iterable<string>,
  recorded: RefValues,
  current: RefValues,
  pushes: readonly Push[],
): RefMove[] {
  // Once for all names: a push may have thousands of changes.
  const plans = Map.groupBy(
    pushes.flatMap((push) => push.changes.map((change) => ({ ...change, push }))),
    ({ name }) => name,
  );
  return [...names].flatMap((name) => {
    const from = recorded.get(name);
    const to = current.get(name);
    if (from === to) return [];
    const planned = plans.get(name) ?? [];
    return (
      findChain(planned, from, to) ?? [{ name, from, to, push: planned.find((one) => one.to === to)?.push }]
    );
  });
}

/** The shortest sequence of planned moves that leads from one value to the other. */
function findChain(
  planned: readonly RefMove[],
  from: string | undefined,
  to: string | undefined,
): RefMove[] | undefined {
  let ends: RefMove[][] = [[]];
  const seen = new Set([from]);
  while (ends.length > 0) {
    const next: RefMove[][] = [];
    for (const chain of ends) {
      const at = chain.length === 0 ? from : chain.at(-1)!.to;
      for (const move of planned) {
        if (move.from !== at || seen.has(move.to)) continue;
        if (move.to === to) return [...chain, move];
        seen.add(move.to);
        next.push([...chain, move]);
      }
    }
    ends = next;
  }
  return undefined;
}
