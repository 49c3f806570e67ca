// The states of flags over the Signalbox API, and flags that are ready to be removed: in states, in the list, and among what needs attention.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { removalSweep } from '../../../../src/flags/removable-flags/module.ts';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join } from '../../../people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { flagCalls, keysOf } from '../../flags/feature-flags/feature-flag-calls.ts';

const DAY = 24 * 60 * 60 * 1000;
const HOUR = 60 * 60 * 1000;

onEachEngine((engine) => {
  let server: TestServer;
  let flags: ReturnType<typeof flagCalls>;
  let environmentId: string;
  let number = 0;

  const ask = (query: string, token?: string): Promise<Answer> =>
    server.call(`/signalbox/v1/projects/shop/flag-states?${query}`, token === undefined ? {} : { token });
  const states = async (...keys: string[]): Promise<Json[]> => {
    const names = keys.map((key) => `key=${key}`).join('&');
    const { status, json, text } = await ask(`environment=production&${names}`);
    assert.equal(status, 200, text);
    return json['items'] as Json[];
  };
  const askFor = (keys: string[], token?: string): Promise<Answer> =>
    server.call('/signalbox/v1/flags/find', { method: 'POST', body: { keys }, ...(token && { token }) });
  const find = async (...keys: string[]) => (await askFor(keys)).json['items'] as Json[];
  const fresh = async (fields: Json = {}): Promise<string> => {
    number += 1;
    await flags.make(`flag-${number}`, fields);
    return `flag-${number}`;
  };
  const idOf = async (key: string): Promise<string> => {
    const row = await server.app.kernel.db
      .selectFrom('flags')
      .innerJoin('projects', 'projects.id', 'flags.project_id')
      .select('flags.id')
      .where('projects.key', '=', 'shop')
      .where('flags.key', '=', key)
      .executeTakeFirstOrThrow();
    return row.id;
  };
  const use = async (key: string, at: number): Promise<void> => {
    const row = {
      environment_id: environmentId,
      flag_id: await idOf(key),
      last_requested_at: at,
      last_default: null,
    };
    await server.app.kernel.db
      .insertInto('flag_usage')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['environment_id', 'flag_id']).doUpdateSet({ last_requested_at: at }),
      )
      .execute();
  };
  const turnOn = async (key: string): Promise<void> => {
    const { status, text } = await flags.instruct(key, 'production', [{ kind: 'turnFlagOn' }]);
    assert.equal(status, 200, text);
  };
  const sweep = () => removalSweep(server.app.kernel).run(AbortSignal.timeout(60_000));

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    server.clock.stop();
    await server.call('/api/v2/projects', { method: 'POST', body: { key: 'shop', name: 'Shop' } });
    flags = flagCalls(server, 'shop');
    const { status, text } = await server.call('/api/v2/projects/shop/environments/production', {
      method: 'PATCH',
      body: [{ op: 'replace', path: '/critical', value: true }],
    });
    assert.equal(status, 200, text);
    const { id } = await server.app.kernel.db
      .selectFrom('environments')
      .innerJoin('projects', 'projects.id', 'environments.project_id')
      .select('environments.id')
      .where('projects.key', '=', 'shop')
      .where('environments.key', '=', 'production')
      .executeTakeFirstOrThrow();
    environmentId = id;
  });
  after(() => server.stop());

  test('are those of the status API, with the reason', async () => {
    const [fresher, active, launched, inactive] = [
      await fresh(),
      await fresh(),
      await fresh(),
      await fresh(),
    ];
    await turnOn(launched);
    const begun = server.clock.now();
    assert.deepEqual((await states(fresher))[0], {
      key: fresher,
      lifecycle: 'new',
      reason: 'It was made within a week, and no SDK has asked for it yet.',
      week: [0, 0, 0, 0, 0, 0, 0],
      waitingApprovals: 0,
    });
    server.clock.ahead += 10 * DAY;
    await use(active, server.clock.now() - HOUR);
    await use(launched, server.clock.now() - HOUR);
    await use(inactive, begun);
    const seen = await states(fresher, active, launched, inactive);
    assert.deepEqual(
      seen.map(({ lifecycle, reason }) => [lifecycle, reason]),
      [
        ['inactive', 'No SDK has ever asked for it.'],
        ['active', 'SDKs ask for it, and it is off.'],
        ['launched', 'SDKs ask for it, and it has served the same to everybody for 10 days.'],
        ['inactive', 'No SDK has asked for it for 10 days.'],
      ],
    );
    for (const { key, lifecycle } of seen) {
      const { json } = await server.call(`/api/v2/flag-statuses/shop/production/${key as string}`);
      assert.equal(json['name'], lifecycle);
    }
  });

  test('have the evaluations of seven days, the last of which is today', async () => {
    const key = await fresh();
    const today = server.clock.now() - (server.clock.now() % DAY);
    const rows = [
      [today, 0, 3],
      [today, 1, 4],
      [today - DAY + HOUR, 0, 5],
      [today - 6 * DAY, 0, 6],
      [today - 7 * DAY, 0, 100],
    ].map(([hour, variation, count]) => ({
      environment_id: environmentId,
      flag_key: key,
      hour: hour!,
      variation: variation!,
      version: 1,
      sdk: 'x',
      count: count!,
    }));
    await server.app.kernel.db.insertInto('flag_evaluations').values(rows).execute();
    await use(key, today);
    const [{ week, lastEvaluated }] = (await states(key)) as [Json];
    assert.deepEqual([week, lastEvaluated], [[6, 0, 0, 0, 0, 5, 7], today]);
  });

  test('have the next scheduled change and the approvals that wait, of the environment', async () => {
    const key = await fresh();
    const at = `/api/v2/projects/shop/flags/${key}/environments`;
    const instructions = [{ kind: 'turnFlagOn' }];
    const ids: string[] = [];
    for (const hours of [5, 3, 9]) {
      const body = { executionDate: server.clock.now() + hours * HOUR, instructions };
      const { json } = await server.call(`${at}/production/scheduled-changes`, { method: 'POST', body });
      ids.push(json['_id'] as string);
    }
    for (const environment of ['production', 'production', 'test'])
      await server.call(`${at}/${environment}/approval-requests`, {
        method: 'POST',
        body: { description: 'Please', instructions },
      });
    const [{ nextChange, waitingApprovals }] = (await states(key)) as [Json];
    assert.deepEqual(nextChange, { at: server.clock.now() + 3 * HOUR, id: ids[1] });
    assert.equal(waitingApprovals, 2);
  });

  test('come in the order of the keys, each once, and only of flags that exist', async () => {
    const [one, other] = [await fresh(), await fresh()];
    const seen = await states(other, 'none-such', one, other, 'no%20key');
    assert.deepEqual(
      seen.map(({ key }) => key as string),
      [other, one],
    );
  });

  test('a temporary flag that has settled is ready to be removed, and found everywhere', async () => {
    const member = await join(server, `ada-${number}`, { role: 'writer' });
    const token = (await giveToken(server, member, { role: 'writer' })).value;
    const stranger = await giveToken(server, member, {
      inlinePolicy: [{ effect: 'allow', actions: ['*'], resources: ['member/me:attention/*', 'proj/other'] }],
    });
    const cards = async (secret: string) => {
      const { json, text, status } = await server.call('/signalbox/v1/attention', { token: secret });
      assert.equal(status, 200, text);
      return (json['items'] as Json[]).filter(({ kind }) => kind === 'removable-flags');
    };
    await server.call('/api/v2/projects', { method: 'POST', body: { key: 'shop2', name: 'Second' } });
    const settled = await fresh();
    const permanent = await fresh({ temporary: false });
    const rolledOut = await fresh();
    await turnOn(settled);
    const variations = (await flags.get(rolledOut))['variations'] as Json[];
    const weights = Object.fromEntries(variations.map(({ _id }) => [_id as string, 50_000]));
    const rollout = { kind: 'updateFallthroughVariationOrRollout', rolloutWeights: weights };
    await flags.instruct(rolledOut, 'production', [rollout, { kind: 'turnFlagOn' }]);
    server.clock.ahead += 31 * DAY;
    for (const key of [settled, permanent, rolledOut]) await use(key, server.clock.now());
    const seen = await states(settled, permanent, rolledOut);
    assert.equal(seen[0]!['lifecycle'], 'ready-to-remove');
    assert.match(
      seen[0]!['reason'],
      /^Everybody in Production has been served true for 31 days, and no other flag depends on it\.$/,
    );
    assert.deepEqual(
      seen.slice(1).map(({ lifecycle }) => lifecycle as string),
      ['active', 'active'],
    );
    const filtered = async (value: boolean) =>
      keysOf(await flags.list(`limit=100&filter=${encodeURIComponent(`readyToRemove:${value}`)}`));
    await sweep();
    assert.ok((await filtered(true)).includes(settled));
    for (const key of [permanent, rolledOut]) assert.ok((await filtered(false)).includes(key));
    const [card] = await cards(token);
    assert.deepEqual(
      [card!['title'], card!['count'], card!['action'].path],
      ['Shop', (await filtered(true)).length, 'flags/shop?filter=readyToRemove%3Atrue'],
    );
    assert.deepEqual(await cards(stranger.value), []);
    const [ready] = await find(settled);
    assert.deepEqual([ready!['isReadyToRemove'], ready!['isArchived']], [true, false]);
    await flags.instruct(settled, 'production', [{ kind: 'turnFlagOff' }]);
    await sweep();
    assert.ok(!(await filtered(true)).includes(settled));
  });

  test('flags that code names are found in every project that one may view, with where they are on', async () => {
    const key = await fresh();
    await turnOn(key);
    await server.call('/api/v2/projects', { method: 'POST', body: { key: 'shop3', name: 'Third' } });
    await flagCalls(server, 'shop3').make(key, {});
    const production = (isOn: boolean, isCritical: boolean) => ({
      key: 'production',
      name: 'Production',
      isCritical,
      isOn,
    });
    const inTest = { key: 'test', name: 'Test', isCritical: false, isOn: false };
    const name = (await flags.get(key))['name'];
    const common = { key, name, isArchived: false, isReadyToRemove: false, otherEnvironments: 0 };
    assert.deepEqual(await find('no key', 'none-such', '__proto__', key, key), [
      { ...common, project: { key: 'shop', name: 'Shop' }, environments: [production(true, true), inTest] },
      {
        ...common,
        project: { key: 'shop3', name: 'Third' },
        environments: [production(false, false), inTest],
      },
    ]);
    const { value } = await giveToken(server, await join(server, 'bob', { role: 'writer' }), {
      inlinePolicy: [{ effect: 'allow', actions: ['viewProject'], resources: ['proj/shop3'] }],
    });
    const seen = (await askFor([key], value)).json['items'] as Json[];
    assert.deepEqual(
      seen.map(({ project }) => (project as Json)['key'] as string),
      ['shop3'],
    );
    const many = Array.from({ length: 301 }, (_, index) => `k${index}`);
    for (const keys of [[], many]) assert.equal((await askFor(keys)).status, 422, `${keys.length} keys`);
  });

  test('what cannot be asked is refused', async () => {
    const key = await fresh();
    const many = Array.from({ length: 101 }, (_, index) => `key=k${index}`).join('&');
    for (const query of ['', 'environment=production', `key=${key}`, `environment=production&${many}`]) {
      const { status, text } = await ask(query);
      assert.ok(status === 400 || status === 422, `${query}: ${text}`);
    }
    assert.equal((await ask(`environment=nowhere&key=${key}`)).status, 404);
    assert.equal((await ask(`environment=production&key=${key}`, 'api-unknown')).status, 401);
    const bad = await server.call('/api/v2/flags/shop?filter=readyToRemove:maybe');
    assert.equal(bad.status, 400);
  });
});
