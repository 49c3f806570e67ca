// A start with --demo that is interrupted after any of its calls: later starts complete the example, and nothing is there twice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apis } from '../../src/app/apis.ts';
import { seedDemo, type DemoServer } from '../../src/app/demo.ts';
import { checkActors, checkHost, checkRepository, countsOf, hasOneToken, WHOLE } from '../demo-content.ts';
import { onEachEngine } from '../engines.ts';
import { startServerOn } from '../suites.ts';

onEachEngine((engine) => {
  test('starts that are interrupted after each call leave the whole example in the end', async (t) => {
    const server = await startServerOn(engine, { limits: 'off' });
    t.after(() => server.stop());
    const interrupted = new Set<string>();
    const inject: DemoServer['inject'] = async ({ method, url, headers, payload }) => {
      const init = { method, headers, token: null, ...(payload !== undefined && { body: payload }) };
      const { status, text } = await server.call(url, init);
      const call = `${method} ${url} ${payload}`;
      // What only reads changes nothing, so that an interruption after it is the same as the one before.
      if (method !== 'GET' && !interrupted.has(call)) {
        interrupted.add(call);
        throw new Error('interrupted');
      }
      return { statusCode: status, payload: text };
    };
    let isComplete = false;
    for (let before = -1; before < interrupted.size;) {
      before = interrupted.size;
      try {
        const rest = await seedDemo({ inject }, server.app.kernel, apis);
        isComplete = await rest.start();
      } catch (error) {
        assert.equal((error as Error).message, 'interrupted');
      }
    }
    const failures = server.log.filter(({ msg }) => msg === 'the examples are not complete');
    assert.ok(isComplete, JSON.stringify(failures.at(-1)));
    assert.ok(interrupted.size > 30, `only ${interrupted.size} calls`);
    assert.deepEqual(await countsOf(server), WHOLE);
    assert.ok(await hasOneToken(server));
    await checkHost(server);
    await checkRepository(server);
    await checkActors(server);
  });
});
