// What all storages share, over HTTP: names, references, access, retention, deletion.
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { after, before, test } from 'node:test';
import { actorsApi } from '../../../../src/actors/api.ts';
import { openStorage } from '../../../../src/actors/storages/access.ts';
import { PURGE } from '../../../../src/actors/storages/routes.ts';
import { anonymousAt } from '../../../../src/kernel/identity/caller.ts';
import { isOpen } from '../../../../src/kernel/http/route.ts';
import { withChangeBeforeReply } from '../../../change-before-reply.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually, inTime } from '../../../eventually.ts';
import { giveToken, join } from '../../../people.ts';
import { startServer, type Answer, type CallInit, type Json, type TestServer } from '../../../server.ts';

const PATHS = ['/v2/datasets', '/v2/key-value-stores', '/v2/request-queues'];
const DAY = 24 * 60 * 60 * 1000;
const NOWHERE = 'aaaaaaaaaaaaaaaaaaaaaaaa';

/** Invalid for the routes that have such a parameter. */
const QUERIES = [
  'limit=x',
  'limit=-1',
  `limit=${'9'.repeat(20)}`,
  'offset=x',
  'desc=maybe',
  'format=none',
  'view=none',
  'attachment=x',
  'prefix=%00',
  'collection=none',
  'exclusiveStartKey=%00',
  'filter=none',
  'cursor=none',
  'exclusiveStartId=a&cursor=b',
  `clientKey=${'x'.repeat(33)}`,
  'lockSecs=x',
];
const SIGNATURES = [
  'signature=bad',
  'signature=',
  'signature=%00',
  'signature=a&signature=b',
  'signature=bad&limit=x',
];

