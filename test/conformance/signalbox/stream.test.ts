// The stream of changes: what it sends to whom, how it goes on after a break, and that no transaction is missed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { STATUS_CHANNELS } from '../../../src/actors/jobs/job.ts';
import { updateRun } from '../../../src/actors/runs/store.ts';
import { systemActor } from '../../../src/kernel/identity/actor.ts';
import { onEachEngine, onEngine } from '../../engines.ts';
import { EventReader, type ServerEvent } from '../../event-stream.ts';
import { eventually } from '../../eventually.ts';
import { giveToken, join, openBrowser } from '../../people.ts';
import { ADMIN_TOKEN, startServer, type Json, type TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';
import { openReceiver } from '../../webhook-receiver.ts';
import { giveActor, giveRun } from '../actors/runs/run-rows.ts';

const STREAM = '/signalbox/v1/stream';

function follow(
  server: TestServer,
  { token = ADMIN_TOKEN, lastId }: { token?: string; lastId?: string } = {},
): Promise<EventReader> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(lastId !== undefined && { 'last-event-id': lastId }),
  };
  return EventReader.open(server.url + STREAM, { headers });
}

async function begun(reader: EventReader): Promise<boolean> {
  const { event, data } = await reader.next();
  assert.equal(event, 'begin');
  return (data as { isResumed: boolean }).isResumed;
}

/** The next change of a project with this key. */
async function changeOf(reader: EventReader, key: string): Promise<ServerEvent['data']> {
  for (;;) {
    const { event, data } = await reader.next();
    if (event === 'change' && data.resource === `proj/${key}`) return data;
  }
}

