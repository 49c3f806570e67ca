// Representations of the flags API, on a running server: links, collections, pages, summaries. Rules F5 and F8 to F10.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startServer, type TestServer } from '../../../server.ts';

interface Link {
  href: string;
  type: string;
}

interface Collection {
  items: { _id: string; name: string; _links: Record<string, Link> }[];
  totalCount: number;
  _links: Record<string, Link>;
}

let server: TestServer;
before(async () => (server = await startServer()));
after(() => server.stop());

async function read<T>(path: string): Promise<T> {
  const { status, json } = await server.call(path);
  assert.equal(status, 200, path);
  return json as T;
}

/** All link objects of a representation, at any depth. */
function linksIn(value: unknown): [relation: string, link: Link][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === '_links' ? (Object.entries(member as object) as [string, Link][]) : linksIn(member),
  );
}

describe('one of everything', () => {
  let one: string;
  before(async () => {
    const { json } = await server.call('/api/v2/tokens', { method: 'POST', body: { name: 'shown' } });
    one = json['_links'].self.href as string;
  });

  test('F5 every representation links to itself', async () => {
    for (const path of [
      '/api/v2',
      '/api/v2/caller-identity',
      '/api/v2/versions',
      '/api/v2/account',
      '/api/v2/public-ip-list',
      '/api/v2/tokens?limit=25',
      one,
    ]) {
      const { _links } = await read<{ _links: Record<string, Link> }>(path);
      assert.deepEqual(_links['self'], { href: path, type: 'application/json' }, path);
    }
  });

  test('F5 children link to their parent, and that is there', async () => {
    for (const path of ['/api/v2/caller-identity', '/api/v2/versions', one]) {
      const { _links } = await read<{ _links: Record<string, Link> }>(path);
      assert.ok(path.startsWith(_links['parent']!.href), path);
      await read(_links['parent']!.href);
    }
    const { _links } = await read<{ _links: Record<string, Link> }>(one);
    assert.equal(_links['parent']!.href, '/api/v2/tokens');
  });

  test('F5 every link is an href and a type, and nothing else', async () => {
    for (const path of ['/api/v2', '/api/v2/caller-identity', '/api/v2/versions', '/api/v2/tokens', one]) {
      const found = linksIn(await read(path));
      assert.notEqual(found.length, 0);
      for (const [relation, link] of found) {
        assert.deepEqual(Object.keys(link).toSorted(), ['href', 'type'], `${path} ${relation}`);
        assert.match(link.href, /^\/api\/v2(\/|\?|$)/);
        assert.equal(link.type, 'application/json');
      }
    }
  });

  test('F5 the links of the root lead to what there is', async () => {
    const { _links, links } = await read<{ _links: Record<string, Link>; links: unknown }>('/api/v2');
    assert.deepEqual(links, _links);
    for (const { href } of Object.values(_links)) await read(href);
  });

  test('F10 a list gives summaries, and each links to its detail, which says more', async () => {
    const inlineRole = [{ effect: 'allow', actions: ['view*'], resources: ['proj/*'] }];
    const { json } = await server.call('/api/v2/tokens', {
      method: 'POST',
      body: { name: 'narrow', inlineRole },
    });
    const { items } = await read<Collection>('/api/v2/tokens?limit=1000');
    const summary = items.find(({ _id }) => _id === json['_id'])!;
    const detail = await read<Record<string, unknown>>(summary._links['self']!.href);
    for (const [name, value] of Object.entries(summary)) assert.deepEqual(detail[name], value, name);
    const onlyInDetail = Object.keys(detail).filter((name) => !Object.hasOwn(summary, name));
    assert.deepEqual(onlyInDetail.toSorted(), ['_member', 'inlineRole']);
    assert.deepEqual(detail['inlineRole'], inlineRole);
  });
});

describe('the account', () => {
  test('HEAD and GET tell whether a token is good', async () => {
    const { json } = await server.call('/api/v2/account');
    const identity = await read<{ accountId: string }>('/api/v2/caller-identity');
    assert.equal(json['_id'], identity.accountId);
    for (const method of ['HEAD', 'GET']) {
      for (const [status, token] of [
        [200, undefined],
        [401, null],
        [401, 'api-wrong'],
      ] as const) {
        const answer = await server.call('/api/v2/account', {
          method,
          ...(token !== undefined && { token }),
        });
        assert.equal(answer.status, status, `${method} ${token}`);
        if (method === 'HEAD') assert.equal(answer.text, '');
      }
    }
  });

  test('the addresses of the server are those of its URL, and need no token', async () => {
    const { status, json } = await server.call('/api/v2/public-ip-list', { token: null });
    assert.deepEqual([status, json['addresses']], [200, ['127.0.0.1']]);
    // Private addresses are not disclosed if webhooks cannot go to private networks.
    for (const address of json['outboundAddresses'] as string[])
      assert.doesNotMatch(address, /^(10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01]))\./);
  });
});

