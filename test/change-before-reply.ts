// Lets something change after the commit of a call, and before its reply is made.
import assert from 'node:assert/strict';
import type { Changes } from '../src/kernel/change/changes.ts';
import type { TestServer } from './server.ts';

export async function withChangeBeforeReply<T>(
  { app }: Pick<TestServer, 'app'>,
  change: () => Promise<unknown>,
  call: () => Promise<T>,
): Promise<T> {
  const { changes } = app.kernel;
  const run = changes.run.bind(changes);
  const restore = () => Reflect.deleteProperty(changes, 'run');
  let isMade = false;
  const runAndChange: Changes['run'] = async (actor, work) => {
    // Background work, which may have a caller too, has checked no permission of a route.
    if (actor.assertPermissionChecked === undefined) return await run(actor, work);
    restore();
    const result = await run(actor, work);
    await change();
    isMade = true;
    return result;
  };
  Object.assign(changes, { run: runAndChange });
  try {
    const reply = await call();
    assert.ok(isMade, 'The call has changed nothing.');
    return reply;
  } finally {
    restore();
  }
}
