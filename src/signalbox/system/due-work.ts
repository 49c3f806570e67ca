// Work that waits, by kind: who works on it, what is late, and what has failed.
import type { Due } from '../../kernel/jobs/due-store.ts';
import type { DueSummary } from './model.ts';

/** Workers look every few seconds: what has not begun after this long has nobody who does it. */
const LATE_MS = 60_000;
const MAX_ERROR = 300;

type DueRow = Pick<Due, 'kind' | 'due_at' | 'owner' | 'last_error'>;

export function summarizeDue(rows: readonly DueRow[], now: number): DueSummary[] {
  const byKind = Map.groupBy(rows, ({ kind }) => kind);
  return [...byKind]
    .map(([kind, some]) => summarizeKind(kind, some, now))
    .toSorted((one, other) => other.late - one.late || (one.kind < other.kind ? -1 : 1));
}

function summarizeKind(kind: string, rows: readonly DueRow[], now: number): DueSummary {
  // The due time of what is worked on is the end of its lease.
  const isHeld = ({ owner, due_at }: DueRow) => owner !== null && due_at > now;
  const late = rows.filter((row) => !isHeld(row) && row.due_at < now - LATE_MS);
  const failed = rows.filter(({ last_error }) => last_error !== null);
  const running = rows.filter(isHeld).length;
  const oldestAt = late.reduce((oldest, { due_at }) => Math.min(oldest, due_at), Infinity);
  return {
    kind,
    waiting: rows.length - running,
    running,
    late: late.length,
    ...(late.length > 0 && { oldestAt }),
    failed: failed.length,
    ...(failed[0] !== undefined && { lastError: failed[0].last_error!.slice(0, MAX_ERROR) }),
  };
}
