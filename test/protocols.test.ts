// One kernel, three APIs: the same two routes, served in each protocol, show three ways to page, to fail and to authenticate.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { actorsApi } from '../src/actors/api.ts';
import { flagsApi } from '../src/flags/api.ts';
import { hostApi } from '../src/host/api.ts';
import { Failure } from '../src/kernel/failure.ts';
import { Page } from '../src/kernel/http/reply/page.ts';
import { route } from '../src/kernel/http/route.ts';
import { Type } from '../src/kernel/schema/schema.ts';
import { mount } from './mount.ts';
import { giveToken, join, openBrowser } from './people.ts';
import { ADMIN_TOKEN, startServer, type Json, type TestServer } from './server.ts';

const letters = 'abcdefg'.split('').map((letter) => ({ letter }));
const asInteger = Type.Optional(Type.Integer({ minimum: 0 }));

const listLetters = route(
  {
    id: 'fixture_list',
    method: 'GET',
    path: '/letters',
    summary: 'List letters',
    access: 'caller',
    query: Type.Object({ offset: asInteger, limit: asInteger, page: asInteger, per_page: asInteger }),
    list: Type.Object({ letter: Type.String() }),
  },
  ({ query: { limit, offset, page, per_page: perPage } }) => {
    // The host counts pages, the others count items.
    const size = limit ?? perPage ?? 3;
    const start = offset ?? ((page ?? 1) - 1) * size;
    return new Page(letters.slice(start, start + size), letters.length, { offset: start, limit: size });
  },
);

const conflict = route(
  {
    id: 'fixture_fail',
    method: 'GET',
    path: '/taken',
    summary: 'Fail',
    access: 'anyone',
    reply: { 200: Type.Null() },
  },
  () => {
    throw new Failure('conflict', 'Somebody was faster');
  },
);

let server: TestServer;
let fixture: Awaited<ReturnType<typeof mount>>;
before(async () => {
  server = await startServer();
  const routes = [listLetters, conflict];
  const apis = [flagsApi, actorsApi, hostApi].map(({ protocol }) => ({
    protocol: { ...protocol, versions: { ...protocol.versions, changes: [] } },
    routes,
  }));
  fixture = await mount(server, ...apis);
});
after(async () => {
  await fixture.close();
  await server.stop();
});

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(fixture.url + path, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...headers },
  });
  return { status: response.status, headers: response.headers, json: (await response.json()) as Json };
}

describe('a page of a list', () => {
  test('has links in the body on flags', async () => {
    const { json } = await get('/api/v2/letters?limit=3&offset=3');
    assert.deepEqual(json['items'], letters.slice(3, 6));
    assert.equal(json['totalCount'], 7);
    const hrefs = Object.entries(json['_links'] as Record<string, { href: string }>).map(
      ([name, { href }]) => [name, href],
    );
    assert.deepEqual(Object.fromEntries(hrefs), {
      self: '/api/v2/letters?limit=3&offset=3',
      first: '/api/v2/letters?limit=3',
      last: '/api/v2/letters?limit=3&offset=6',
      prev: '/api/v2/letters?limit=3',
      next: '/api/v2/letters?limit=3&offset=6',
    });
  });

  test('counts what there is on actors', async () => {
    const { json, headers } = await get('/v2/letters?limit=3&offset=3');
    assert.deepEqual(json, {
      data: { total: 7, offset: 3, limit: 3, desc: false, count: 3, items: letters.slice(3, 6) },
    });
    assert.equal(headers.get('link'), null);
  });

  test('is a bare list with links in the header on host', async () => {
    const { json, headers } = await get('/letters?per_page=3&page=2');
    assert.deepEqual(json, letters.slice(3, 6));
    const link = headers.get('link')!;
    const targets = [...link.matchAll(/<([^>]+)>; rel="(prev|next|last|first)"/g)].map(([, url, name]) => [
      name,
      new URL(url!).searchParams.get('page'),
    ]);
    assert.deepEqual(Object.fromEntries(targets), { prev: '1', next: '3', last: '3', first: '1' });
  });
});

describe('the same failure', () => {
  test('is code, message and id on flags', async () => {
    const { status, json, headers } = await get('/api/v2/taken');
    assert.equal(status, 409);
    const { id, ...rest } = json;
    assert.deepEqual(rest, { code: 'optimistic_locking_error', message: 'Somebody was faster.' });
    assert.equal(id, headers.get('x-request-id'));
  });

  test('is a type and a message under error on actors', async () => {
    const { status, json } = await get('/v2/taken');
    assert.equal(status, 409);
    assert.deepEqual(json, {
      error: { type: 'concurrent-update-detected', message: 'Somebody was faster.' },
    });
  });

  test('is a message with a link to its explanation on host', async () => {
    const { status, json } = await get('/taken');
    assert.deepEqual([status, json['message'], json['status']], [409, 'Somebody was faster.', '409']);
    assert.match(json['documentation_url'] as string, /\/docs\/host/);
  });

  test('is one line each in the log, in the words of the kernel', async () => {
    for (const [path, api] of [
      ['/api/v2/taken', 'flags'],
      ['/v2/taken', 'actors'],
      ['/taken', 'host'],
    ] as const) {
      server.log.length = 0;
      await get(path);
      const lines = server.log.filter(({ failure }) => failure !== undefined);
      assert.deepEqual(
        lines.map((line) => [line['api'], line['failure'], line['msg'], line['status']]),
        [[api, 'conflict', 'Somebody was faster.', 409]],
      );
    }
  });
});