/** Everything in a reply that could disclose something, without what differs in every call. */
const hintsOf = ({ status, headers, text }: Answer) => ({
  status,
  text,
  headers: [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'),
});

onEachEngine((engine) => {
  let server: TestServer;
  let location: string;
  let stranger: string;

  before(async () => {
    location = await engine.migratedDatabase();
    const place = engine.kind === 'postgres' ? { database: location } : { data: dirname(location) };
    server = await startServer({ ...place, limits: 'off' });
    const member = await join(server, 'stranger', { role: 'writer' });
    stranger = (await giveToken(server, member, { role: 'writer' })).value;
  });
  after(() => server.stop());

  const create = async (path: string, name?: string) => {
    const query = name === undefined ? '' : `?name=${name}`;
    const { json, status } = await server.call(`${path}${query}`, { method: 'POST' });
    return { status, data: json['data'], id: json['data'].id as string };
  };

  /** Every route about one storage, or about something in it: with its path below `/v2`. */
  const routesAt = (path: string) =>
    actorsApi.routes.filter(({ shape }) => shape.path.startsWith(`${path.slice(3)}/{storageId}`));
  const fill = (path: string, reference: string, inside = 'aaaaaaaaaaaaaaa') =>
    `/v2${path}`.replace('{storageId}', reference).replace(/\{\w+\}/, inside);

  async function deleteAll(): Promise<void> {
    for (const table of ['storages', 'datasets', 'kv_stores', 'request_queues'] as const)
      await server.app.kernel.db.deleteFrom(table).execute();
  }

  test('what a call created or changed is answered so, even if it is deleted before the reply', async () => {
    for (const path of PATHS) {
      const created = await withChangeBeforeReply(server, deleteAll, () =>
        server.call(`${path}?name=brief`, { method: 'POST' }),
      );
      assert.deepEqual([created.status, created.json['data']?.name], [201, 'brief']);
      const { id } = await create(path);
      const changed = await withChangeBeforeReply(server, deleteAll, () =>
        server.call(`${path}/${id}`, { method: 'PUT', body: { title: 'Brief' } }),
      );
      assert.deepEqual([changed.status, changed.json['data']?.title], [200, 'Brief']);
    }
  });

  test('A2 who shows no token cannot tell a storage that is closed from one that is not there', async () => {
    for (const path of PATHS) {
      const { id } = await create(path, 'kept-secret');
      const hidden = await create(path);
      const there = [id, hidden.id, 'admin~kept-secret'];
      const absent = [NOWHERE, 'nothing', 'admin~nothing', 'nobody~x', '~x', 'admin~'];
      for (const { shape } of routesAt(path)) {
        if (shape.method !== 'GET') continue;
        const isSigned = shape.query !== undefined && 'signature' in shape.query.properties;
        for (const reference of [...there, ...absent]) {
          const at = fill(shape.path, reference);
          const { status, json } = await server.call(at, { token: null });
          assert.deepEqual([status, json['error'].type], [401, 'invalid-token'], at);
          assert.match(json['error'].message as string, /Authorization: Bearer/);
          if (!isSigned) continue;
          for (const token of [null, stranger]) {
            const bad = await server.call(`${at}?signature=bad`, { token });
            assert.deepEqual([bad.status, bad.json['error'].type], [403, 'invalid-signature'], at);
            assert.equal(bad.json['error'].message, 'The signature is not valid, or not any more.');
          }
        }
      }
    }
  });

  test('A2 whatever else is wrong, who shows no token cannot tell a closed storage from none', async () => {
    for (const path of PATHS) {
      const { id } = await create(path, 'kept-closed');
      const references = [id, 'admin~kept-closed', NOWHERE, 'admin~nothing', 'admin~%00'];
      for (const { shape } of routesAt(path)) {
        const names = Object.keys(shape.query?.properties ?? {});
        const isRead = isOpen(shape);
        const isSigned = isRead && names.includes('signature');
        const isMeant = (query: string) => names.includes(query.split('=')[0]!);
        const asked: [query: string, inside?: string | undefined, init?: CallInit][] = [
          ...[...QUERIES, ...SIGNATURES].filter(isMeant).map((query): [string] => [query]),
          ['unknown=1&signature=bad', '%00'],
          ['', 'no%20key!', { headers: { range: 'bytes=x', 'if-none-match': '*' } }],
          ['', undefined, { body: '{', headers: { 'content-type': 'application/json' } }],
          ['', undefined, { body: 'x', headers: { 'content-type': 'text/plain' } }],
          ...(isRead ? [['limit=x', undefined, { method: 'HEAD' }] as [string, undefined, CallInit]] : []),
        ];
        for (const [query, inside, init] of asked) {
          const label = `${shape.id} ?${query} ${inside ?? ''} ${JSON.stringify(init ?? {})}`;
          const answers = await Promise.all(
            references.map((reference) =>
              server.call(`${fill(shape.path, reference, inside)}?${query}`, {
                method: shape.method,
                ...init,
                token: null,
              }),
            ),
          );
          const [first] = answers;
          const status = isSigned && query.includes('signature') ? 403 : 401;
          assert.equal(first!.status, status, label);
          if (init?.method !== 'HEAD')
            assert.equal(
              first!.json['error'].type,
              status === 403 ? 'invalid-signature' : 'invalid-token',
              label,
            );
          for (const answer of answers) assert.deepEqual(hintsOf(answer), hintsOf(first!), label);
        }
      }
    }
  });

  test('A2 who may read a storage is told what is wrong with a call', async () => {
    for (const path of PATHS) {
      const { id } = await create(path);
      const put = { method: 'PUT', body: { generalAccess: 'ANYONE_WITH_ID_CAN_READ' } };
      assert.equal((await server.call(`${path}/${id}`, put)).status, 200);
      for (const { shape } of routesAt(path)) {
        if (!isOpen(shape)) continue;
        const at = fill(shape.path, id);
        const wrong = shape.path.endsWith('Key}') ? [fill(shape.path, id, '%00')] : [];
        if (shape.query !== undefined && 'limit' in shape.query.properties) wrong.push(`${at}?limit=x`);
        for (const url of wrong) {
          for (const token of [{}, { token: null }, { token: stranger }])
            assert.equal((await server.call(url, token)).status, 400, url);
        }
      }
    }
  });

  test('A2 a public storage is open to all, and says what it has not', async () => {
    const { id } = await create('/v2/key-value-stores', 'public-store');
    const body = { generalAccess: 'ANYONE_WITH_NAME_CAN_READ' };
    await server.call(`/v2/key-value-stores/${id}`, { method: 'PUT', body });
    for (const query of ['', '?signature=bad']) {
      const at = `/v2/key-value-stores/admin~public-store/records/none${query}`;
      const { status, json } = await server.call(at, { token: null });
      assert.deepEqual([status, json['error'].type], [404, 'record-not-found'], at);
    }
    const noRoute = await server.call(`/v2/key-value-stores/${id}/nothing`, { token: null });
    assert.deepEqual([noRoute.status, noRoute.json['error'].type], [404, 'page-not-found']);
  });

  test('A28 the permission error of a storage has the words that clients look for', async () => {
    const member = await join(server, 'onlooker', { role: 'writer' });
    const weak = (await giveToken(server, member, { role: 'reader' })).value;
    const own = (await giveToken(server, member, { role: 'writer' })).value;
    for (const [path, word] of [
      ['/v2/datasets', 'dataset'],
      ['/v2/key-value-stores', 'key-value store'],
      ['/v2/request-queues', 'request queue'],
    ] as const) {
      const { json } = await server.call(`${path}?name=mine`, { method: 'POST', token: own });
      const mine = `${path}/${json['data'].id as string}`;
      for (const [at, init] of [
        [mine, { method: 'PUT', body: {} }],
        [mine, { method: 'DELETE' }],
        [`${path}?name=new`, { method: 'POST' }],
      ] as [string, CallInit][]) {
        const refused = await server.call(at, { token: weak, ...init });
        assert.equal(refused.status, 403, at);
        assert.deepEqual(refused.json['error'], {
          type: 'insufficient-permissions',
          message: `Insufficient permissions for the ${word}. Make sure you're passing a correct API token and that it has the required permissions.`,
        });
      }
    }
  });

  test('A28 the key that signs URLs is shown only to who may write', async () => {
    const member = await join(server, 'signer', { role: 'writer' });
    const weak = (await giveToken(server, member, { role: 'reader' })).value;
    const own = (await giveToken(server, member, { role: 'writer' })).value;
    const policy = [
      { effect: 'allow', actions: ['viewStorage', 'createStorage'], resources: ['*'] },
    ] as const;
    const maker = (await giveToken(server, member, { inlinePolicy: structuredClone(policy) as never })).value;
    for (const path of ['/v2/datasets', '/v2/key-value-stores']) {
      const { json } = await server.call(`${path}?name=signing`, { method: 'POST', token: own });
      assert.equal(typeof json['data'].urlSigningSecretKey, 'string');
      const at = `${path}/${json['data'].id as string}`;
      assert.equal(typeof (await server.call(at, { token: own })).json['data'].urlSigningSecretKey, 'string');
      for (const [where, token, method] of [
        [at, weak, 'GET'],
        [at, maker, 'GET'],
        [`${path}?name=signing`, maker, 'POST'],
      ] as const) {
        const shown = await server.call(where, { method, token });
        assert.equal(shown.status, 200, `${method} ${where}`);
        assert.ok(!('urlSigningSecretKey' in shown.json['data']), `${method} ${where}`);
      }
    }
  });

  test('A28 a storage that is closed while it is looked up is closed to the next call', async () => {
    const { id } = await create('/v2/datasets', 'soon-closed');
    const share = (generalAccess: string) =>
      server.call(`/v2/datasets/${id}`, { method: 'PUT', body: { generalAccess } });
    assert.equal((await share('ANYONE_WITH_ID_CAN_READ')).status, 200);
    const { kernel } = server.app;
    const isFound = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const slow = {
      ...kernel,
      db: kernel.db.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          isFound.resolve();
          await goOn.promise;
          return result;
        },
      }),
    };
    const call = { caller: anonymousAt('127.0.0.1'), now: kernel.clock.now(), can: () => false };
    const name = { reference: id };
    const first = openStorage(slow, 'dataset', 'read', call, name);
    await inTime(isFound.promise);
    assert.equal((await share('RESTRICTED')).status, 200);
    goOn.resolve();
    assert.equal((await first).id, id);
    await assert.rejects(openStorage(slow, 'dataset', 'read', call, name), { kind: 'unauthenticated' });
  });

  test('A3 a name without its tilde is hinted at', async () => {
    for (const path of PATHS) {
      await create(path, 'forgotten-tilde');
      const { status, json } = await server.call(`${path}/forgotten-tilde`);
      assert.deepEqual([status, json['error'].type], [404, 'record-not-found']);
      assert.match(json['error'].message as string, /write "~forgotten-tilde"/);
      const id = 'aaaaaaaaaaaaaaaaaaaaaaaa';
      assert.doesNotMatch((await server.call(`${path}/${id}`)).text, /~/);
    }
  });

  test('A3 eight clients at once never make two names that differ only in case', async () => {
    const nodes = [server];
    if (engine.kind === 'postgres') nodes.push(await startServer({ database: location, limits: 'off' }));
    const member = await join(server, 'crowd', { role: 'writer' });
    const token = (await giveToken(server, member, { role: 'writer' })).value;
    const path = '/v2/key-value-stores';
    const names = ['first', 'second', 'third'];
    const inSomeCase = (name: string, mask: number) =>
      [...name].map((letter, at) => ((mask >> at) & 1 ? letter.toUpperCase() : letter)).join('');
    const seen = new Map<string, number>();
    const clients = Array.from({ length: 8 }, async (_, client) => {
      let ids: string[] = [];
      for (let round = 0; round < 12; round += 1) {
        const node = nodes[(client + round) % nodes.length]!;
        const name = inSomeCase(names[(client * 5 + round) % 3]!, client * 7 + round);
        const id = ids[round % Math.max(1, ids.length)];
        const method =
          id === undefined ? 'POST' : round % 3 === 1 ? 'PUT' : round % 4 === 3 ? 'DELETE' : 'POST';
        const at = method === 'POST' ? `${path}?name=${name}` : `${path}/${id}`;
        const body = method === 'PUT' ? { name } : undefined;
        const { status, text } = await node.call(at, { method, token, body });
        const json = status === 204 ? {} : (JSON.parse(text) as Json);
        const told = `${method} ${status} ${json['error']?.type ?? ''}`.trim();
        seen.set(told, (seen.get(told) ?? 0) + 1);
        if (status === 201 || status === 200) ids = [...ids, json['data'].id as string].slice(-4);
        const { items } = (await node.call(`${path}?limit=1000`, { token })).json['data'] as Json;
        const folded = items.map((item: Json) => item['name'].toLowerCase() as string);
        assert.equal(new Set(folded).size, folded.length, JSON.stringify(folded));
      }
    });
    await Promise.all(clients);
    await nodes[1]?.stop();
    const expected = [
      'DELETE 204',
      'DELETE 404 record-not-found',
      'POST 200',
      'POST 201',
      'PUT 200',
      'PUT 404 record-not-found',
      'PUT 409 name-not-unique',
    ];
    for (const told of seen.keys()) assert.ok(expected.includes(told), `${told}: ${seen.get(told)}`);
    assert.ok(seen.has('POST 201') && seen.has('POST 200'));
  });

  for (const path of PATHS) {
    test(`A3 ${path} are found by id, by username~name and by ~name`, async () => {
      const { id } = await create(path, 'addressed');
      for (const reference of [id, 'admin~addressed', '~addressed']) {
        const { status, json } = await server.call(`${path}/${reference}`);
        assert.equal(status, 200, reference);
        assert.equal(json['data'].id, id);
      }
      for (const reference of ['nobody~addressed', '~nothing', 'admin~', 'unknown']) {
        const { status } = await server.call(`${path}/${reference}`);
        assert.equal(status, reference === 'admin~' ? 400 : 404, reference);
      }
    });

    test(`A3 ${path} of one name are made once: the second call gets the first one`, async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => create(path, 'only-one')));
      assert.equal(new Set(answers.map(({ id }) => id)).size, 1);
      assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    });

    test(`A3 ${path} are found by their name in any case, and no new name differs only in that`, async () => {
      const { id } = await create(path, 'Mixed-Case');
      for (const reference of ['~Mixed-Case', '~mixed-case', 'admin~MIXED-CASE', '~mIXED-cASE']) {
        assert.equal((await server.call(`${path}/${reference}`)).json['data'].id, id, reference);
      }
      const again = await create(path, 'mixed-CASE');
      assert.deepEqual([again.status, again.id, again.data.name], [200, id, 'Mixed-Case']);
      const other = await create(path, 'other-name');
      const rename = async (of: string, name: string) => {
        const { status, json } = await server.call(`${path}/${of}`, { method: 'PUT', body: { name } });
        return [status, json['error']?.type ?? json['data'].name] as const;
      };
      assert.deepEqual(await rename(other.id, 'MIXED-case'), [409, 'name-not-unique']);
      assert.deepEqual(await rename(id, 'MIXED-case'), [200, 'MIXED-case'], 'its own name in another case');
      assert.deepEqual(await rename(id, 'MIXED-case'), [200, 'MIXED-case'], 'the name that it has');
      assert.equal((await server.call(`${path}/~mixed-case`)).json['data'].id, id);
      assert.deepEqual(await rename(id, 'away'), [200, 'away']);
      assert.deepEqual(await rename(other.id, 'mixed-case'), [200, 'mixed-case']);
    });

    test(`A1 ${path} without a name are listed only when asked for, in pages`, async () => {
      const { id } = await create(path);
      const named = await server.call(`${path}?limit=1000`);
      const all = await server.call(`${path}?limit=1000&unnamed=1`);
      const ids = (answer: typeof all) => answer.json['data'].items.map((item: { id: string }) => item.id);
      assert.ok(!ids(named).includes(id));
      assert.ok(ids(all).includes(id));
      const { data } = (await server.call(`${path}?limit=1&offset=1&desc=1&unnamed=true`)).json;
      assert.deepEqual([data.limit, data.offset, data.desc, data.count], [1, 1, true, 1]);
      assert.equal(data.total, ids(all).length);
      assert.deepEqual([named.json['data'].unnamed, all.json['data'].unnamed], [false, true]);
      const shared = (await server.call(`${path}?ownership=sharedWithMe&unnamed=1`)).json['data'];
      assert.deepEqual([shared.total, shared.unnamed], [0, true]);
    });

    test(`A1 ${path} without a name have their id for one in lists, and none of their own`, async () => {
      const unnamed = await create(path);
      const named = await create(path, 'with-a-name');
      const { items } = (await server.call(`${path}?unnamed=1&desc=1`)).json['data'] as Json;
      const nameOf = (id: string) => items.find((item: Json) => item['id'] === id).name as unknown;
      assert.equal(nameOf(named.id), 'with-a-name');
      // The vendor's schema has a text there for datasets and queues, and for stores a text or null.
      assert.equal(nameOf(unnamed.id), path.endsWith('stores') ? null : unnamed.id);
      assert.equal((await server.call(`${path}/${unnamed.id}`)).json['data'].name, null);
    });

    test(`A28 ${path} of another user are not found, named or not`, async () => {
      const hidden = await create(path);
      const closed = await create(path, 'closed');
      assert.equal((await server.call(`${path}/${hidden.id}`, { token: stranger })).status, 404);
      const { status, json } = await server.call(`${path}/${closed.id}`, { token: stranger });
      assert.equal(status, 404);
      assert.equal(json['error'].type, 'record-not-found');
      assert.equal((await server.call(`${path}/${closed.id}`, { token: null })).status, 401);
      assert.equal(
        (await server.call(`${path}/${closed.id}`, { method: 'DELETE', token: stranger })).status,
        404,
      );
      assert.equal((await server.call(`${path}/${closed.id}`)).status, 200);
    });

    test(`A28 ${path} are open to read as their general access says, and to nobody else's writing`, async () => {
      const { id } = await create(path, 'opened');
      const put = (generalAccess: string) =>
        server.call(`${path}/${id}`, { method: 'PUT', body: { generalAccess } });
      const read = async (reference: string) =>
        (await server.call(`${path}/${reference}`, { token: null })).status;
      assert.equal((await put('ANYONE_WITH_ID_CAN_READ')).status, 200);
      assert.deepEqual([await read(id), await read('admin~opened')], [200, 401]);
      await put('ANYONE_WITH_NAME_CAN_READ');
      assert.deepEqual([await read(id), await read('admin~opened')], [200, 200]);
      await put('RESTRICTED');
      assert.deepEqual([await read(id), await read('admin~opened')], [401, 401]);
      await put('ANYONE_WITH_ID_CAN_READ');
      assert.equal((await server.call(`${path}/${id}`, { method: 'DELETE', token: stranger })).status, 403);
      assert.equal((await put('EVERYBODY')).status, 400);
    });

    test(`A28 ${path} are renamed, but not to a name that is taken or cannot be one`, async () => {
      const { id } = await create(path, 'before');
      await create(path, 'taken');
      const rename = (name: unknown) => server.call(`${path}/${id}`, { method: 'PUT', body: { name } });
      assert.equal((await rename('after')).json['data'].name, 'after');
      assert.equal((await server.call(`${path}/~before`)).status, 404);
      const { status, json } = await rename('taken');
      assert.deepEqual([status, json['error'].type], [409, 'name-not-unique']);
      for (const bad of ['-x', 'a b', 'x'.repeat(64), '', 7])
        assert.equal((await rename(bad)).status, 400, String(bad));
      assert.equal((await rename(null)).json['data'].name, null);
    });

    test(`A28 ${path} that are deleted are gone at once, and what they held soon after`, async () => {
      const { id } = await create(path, 'doomed');
      assert.equal((await server.call(`${path}/${id}`, { method: 'DELETE' })).status, 204);
      assert.equal((await server.call(`${path}/${id}`)).status, 404);
      assert.equal((await create(path, 'doomed')).status, 201);
      const { db } = server.app.kernel;
      await eventually(
        async () =>
          (await db.selectFrom('due').select('id').where('kind', '=', PURGE).execute()).length === 0,
      );
    });

    /** Moves the clock, and waits until the sweep that is due then has run. */
    const swept = async (ms: number): Promise<void> => {
      const { engine: storage, db } = server.app.kernel;
      server.clock.ahead += ms;
      await storage.notify('due');
      const find = db.selectFrom('due').select(['owner', 'due_at']).where('id', '=', 'storages.retention');
      await eventually(async () => {
        const { owner, due_at } = await find.executeTakeFirstOrThrow();
        return owner === null && due_at > server.clock.now();
      }, 'the sweep');
    };

    test(`${path} that nobody named or used for seven days are deleted, and others are not`, async () => {
      const [unused, used, named] = [await create(path), await create(path), await create(path, 'kept')];
      await swept(5 * DAY);
      assert.equal((await server.call(`${path}/${used.id}`)).status, 200);
      await swept(3 * DAY);
      assert.ok(!(await server.call(`${path}?unnamed=1&limit=1000`)).text.includes(unused.id));
      assert.equal((await server.call(`${path}/${unused.id}`)).status, 404);
      assert.equal((await server.call(`${path}/${used.id}`)).status, 200);
      assert.equal((await server.call(`${path}/${named.id}`)).status, 200);
    });
  }
});