describe('sixty tokens', () => {
  let names: string[];
  before(async () => {
    for (let index = 0; index < 60; index += 1) {
      await server.call('/api/v2/tokens', { method: 'POST', body: { name: `page ${index}` } });
    }
    names = (await read<Collection>('/api/v2/tokens?limit=1000')).items.map(({ name }) => name);
  });

  test('F8 a collection has items, links and how many there are', async () => {
    const page = await read<Collection>('/api/v2/tokens');
    assert.deepEqual(Object.keys(page).toSorted(), ['_links', 'items', 'totalCount']);
    assert.equal(page.items.length, 25);
    assert.equal(page.totalCount, names.length);
  });

  test('F9 following next from first reaches every item once and ends at last', async () => {
    for (const limit of [1, 7, 20, 25, names.length, 1000]) {
      const { _links } = await read<Collection>(`/api/v2/tokens?limit=${limit}`);
      const seen: string[] = [];
      let href: string | undefined = _links['first']!.href;
      let page: Collection | undefined;
      while (href !== undefined) {
        page = await read<Collection>(href);
        seen.push(...page.items.map(({ name }) => name));
        assert.deepEqual([page._links['first'], page._links['last']], [_links['first'], _links['last']]);
        assert.equal(page._links['self']!.href, href);
        href = page._links['next']?.href;
      }
      assert.deepEqual(seen, names, `by ${limit}`);
      assert.deepEqual(page!._links['self'], _links['last'], `by ${limit}`);
    }
  });

  test('F9 following prev from last reaches every item once and ends at first', async () => {
    const { _links } = await read<Collection>('/api/v2/tokens?limit=7');
    let seen: string[] = [];
    let href: string | undefined = _links['last']!.href;
    while (href !== undefined) {
      const page: Collection = await read<Collection>(href);
      seen = [...page.items.map(({ name }) => name), ...seen];
      href = page._links['prev']?.href;
      if (href === undefined) assert.deepEqual(page._links['self'], _links['first']);
    }
    assert.deepEqual(seen, names);
  });

  test('F9 next and prev are there only where such a page is; a middle page has all four', async () => {
    const relationsOf = async (query: string) =>
      Object.keys((await read<Collection>(`/api/v2/tokens?${query}`))._links).toSorted();
    assert.deepEqual(await relationsOf('limit=20'), ['first', 'last', 'next', 'self']);
    assert.deepEqual(await relationsOf('limit=20&offset=20'), ['first', 'last', 'next', 'prev', 'self']);
    assert.deepEqual(await relationsOf(`limit=20&offset=${names.length - 1}`), [
      'first',
      'last',
      'prev',
      'self',
    ]);
    assert.deepEqual(await relationsOf('limit=1000'), ['first', 'last', 'self']);
  });

  test('F9 links keep what else was asked for, and leave an offset of nothing out', async () => {
    const { _links } = await read<Collection>('/api/v2/tokens?showAll=true&offset=20&limit=20');
    assert.equal(_links['first']!.href, '/api/v2/tokens?limit=20&showAll=true');
    assert.equal(_links['prev']!.href, '/api/v2/tokens?limit=20&showAll=true');
    assert.equal(_links['next']!.href, '/api/v2/tokens?limit=20&offset=40&showAll=true');
  });

  test('F9 beyond the end there is an empty page that leads back', async () => {
    const { items, totalCount, _links } = await read<Collection>('/api/v2/tokens?offset=100000');
    assert.deepEqual([items, totalCount], [[], names.length]);
    assert.equal(_links['next'], undefined);
    assert.deepEqual(_links['prev'], _links['last']);
  });

  test('F9 a limit above the most is cut, a senseless one is refused', async () => {
    assert.equal((await read<Collection>('/api/v2/tokens?limit=99999')).items.length, names.length);
    for (const query of [
      'limit=0',
      'limit=-1',
      'limit=many',
      'limit=2&limit=3',
      'offset=-1',
      'offset=1e3',
      'offset=',
    ]) {
      const { status, json } = await server.call(`/api/v2/tokens?${query}`);
      assert.deepEqual([status, json['code']], [400, 'invalid_request'], query);
    }
  });
});