test('an offset or limit beyond the safe integers is refused by every list of every API', async () => {
  let asked = 0;
  // A missing one is reported first.
  for (const kind of ['datasets', 'key-value-stores', 'request-queues'])
    await server.call(`/v2/${kind}?name=default`, { method: 'POST' });
  for (const { protocol, routes } of [flagsApi, actorsApi, hostApi]) {
    for (const { shape } of routes) {
      const names = Object.keys(shape.query?.properties ?? {}).filter((name) =>
        /^(offset|limit)$/.test(name),
      );
      // An alias has the parameters of its original, and would need a run.
      if (shape.method !== 'GET' || shape.aliasOf !== undefined) continue;
      for (const name of names) {
        const filled = shape.path.replace('{storageId}', '~default').replaceAll(/\{\w+\}/g, 'default');
        const path = `${protocol.prefixes[0]}${filled}`;
        for (const value of ['9007199254740992', '9'.repeat(25)]) {
          const { status, text } = await server.call(`${path}?${name}=${value}`);
          assert.equal(status, 400, `${path}?${name}=${value}: ${text}`);
          assert.match(text, /9007199254740991/);
          asked += 1;
        }
      }
    }
  }
  assert.ok(asked > 20, String(asked));
});

test('an unknown path is named in the error, without its query', async () => {
  const { json: flags } = await server.call('/api/v2/flag/default?token=secret');
  assert.equal(flags['message'], 'There is nothing at /api/v2/flag/default.');
  const { json: actors } = await server.call('/v2/dataset');
  assert.equal(actors['error'].message, 'There is nothing at /v2/dataset.');
});

describe('a body that is no JSON', () => {
  const where = 'line 2, column 8: expected a value, found "yes"';
  const post = async (path: string) => {
    const init = { method: 'POST', body: '{\n  "a": yes\n}' };
    const { status, json } = await server.call(path, init);
    assert.equal(status, 400);
    return json;
  };

  test('is told where it goes wrong by each API', async () => {
    const message = `The request body is not valid JSON, ${where}.`;
    assert.equal((await post('/api/v2/projects'))['message'], message);
    assert.equal((await post('/v2/request-queues/~none/requests'))['error'].message, message);
    const { message: words, errors } = await post('/graphql');
    assert.equal(words, 'Problems parsing JSON');
    assert.equal(errors[0].message, `body is not valid JSON, ${where}`);
  });
});

