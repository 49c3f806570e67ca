// Least policies by task: each is given to a token, which does the task by real calls and is refused something else.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import { createActor, finishedRun } from '../../../actors.ts';
import { OBEDIENT } from '../../../actor-sources.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { expect, OFF, ON, openFlagProject, SEMANTIC } from '../../flags/control-calls.ts';
import { needsGit } from '../../../../src/host/git/fixture-repository.ts';

/** Calls with a token that has the policy of a task. */
type TaskCall = (path: string, init?: CallInit) => ReturnType<TestServer['call']>;

onEachEngine((engine) => {
  let server: TestServer;
  let tasks: Json[] = [];
  const done = new Set<string>();
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    tasks = (await expect(200, server.call('/signalbox/v1/token-tasks'))).json['items'];
  });
  after(() => server.stop());

  /** Creates the token as the console does: with the statements of the task, its parameters filled in. */
  async function tokenFor(id: string, values: Record<string, string> = {}): Promise<TaskCall> {
    const task = tasks.find((one) => one['id'] === id)!;
    assert.deepEqual(task['parameters'].toSorted(), Object.keys(values).toSorted());
    const filled = JSON.stringify(task['inlinePolicy']).replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => values[name]!,
    );
    const body = { name: task['title'], inlineRole: JSON.parse(filled) };
    const { json } = await expect(201, server.call('/api/v2/tokens', { method: 'POST', body }));
    done.add(id);
    return (path, init = {}) => server.call(path, { token: json['token'], ...init });
  }

  /** The flags API answers 401 where a permission is missing, and names it. */
  async function refused(answer: ReturnType<TestServer['call']>): Promise<void> {
    const { status, text, json } = await answer;
    assert.ok(status === 403 || (status === 401 && json['access'] !== undefined), `${status} ${text}`);
  }

  const turn = (call: TaskCall, path: string, environmentKey: string, instruction: object) =>
    call(path, { method: 'PATCH', headers: SEMANTIC, body: { environmentKey, instructions: [instruction] } });

  test('a token reads the flags of one project, changes none, and sees no other project', async () => {
    const [{ project }, other] = [await openFlagProject(server), await openFlagProject(server)];
    const call = await tokenFor('read-flags', { project });
    await expect(200, call(`/api/v2/flags/${project}`));
    await expect(200, call(`/api/v2/flags/${project}/banner`));
    await expect(200, call(`/api/v2/projects/${project}/environments/test`));
    await refused(turn(call, `/api/v2/flags/${project}/banner`, 'test', ON));
    await refused(call(`/api/v2/flags/${other.project}`));
  });

  test('a token changes flags in one environment, and neither in others nor what they share', async () => {
    const { project, isOn } = await openFlagProject(server);
    const call = await tokenFor('change-flags', { project, environment: 'test' });
    const path = `/api/v2/flags/${project}/banner`;
    const { variations } = (await expect(200, call(path))).json;
    await expect(200, turn(call, path, 'test', ON));
    assert.equal(await isOn(), true);
    const clauses = [{ attribute: 'country', op: 'in', values: ['de'] }];
    await expect(200, turn(call, path, 'test', { kind: 'addRule', clauses, variationId: variations[0]._id }));
    const target = { contextKind: 'user', values: ['ada'], variationId: variations[0]._id };
    await expect(200, turn(call, path, 'test', { kind: 'addTargets', ...target }));
    const fallthrough = { kind: 'updateFallthroughVariationOrRollout', variationId: variations[1]._id };
    await expect(200, turn(call, path, 'test', fallthrough));
    const off = { kind: 'updateOffVariation', variationId: variations[0]._id };
    await expect(200, turn(call, path, 'test', off));
    const body = { key: 'base', name: 'Base' };
    const { json: base } = await expect(
      201,
      server.call(`/api/v2/flags/${project}`, { method: 'POST', body }),
    );
    const prerequisite = { key: 'base', variationId: base['variations'][0]._id };
    await expect(200, turn(call, path, 'test', { kind: 'addPrerequisite', ...prerequisite }));
    await expect(200, turn(call, path, 'test', OFF));
    await refused(turn(call, path, 'production', ON));
    await refused(turn(call, path, 'test', { kind: 'updateName', value: 'Other' }));
    await refused(call(path, { method: 'DELETE' }));
    await refused(call(`/api/v2/flags/${project}`, { method: 'POST', body: { key: 'new', name: 'New' } }));
  });

  test('a token creates the configuration of a relay for one environment, and for no other', async () => {
    const { project } = await openFlagProject(server);
    const call = await tokenFor('serve-relay', { project, environment: 'test' });
    const create = (resource: string) =>
      call('/api/v2/account/relay-auto-configs', {
        method: 'POST',
        body: { name: 'Relay', policy: [{ effect: 'allow', actions: ['*'], resources: [resource] }] },
      });
    const { json } = await expect(201, create(`proj/${project}:env/test`));
    await expect(200, call(`/api/v2/account/relay-auto-configs/${json['_id']}`));
    await refused(create(`proj/${project}:env/*`));
    await refused(call(`/api/v2/flags/${project}`));
    await refused(call(`/api/v2/account/relay-auto-configs/${json['_id']}`, { method: 'DELETE' }));
  });

  test('a token sends the references of one repository, and deletes none', async () => {
    const { project } = await openFlagProject(server);
    const call = await tokenFor('send-code-references', { project, repository: 'shop' });
    const repositories = '/api/v2/code-refs/repositories';
    await expect(200, call(`/api/v2/flags/${project}`));
    await expect(200, call(repositories, { method: 'POST', body: { name: 'shop' } }));
    const hunk = { startingLineNumber: 1, lines: 'if (flag) {', projKey: project, flagKey: 'banner' };
    const body = { name: 'main', head: 'a1', syncTime: 1000, references: [{ path: 'a.js', hunks: [hunk] }] };
    await expect(200, call(`${repositories}/shop/branches/main`, { method: 'PUT', body }));
    await refused(call(repositories, { method: 'POST', body: { name: 'other' } }));
    await refused(call(`${repositories}/shop`, { method: 'DELETE' }));
    await refused(turn(call, `/api/v2/flags/${project}/banner`, 'test', ON));
  });

  test('a token exports the audit log, entries of projects and of accounts included, and changes nothing', async () => {
    const { project } = await openFlagProject(server);
    await expect(201, server.call('/v2/datasets?name=audited', { method: 'POST' }));
    const call = await tokenFor('export-audit-log');
    const { items } = (await expect(200, call('/api/v2/auditlog?limit=20'))).json;
    const entries = await expect(200, call(`/api/v2/auditlog?spec=proj/${project}`));
    assert.ok(entries.json['items'].length > 0);
    await expect(200, call(`/api/v2/auditlog/${items[0]._id}`));
    const activity = await expect(200, call('/signalbox/v1/activity?product=actors'));
    assert.ok(activity.json['items'].length > 0);
    await refused(call('/api/v2/projects', { method: 'POST', body: { key: 'more', name: 'More' } }));
    await refused(call('/api/v2/members'));
  });

  test('a token builds one Actor and reads the log, and another runs it and reads its results; neither does more', async () => {
    const { id: actor } = await createActor(server, OBEDIENT);
    const builder = await tokenFor('build-actors', { actor });
    const version = await expect(200, builder(`/v2/actors/${actor}/versions/0.1`));
    const { sourceFiles } = version.json['data'];
    await expect(200, builder(`/v2/actors/${actor}/versions/0.1`, { method: 'PUT', body: { sourceFiles } }));
    const build = await expect(201, builder(`/v2/actors/${actor}/builds?version=0.1`, { method: 'POST' }));
    await expect(200, builder(`/v2/actor-builds/${build.json['data'].id}?waitForFinish=60`));
    await expect(200, builder(`/v2/logs/${build.json['data'].id}`));
    await refused(builder(`/v2/actors/${actor}/runs`, { method: 'POST' }));
    await refused(builder(`/v2/actors/${actor}`, { method: 'DELETE' }));

    const runner = await tokenFor('run-actors');
    const input = { push: [{ a: 1 }], output: { b: 2 }, log: 'here' };
    const begun = await expect(201, runner(`/v2/actors/${actor}/runs`, { method: 'POST', body: input }));
    const run = await finishedRun({ call: runner }, begun.json['data'].id);
    assert.equal(run['status'], 'SUCCEEDED');
    const items = await expect(200, runner(`/v2/datasets/${run['defaultDatasetId']}/items`));
    assert.deepEqual(JSON.parse(items.text), [{ a: 1 }]);
    const store = `/v2/key-value-stores/${run['defaultKeyValueStoreId']}`;
    await expect(200, runner(`${store}/records/OUTPUT`));
    assert.match((await expect(200, runner(`/v2/logs/${run['id']}`))).text, /here/);
    await refused(runner(`${store}/records/OUTPUT`, { method: 'PUT', body: {} }));
    await refused(runner(`/v2/actors/${actor}/builds?version=0.1`, { method: 'POST' }));
    await refused(runner(`/v2/actors/${actor}`, { method: 'DELETE' }));
  });

  test('a token writes to datasets and stores, and reads nothing', async () => {
    const call = await tokenFor('write-storages');
    const dataset = (await expect(201, call('/v2/datasets?name=written', { method: 'POST' }))).json['data']
      .id;
    await expect(201, call(`/v2/datasets/${dataset}/items`, { method: 'POST', body: [{ a: 1 }] }));
    const store = (await expect(201, call('/v2/key-value-stores?name=written', { method: 'POST' }))).json[
      'data'
    ].id;
    await expect(201, call(`/v2/key-value-stores/${store}/records/a`, { method: 'PUT', body: { a: 1 } }));
    await refused(call(`/v2/datasets/${dataset}/items`));
    await refused(call(`/v2/key-value-stores/${store}/records/a`));
    await refused(call(`/v2/datasets/${dataset}`, { method: 'DELETE' }));
    await refused(call('/v2/request-queues?name=written', { method: 'POST' }));
  });

  test('a token pushes to and reads one repository, and sees no other private one', needsGit, async () => {
    for (const name of ['site', 'other'])
      await expect(
        201,
        server.call('/user/repos', { method: 'POST', body: { name, private: true, auto_init: true } }),
      );
    const call = await tokenFor('push-repository', { owner: 'admin', repository: 'site' });
    await expect(200, call('/repos/admin/site/contents/README.md'));
    const file = { message: 'More', content: Buffer.from('more').toString('base64') };
    await expect(201, call('/repos/admin/site/contents/more.txt', { method: 'PUT', body: file }));
    for (const service of ['git-upload-pack', 'git-receive-pack'])
      await expect(200, call(`/admin/site.git/info/refs?service=${service}`));
    await expect(404, call('/repos/admin/other'));
    await expect(404, call('/admin/other.git/info/refs?service=git-receive-pack'));
    await refused(call('/repos/admin/site', { method: 'DELETE' }));
    await refused(call('/repos/admin/site/issues', { method: 'POST', body: { title: 'One' } }));
    await refused(call('/repos/admin/site/hooks'));
  });

  test('a token reads in all APIs, and writes in none', async () => {
    const { project } = await openFlagProject(server);
    const call = await tokenFor('read-everything');
    for (const path of [
      `/api/v2/flags/${project}`,
      '/api/v2/members',
      '/v2/actors',
      '/v2/datasets',
      '/user/repos',
      '/signalbox/v1/tokens',
    ])
      await expect(200, call(path));
    await refused(turn(call, `/api/v2/flags/${project}/banner`, 'test', ON));
    await refused(call('/v2/datasets?name=none', { method: 'POST' }));
    await refused(call('/user/repos', { method: 'POST', body: { name: 'none' } }));
    await refused(call('/api/v2/tokens', { method: 'POST', body: { role: 'reader' } }));
  });

  test('every task was done with its policy, and anyone with a token may read them', needsGit, async () => {
    assert.deepEqual([...done].toSorted(), tasks.map(({ id }) => id as string).toSorted());
    assert.equal((await server.call('/signalbox/v1/token-tasks', { token: null })).status, 401);
  });
});
