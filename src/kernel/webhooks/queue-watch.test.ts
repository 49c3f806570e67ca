// Tests of the watch for new deliveries, on both engines.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { schedule } from '../jobs/due-store.ts';
import type { Engine } from '../storage/engine.ts';
import { QueueWatch } from './queue-watch.ts';
import { listQueueMarks } from './store-queue.ts';

/** A watch that hears of new work when the test says so. */
async function openWatch(engine: Engine) {
  const warnings: unknown[] = [];
  let notify: () => unknown = () => {};
  const listen: Engine['listen'] = async (_channel, listener) => {
    notify = () => listener(undefined);
    return () => {};
  };
  const log = { warn: (...words: unknown[]) => warnings.push(words) };
  const watch = await new QueueWatch({ ...engine, listen }, log as never).open();
  return { watch, warnings, notify: () => notify() };
}

onEachEngine((engine) => {
  test('a queue that no longer waits when its turn comes is not looked for', async () => {
    const opened = await engine.openMigrated();
    const { watch, warnings, notify } = await openWatch(opened);
    const { stop } = watch.wait('hook/1', 'a');
    notify();
    stop();
    await watch.close();
    assert.deepEqual(warnings, []);
    assert.deepEqual(await listQueueMarks(opened.db, []), new Map());
  });

  test('a queue that begins to wait after that still hears of what came before', async () => {
    const opened = await engine.openMigrated();
    const { watch, warnings, notify } = await openWatch(opened);
    const first = watch.wait('hook/1', 'a');
    notify();
    first.stop();
    await schedule(opened.db, { id: 'hook/2', kind: 'test', payload: 'b', dueAt: 0 }, 0);
    const { changed, stop } = watch.wait('hook/2', 'a');
    assert.equal(await changed, 'b');
    stop();
    await watch.close();
    assert.deepEqual(warnings, []);
  });
});
