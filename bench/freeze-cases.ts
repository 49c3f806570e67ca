// The most expensive requests that the routes allow.
import { eventFreezeCases } from './delivery-events.ts';
import { scheduleFreezeCases } from './freeze-schedules.ts';
import { taskFreezeCases } from './freeze-tasks.ts';
import { textFreezeCases } from './freeze-texts.ts';

export interface Sent {
  status: number;
  text: Buffer;
}

export type Send = (
  method: string,
  path: string,
  body?: string | Uint8Array,
  headers?: Record<string, string>,
) => Promise<Sent>;

export interface FreezeCase {
  name: string;
  /** A small call of the same route. */
  warm?(send: Send): Promise<unknown>;
  /** Returns the status of the answer. */
  run(send: Send): Promise<number>;
}

const SEMANTIC = { 'content-type': 'application/json; domain-model=flagservice.semanticpatch' };
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const list = (count: number, make: (index: number) => string) => `[${times(count, make).join(',')}]`;
const object = (count: number, make: (index: number) => string) => `{${times(count, make).join(',')}}`;
const keys = (count: number, prefix = 'key') => object(count, (index) => `"${prefix}${index}":1`);

/** The largest item: 25 objects of 10,000 names each, all different. */
const widest = object(24, (at) => `"part${at}":${keys(10_000, `name-${at}-`)}`);
const BODY_BYTES = 9_400_000;

