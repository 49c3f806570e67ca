// Titles are text, or null: of Actors, tasks, schedules and storages. Rule A28.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../engines.ts';
import type { Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';

const WRONG: unknown[] = [5, true, ['a'], { en: 'a' }, 'a\u0000b', 'x'.repeat(201)];

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off', role: 'api' });
  });
  after(() => server.stop());

  async function create(path: string, body?: Json): Promise<string> {
    const init = { method: 'POST', ...(body !== undefined && { body }) };
    const { status, text, json } = await server.call(`/v2/${path}`, init);
    assert.equal(status, 201, text);
    return `/v2/${path}/${json['data'].id as string}`;
  }

  const THINGS: Record<string, () => Promise<string>> = {
    'an Actor': () => create('actors', { name: 'titled-actor' }),
    'a task': async () => {
      const actor = await create('actors', { name: 'of-a-task' });
      return await create('actor-tasks', { actId: actor.split('/').at(-1)! });
    },
    'a schedule': () =>
      create('schedules', {
        name: 'titled',
        isEnabled: false,
        isExclusive: false,
        cronExpression: '@daily',
        actions: [],
      }),
    'a dataset': () => create('datasets'),
    'a key-value store': () => create('key-value-stores'),
    'a request queue': () => create('request-queues'),
  };

  for (const [what, make] of Object.entries(THINGS)) {
    test(`A28 the title of ${what} is text: another value is refused, and changes nothing`, async () => {
      const path = await make();
      const put = (title: unknown) => server.call(path, { method: 'PUT', body: { title } });
      assert.equal((await put('A title')).status, 200);
      for (const title of WRONG) {
        const { status, json } = await put(title);
        assert.deepEqual([status, json['error'].type], [400, 'invalid-input'], JSON.stringify(title));
        assert.match(json['error'].message as string, /title/);
      }
      assert.equal((await server.call(path)).json['data'].title, 'A title');
      assert.equal((await put(null)).status, 200);
      assert.equal((await server.call(path)).json['data'].title, null);
    });
  }

  test('A28 the title of a view in the schema of a dataset is text', async () => {
    for (const title of [5, ['a'], { en: 'a' }]) {
      const schema = { actorSpecification: 1, views: { overview: { title } } };
      const { status, json } = await server.call('/v2/datasets', { method: 'POST', body: { schema } });
      assert.deepEqual([status, json['error'].type], [400, 'dataset-schema-invalid'], JSON.stringify(title));
    }
  });
});
