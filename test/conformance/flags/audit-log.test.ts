// The audit log over HTTP: every change is found by time, words and resource, by callers who may see it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemActor } from '../../../src/kernel/identity/actor.ts';
import { giveToken, join } from '../../people.ts';
import { startServer, type Json, type TestServer } from '../../server.ts';

const NOON = 1_900_000_000_000;
let server: TestServer;
const call: TestServer['call'] = (path, init) => server.call(`/api/v2/${path}`, init);
const search = async (query: string, init?: Parameters<TestServer['call']>[1]) => {
  const { status, json } = await call(`auditlog?${query}`, init);
  assert.equal(status, 200);
  return json;
};
const namesOf = ({ items }: Json) => (items as Json[]).map(({ name }) => name as string);

/** An entry as an old change, or one in another project, would have left it. */
async function record(name: string, resource: string, at: number, comment?: string): Promise<void> {
  await server.app.kernel.changes.run(systemActor({ now: at }), async (tx) =>
    tx.record({
      accesses: [{ action: 'updateName', resource }],
      kind: 'flag',
      name,
      verb: 'changed the name of',
      before: { name: 'old' },
      after: { name },
      comment,
    }),
  );
}

before(async () => {
  server = await startServer();
  for (let i = 0; i < 30; i += 1) {
    await record(`Old ${i}`, `proj/shop;core:env/test:flag/old-${i}`, NOON + i);
  }
  await record('Dark mode', 'proj/shop:env/production:flag/dark-mode;beta', NOON + 100, 'Tonight at eight');
  await record('Secret sauce', 'proj/kitchen:env/test:flag/sauce', NOON + 101);
});
after(() => server.stop());

describe('an entry', () => {
  test('F36: tells who, what, before and after, and the comment', async () => {
    const made = await call('webhooks', {
      method: 'POST',
      body: { url: 'https://example.com', sign: false, on: false },
    });
    const path = `webhooks/${made.json['_id']}`;
    const body = { comment: 'louder', patch: [{ op: 'replace', path: '/name', value: 'Siren' }] };
    await call(path, { method: 'PATCH', body });
    const { items } = await search('q=siren');
    const { json: entry } = await call(`auditlog/${items[0]._id}`);
    assert.equal(entry['comment'], 'louder');
    assert.equal(entry['titleVerb'], 'updated the webhook');
    assert.deepEqual(entry['accesses'], [{ action: 'updateName', resource: `webhook/${made.json['_id']}` }]);
    assert.equal(entry['previousVersion'].name, '');
    assert.equal(entry['currentVersion'].name, 'Siren');
    assert.deepEqual(entry['delta'], body.patch);
    const { json: me } = await call('caller-identity');
    assert.equal(entry['member']._id, me['memberId']);
    assert.equal(entry['token']._id, me['tokenId']);
    assert.equal(entry['_links'].canonical.href, `/api/v2/${path}`);
    assert.equal(entry['_links'].self.href, `/api/v2/auditlog/${entry['_id']}`);
  });

  test('F10: in a list is a summary that links to its detail', async () => {
    const { items } = await search('q=dark&limit=1');
    assert.equal(items[0].currentVersion, undefined);
    const { json } = await call(items[0]._links.self.href.replace('/api/v2/', ''));
    assert.deepEqual(json['currentVersion'], { name: 'Dark mode' });
  });

  test('F33: that is not there is 404', async () => {
    for (const id of ['0'.repeat(24), 'nonsense']) {
      assert.equal((await call(`auditlog/${id}`)).status, 404);
    }
  });
});

