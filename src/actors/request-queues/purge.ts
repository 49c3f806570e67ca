// Empties a queue that was deleted, piece by piece.
import type { Engine } from '../../kernel/storage/engine.ts';
import { statementsOf } from './engines.ts';
import { deleteQueue, renameQueue } from './store.ts';

const AT_ONCE = 1000;
const UNCOUNTED = { now: 0, reads: 0, headReads: 0, writes: 0 };

/**
 * The queue loses its id first: what is added after that finds none, and nothing is left behind. By its other name the
 * work finds it again when it was interrupted.
 */
export async function purgeQueue(engine: Engine, id: string, signal: AbortSignal): Promise<void> {
  const { db } = engine;
  const other = `deleted ${id}`;
  await renameQueue(db, id, other);
  for (;;) {
    signal.throwIfAborted();
    const ids = await statementsOf(engine).ids(engine, other, AT_ONCE);
    if (ids.length === 0) break;
    await statementsOf(engine).remove(engine, other, ids, UNCOUNTED);
  }
  await deleteQueue(db, other);
}