export async function freezeCases(send: Send): Promise<FreezeCase[]> {
  const json = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const { status, text } = await send(
      method,
      path,
      body === undefined ? undefined : JSON.stringify(body),
      headers,
    );
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.toString().slice(0, 300)}`);
    return JSON.parse(text.toString() || '{}');
  };
  const storage = async (kind: string, body?: unknown): Promise<string> =>
    (await json('POST', `/v2/${kind}`, body))['data']['id'] as string;
  const one = (name: string, ...asked: Parameters<Send>): FreezeCase => ({
    name,
    warm: (ask) =>
      ask(
        asked[0],
        asked[1],
        asked[2] === undefined ? undefined : '{"query":"{ viewer { login } }"}',
        asked[3],
      ),
    run: async (ask) => (await ask(...asked)).status,
  });
  const cases: FreezeCase[] = [];

  // Pushing items.
  const dataset = await storage('datasets');
  const items = `/v2/datasets/${dataset}/items`;
  const push = (name: string, body: string) => cases.push(one(`push ${name}`, 'POST', items, body));
  push(
    '3 million empty items',
    list(3_000_000, () => '{}'),
  );
  push(
    '250,000 empty items',
    list(250_000, () => '{}'),
  );
  push(
    '4 million numbers',
    list(4_000_000, () => '0'),
  );
  push('one item of 300,000 keys', keys(300_000));
  push('one item of 10,000 keys', keys(10_000));
  push('one item of 240,000 names', widest);
  push('one item with a list of 240,000 objects', `{"list":${list(240_000, () => '{}')}}`);
  push('900 items of 1,000 names each', list(900, (at) => keys(1000, `n${at}`)).slice(0, BODY_BYTES));
  push('one item with a text of 9 MB', `{"text":"${'x'.repeat(BODY_BYTES - 100)}"}`);
  push('one item with a text of 9 MB of escapes', `{"text":"${'\\n'.repeat(BODY_BYTES / 2 - 100)}"}`);
  push(
    '9 MB of usual items',
    JSON.stringify(
      times(90_000, (id) => ({ id, name: `name ${id}`, url: `http://a.b/${id}`, in: { a: 1, b: true } })),
    ),
  );
  push('9 MB of what is no JSON', `[${'{"a":1},'.repeat(1_000_000)}nope]`);
  push('9 MB of a string of JSON', JSON.stringify(list(1_000_000, () => '{}')));
  const checked = await storage('datasets', {
    schema: {
      fields: {
        type: 'object',
        properties: Object.fromEntries(times(1000, (at) => [`p${at}`, { type: 'number' }])),
      },
    },
  });
  cases.push(
    one(
      'push 100,000 items against a schema of 1,000 fields',
      'POST',
      `/v2/datasets/${checked}/items`,
      list(100_000, () => '{"p1":1}'),
    ),
  );
  const checkedDeep = await storage('datasets', {
    schema: {
      fields: {
        type: 'object',
        additionalProperties: { type: 'object', additionalProperties: { type: 'number', minimum: 0 } },
      },
    },
  });
  cases.push(one('push 240,000 names against a schema', 'POST', `/v2/datasets/${checkedDeep}/items`, widest));
  const slowest = await storage('datasets', {
    schema: { fields: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } } },
  });
  cases.push(
    one('push against a slow pattern', 'POST', `/v2/datasets/${slowest}/items`, `{"a":"${'a'.repeat(40)}b"}`),
  );

  // Reading items.
  const wide = await storage('datasets');
  await json('POST', `/v2/datasets/${wide}/items`, JSON.parse(widest));
  const long = await storage('datasets');
  await json('POST', `/v2/datasets/${long}/items`, { text: '<&"'.repeat(2_000_000) });
  const rows = await storage('datasets');
  for (let at = 0; at < 4; at += 1)
    await json(
      'POST',
      `/v2/datasets/${rows}/items`,
      times(400, (n) => Object.fromEntries(times(1900, (c) => [`c${c}`, n]))),
    );
  const listed = await storage('datasets');
  await json('POST', `/v2/datasets/${listed}/items`, {
    list: times(100_000, (n) => ({ n })),
    ...Object.fromEntries(times(5000, (n) => [`k${n}`, n])),
  });
  const read = (name: string, id: string, query: string) =>
    cases.push(one(`get ${name}?${query.slice(0, 60)}`, 'GET', `/v2/datasets/${id}/items?${query}`));
  for (const format of ['json', 'jsonl', 'csv', 'html', 'xlsx', 'xml', 'rss']) {
    read('an item of 240,000 names', wide, `format=${format}`);
    read('a text of 8 MB', long, `format=${format}`);
    read('1,600 rows of 1,900 columns', rows, `format=${format}`);
  }
  read('an item of 240,000 names', wide, 'clean=1');
  read('an item of 240,000 names', wide, `flatten=${times(24, (at) => `part${at}`).join(',')}`);
  read('an item of 240,000 names', wide, `flatten=${times(24, (at) => `part${at}`).join(',')}&format=csv`);
  read('an item of 5,000 keys and a long list', listed, `omit=${times(2000, (n) => `k${n}`).join(',')}`);
  read('an item of 5,000 keys and a long list', listed, `fields=${times(2000, (n) => `k${n}`).join(',')}`);
  read('an item of 5,000 keys and a long list', listed, 'unwind=list&format=csv');

  // Queues and records.
  const queue = await storage('request-queues');
  const requests = `/v2/request-queues/${queue}/requests`;
  cases.push(
    one('add a request with 240,000 names', 'POST', requests, `{"url":"http://a.b/","userData":${widest}}`),
  );
  cases.push({
    name: 'get a request with 240,000 names',
    run: async (ask) => {
      const { data } = JSON.parse(
        (await ask('POST', requests, `{"url":"http://a.b/","userData":${widest}}`)).text.toString(),
      );
      return (await ask('GET', `${requests}/${data?.requestId as string}`)).status;
    },
  });
  cases.push(
    one(
      'add 25 requests of 380 KB',
      'POST',
      `${requests}/batch`,
      list(25, (at) => `{"url":"http://a.b/${at}","payload":"${'x'.repeat(370_000)}"}`),
    ),
  );
  cases.push(
    one(
      'add 400,000 requests',
      'POST',
      `${requests}/batch`,
      list(400_000, () => '{"uniqueKey":"a"}'),
    ),
  );
  cases.push(
    one(
      'add 250,000 wrong requests',
      'POST',
      `${requests}/batch`,
      list(250_000, () => '{"url":1}'),
    ),
  );
  for (let at = 0; at < 400; at += 1)
    await json(
      'POST',
      `${requests}/batch`,
      times(25, (n) => ({ url: `http://a.b/${at}/${n}`, userData: { at, n, text: 'x'.repeat(500) } })),
    );
  cases.push(one('list 10,000 requests', 'GET', `${requests}?limit=10000`));
  cases.push(one('get 1,000 of the head', 'GET', `/v2/request-queues/${queue}/head?limit=1000`));
  const store = await storage('key-value-stores');
  await Promise.all(
    times(1000, (at) =>
      send('PUT', `/v2/key-value-stores/${store}/records/key-${at}`, 'x', { 'content-type': 'text/plain' }),
    ),
  );
  cases.push(one('list 1,000 keys', 'GET', `/v2/key-value-stores/${store}/keys?limit=1000`));
  cases.push(one('get 1,000 records as an archive', 'GET', `/v2/key-value-stores/${store}/records`));
  cases.push(
    one(
      'put a record of 9 MB',
      'PUT',
      `/v2/key-value-stores/${store}/records/large`,
      Buffer.alloc(BODY_BYTES),
    ),
  );
  cases.push(
    one(
      'make a dataset with a schema of 240,000 names',
      'POST',
      '/v2/datasets',
      `{"schema":{"fields":{"properties":{}},"more":${widest}}}`,
    ),
  );
  cases.push(
    one(
      'make a dataset with a schema of 9,000 fields',
      'POST',
      '/v2/datasets',
      `{"schema":{"fields":{"properties":${object(9000, (at) => `"f${at}":{"type":"string","pattern":"^a${at}$"}`)}}}}`,
    ),
  );

  // Flags.
  const flag = '/api/v2/flags/default/bench';
  await json('POST', '/api/v2/flags/default', { key: 'bench', name: 'Bench' });
  /** The maximum number of keys of a body, and of a flag. */
  const names = object(5, (at) => `"part${at}":${keys(9900, `n-${at}-`)}`);
  const fewer = keys(9900, 'n-');
  cases.push(
    one(
      'patch a flag by 5,000 operations',
      'PATCH',
      flag,
      list(5000, (at) => `{"op":"add","path":"/tags/0","value":"t${at}"}`),
    ),
  );
  cases.push(
    one(
      'patch a flag by 100,000 operations',
      'PATCH',
      flag,
      list(100_000, () => '{"op":"test","path":"/key","value":1}'),
    ),
  );
  cases.push(
    one(
      'patch a flag by 5,000 copies',
      'PATCH',
      flag,
      list(5000, () => '{"op":"copy","from":"/environments","path":"/x"}'),
    ),
  );
  cases.push(
    one(
      'patch a flag by one value of 49,500 names',
      'PATCH',
      flag,
      `[{"op":"add","path":"/variations/0/value","value":${names}}]`,
    ),
  );
  cases.push(
    one(
      'patch a flag by 100,000 instructions',
      'PATCH',
      flag,
      `{"instructions":${list(100_000, () => '{"kind":"turnFlagOn"}')}}`,
      SEMANTIC,
    ),
  );
  cases.push(
    one(
      'patch a flag by 15,000 targets',
      'PATCH',
      flag,
      `{"environmentKey":"test","instructions":[{"kind":"addTargets","contextKind":"user","variationId":"x","values":${list(15_000, (at) => `"user-${at}"`)}}]}`,
      SEMANTIC,
    ),
  );
  cases.push(one('merge a flag with 49,500 names', 'PATCH', flag, `{"merge":${names}}`));
  cases.push(
    one(
      'make a flag with 200,000 wrong tags',
      'POST',
      '/api/v2/flags/default',
      `{"key":"wrong","name":"Wrong","tags":${list(200_000, () => '1')}}`,
    ),
  );
  cases.push(
    one(
      'make a flag of 9,900 names',
      'POST',
      '/api/v2/flags/default',
      `{"key":"wide","name":"Wide","variations":[{"value":${fewer}},{"value":1}]}`,
    ),
  );
  cases.push(
    one(
      'make a flag of 200 variations of 10 KB',
      'POST',
      '/api/v2/flags/default',
      `{"key":"long","name":"Long","variations":${list(200, (at) => `{"value":{"at":${at},"text":"${'x'.repeat(10_000)}"}}`)}}`,
    ),
  );
  const rules = list(
    900,
    (at) =>
      `{"variation":0,"clauses":${list(5, (n) => `{"attribute":"a${n}","op":"in","values":["v${at}","w${n}"],"contextKind":"user"}`)}}`,
  );
  cases.push(
    one(
      'patch a flag to 900 rules of 5 clauses',
      'PATCH',
      flag,
      `[{"op":"replace","path":"/environments/test/rules","value":${rules}}]`,
    ),
  );
  cases.push(
    one(
      'turn on a flag of 900 rules',
      'PATCH',
      flag,
      '{"environmentKey":"test","instructions":[{"kind":"turnFlagOn"}]}',
      SEMANTIC,
    ),
  );
  cases.push({
    name: 'list 20 flags of 9,900 names',
    run: async (ask) => {
      for (let at = 0; at < 20; at += 1)
        await ask(
          'POST',
          '/api/v2/flags/default',
          `{"key":"wide-${at}","name":"Wide","variations":[{"value":${fewer}},{"value":1}]}`,
        );
      return (await ask('GET', '/api/v2/flags/default?limit=100&summary=0')).status;
    },
  });
  cases.push(one('list flags', 'GET', '/api/v2/flags/default?limit=100&summary=0'));
  cases.push(
    one(
      'list flags by a long filter',
      'GET',
      `/api/v2/flags/default?filter=${encodeURIComponent(times(90, (at) => `tags:t${at}`).join(','))}`,
    ),
  );
  cases.push(
    one(
      'evaluate for a context of 49,500 names',
      'POST',
      '/api/v2/projects/default/environments/test/flags/evaluate',
      `{"kind":"user","key":"a","more":${names}}`,
    ),
  );

  // Segments.
  await json('POST', '/api/v2/segments/default/test', { key: 'big', name: 'Big', unbounded: true });
  await json('POST', '/api/v2/segments/default/test', { key: 'small', name: 'Small' });
  cases.push(
    one(
      'add 10,000 members to a big segment',
      'POST',
      '/api/v2/segments/default/test/big/contexts',
      `{"included":{"add":${list(10_000, (at) => `"user-${at}"`)}}}`,
    ),
  );
  cases.push(
    one(
      'add 200,000 members to a big segment',
      'POST',
      '/api/v2/segments/default/test/big/contexts',
      `{"included":{"add":${list(200_000, (at) => `"user-${at}"`)}}}`,
    ),
  );
  cases.push(
    one(
      'patch a segment to 15,000 members',
      'PATCH',
      '/api/v2/segments/default/test/small',
      `[{"op":"replace","path":"/included","value":${list(15_000, (at) => `"user-${at}"`)}}]`,
    ),
  );
  cases.push(
    one(
      'patch a segment by 5,000 operations',
      'PATCH',
      '/api/v2/segments/default/test/small',
      list(5000, (at) => `{"op":"add","path":"/included/0","value":"u${at}"}`),
    ),
  );
  cases.push(one('list segments', 'GET', '/api/v2/segments/default/test?limit=50'));

  // Members, teams, roles, tokens.
  const members: string[] = [];
  for (let at = 0; at < 20; at += 1) {
    const { items: made } = await json(
      'POST',
      '/api/v2/members',
      times(50, (n) => ({ email: `m${at}-${n}@example.com`, role: 'reader' })),
    );
    for (const { _id } of made) members.push(_id as string);
  }
  await Promise.all(
    times(100, (at) => json('POST', '/api/v2/teams', { key: `team-${at}`, name: `Team ${at}` })),
  );
  const memberIDs = list(1000, (at) => `"${members[at]}"`);
  cases.push(
    one(
      'make 100,000 memberships',
      'PATCH',
      '/api/v2/teams',
      `{"instructions":[{"kind":"addMembersToTeams","memberIDs":${memberIDs},"teamKeys":${list(100, (at) => `"team-${at}"`)}}]}`,
      SEMANTIC,
    ),
  );
  cases.push(
    one(
      'patch 1,000 members',
      'PATCH',
      '/api/v2/members',
      `{"instructions":[{"kind":"replaceMembersRoles","value":"writer","memberIDs":${memberIDs}}]}`,
      SEMANTIC,
    ),
  );
  cases.push(
    one(
      'patch 100,000 unknown members',
      'PATCH',
      '/api/v2/members',
      `{"instructions":${list(10, (part) => `{"kind":"replaceMembersRoles","value":"writer","memberIDs":${list(10_000, (at) => `"${(part * 10_000 + at).toString(16).padStart(24, '0')}"`)}}`)}}`,
      SEMANTIC,
    ),
  );
  cases.push(one('list members', 'GET', '/api/v2/members?limit=100&expand=customRoles,roleAttributes'));
  cases.push(
    one(
      'list teams with all they have',
      'GET',
      '/api/v2/teams?limit=100&expand=members,roles,projects,maintainers,roleAttributes',
    ),
  );
  cases.push(
    one(
      'make a role of 500 statements',
      'POST',
      '/api/v2/roles',
      `{"key":"many","name":"Many","policy":${list(500, (at) => `{"effect":"allow","actions":["update*","*a*b*c${at}"],"resources":["proj/*:env/*:flag/*;a,b,c${at}","proj/p${at}"]}`)}}`,
    ),
  );
  cases.push(
    one(
      'make a role of 50,000 statements',
      'POST',
      '/api/v2/roles',
      `{"key":"more","name":"More","policy":${list(50_000, () => '{"effect":"allow","actions":["*"],"resources":["*"]}')}}`,
    ),
  );
  cases.push(
    one(
      'make a token of 5,000 actions',
      'POST',
      '/api/v2/tokens',
      `{"name":"many","inlineRole":${list(10, () => `{"effect":"allow","resources":["*"],"actions":${list(499, (at) => `"*a*b*${at}"`)}}`)}}`,
    ),
  );
  cases.push(one('list the audit log', 'GET', '/api/v2/auditlog?limit=20&q=nothing-of-this'));
  cases.push(
    one(
      'make a webhook of 500 statements',
      'POST',
      '/api/v2/webhooks',
      `{"url":"https://example.com","on":false,"sign":false,"statements":${list(500, (at) => `{"effect":"allow","actions":["*"],"resources":["proj/p${at}"]}`)}}`,
    ),
  );

  const slowToken = await json('POST', '/api/v2/tokens', {
    name: 'slow',
    inlineRole: [
      ...times(9, () => ({
        effect: 'deny',
        resources: ['*'],
        actions: times(499, (at) => `view*a*b*${at}`),
      })),
      { effect: 'allow', resources: ['*'], actions: ['*'] },
    ],
  });
  const slow = { authorization: slowToken['token'] as string };
  for (const path of [
    'members?limit=100',
    'teams?limit=100',
    'tokens',
    'roles',
    'auditlog?limit=20',
    'flags/default?limit=100',
  ])
    cases.push({
      name: `list ${path} under a policy of 4,500 actions`,
      run: async (ask) => (await ask('GET', `/api/v2/${path}`, undefined, slow)).status,
    });

  cases.push(...(await scheduleFreezeCases(send)));
  cases.push(...(await taskFreezeCases(send)));
  cases.push(...(await eventFreezeCases(send)));

  // The host.
  cases.push(...(await textFreezeCases(send)));
  cases.push(
    one(
      'ask a long question by GraphQL',
      'POST',
      '/graphql',
      JSON.stringify({ query: `{ ${times(1600, (at) => `a${at}: viewer { login }`).join(' ')} }` }),
    ),
  );
  cases.push(
    one(
      'ask by GraphQL with 240,000 variables',
      'POST',
      '/graphql',
      `{"query":"{ viewer { login } }","variables":${widest}}`,
    ),
  );
  cases.push(
    one(
      'send what the host does not take',
      'POST',
      '/graphql',
      list(2_000_000, () => '[]'),
    ),
  );
  return cases;
}
