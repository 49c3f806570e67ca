// What is done where somebody changed the thing between reading and saving.
import { path, type Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import type { ChangePreview } from '../../api/types/signalbox.ts';
import type { PlannedChange } from './planned-change.ts';
import { changedParts, findContests, partsOfInstruction, partsOfState, type Contest } from './parts.ts';
import { readPreview } from './save-queries.ts';

export interface Conflict {
  /** The same instructions, for the present version. */
  change: PlannedChange;
  /** What is there now. */
  present: Members;
  /** Empty where both changes can be kept. */
  contests: Contest[];
}

type Members = Readonly<Record<string, unknown>>;

export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409 && error.code === 'optimistic_locking_error';
}

/** `seen` is the difference as it was last shown. */
export async function findConflict(
  change: PlannedChange,
  seen: ChangePreview | undefined,
): Promise<Conflict> {
  const { version, state: present } = await readState(change);
  const next = { ...change, version };
  const contests = findContests(change.instructions, theirParts(change, seen, present));
  if (contests.length > 0) return { change: next, present, contests };
  try {
    await readPreview(next);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 0) throw error;
    // They took away what mine builds on.
    const all = { name: '*', instructions: [...next.instructions.keys()] };
    return { change: next, present, contests: [all] };
  }
  return { change: next, present, contests };
}

function theirParts(change: PlannedChange, seen: ChangePreview | undefined, present: Members): Set<string> {
  if (change.base !== undefined) return changedParts(partsOfState(change.base), partsOfState(present));
  // Where it is not known what they changed, every part of mine is in question.
  if (seen?.version !== change.version) return new Set(change.instructions.flatMap(partsOfInstruction));
  // The difference has the members that mine changes, and no others are asked about.
  const names = Object.keys({ ...seen.before, ...seen.after });
  const same = Object.fromEntries(
    names.filter((name) => name in present).map((name) => [name, present[name]]),
  );
  return changedParts(partsOfState(seen.before), partsOfState(same));
}

interface Versioned {
  version: number;
  environments?: Record<string, Members>;
}

/** The flag without its environments, the flag in one environment, or the segment. */
async function readState(change: PlannedChange): Promise<{ version: number; state: Members }> {
  const { project, environment, resource } = change;
  const call: Call =
    resource.kind === 'flag'
      ? {
          api: 'flags',
          path: path`/flags/${project}/${resource.key}`,
          ...(environment !== undefined && { query: { env: environment } }),
        }
      : { api: 'flags', path: path`/segments/${project}/${environment ?? ''}/${resource.key}` };
  const { version, environments, ...own } = (await send<Versioned>(call)).body;
  if (environment === undefined || resource.kind === 'segment') return { version, state: own };
  return { version, state: environments?.[environment] ?? {} };
}