async function makeProject(server: TestServer, key: string, token = ADMIN_TOKEN): Promise<void> {
  const body = { key, name: key };
  const { status, text } = await server.call('/api/v2/projects', { method: 'POST', body, token });
  assert.equal(status, 201, text);
}

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
  });
  after(() => server.stop());

  test('a change is sent to those who may see it, with its place and its kind', async () => {
    const reader = await follow(server);
    assert.equal(reader.headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.equal(await begun(reader), false);
    await makeProject(server, 'one');
    const change = await changeOf(reader, 'one');
    assert.equal(change.product, 'flags');
    assert.equal(change.action, 'createProject');
    assert.equal(change.name, 'one');
    reader.close();
  });

  test('what belongs to another account is sent to its owner alone', async () => {
    const { value: own } = await giveToken(server, await join(server, 'ann', { role: 'writer' }), {
      role: 'writer',
    });
    const { value: other } = await giveToken(server, await join(server, 'bob', { role: 'writer' }), {
      role: 'writer',
    });
    const [mine, theirs] = [await follow(server, { token: own }), await follow(server, { token: other })];
    await begun(mine);
    await begun(theirs);
    const made = await server.call('/user/repos', { method: 'POST', token: own, body: { name: 'secret' } });
    assert.equal(made.status, 201, made.text);
    await makeProject(server, 'mark', own);
    const kinds: string[] = [];
    for (;;) {
      const { data } = await mine.next();
      kinds.push(data.product);
      if (data.resource === 'proj/mark') break;
    }
    assert.ok(kinds.includes('code'));
    await changeOf(theirs, 'mark');
    assert.ok(theirs.events.every(({ data }) => data.product !== 'code'));
    mine.close();
    theirs.close();
  });

  test('a client that was cut off gets what it has missed; an unknown id begins anew', async () => {
    const first = await follow(server);
    await begun(first);
    await makeProject(server, 'seen');
    await changeOf(first, 'seen');
    const { lastId } = first;
    first.close();
    await makeProject(server, 'missed');
    const second = await follow(server, { lastId });
    assert.equal(await begun(second), true);
    assert.equal((await changeOf(second, 'missed')).name, 'missed');
    second.close();
    for (const unknown of ['x', 'e', 't-1', '7', 'e99999999999999999999']) {
      const third = await follow(server, { lastId: unknown });
      assert.equal(await begun(third), false, unknown);
      third.close();
    }
  });

  test('a client that has missed more than some hundred changes begins anew', async () => {
    const first = await follow(server);
    await begun(first);
    const { lastId } = first;
    first.close();
    const { changes, clock } = server.app.kernel;
    await changes.run(systemActor({ now: clock.now(), id: 'test' }), async (tx) => {
      for (let index = 0; index <= 500; index += 1)
        tx.record({
          accesses: [{ action: 'createProject', resource: 'proj/many' }],
          requirements: [],
          kind: 'project',
          name: `many ${index}`,
          verb: 'created the project',
        });
    });
    const second = await follow(server, { lastId });
    assert.equal(await begun(second), false);
    second.close();
  });

  test('a run that changes its status is sent to its owner alone', async () => {
    const { value: token } = await giveToken(server, await join(server, 'ron', { role: 'writer' }), {
      role: 'writer',
    });
    const [owner, admin] = [await follow(server, { token }), await follow(server)];
    await begun(owner);
    await begun(admin);
    const { id } = await giveRun(server, await giveActor(server, { token }), { token, status: 'RUNNING' });
    await server.app.kernel.db.transaction().execute((tx) => updateRun(tx, id, { status: 'SUCCEEDED' }));
    let sent = await owner.next();
    while (sent.event !== 'run') sent = await owner.next();
    assert.deepEqual(sent.data, { id, status: 'SUCCEEDED' });
    await makeProject(server, 'after-run');
    await changeOf(admin, 'after-run');
    assert.ok(admin.events.every(({ event }) => event !== 'run'));
    owner.close();
    admin.close();
  });

  test('where notices are lost, streams end, and their clients go on where they were', async () => {
    const reader = await follow(server);
    await begun(reader);
    const { lastId } = reader;
    // As when the connection on which a node hears of others was lost.
    await server.app.kernel.engine.notify(STATUS_CHANNELS.run);
    await reader.ended();
    const again = await follow(server, { lastId });
    assert.equal(await begun(again), true);
    again.close();
  });

  test('the first use of a token is sent to those who may view it, and its later uses are not', async () => {
    const [ann, bob] = [
      await join(server, 'user-of-tokens', { role: 'writer' }),
      await join(server, 'other', { role: 'writer' }),
    ];
    const [own, other] = await Promise.all(
      [ann, bob].map(async (member) => (await giveToken(server, member, { role: 'writer' })).value),
    );
    const [owner, stranger] = [
      await follow(server, { token: own! }),
      await follow(server, { token: other! }),
    ];
    await begun(owner);
    await begun(stranger);
    const { id, value } = await giveToken(server, ann, { role: 'reader' });
    await server.call('/api/v2/projects', { token: value });
    // Each of them may hear of the first use of the own token, too.
    const isUse = ({ event, data: of }: ServerEvent): boolean => event === 'token-used' && of.id === id;
    let sent = await owner.next();
    while (!isUse(sent)) sent = await owner.next();
    const { at, ...data } = sent.data;
    assert.ok(at > 0);
    assert.deepEqual(data, { id, api: 'flags', operation: 'getProjects' });
    await server.call('/user', { token: value });
    await server.app.kernel.tokenUses.save();
    await makeProject(server, 'after-use', own);
    await changeOf(owner, 'after-use');
    await changeOf(stranger, 'after-use');
    // It may come twice, since a node hears of its own notices, too: the second time perhaps with a later use.
    assert.ok(owner.events.filter(isUse).length <= (engine.kind === 'postgres' ? 2 : 1));
    assert.equal(stranger.events.some(isUse), false);
    owner.close();
    stranger.close();
  });

  test('a delivery of a webhook is sent to those who may see the webhook, in all three APIs', async () => {
    const receiver = await openReceiver();
    const { value: token } = await giveToken(server, await join(server, 'hooked', { role: 'writer' }), {
      role: 'writer',
    });
    const { value: blind } = await giveToken(server, await join(server, 'blind', { role: 'writer' }), {
      inlinePolicy: [
        { effect: 'allow', actions: ['*'], resources: ['*'] },
        { effect: 'deny', actions: ['viewWebhook', 'viewHooks'], resources: ['*'] },
      ],
    });
    const post = async (path: string, body: object, as = token): Promise<Json> => {
      const { status, json, text } = await server.call(path, { method: 'POST', body, token: as });
      assert.ok(status < 300, text);
      return json;
    };
    const [owner, other] = [await follow(server, { token }), await follow(server, { token: blind })];
    await begun(owner);
    await begun(other);
    const next = async (api: string): Promise<Json> => {
      for (;;) {
        const { event, data } = await owner.next();
        if (event === 'delivery' && data.api === api) return data;
      }
    };

    const flags = await post('/api/v2/webhooks', { url: `${receiver.url}/flags`, on: true, sign: false });
    await makeProject(server, 'delivered', token);
    const sent = await next('flags');
    assert.deepEqual([sent['webhook'], sent['status']], [flags['_id'], 'delivered']);
    const listed = await server.call(`/api/v2/webhooks/${flags['_id']}/deliveries`, { token });
    assert.ok(listed.json['items'].some((item: Json) => item['_id'] === sent['id']));
    await server.call(`/api/v2/webhooks/${flags['_id']}`, { method: 'DELETE', token });

    await post('/user/repos', { name: 'hooks' });
    const hook = await post('/repos/hooked/hooks/hooks', {
      config: { url: `${receiver.url}/host`, content_type: 'json' },
      events: ['label'],
    });
    await post('/repos/hooked/hooks/labels', { name: 'one', color: 'ff0000' });
    const ofHost = await next('host');
    assert.deepEqual([ofHost['webhook'], ofHost['status']], [String(hook['id']), 'delivered']);
    const { status } = await server.call(
      `/repos/hooked/hooks/hooks/${hook['id']}/deliveries/${ofHost['id']}`,
      {
        token,
      },
    );
    assert.equal(status, 200);

    const actor = await giveActor(server, { token });
    const ofActor = await post('/v2/webhooks', {
      requestUrl: `${receiver.url}/actors`,
      eventTypes: ['ACTOR.RUN.SUCCEEDED'],
      condition: { actorId: actor.id },
    });
    const webhookId = ofActor['data'].id as string;
    await server.call(`/v2/webhooks/${webhookId}/test`, { method: 'POST', token });
    const dispatched = await next('actors');
    assert.equal(dispatched['webhook'], webhookId);
    assert.equal((await server.call(`/v2/webhook-dispatches/${dispatched['id']}`, { token })).status, 200);

    await makeProject(server, 'after-delivery', token);
    await changeOf(other, 'after-delivery');
    assert.ok(other.events.every(({ event }) => event !== 'delivery'));
    owner.close();
    other.close();
    await receiver.close();
  });

  test('a client that does not read is cut off when 20 KB wait for it, and begins anew', async () => {
    const reader = await follow(server);
    await begun(reader);
    const { lastId } = reader;
    reader.pause();
    const { changes, clock, services } = server.app.kernel;
    const open = services.changeStreams.size;
    // What the system's own buffers take is not known, and more than that is written.
    await eventually(async () => {
      await changes.run(systemActor({ now: clock.now(), id: 'test' }), async (tx) => {
        for (let index = 0; index < 300; index += 1)
          tx.record({
            accesses: [{ action: 'createProject', resource: 'proj/flood' }],
            requirements: [],
            kind: 'project',
            name: `${index} ${'flood '.repeat(800)}`,
            verb: 'created the project',
          });
      });
      return services.changeStreams.size < open;
    }, 'the end of a stream that nobody reads');
    reader.resume();
    await reader.ended();
    // The last of the flood may still be on its way, and cut it off again.
    let tries = 0;
    await eventually(async () => {
      const again = await follow(server, { lastId });
      try {
        assert.equal(await begun(again), false);
        const key = `after-flood-${(tries += 1)}`;
        await makeProject(server, key);
        return await changeOf(again, key).then(
          () => true,
          () => false,
        );
      } finally {
        again.close();
      }
    }, 'a stream that stays');
  });

  test('a stream ends with its credential', async () => {
    const member = await join(server, 'eve');
    const browser = await openBrowser(server, member);
    const reader = await EventReader.open(server.url + STREAM, { headers: browser });
    await begun(reader);
    const out = await server.call('/signalbox/v1/session', {
      method: 'DELETE',
      token: null,
      headers: { ...browser, origin: server.url },
    });
    assert.equal(out.status, 204);
    await makeProject(server, 'after');
    await reader.ended();
    assert.ok(reader.events.every(({ data }) => data.name !== 'after'));
  });

  test('without a credential there is no stream, and a member has no more than twenty', async () => {
    assert.equal((await server.call(STREAM, { token: null })).status, 401);
    const member = await join(server, 'max');
    const { value: token } = await giveToken(server, member, { role: 'reader' });
    const readers: EventReader[] = [];
    for (let count = 0; count < 20; count += 1) {
      const reader = await follow(server, { token });
      await begun(reader);
      readers.push(reader);
    }
    const refused = await server.call(STREAM, { token });
    assert.equal(refused.status, 429);
    assert.ok(refused.headers.get('retry-after') !== null);
    for (const reader of readers) reader.close();
  });

  test('of streams that are opened at once no more than twenty stay', async () => {
    const { value: token } = await giveToken(server, await join(server, 'lot'), { role: 'reader' });
    const readers = await Promise.all(
      Array.from({ length: 30 }, () => follow(server, { token, lastId: 'e0' })),
    );
    const begins = await Promise.all(
      readers.map((reader) =>
        reader.next().then(
          ({ event }) => event === 'begin',
          () => false,
        ),
      ),
    );
    assert.equal(begins.filter(Boolean).length, 20);
    for (const reader of readers) reader.close();
  });
});