describe('a search', () => {
  test('by time is exclusive at both ends', async () => {
    assert.deepEqual(namesOf(await search(`after=${NOON + 2}&before=${NOON + 5}`)), ['Old 4', 'Old 3']);
    assert.deepEqual(namesOf(await search(`before=${NOON}&after=${NOON - 1000}`)), []);
  });

  test('goes through all pages by the next link, each entry once', async () => {
    const seen: string[] = [];
    let next: string | undefined = `auditlog?after=${NOON - 1}&before=${NOON + 30}&limit=7`;
    while (next !== undefined) {
      const { json }: { json: Json } = await call(next);
      seen.push(...namesOf(json));
      next = json['_links'].next?.href.replace('/api/v2/', '');
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 30 }, (_, i) => `Old ${29 - i}`),
    );
  });

  /** The names on each page, following a link from page to page. */
  async function follow(start: string, relation: 'next' | 'prev'): Promise<string[][]> {
    const pages: string[][] = [];
    let path: string | undefined = start;
    while (path !== undefined) {
      const { status, json }: { status: number; json: Json } = await call(path);
      assert.equal(status, 200);
      pages.push(namesOf(json));
      for (const always of ['self', 'first', 'last']) assert.ok(json['_links'][always], always);
      path = json['_links'][relation]?.href.replace('/api/v2/', '');
      assert.ok(pages.length < 100);
    }
    return pages;
  }

  for (const filter of [
    `after=${NOON - 1}&before=${NOON + 30}`,
    `q=old&after=${NOON - 1}`,
    `spec=proj/shop:env/test:flag/*`,
    `spec=${encodeURIComponent('proj/shop;core:env/*:flag/old-*')}`,
  ]) {
    test(`F9 pages by ${filter} link to first, last, next and prev, and lead both ways`, async () => {
      const start = `auditlog?${filter}&limit=7`;
      const down = await follow(start, 'next');
      const all = Array.from({ length: 30 }, (_, i) => `Old ${29 - i}`);
      assert.deepEqual(down.flat(), all);
      assert.deepEqual(
        down.map((page) => page.length),
        [7, 7, 7, 7, 2],
      );
      const { _links: links } = (await call(start)).json;
      assert.equal(links.prev, undefined, 'nothing comes before the first');
      const toLast = links.last.href.replace('/api/v2/', '');
      const last = (await call(toLast)).json;
      assert.deepEqual(namesOf(last), all.slice(-7), 'the oldest ones, newest first');
      assert.equal(last['_links'].next, undefined, 'nothing comes after the last');
      const up = await follow(toLast, 'prev');
      assert.deepEqual(up.toReversed().flat(), all);
      // Every page links to the same first and last page, and `prev` undoes `next`.
      const second = (await call(links.next.href.replace('/api/v2/', ''))).json;
      for (const end of ['first', 'last']) {
        const there = await call(second['_links'][end].href.replace('/api/v2/', ''));
        assert.deepEqual(namesOf(there.json), end === 'first' ? all.slice(0, 7) : all.slice(-7));
      }
      const back = (await call(second['_links'].prev.href.replace('/api/v2/', ''))).json;
      assert.deepEqual(namesOf(back), all.slice(0, 7));
      assert.equal(back['_links'].prev, undefined);
      assert.deepEqual(
        namesOf((await call(back['_links'].next.href.replace('/api/v2/', ''))).json),
        namesOf(second),
      );
    });
  }

  test('F9 what fits on one page has no neighbours, and nothing at all is a page too', async () => {
    for (const [query, names] of [
      ['q=dark', ['Dark mode']],
      ['q=nowhere', []],
    ] as const) {
      for (const from of ['', '&from=oldest']) {
        const json = await search(query + from);
        assert.deepEqual(namesOf(json), names);
        assert.deepEqual(Object.keys(json['_links']), ['self', 'first', 'last']);
        assert.equal(json['_links'].last.href, `/api/v2/auditlog?from=oldest&${query}`);
      }
    }
  });

  test('a limit is cut to what a page holds, as in other lists', async () => {
    for (const [limit, length] of [
      ['', 10],
      ['limit=0', 10],
      ['limit=3', 3],
      ['limit=20', 20],
      ['limit=21', 20],
      ['limit=1000', 20],
    ] as const)
      assert.equal(namesOf(await search(limit)).length, length, limit);
  });

  test('by words finds names, keys, comments and what was done, by their beginnings', async () => {
    for (const words of ['dark', 'Dark mod', 'tonight', 'dark-mode', 'changed eight']) {
      assert.deepEqual(namesOf(await search(`q=${encodeURIComponent(words)}`)), ['Dark mode'], words);
    }
    assert.deepEqual(namesOf(await search('q=nowhere')), []);
    assert.deepEqual(namesOf(await search('q=%21%21')), []);
  });

  test('by resource takes one name, or a pattern of names and tags', async () => {
    assert.deepEqual(namesOf(await search('spec=proj/shop:env/test:flag/old-3')), ['Old 3']);
    assert.deepEqual(namesOf(await search('spec=proj/*:env/production:flag/*')), ['Dark mode']);
    assert.deepEqual(namesOf(await search('spec=proj/shop:env/*:flag/*;beta')), ['Dark mode']);
    assert.equal(namesOf(await search('spec=proj/*;core:env/*:flag/*&limit=20')).length, 20);
    assert.deepEqual(namesOf(await search('spec=proj/nothing:env/*:flag/*')), []);
  });

  test('by statements takes what they allow and leaves what they deny', async () => {
    const body = [
      { effect: 'allow', actions: ['update*'], resources: ['proj/shop:env/*:flag/*'] },
      { effect: 'deny', actions: ['*'], resources: ['proj/*:env/test:flag/*'] },
    ];
    const { status, json } = await call('auditlog', { method: 'POST', body });
    assert.equal(status, 200);
    assert.deepEqual(namesOf(json), ['Dark mode']);
  });

  for (const query of [
    'limit=-1',
    'limit=many',
    'from=newest',
    'before=yesterday',
    'after=-1',
    'spec=a%20b',
    'spec=*:*:',
    `q=%00`,
  ]) {
    test(`F33: with ${query} is refused with 400`, async () => {
      assert.equal((await call(`auditlog?${query}`)).status, 400);
    });
  }

  test('F33: by what is no list of statements is refused with 400', async () => {
    for (const body of [{}, 'x', [1], [{ effect: 'allow' }]]) {
      assert.equal((await call('auditlog', { method: 'POST', body })).status, 400);
    }
  });
});

