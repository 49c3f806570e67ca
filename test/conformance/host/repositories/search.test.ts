// Search and GraphQL of the host, on a running server: the two rate limits of rule H5 that are counted apart from the rest.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { join } from '../../../people.ts';
import { startServer, type Answer, type TestServer } from '../../../server.ts';

const PEOPLE = 45;
const many = { known: 100_000, anonymous: 100_000, seconds: 3600 };

let server: TestServer;
before(async () => {
  server = await startServer({ limit: { 'host.search': many } });
  for (let number = 10; number < 10 + PEOPLE; number += 1) await join(server, `person-${number}`);
});
after(() => server.stop());

type Links = Record<string, string>;

function linksOf(headers: Headers): Links {
  const links = headers.get('link')?.matchAll(/<([^<>]+)>; rel="(\w+)"/g) ?? [];
  return Object.fromEntries([...links].map(([, url, rel]) => [rel!, url!]));
}

for (const prefix of ['', '/api/v3']) {
  describe(`search below "${prefix}/"`, () => {
    const search = (query: string) => server.call(`${prefix}/search/users?${query}`);
    const loginsOf = (json: Answer['json']) => json['items'].map((item: { login: string }) => item.login);

    test('H5 search has a limit of its own, and a result has its total and a score', async () => {
      const { status, json, headers } = await search('q=person-12');
      assert.equal(status, 200);
      assert.equal(headers.get('x-ratelimit-resource'), 'search');
      assert.deepEqual(Object.keys(json), ['total_count', 'incomplete_results', 'items']);
      assert.equal(json['total_count'], 1);
      assert.equal(json['incomplete_results'], false);
      assert.equal(json['items'][0].login, 'person-12');
      assert.equal(json['items'][0].score, 1);
      assert.equal(Object.keys(json['items'][0]).length, 19);
      assert.deepEqual(linksOf(headers), {}, 'one page needs no links');
    });

    test('a client that follows next sees everyone once', async () => {
      const seen: string[] = [];
      let next: string | undefined = `${server.url}${prefix}/search/users?q=person&per_page=20`;
      const rels: string[][] = [];
      while (next !== undefined) {
        assert.ok(next.startsWith(`${server.url}${prefix}/search/users?`));
        const { json, headers } = await server.call(next.slice(server.url.length));
        seen.push(...loginsOf(json));
        const links = linksOf(headers);
        rels.push(Object.keys(links).sort());
        next = links['next'];
      }
      assert.equal(new Set(seen).size, PEOPLE);
      assert.equal(seen.length, PEOPLE);
      assert.deepEqual(rels, [
        ['first', 'last', 'next'],
        ['first', 'last', 'next', 'prev'],
        ['first', 'last', 'prev'],
      ]);
    });

    test('a page has 30 results, at most 100, and links keep the query as it was asked', async () => {
      assert.equal((await search('q=person')).json['items'].length, 30);
      assert.equal((await search('q=person&per_page=500')).json['items'].length, PEOPLE);
      assert.equal((await search('q=person&page=2')).json['items'].length, PEOPLE - 30);
      assert.deepEqual((await search('q=person&page=3')).json['items'], []);
      const { headers } = await search('q=person&sort=joined&x=a?%20b&per_page=10&page=2');
      const { searchParams } = new URL(linksOf(headers)['next']!);
      assert.deepEqual(Object.fromEntries(searchParams), {
        q: 'person',
        sort: 'joined',
        x: 'a? b',
        per_page: '10',
        page: '3',
      });
    });

    test('results are sorted by when users joined, in both directions', async () => {
      const sorted = async (query: string) =>
        loginsOf((await search(`q=person&sort=joined&per_page=2${query}`)).json);
      assert.deepEqual(await sorted(''), ['person-54', 'person-53']);
      assert.deepEqual(await sorted('&order=desc&page=2'), ['person-52', 'person-51']);
      assert.deepEqual(await sorted('&order=asc'), ['person-10', 'person-11']);
    });

    test('an order without a property to sort by is ignored, and nobody has followers', async () => {
      for (const query of ['order=desc', 'sort=followers', 'sort=followers&order=asc'])
        assert.equal(loginsOf((await search(`q=person&${query}`)).json)[0], 'person-10', query);
    });

    test('an order that does not exist is refused', async () => {
      for (const [field, query] of [
        ['sort', 'sort=stars'],
        ['sort', 'sort=joined%00'],
        ['order', 'sort=joined&order=up'],
      ]) {
        const { status, json } = await search(`q=person&${query}`);
        assert.deepEqual([status, json['errors'][0].field], [422, `query.${field}`], query);
      }
    });

    test('wildcards of SQL are plain letters', async () => {
      for (const q of ['%25', 'person_1', '%5C', "'"])
        assert.equal((await search(`q=${q}`)).json['total_count'], 0, q);
    });
  });

  describe(`GraphQL for clients of "${prefix}/"`, () => {
    const path = prefix === '' ? '/graphql' : '/api/graphql';
    const ask = (query: string, variables?: unknown, operationName?: string) =>
      server.call(path, { method: 'POST', body: { query, variables, operationName } });

    test('the caller, users and search are there', async () => {
      const { json, headers } = await ask(
        `query Everything($login: String!) {
           viewer { login databaseId url }
           user(login: $login) { login name }
           nobody: user(login: "nobody-at-all") { login }
           search(query: "person", type: USER, first: 2) {
             userCount nodes { login } edges { cursor } pageInfo { hasNextPage hasPreviousPage endCursor } } }`,
        { login: 'person-10' },
      );
      const { viewer, user, nobody, search } = json['data'];
      assert.deepEqual(viewer, { login: 'admin', databaseId: 1, url: `${server.url}/admin` });
      assert.deepEqual(user, { login: 'person-10', name: null });
      assert.equal(nobody, null);
      assert.equal(search.userCount, PEOPLE);
      assert.deepEqual(search.nodes, [{ login: 'person-10' }, { login: 'person-11' }]);
      assert.deepEqual(search.pageInfo, {
        hasNextPage: true,
        hasPreviousPage: false,
        endCursor: search.edges[1].cursor,
      });
      assert.equal(headers.get('x-ratelimit-resource'), 'graphql');
      assert.equal(json['errors'], undefined);
    });

    test('cursors lead through a list, forwards and backwards', async () => {
      const page = async (bounds: string) => {
        const { json } = await ask(
          `{ search(query: "person", type: USER, ${bounds}) { nodes { login } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }`,
        );
        const { nodes, pageInfo } = json['data'].search;
        return { ...pageInfo, logins: nodes.map(({ login }: { login: string }) => login) };
      };
      const first = await page('first: 2');
      const second = await page(`first: 2, after: "${first.endCursor}"`);
      assert.deepEqual(second.logins, ['person-12', 'person-13']);
      assert.deepEqual((await page(`last: 2, before: "${second.startCursor}"`)).logins, first.logins);
      const last = await page('last: 2');
      assert.deepEqual(last.logins, ['person-53', 'person-54']);
      assert.deepEqual([last.hasNextPage, last.hasPreviousPage], [false, true]);
    });

    test('H5 a query costs points by the pages it asks for, as rateLimit and the headers tell', async () => {
      const pages = (count: number) =>
        Array.from(
          { length: count },
          (_, at) => `a${at}: search(query: "x", type: USER, first: 9) { userCount }`,
        );
      for (const [count, points] of [
        [1, 1],
        [149, 1],
        [150, 2],
        [251, 3],
      ] as const) {
        const earlier = (await server.call('/rate_limit')).json['resources'].graphql.used as number;
        const { json, headers } = await ask(
          `{ rateLimit { cost nodeCount used remaining limit resetAt } ${pages(count).join(' ')} }`,
        );
        const { cost, nodeCount, used, remaining, limit, resetAt } = json['data'].rateLimit;
        assert.equal(cost, points, `${count} pages`);
        assert.equal(nodeCount, count * 9);
        assert.equal(used, earlier + points);
        assert.equal(used + remaining, limit);
        assert.equal(headers.get('x-ratelimit-used'), String(used));
        assert.equal(headers.get('x-ratelimit-reset'), String(Date.parse(resetAt) / 1000));
      }
    });

    test('H5 a dry run tells the price, spends nothing and fetches nothing', async () => {
      const queries = [
        ['{ rateLimit(dryRun: true) { cost nodeCount } viewer { login } }', undefined],
        [
          'query($dry: Boolean) { rateLimit(dryRun: $dry) { cost nodeCount } viewer { login } }',
          { dry: true },
        ],
        ['query($dry: Boolean = true) { rateLimit(dryRun: $dry) { cost nodeCount } viewer { login } }', {}],
        [
          '{ ...All } fragment All on Query { rateLimit(dryRun: true) { cost nodeCount } viewer { login } }',
          {},
        ],
      ] as const;
      const earlier = (await server.call('/rate_limit')).json['resources'].graphql.used;
      for (const [query, variables] of queries) {
        const { json, headers } = await ask(query, variables);
        assert.deepEqual(json, { data: { rateLimit: { cost: 1, nodeCount: 0 } } }, query);
        assert.equal(headers.get('x-ratelimit-used'), String(earlier));
      }
      const wet = await ask('{ rateLimit(dryRun: false) { cost } viewer { login } }');
      assert.equal(wet.json['data'].viewer.login, 'admin');
      assert.equal(wet.headers.get('x-ratelimit-used'), String(earlier + 1));
    });

    test('what cannot be run is told with HTTP 200, and by type where clients know one', async () => {
      const search = (bounds: string) => `{ search(query: "x", type: USER${bounds}) { userCount } }`;
      const huge = Array.from(
        { length: 101 },
        (_, at) => `a${at}: search(query: "x", type: USER, first: 100) { userCount }`,
      );
      const spreads = Array.from(
        { length: 10 },
        (_, at) => `...Many @skip(if: ${at > 0}) ... on Query { b${at}: viewer { login } ...Many }`,
      );
      const cases: [string, string | undefined, RegExp, unknown?][] = [
        [search(''), 'MISSING_PAGINATION_BOUNDARIES', /`search` needs `first` or `last`/],
        [search(', first: 101'), 'EXCESSIVE_PAGINATION', /1 to 100/],
        [search(', first: 0'), 'EXCESSIVE_PAGINATION', /1 to 100/],
        [search(', last: -5'), 'EXCESSIVE_PAGINATION', /1 to 100/],
        [
          `{ ${spreads.join(' ')} } fragment Many on Query { ${huge.join(' ')} }`,
          'MAX_SELECTIONS_EXCEEDED',
          /selects the same fields too often in different ways/,
        ],
        [search(', first: 1, after: "nonsense"'), 'INVALID_CURSOR_ARGUMENTS', /not a cursor/],
        ['{', undefined, /^Syntax Error/],
        ['{ nope }', undefined, /"nope"/],
        ['{ viewer { login { x } } }', undefined, /login/],
        ['mutation { x }', undefined, /"x" on type "Mutation"/],
        ['subscription { x }', undefined, /subscription/],
        ['query A { viewer { login } } query B { viewer { login } }', undefined, /operationName/],
        ['query($n: Int!) { viewer { login } }', undefined, /\$n/],
        ['query($l: String!) { user(login: $l) { login } }', undefined, /\$l/, { l: 5 }],
      ];
      for (const [query, type, message, variables] of cases) {
        const { status, json } = await ask(query, variables);
        assert.equal(status, 200, query);
        const [error] = json['errors'] as { type?: string; message: string; path?: string[] }[];
        assert.match(error!.message, message);
        assert.equal(error!.type, type, query.slice(0, 60));
        assert.equal(json['data'] ?? null, null);
      }
    });

    test('a missing bound is told with the path of its field', async () => {
      const { json } = await ask('{ people: search(query: "x", type: USER) { userCount } }');
      assert.deepEqual(json['errors'][0].path, ['people']);
    });

    test('one operation of several runs by its name, and variables have their defaults', async () => {
      const two = 'query A { viewer { login } } query B { viewer { databaseId } }';
      assert.deepEqual((await ask(two, {}, 'B')).json, { data: { viewer: { databaseId: 1 } } });
      const sized =
        'query($n: Int = 3) { search(query: "person", type: USER, first: $n) { nodes { login } } }';
      assert.equal((await ask(sized)).json['data'].search.nodes.length, 3);
      assert.equal((await ask(sized, { n: 1 })).json['data'].search.nodes.length, 1);
    });

    test('without a token there is no GraphQL', async () => {
      const answer = await server.call(path, {
        method: 'POST',
        token: null,
        body: { query: '{ viewer { login } }' },
      });
      assert.deepEqual([answer.status, answer.json['message']], [401, 'Requires authentication']);
    });
  });
}
