// Runs with a text in their inputs: the newest are read, as far as there is time for it. ADR 0185.
import { storageResource } from '../../../actors/storages/access.ts';
import type { Call } from '../../../kernel/http/route.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { TimeSlice } from '../../../kernel/yield-to-event-loop.ts';
import { readInputText, TOO_LARGE } from '../read-input.ts';
import { MAX_SEARCHED_RUNS, type RunSearchScope } from './store-find-runs.ts';
import { listRunInputs, type RunInput } from './store-run-inputs.ts';

/** Of one input. */
export const MAX_SEARCHED_INPUT = 256 * 1024;
/** Of all inputs that one call reads. */
const MAX_READ_BYTES = 32 * 1024 * 1024;
/** Rows in memory at a time: each may hold an input. */
const BATCH = 200;

export interface FoundInputs {
  /** Newest first. */
  runs: RunInput[];
  /** How many runs were looked through. */
  searched: number;
  /** How many of them have an input that is too large to be read. */
  unread: number;
  isPartial: boolean;
}

/** The text is looked for as it is stored, in any case. Inputs that the caller may not view are left out. */
export async function searchInputs(
  kernel: Kernel,
  call: Pick<Call, 'can'>,
  scope: RunSearchScope,
  text: string,
): Promise<FoundInputs> {
  const wanted = text.toLowerCase();
  const slice = new TimeSlice();
  const found: FoundInputs = { runs: [], searched: 0, unread: 0, isPartial: true };
  let before: RunInput | undefined;
  let bytes = 0;
  while (found.searched < MAX_SEARCHED_RUNS && bytes < MAX_READ_BYTES) {
    const runs = await listRunInputs(kernel.db, scope, { before, limit: BATCH });
    for (const run of runs) {
      found.searched += 1;
      const { input } = run;
      if (input === undefined || !mayView(call, run)) continue;
      const content = await readInputText(kernel, input, MAX_SEARCHED_INPUT);
      if (content === TOO_LARGE) found.unread += 1;
      else if (content !== undefined) {
        bytes += content.length;
        if (content.toLowerCase().includes(wanted)) found.runs.push({ ...run, input: undefined });
      }
      if (slice.isOver) await slice.yieldToEventLoop();
    }
    if (runs.length < BATCH) return { ...found, isPartial: false };
    before = runs.at(-1);
  }
  return found;
}

function mayView(call: Pick<Call, 'can'>, { id, storeId }: RunInput): boolean {
  const resource = storageResource({ kind: 'key-value-store', id: storeId, actRunId: id });
  return call.can(resource, 'viewStorage');
}
