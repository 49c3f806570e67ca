// For which kinds of contexts flags were evaluated, as SDKs report it: `expand=evaluation`, and the filter of lists.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import type { Json, TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { keysOf } from '../feature-flags/feature-flag-calls.ts';
import { openEventProject, type EventProject } from '../events/calls.ts';

const DAY = 24 * 60 * 60 * 1000;

onEachEngine((engine) => {
  let server: TestServer;
  let project: EventProject;
  onServer(engine, {}, async (started) => {
    server = started;
    project = await openEventProject(server);
  });

  const summary = (contextKinds: unknown, flag = 'shown'): Json => ({
    kind: 'summary',
    startDate: 1,
    endDate: 2,
    features: { [flag]: { default: false, contextKinds, counters: [{ value: true, count: 1, version: 1 }] } },
  });

  async function send(...events: Json[]): Promise<void> {
    const { status, text } = await project.events.send(events);
    assert.equal(status, 202, text);
    await project.events.save();
  }

  async function kindsOf(environment = 'test', flag = 'shown'): Promise<string[]> {
    const { environments } = await project.home.flags.get(flag, '?expand=evaluation');
    return environments[environment].evaluation.contextKinds as string[];
  }

  test('F11 a flag has the context kinds of its evaluations, each once, in the environment where they were', async () => {
    assert.deepEqual(await kindsOf(), []);
    await send(summary(['user']), summary(['organization', 'user']));
    await send(summary(['device']));
    assert.deepEqual(await kindsOf(), ['device', 'organization', 'user']);
    assert.deepEqual(await kindsOf('production'), []);
    const { items } = await project.home.flags.list('env=test&expand=evaluation');
    assert.deepEqual(items[0].environments.test.evaluation, {
      contextKinds: ['device', 'organization', 'user'],
    });
    const [plain] = (await project.home.flags.list('env=test')).items;
    assert.equal(plain.environments.test.evaluation, undefined);
  });

  test('single evaluations count too, of one context or of several at once, by old SDKs and new', async () => {
    const feature = { kind: 'feature', creationDate: 1, key: 'shown', value: true, default: false };
    await send({ ...feature, context: { kind: 'org', key: 'o' } });
    await send({
      ...feature,
      kind: 'debug',
      context: { kind: 'multi', team: { key: 't' }, car: { key: 'c' } },
    });
    await send({ ...feature, contextKeys: { bike: 'b' } });
    await send({ ...feature, user: { key: 'u' } });
    assert.deepEqual(await kindsOf(), ['bike', 'car', 'org', 'team', 'user']);
  });

  test('lists find flags by the kinds that they were evaluated for, all of those in the filter', async () => {
    const { flags } = project.home;
    await flags.make('other');
    await send(summary(['user', 'device']), summary(['user'], 'other'));
    const found = async (filter: string) =>
      keysOf(await flags.list(`sort=key&filter=${encodeURIComponent(filter)}`));
    assert.deepEqual(await found('contextKindsEvaluated:user'), ['other', 'shown']);
    assert.deepEqual(await found('contextKindsEvaluated:user+device'), ['shown']);
    assert.deepEqual(await found('contextKindsEvaluated:device,filterEnv:test'), ['shown']);
    assert.deepEqual(await found('contextKindsEvaluated:device,filterEnv:production'), []);
    assert.deepEqual(await found('contextKindsEvaluated:never'), []);
  });

  test('what was evaluated more than thirty days ago is forgotten', async () => {
    await send(summary(['user']), summary(['device']));
    server.clock.ahead += 29 * DAY;
    await send(summary(['user']));
    server.clock.ahead += 2 * DAY;
    assert.deepEqual(await kindsOf(), ['user']);
    const list = await project.home.flags.list('filter=contextKindsEvaluated:device');
    assert.equal(list.totalCount, 0);
  });

  test('kinds that cannot be, and more than twenty of a flag, are left out', async () => {
    await send(summary(['kind', 'multi', '', 'a b', 'x'.repeat(300), 7, null]), summary('user'));
    assert.deepEqual(await kindsOf(), []);
    const made = Array.from({ length: 50 }, (_, index) => `made-${index}`);
    await send(summary(made.slice(0, 30)));
    await send(summary(made.slice(20)));
    assert.equal((await kindsOf()).length, 20);
  });

  test('they go with the flag', async () => {
    await send(summary(['user']));
    await project.home.rest(`flags/${project.home.project}/shown`, { method: 'DELETE' });
    await project.home.flags.make('shown');
    assert.deepEqual(await kindsOf(), []);
  });
});
