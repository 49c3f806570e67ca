// Empties a queue that was deleted, piece by piece.
import type { Engine } from '../../kernel/storage/engine.ts';
import { statementsOf } from './engines.ts';
import { deleteQueue, renameQueue } from './store.ts';
import { removeRequests } from './store-writes.ts';

const AT_ONCE = 1000;

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
    await removeRequests(engine, other, ids, 0);
  }
  await deleteQueue(db, other);
}
