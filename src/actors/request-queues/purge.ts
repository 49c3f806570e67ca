// Deletes the requests of a deleted queue, batch by batch, and then its row.
import type { Engine } from '../../kernel/storage/engine.ts';
import { statementsOf } from './engine-statements.ts';
import { deleteQueue, renameQueue } from './store.ts';

const BATCH_SIZE = 1000;
const UNCOUNTED = { now: 0, reads: 0, headReads: 0, writes: 0 };

/**
 * The queue is renamed first: a request that is added later finds no queue, so that none is left behind. By the new name
 * the work finds the queue again after an interruption.
 */
export async function purgeQueue(engine: Engine, id: string, signal: AbortSignal): Promise<void> {
  const { db } = engine;
  const renamed = `deleted ${id}`;
  await renameQueue(db, id, renamed);
  for (;;) {
    signal.throwIfAborted();
    const ids = await statementsOf(engine).listIds(engine, renamed, BATCH_SIZE);
    if (ids.length === 0) break;
    await statementsOf(engine).delete(engine, renamed, ids, '', UNCOUNTED);
  }
  await deleteQueue(db, renamed);
}