onEngine('postgres', (engine) => {
  const running: TestServer[] = [];
  after(() => Promise.all(running.map((node) => node.stop())));

  test('a change on one node is sent by another, and a stream goes on there', async () => {
    const database = await engine.migratedDatabase();
    const [one, two] = await Promise.all([
      startServer({ database, limits: 'off' }),
      startServer({ database, limits: 'off' }),
    ]);
    running.push(one, two);
    const reader = await follow(two);
    await begun(reader);
    await makeProject(one, 'across');
    await changeOf(reader, 'across');
    const { lastId } = reader;
    reader.close();
    await makeProject(two, 'while-away');
    const again = await follow(one, { lastId });
    assert.equal(await begun(again), true);
    await changeOf(again, 'while-away');
    again.close();
  });

  test('a transaction that commits late is missed by nobody, on an open stream or after a break', async () => {
    const server = await startServerOn(engine, { limits: 'off' });
    running.push(server);
    const { clock, db } = server.app.kernel;
    const reader = await follow(server);
    await begun(reader);
    const held = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    // Its row has a lower number than that of the change below.
    const late = db.transaction().execute(async (tx) => {
      const row = { id: 'late', at: clock.now(), action: 'createProject', resource: 'proj/late' };
      await tx
        .insertInto('events')
        .values({
          ...row,
          kind: 'project',
          name: 'late',
          call_id: null,
          member_id: null,
          token_id: null,
          before: null,
          after: null,
          comment: null,
          accesses: null,
          detail: null,
          words: null,
        })
        .execute();
      written.resolve();
      await held.promise;
    });
    await written.promise;
    await makeProject(server, 'early');
    await changeOf(reader, 'early');
    const { lastId } = reader;
    const other = await follow(server, { lastId });
    await begun(other);
    held.resolve();
    await late;
    assert.equal((await changeOf(reader, 'late')).name, 'late');
    assert.equal((await changeOf(other, 'late')).name, 'late');
    reader.close();
    other.close();
    const resumed = await follow(server, { lastId });
    assert.equal(await begun(resumed), true);
    assert.equal((await changeOf(resumed, 'late')).name, 'late');
    resumed.close();
  });

  test('a stream that begins while an old transaction is open is not sent what was there before', async () => {
    const server = await startServerOn(engine, { limits: 'off' });
    running.push(server);
    const { changes, clock, db } = server.app.kernel;
    const held = Promise.withResolvers<void>();
    const begins = Promise.withResolvers<void>();
    const old = db.transaction().execute(async (tx) => {
      await sql`select pg_current_xact_id()`.execute(tx);
      begins.resolve();
      await held.promise;
    });
    await begins.promise;
    // More than a stream may leave unread.
    await changes.run(systemActor({ now: clock.now(), id: 'test' }), async (tx) => {
      for (let index = 0; index < 300; index += 1)
        tx.record({
          accesses: [{ action: 'createProject', resource: 'proj/before' }],
          requirements: [],
          kind: 'project',
          name: `${index} ${'before '.repeat(20)}`,
          verb: 'created the project',
        });
    });
    const reader = await follow(server);
    assert.equal(await begun(reader), false);
    await makeProject(server, 'since');
    await changeOf(reader, 'since');
    held.resolve();
    await old;
    await makeProject(server, 'at-last');
    await changeOf(reader, 'at-last');
    assert.deepEqual(
      reader.events.flatMap(({ data }) => (data.resource === undefined ? [] : [data.resource as string])),
      ['proj/since', 'proj/at-last'],
    );
    reader.close();
  });
});