describe('a verb that is meant, not sent', () => {
  const dataset = async (name: string) => {
    const { json } = await server.call(`/v2/datasets?name=${name}`, { method: 'POST' });
    return json['data'].id as string;
  };
  const project = async (key: string) => {
    await server.call('/api/v2/projects', { method: 'POST', body: { key, name: key } });
    return `/api/v2/projects/${key}`;
  };
  const named = (verb: string) => ({ 'x-http-method-override': verb });

  test('decides on actors, by the query, whatever was sent', async () => {
    const made = await server.call('/v2/datasets?name=by-link&method=post');
    assert.equal(made.status, 201);
    const path = `/v2/datasets/${made.json['data'].id as string}`;
    const put = await server.call(`${path}?method=PUT`, { method: 'POST', body: { title: 'Put' } });
    assert.deepEqual([put.status, put.json['data'].title], [200, 'Put']);
    const pushed = await server.call(`${path}/items?method=POST`, { method: 'PUT', body: [{ a: 1 }] });
    assert.equal(pushed.status, 201);
    const read = await server.call(`${path}/items?method=GET`, { method: 'POST', body: [{ b: 2 }] });
    assert.deepEqual([read.status, read.text], [200, '[{"a":1}]']);
    assert.equal(
      (await server.call(`${path}?method=DELETE&token=${ADMIN_TOKEN}`, { token: null })).status,
      204,
    );
    assert.equal((await server.call(path)).status, 404);
  });

  test('decides on flags, by the header of a POST, for PATCH, PUT and DELETE', async () => {
    const path = await project('by-header');
    const body = [{ op: 'replace', path: '/name', value: 'Renamed' }];
    const patched = await server.call(path, { method: 'POST', headers: named('PATCH'), body });
    assert.deepEqual([patched.status, patched.json['name']], [200, 'Renamed']);
    const read = await server.call(path, { headers: named('DELETE') });
    assert.deepEqual([read.status, read.json['name']], [200, 'Renamed'], 'a GET stays one');
    const put = await server.call(`${path}/flag-defaults`, {
      method: 'POST',
      headers: named('put'),
      body: {},
    });
    assert.equal(put.status, 400, 'the body of the PUT is looked at');
    assert.equal((await server.call(path, { method: 'POST', headers: named('DELETE') })).status, 204);
    assert.equal((await server.call(path)).status, 404);
  });

  test('is refused to a session with 400, and to anonymous callers with 401, and nothing changes', async () => {
    const path = `/v2/datasets/${await dataset('by-cookie')}`;
    const key = await project('by-cookie');
    const owner = await join(server, 'browsing-owner', { role: 'owner' });
    const cookie = { ...(await openBrowser(server, owner)), origin: server.url };
    const link = await server.call(`${path}?method=DELETE`, { token: null, headers: cookie });
    assert.equal(link.status, 400);
    const form = { token: null, method: 'POST', headers: { ...cookie, ...named('DELETE') } };
    assert.equal((await server.call(key, form)).status, 400);
    assert.equal((await server.call(`${path}?method=DELETE`, { token: null })).status, 401);
    assert.equal((await server.call(`${path}?method=DELETE`, { token: 'api-wrong' })).status, 401);
    const stranger = { token: null, method: 'POST', headers: named('DELETE') };
    assert.equal((await server.call(key, stranger)).status, 401);
    assert.deepEqual([(await server.call(path)).status, (await server.call(key)).status], [200, 200]);
  });

  test('decides on 405, and one that cannot be asked for is 400', async () => {
    const path = `/v2/datasets/${await dataset('by-verb')}`;
    const wrong = await server.call(`${path}?method=PATCH`);
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'OPTIONS, HEAD, GET, PUT, DELETE']);
    assert.match(wrong.json['error'].message, /^PATCH is not allowed here/);
    for (const verb of ['HEAD', 'OPTIONS', 'nothing']) {
      const { status, json } = await server.call(`${path}?method=${verb}`);
      assert.deepEqual([status, json['error'].type], [400, 'invalid-input'], verb);
    }
    const long = await server.call(`${path}?method=${'x'.repeat(5000)}`);
    assert.equal(long.status, 400);
    assert.ok(long.json['error'].message.length < 300, 'the word is shortened');
    assert.equal((await server.call(`${path}?method=`)).status, 200);
    const key = await project('by-verb');
    for (const verb of ['GET', 'HEAD', 'nothing']) {
      assert.equal((await server.call(key, { method: 'POST', headers: named(verb) })).status, 400, verb);
    }
    assert.equal((await server.call(key, { method: 'POST', headers: named('PUT') })).status, 405);
  });

  test('decides on permissions and limits', async () => {
    const key = await project('by-reader');
    const { value: reader } = await giveToken(server, await join(server, 'overrider'), { role: 'reader' });
    const { status, headers } = await server.call(key, {
      method: 'POST',
      token: reader,
      headers: named('DELETE'),
    });
    assert.equal(status, 401, 'a reader deletes nothing');
    const direct = await server.call(key, { method: 'DELETE', token: reader });
    const left = (answer: Headers) => Number(answer.get('x-ratelimit-route-remaining'));
    assert.equal(left(direct.headers), left(headers) - 1, 'both draw on the budget of the DELETE route');
  });

  test('is no matter to the host', async () => {
    const { status } = await server.call('/user?method=DELETE', { headers: named('DELETE') });
    assert.equal(status, 200);
  });
});

describe('one token', () => {
  const ways: Record<string, [path: string, headers: Record<string, string>][]> = {
    'bare on flags': [['/api/v2/letters', { authorization: ADMIN_TOKEN }]],
    'in the URL on actors': [[`/v2/letters?token=${ADMIN_TOKEN}`, { authorization: '' }]],
    'after token, or as the password of Basic, on host': [
      ['/letters', { authorization: `token ${ADMIN_TOKEN}` }],
      ['/letters', { authorization: `Basic ${Buffer.from(`admin:${ADMIN_TOKEN}`).toString('base64')}` }],
    ],
    'after Bearer on all three': [
      ['/api/v2/letters', {}],
      ['/v2/letters', {}],
      ['/letters', {}],
    ],
  };
  for (const [way, calls] of Object.entries(ways)) {
    test(`is shown ${way}`, async () => {
      for (const [path, headers] of calls) assert.equal((await get(path, headers)).status, 200, path);
    });
  }

  test('is requested by the header of each API', async () => {
    const { json: flags } = await server.call('/api/v2/projects', { token: null });
    assert.match(flags['message'], /"Authorization: <token>"/);
    const { json: actors } = await server.call('/v2/users/me', { token: null });
    assert.match(actors['error'].message, /"Authorization: Bearer <token>"/);
  });

  test('is missed by each in its own words', async () => {
    const none = { authorization: 'Bearer wrong' };
    assert.equal((await get('/api/v2/letters', none)).json['code'], 'unauthorized');
    assert.equal((await get('/v2/letters', none)).json['error'].type, 'invalid-token');
    assert.equal((await get('/letters', none)).json['message'], 'Bad credentials');
    for (const path of ['/api/v2/letters', '/v2/letters', '/letters']) {
      assert.equal((await get(path, none)).status, 401);
    }
  });
});
