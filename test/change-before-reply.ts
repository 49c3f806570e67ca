// Lets something change after the commit of a call, and before its reply is made.
import { mock } from 'node:test';
import type { TestServer } from './server.ts';

export async function withChangeBeforeReply<T>(
  { app }: Pick<TestServer, 'app'>,
  change: () => Promise<unknown>,
  call: () => Promise<T>,
): Promise<T> {
  const { changes } = app.kernel;
  const run = changes.run.bind(changes);
  const mocked = mock.method(changes, 'run', async (...[actor, work]: Parameters<typeof run>) => {
    // Background work has no caller.
    if (actor.caller === undefined) return await run(actor, work);
    mocked.mock.restore();
    const result = await run(actor, work);
    await change();
    return result;
  });
  try {
    return await call();
  } finally {
    mocked.mock.restore();
  }
}
