// What belongs to another account answers as what does not exist: by id and by name, with every verb.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { giveToken, join } from '../../people.ts';
import { startServer, type Answer, type CallInit, type Json, type TestServer } from '../../server.ts';

let server: TestServer;
let other: string;
before(async () => {
  server = await startServer({ limits: 'off' });
  const member = await join(server, 'other', { role: 'writer' });
  other = (await giveToken(server, member, { role: 'writer' })).value;
});
after(() => server.stop());

const ABSENT = 'f'.repeat(24);

async function create(path: string, body?: Json): Promise<string> {
  const { status, text, json } = await server.call(path, { method: 'POST', ...(body && { body }) });
  assert.equal(status, 201, text);
  return json['data'].id as string;
}

/** All that could tell one from the other, without what differs by chance. */
function shown({ status, text, headers }: Answer, reference: string) {
  const kept = [...headers].filter(
    ([name]) => !/^(date|x-request-id|x-ratelimit|etag|content-length)/.test(name),
  );
  return { status, text: text.replaceAll(reference, '*'), headers: kept };
}

async function compare(pathOf: (reference: string) => string, pairs: [string, string][], init: CallInit) {
  for (const [foreign, absent] of pairs) {
    const [one, two] = [
      await server.call(pathOf(foreign), { token: other, ...init }),
      await server.call(pathOf(absent), { token: other, ...init }),
    ];
    const at = `${init.method ?? 'GET'} ${pathOf(foreign)}`;
    assert.equal(one.status, 404, `${at}: ${one.text}`);
    assert.deepEqual(shown(one, foreign), shown(two, absent), at);
  }
}

const STORAGES: [string, [string, CallInit][]][] = [
  [
    'datasets',
    [
      ['/items', {}],
      ['/items', { method: 'HEAD' }],
      ['/items', { method: 'POST', body: {} }],
      ['/statistics', {}],
    ],
  ],
  [
    'key-value-stores',
    [
      ['/keys', {}],
      ['/records/INPUT', {}],
      ['/records/INPUT', { method: 'HEAD' }],
      ['/records/INPUT', { method: 'PUT', body: {} }],
      ['/records/INPUT', { method: 'DELETE' }],
    ],
  ],
  [
    'request-queues',
    [
      ['/head', {}],
      ['/head/lock?lockSecs=10', { method: 'POST' }],
      ['/requests', {}],
      ['/requests', { method: 'POST', body: { url: 'https://a.test', uniqueKey: 'a' } }],
      ['/requests/batch', { method: 'POST', body: [{ url: 'https://a.test', uniqueKey: 'a' }] }],
      ['/requests/aaaaaaaaaaaaaaa', {}],
    ],
  ],
];

for (const [kind, below] of STORAGES) {
  test(`A28 ${kind} of another account, named or not, answer as absent ones`, async () => {
    const named = await create(`/v2/${kind}?name=theirs`);
    const unnamed = await create(`/v2/${kind}`);
    const pairs: [string, string][] = [
      [named, ABSENT],
      [unnamed, ABSENT],
      ['admin~theirs', 'admin~absent'],
    ];
    for (const init of [{}, { method: 'PUT', body: { title: 'mine' } }, { method: 'DELETE' }])
      await compare((reference) => `/v2/${kind}/${reference}`, pairs, init);
    for (const [path, init] of below)
      await compare((reference) => `/v2/${kind}/${reference}${path}`, pairs, init);
    assert.equal((await server.call(`/v2/${kind}/${named}`)).status, 200);
  });
}

test('A28 Actors, tasks, schedules and webhooks of another account answer as absent ones', async () => {
  const actor = await create('/v2/acts', { name: 'their-actor' });
  const task = await create('/v2/actor-tasks', { actId: actor, name: 'their-task' });
  const schedule = await create('/v2/schedules', {
    name: 'their-schedule',
    isEnabled: false,
    isExclusive: false,
    cronExpression: '@daily',
    actions: [],
  });
  const webhook = await create('/v2/webhooks', {
    eventTypes: ['ACTOR.RUN.SUCCEEDED'],
    condition: { actorId: actor },
    requestUrl: 'https://hooks.test/',
  });
  const verbs: CallInit[] = [{}, { method: 'PUT', body: {} }, { method: 'DELETE' }];
  for (const init of verbs) {
    const actors: [string, string][] = [
      [actor, ABSENT],
      ['admin~their-actor', 'admin~absent'],
    ];
    await compare((reference) => `/v2/acts/${reference}`, actors, init);
    const tasks: [string, string][] = [
      [task, ABSENT],
      ['admin~their-task', 'admin~absent'],
    ];
    await compare((reference) => `/v2/actor-tasks/${reference}`, tasks, init);
    await compare((reference) => `/v2/schedules/${reference}`, [[schedule, ABSENT]], init);
    await compare((reference) => `/v2/webhooks/${reference}`, [[webhook, ABSENT]], init);
  }
  for (const [below, init] of [
    ['/runs', {}],
    ['/builds', {}],
    ['/versions', {}],
    ['/runs', { method: 'POST', body: {} }],
  ] as [string, CallInit][])
    await compare((reference) => `/v2/acts/${reference}${below}`, [[actor, ABSENT]], init);
});