test('counts are by equal spans of time', async () => {
  const path = `auditlog/counts?after=${NOON}&before=${NOON + 30}&buckets=3`;
  const { status, json } = await call(path, { method: 'POST' });
  assert.equal(status, 200);
  assert.deepEqual(json['buckets'], [
    { timestamp: NOON, count: 10 },
    { timestamp: NOON + 10, count: 10 },
    { timestamp: NOON + 20, count: 10 },
  ]);
  assert.deepEqual([json['totalCount'], json['bucketIntervalMs']], [30, 10]);
  assert.equal((await call('auditlog/counts', { method: 'POST' })).status, 400);
  assert.equal((await call('auditlog/counts?after=5&before=5', { method: 'POST' })).status, 400);
});

describe('who may see', () => {
  test('F35: one project sees what was done in it, and nothing else', async () => {
    const member = await join(server, 'cook', { role: 'no_access' });
    const allow = { effect: 'allow' as const, actions: ['viewProject'], resources: ['proj/kitchen'] };
    const { value: token } = await giveToken(server, member, { isService: true, inlinePolicy: [allow] });
    assert.deepEqual(namesOf(await search('limit=20', { token })), ['Secret sauce']);
    assert.deepEqual(namesOf(await search('q=dark', { token })), []);
    const { items } = await search('q=dark');
    assert.equal((await call(`auditlog/${items[0]._id}`, { token })).status, 401);
  });

  test('F31: nothing at all gets an empty log; no token gets 401', async () => {
    const member = await join(server, 'nobody', { role: 'no_access' });
    const { value: token } = await giveToken(server, member, {});
    assert.deepEqual(namesOf(await search('', { token })), []);
    assert.equal((await call('auditlog', { token: null })).status, 401);
  });
});
