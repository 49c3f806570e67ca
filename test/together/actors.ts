// Concurrent changes of Actors, and of their builds and runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createActor, finishedRun } from '../actors.ts';
import { OBEDIENT } from '../actor-sources.ts';
import { eventually } from '../eventually.ts';
import type { Answer, Json, TestServer } from '../server.ts';
import { runClients } from './concurrent-clients.ts';

export function declareActors(server: () => TestServer): void {
  const call: TestServer['call'] = (path, init) => server().call(`/v2${path}`, init);
  const post = (path: string, body?: unknown) =>
    call(path, { method: 'POST', ...(body !== undefined && { body }) });
  const put = (path: string, body: unknown) => call(path, { method: 'PUT', body });
  const remove = (path: string) => call(path, { method: 'DELETE' });

  test('an Actor, its versions and its variables are changed', async () => {
    const { id } = (await post('/actors', { name: 'contested' })).json['data'];
    const at = `/actors/${id}`;
    await post(`${at}/versions`, { versionNumber: '0.1', sourceType: 'SOURCE_FILES', sourceFiles: [] });
    const changes: ((n: number) => Promise<Answer>)[] = [
      (n) => put(at, { title: `Title ${n}` }),
      (n) => put(at, { name: `contested-${n % 3}` }),
      (n) => put(`${at}/versions/0.1`, { buildTag: `tag-${n}` }),
      (n) =>
        post(`${at}/versions`, {
          versionNumber: `1.${n % 3}`,
          sourceType: 'GIT_REPO',
          gitRepoUrl: 'https://a.test/b',
        }),
      (n) => remove(`${at}/versions/1.${n % 3}`),
      (n) => post(`${at}/versions/0.1/env-vars`, { name: `V${n % 3}`, value: 'x', isSecret: n % 2 === 0 }),
      (n) => put(`${at}/versions/0.1/env-vars/V${n % 3}`, { value: `y${n}` }),
      (n) => remove(`${at}/versions/0.1/env-vars/V${n % 3}`),
    ];
    const { entries, count } = await runClients(
      server(),
      (client, round) => changes[client]!(client + round),
      {
        allowed: [200, 201, 204, 404, 409],
        isChained: false,
      },
    );
    assert.equal(entries.length, count(200, 201, 204));
    await runClients(server(), () => remove(at), { allowed: [204, 404], rounds: 1 });
  });

  test('runs of one Actor are started, aborted, revived and deleted', async () => {
    const actor = await createActor(server(), OBEDIENT, { name: 'busy' });
    const at = `/actors/${actor['id']}`;
    const runs: string[] = [];
    const start = async (): Promise<Answer> => {
      const answer = await post(`${at}/runs?memory=128`, { push: { a: 1 } });
      runs.push(answer.json['data'].id as string);
      return answer;
    };
    await start();
    const some = (n: number) => `/actor-runs/${runs[(n * 7) % runs.length]}`;
    const changes: ((n: number) => Promise<Answer>)[] = [
      start,
      (n) => post(`${some(n)}/abort`),
      (n) => post(`${some(n)}/reboot`),
      (n) => post(`${some(n)}/metamorph?targetActorId=${actor['id']}`, { exit: 0 }),
      (n) => post(`${some(n)}/resurrect`),
      (n) => post(`${some(n)}/charge`, { eventName: 'page' }),
      (n) => put(some(n), { statusMessage: `message ${n}` }),
      (n) => remove(some(n)),
    ];
    await runClients(server(), (client, round) => changes[client]!(client + round), {
      allowed: [200, 201, 204, 400, 403, 404, 409],
      isConditional: true,
      rounds: 4,
    });
    await post(`${at}/run-sync?memory=128`, { output: 1 });
    await post(`${at}/run-sync-get-dataset-items?memory=128`, { push: { a: 1 } });
    await post(`${at}/validate-input`, {});
    for (const id of runs) {
      if ((await call(`/actor-runs/${id}`)).status === 404) continue;
      await post(`/actor-runs/${id}/abort`);
      await finishedRun(server(), id);
    }
    const { total, items } = (await call(`${at}/runs`)).json['data'];
    assert.equal(total, items.length, 'the total of the list is exact');
    const { kernel } = server().app;
    const jobs = await kernel.db.selectFrom('jobs').selectAll().where('id', 'in', runs).execute();
    assert.deepEqual(jobs, [], 'no job is left');
  });

  test('a task is changed, run and deleted, and its Actor too', async () => {
    const actor = await createActor(server(), OBEDIENT, { name: 'with-tasks' });
    const actId = actor['id'] as string;
    const tasks: string[] = [];
    const create = async (n: number): Promise<Answer> => {
      const answer = await post('/actor-tasks', { actId, ...(n % 2 === 0 && { name: `shared-${n % 3}` }) });
      if (answer.status === 201) tasks.push(answer.json['data'].id as string);
      return answer;
    };
    for (let made = 0; made < 3; made += 1) await create(1);
    const some = (n: number) => `/actor-tasks/${tasks[(n * 7) % tasks.length]}`;
    const changes: ((n: number) => Promise<Answer>)[] = [
      create,
      (n) => put(some(n), { title: `Title ${n}`, options: { timeoutSecs: n } }),
      (n) => put(some(n), { name: `shared-${n % 3}`, input: { output: n } }),
      (n) => put(`${some(n)}/input`, { [`field${n}`]: n }),
      (n) => put(`${some(n)}/input`, { output: n }),
      (n) => put(some(n), { actorStandby: { idleTimeoutSecs: n } }),
      (n) => (n % 3 === 0 ? remove(some(n)) : create(n)),
      (n) => put(some(n), { isPublic: n % 2 === 0 }),
    ];
    const { entries, count } = await runClients(
      server(),
      (client, round) => changes[client]!(client + round),
      { allowed: [200, 201, 204, 404, 409], isChained: false },
    );
    assert.equal(entries.length, count(200, 201, 204));
    const { id } = (await post('/actor-tasks', { actId, options: { memoryMbytes: 128 } })).json['data'];
    const at = `/actor-tasks/${id}`;
    await post(`${at}/run-sync`, { output: 1 });
    await post(`${at}/run-sync-get-dataset-items`, { push: { a: 1 } });
    const races: (() => Promise<Answer>)[] = [
      () => post(`${at}/runs`, { sleep: 60_000 }),
      () => put(at, { title: 'Racing' }),
      () => put(`${at}/input`, { a: 1 }),
      () => remove(at),
    ];
    await runClients(server(), (client) => races[client % races.length]!(), {
      allowed: [200, 201, 204, 404],
      isConditional: true,
      rounds: 1,
    });
    await remove(at);
    // Of a deleted task no run goes on.
    await eventually(async () => {
      const { kernel } = server().app;
      const runs = kernel.db
        .selectFrom('runs')
        .select('id')
        .where('task_id', '=', id as string);
      return (await runs.where('finished_at', 'is', null).execute()).length === 0;
    }, 'the end of all runs of the task');
    await remove(`/actors/${actId}`);
    const left = (await call('/actor-tasks')).json['data'].items as Json[];
    assert.deepEqual(
      left.filter((task) => task['actId'] === actId),
      [],
    );
  });

  test('builds of one version are started, aborted and deleted', async () => {
    const { id } = (await post('/actors', { name: 'built' })).json['data'];
    const at = `/actors/${id}`;
    await post(`${at}/versions`, {
      versionNumber: '0.1',
      sourceType: 'SOURCE_FILES',
      sourceFiles: [{ name: 'main.js', format: 'TEXT', content: '' }],
    });
    const builds: string[] = [];
    const start = async (): Promise<Answer> => {
      const answer = await post(`${at}/builds?version=0.1`);
      builds.push(answer.json['data'].id as string);
      return answer;
    };
    await start();
    const some = (n: number) => `/actor-builds/${builds[(n * 7) % builds.length]}`;
    await runClients(
      server(),
      (client, round) => {
        const n = client + round;
        if (client % 4 === 0) return start();
        return client % 4 === 3 ? remove(some(n)) : post(`${some(n)}/abort`);
      },
      { allowed: [200, 201, 204, 400, 404], rounds: 3 },
    );
    for (const build of builds) await post(`/actor-builds/${build}/abort`);
    const numbers = (await call(`${at}/builds`)).json['data'].items.map((item: Json) => item['buildNumber']);
    assert.equal(new Set(numbers).size, numbers.length, 'no number is given twice');
  });

  test('schedules are created, changed, invoked and deleted', async () => {
    const actor = await createActor(server(), OBEDIENT, { name: 'scheduled' });
    const actions = [{ type: 'RUN_ACTOR', actorId: actor['id'], runOptions: { memoryMbytes: 128 } }];
    const { id } = (await post('/schedules', { name: 'contested', actions })).json['data'];
    const at = `/schedules/${id}`;
    const changes: ((n: number) => Promise<Answer>)[] = [
      (n) => put(at, { title: `Title ${n}` }),
      (n) => put(at, { name: `contested-${n % 3}` }),
      (n) => put(at, { isEnabled: n % 2 === 0, cronExpression: n % 3 === 0 ? '@daily' : '0 5 * * *' }),
      () => put(at, { actions }),
      (n) => post('/schedules', { name: `extra-${n % 3}` }),
      () => put(at, { actions: [...actions, ...actions] }),
      (n) => put(at, { timezone: n % 2 === 0 ? 'UTC' : 'Asia/Tokyo' }),
      (n) => post('/schedules', { name: `extra-${n % 3}`, isEnabled: true }),
    ];
    const { entries, count } = await runClients(
      server(),
      (client, round) => changes[client]!(client + round),
      { allowed: [200, 201, 409], isChained: false },
    );
    assert.equal(entries.length, count(200, 201));
    await runClients(server(), () => post(`${at}/invoke`), {
      allowed: [201],
      isConditional: true,
      rounds: 2,
    });
    const schedules = (await call('/schedules')).json['data'].items as Json[];
    const { kernel } = server().app;
    for (const { id: one, nextRunAt } of schedules) {
      const due = await kernel.db
        .selectFrom('due')
        .select('due_at')
        .where('payload', '=', one as string)
        .execute();
      const expected = nextRunAt === null ? [] : [{ due_at: Date.parse(nextRunAt as string) }];
      assert.deepEqual(due, expected, 'the due row follows the schedule');
    }
    await runClients(server(), () => remove(at), { allowed: [204, 404], rounds: 1 });
    const { items } = (await call(`/actors/${actor['id']}/runs`)).json['data'];
    for (const run of items as Json[]) {
      await post(`/actor-runs/${run['id']}/abort`);
      await finishedRun(server(), run['id'] as string);
    }
  });
}
