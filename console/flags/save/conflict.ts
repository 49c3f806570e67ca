// What is done where somebody changed the thing between reading and saving.
import { ApiError } from '../../api/error.ts';
import type { PlannedChange } from './planned-change.ts';
import { changedParts, findContests, partsOfInstruction, partsOfState, type Contest } from './parts.ts';
import { readPreview, type Preview } from './save-queries.ts';

export interface Conflict {
  /** The same instructions, for the present version. */
  change: PlannedChange;
  /** What was there when mine was begun; undefined where that is not known. */
  base: unknown;
  /** What is there now. */
  present: unknown;
  /** Empty where both changes can be kept. */
  contests: Contest[];
}

export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409;
}

/** `seen` is the difference as it was last shown. */
export async function findConflict(change: PlannedChange, seen: Preview | undefined): Promise<Conflict> {
  const base = change.base ?? (seen?.version === change.version ? seen.before : undefined);
  // Without instructions it says what is there, even if mine no longer fit.
  const { version, before: present } = await readPreview({ ...change, instructions: [] });
  const next = { ...change, version, ...(base !== undefined && { base }) };
  const theirs =
    base === undefined
      ? // Where it is not known what they changed, every part of mine is in question.
        new Set(change.instructions.flatMap(partsOfInstruction))
      : changedParts(partsOfState(base), partsOfState(present));
  const contests = findContests(change.instructions, theirs);
  if (contests.length > 0) return { change: next, base, present, contests };
  try {
    await readPreview(next);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 0) throw error;
    // They took away what mine builds on.
    return {
      change: next,
      base,
      present,
      contests: [{ name: '*', instructions: [...next.instructions.keys()] }],
    };
  }
  return { change: next, base, present, contests };
}