const BUDGETS: [path: string, budget: string][] = [
  ['/v2/datasets', 'actors.dataset'],
  ['/v2/key-value-stores', 'actors.key_value_store'],
  ['/v2/request-queues', 'actors.request_queue'],
];

for (const [path, budget] of BUDGETS) {
  test(`A31 the calls about one of the ${path} share a budget, and others have theirs`, async (t) => {
    const small = await startServer({ limit: { [budget]: { known: 3, anonymous: 3, seconds: 60 } } });
    t.after(() => small.stop());
    const make = async () => (await small.call(path, { method: 'POST' })).json['data'].id as string;
    const [one, other] = [await make(), await make()];
    const get = (id: string) => small.call(`${path}/${id}`);
    const rename = (id: string) => small.call(`${path}/${id}`, { method: 'PUT', body: { title: 'x' } });
    const remove = (id: string) => small.call(`${path}/${id}`, { method: 'DELETE' });
    const anonymously = async (id: string) => hintsOf(await small.call(`${path}/${id}`, { token: null }));
    const hidden = await anonymously(NOWHERE);
    for (let call = 0; call < 4; call += 1) assert.deepEqual(await anonymously(one), hidden);
    assert.deepEqual(
      [(await get(one)).status, (await rename(one)).status, (await get(one)).status],
      [200, 200, 200],
    );
    for (const refused of [await get(one), await rename(one), await remove(one)]) {
      assert.deepEqual([refused.status, refused.json['error'].type], [429, 'rate-limit-exceeded']);
      assert.equal(refused.headers.get('x-ratelimit-limit'), '3');
      const seconds = Number(refused.headers.get('retry-after'));
      assert.ok(seconds >= 1 && seconds <= 61, String(seconds));
    }
    assert.deepEqual(await anonymously(one), hidden, 'what is spent is no hint either');
    assert.deepEqual([(await get(other)).status, (await small.call(path)).status], [200, 200]);
    small.clock.ahead += 61_000;
    assert.equal((await remove(one)).status, 204);
  });
}

test('A31 a storage may be asked for 60 times in a second, as on the platform', async (t) => {
  const usual = await startServer();
  t.after(() => usual.stop());
  usual.clock.stop();
  for (const path of PATHS) {
    const { json } = await usual.call(path, { method: 'POST' });
    const answers = [];
    for (let call = 0; call < 61; call += 1) answers.push(await usual.call(`${path}/${json['data'].id}`));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [...Array.from({ length: 60 }, () => 200), 429],
    );
  }
});
