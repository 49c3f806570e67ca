// Keeps the keys of a running server up to date, and encrypts stored secrets anew, a few at a time, after the key was changed.
import { passCheckpoint } from '../kernel/jobs/checkpoint.ts';
import { schedule } from '../kernel/jobs/due-store.ts';
import type { BackgroundWork } from '../kernel/http/protocol.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { KEYS_CHANNEL } from '../kernel/secrets/secret-box.ts';
import {
  findWrittenKey,
  listKeyNodes,
  listSealedRows,
  planSweep,
  SWEEP_SECRETS,
  updateSealedRow,
  updateSweptAt,
  type RowKey,
  type SealedColumn,
} from '../kernel/secrets/store-keyring.ts';
import { apis } from './apis.ts';

/** Keys in files are read so often, and nodes say that they live. */
const REFRESH_MS = 10_000;
const ROWS = 100;
/** What began before the change may still be writing. */
const SETTLE_MS = 60_000;

export const sealedColumns: readonly SealedColumn[] = apis.flatMap((api) => api.sealedColumns ?? []);

interface SweepState {
  /** The key that this pass writes; another change begins another pass. */
  key: string;
  begunAt: number;
  resealed: number;
  column: number;
  after?: RowKey;
}

export async function keepKeysFresh({ engine, secrets, log }: Kernel): Promise<{ stop(): Promise<void> }> {
  let refreshing: Promise<void> = Promise.resolve();
  const refresh = (isAsked: boolean) => {
    refreshing = refreshing
      .then(() => secrets.refresh(isAsked))
      .catch((error: unknown) =>
        log.error({ err: error }, 'the secret keys of this server cannot be used as they are'),
      );
  };
  const timer = setInterval(() => refresh(false), REFRESH_MS).unref();
  const unlisten = await engine.listen(KEYS_CHANNEL, () => refresh(true));
  return {
    async stop() {
      clearInterval(timer);
      unlisten();
      await refreshing;
      await secrets.close();
    },
  };
}

/** Each call does one step, and leaves a row for the next one: a server that ends goes on where it was. */
export function sweepWork(kernel: Kernel): BackgroundWork {
  const { db, clock, secrets } = kernel;
  return {
    handlers: {
      [SWEEP_SECRETS]: async ({ payload }, signal) => {
        await secrets.refresh();
        const state = readState(payload, secrets.written.id, clock.now());
        const next = await step(kernel, state, signal);
        if (signal.aborted) return;
        passCheckpoint('a step of the sweep of secrets');
        const now = clock.now();
        if (next === undefined) return await endPass(kernel, state);
        const work = { id: SWEEP_SECRETS, kind: SWEEP_SECRETS, payload: JSON.stringify(next), dueAt: now };
        await schedule(db, work, now, 'move');
      },
    },
  };
}

function readState(payload: string, key: string, now: number): SweepState {
  const known = payload === '' ? undefined : (JSON.parse(payload) as SweepState);
  return known?.key === key ? known : { key, begunAt: now, resealed: 0, column: 0 };
}

/** Undefined behind the last row. */
async function step(
  { db, secrets }: Kernel,
  state: SweepState,
  signal: AbortSignal,
): Promise<SweepState | undefined> {
  const column = sealedColumns[state.column];
  if (column === undefined) return undefined;
  const rows = await listSealedRows(db, column, state.after, ROWS);
  for (const { key, value } of rows) {
    if (signal.aborted) return undefined;
    const after = secrets.reseal(value);
    if (after === value) continue;
    await updateSealedRow(db, column, key, { before: value, after });
    state.resealed += 1;
  }
  const { after: _, ...rest } = state;
  if (rows.length < ROWS) return { ...rest, column: state.column + 1 };
  return { ...rest, after: rows.at(-1)!.key };
}

/** A pass that found nothing, and began when all nodes had written the new key for a while, is the last one. */
async function endPass(
  { db, clock, secrets, log }: Kernel,
  { begunAt, resealed }: SweepState,
): Promise<void> {
  const now = clock.now();
  const [written, nodes] = await Promise.all([findWrittenKey(db), listKeyNodes(db, now)]);
  if (written === undefined || written.fingerprint !== secrets.written.fingerprint) return;
  const isSettled =
    begunAt >= (written.changedAt ?? 0) + SETTLE_MS &&
    nodes.every(({ writes }) => writes === secrets.written.id);
  if (isSettled && resealed === 0) {
    await updateSweptAt(db, written.fingerprint, now);
    log.info({ key: secrets.written.id }, 'all stored secrets are encrypted with the new key');
    return;
  }
  await planSweep(db, now, SETTLE_MS);
}
