// Assignees of issues on a running server: who can be one, who adds and removes them, and what becomes of those whose account ends.
import assert from 'node:assert/strict';
import { makeApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { expectAnswer } from '../../../host-crew.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startNodes, type Nodes } from '../../../suites.ts';

onEachEngine((engine) => {
  let nodes: Nodes;
  let server: TestServer;
  let ada: HostPerson;
  let tom: HostPerson;
  let bob: HostPerson;

  before(async () => {
    nodes = await startNodes(engine);
    ({ server } = nodes);
    [ada, tom, bob] = await Promise.all([
      joinHost(server, 'ada'),
      joinHost(server, 'tom'),
      joinHost(server, 'bob'),
    ]);
  });
  after(() => nodes.stop());

  async function newRepository(name: string, fields: Json = {}): Promise<string> {
    await ada.repository(name, fields);
    await expectAnswer(204, ada.put(`/repos/ada/${name}/collaborators/tom`, { permission: 'triage' }));
    return `/repos/ada/${name}`;
  }

  const loginsOf = (users: unknown) => (users as Json[]).map(({ login }) => login as string).toSorted();

  test('those with a role can be assigned, and to an issue of a public repository its author', async () => {
    const path = await newRepository('roles');
    await expectAnswer(201, bob.post(`${path}/issues`, { title: 'x' }));
    await expectAnswer(201, ada.post(`${path}/issues`, { title: 'y' }));
    const { json, headers } = await server.call(`${path}/assignees?per_page=1`, { token: null });
    assert.equal((json as unknown as Json[]).length, 1);
    assert.match(headers.get('link') ?? '', /page=2>; rel="last"/);
    assert.deepEqual(loginsOf((await bob.get(`${path}/assignees`)).json), ['ada', 'tom']);
    for (const [at, status] of Object.entries({
      [`${path}/assignees/ada`]: 204,
      [`${path}/assignees/TOM`]: 204,
      [`${path}/assignees/bob`]: 404,
      [`${path}/assignees/nobody`]: 404,
      [`${path}/issues/1/assignees/tom`]: 204,
      [`${path}/issues/1/assignees/bob`]: 204,
      [`${path}/issues/2/assignees/bob`]: 404,
      [`${path}/issues/3/assignees/tom`]: 404,
    }))
      assert.equal((await server.call(at, { token: null })).status, status, at);
    await expectAnswer(200, ada.patch(path, { private: true }));
    assert.equal((await ada.get(`${path}/issues/1/assignees/bob`)).status, 404);
  });

  test('assignees are added and removed by those who triage, and others change nothing', async () => {
    const path = await newRepository('adding');
    await expectAnswer(201, bob.post(`${path}/issues`, { title: 'x' }));
    const at = `${path}/issues/1/assignees`;
    const ignored = await expectAnswer(201, bob.post(at, { assignees: ['tom'] }));
    assert.deepEqual(ignored['assignees'], []);
    const added = await expectAnswer(201, tom.post(at, { assignees: ['TOM', 'nobody', 'tom'] }));
    assert.deepEqual(loginsOf(added['assignees']), ['tom']);
    const more = await expectAnswer(201, tom.post(at, { assignees: ['ada', 'bob'] }));
    assert.deepEqual(loginsOf(more['assignees']), ['ada', 'bob', 'tom']);
    assert.deepEqual(loginsOf((await expectAnswer(201, tom.post(at)))['assignees']).length, 3);
    const kept = await expectAnswer(200, bob.delete(at, { assignees: ['tom'] }));
    assert.deepEqual(loginsOf(kept['assignees']), ['ada', 'bob', 'tom']);
    const fewer = await expectAnswer(200, tom.delete(at, { assignees: ['ADA', 'nobody'] }));
    assert.deepEqual(loginsOf(fewer['assignees']), ['bob', 'tom']);
    for (const body of [{ assignees: 'tom' }, { assignees: [7] }, { assignees: ['x\0'] }])
      assert.equal((await tom.post(at, body)).status, 422);
    assert.equal((await tom.delete(at, {})).status, 422);
    assert.equal((await tom.post(`${path}/issues/9/assignees`, { assignees: ['tom'] })).status, 404);
    assert.equal((await server.call(at, { method: 'POST', body: {}, token: null })).status, 401);
  });

  test('an issue has ten assignees at most, also when they come at once', async () => {
    const path = await newRepository('many');
    const people = await Promise.all(Array.from({ length: 12 }, (_, index) => joinHost(server, `m${index}`)));
    for (const { login } of people)
      await expectAnswer(204, ada.put(`${path}/collaborators/${login}`, { permission: 'pull' }));
    const logins = people.map(({ login }) => login);
    const { number } = await expectAnswer(
      201,
      ada.post(`${path}/issues`, { title: 'x', assignees: logins.slice(0, 8) }),
    );
    const at = `${path}/issues/${number}/assignees`;
    const answers = await Promise.all(logins.slice(8).map((login) => tom.post(at, { assignees: [login] })));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((one, other) => one - other),
      [201, 201, 422, 422],
    );
    const issue = (await ada.get(`${path}/issues/${number}`)).json;
    assert.equal((issue['assignees'] as Json[]).length, 10);
    assert.equal((await ada.patch(`${path}/issues/${number}`, { assignees: logins })).status, 422);
    await expectAnswer(200, ada.patch(`${path}/issues/${number}`, { assignees: logins.slice(0, 1) }));
  });

  test('a removed member is assigned to nothing', async () => {
    const path = await newRepository('leaving');
    const zoe = await joinHost(server, 'zoe');
    await expectAnswer(204, ada.put(`${path}/collaborators/zoe`, { permission: 'push' }));
    for (const assignees of [['zoe'], ['zoe', 'tom']])
      await expectAnswer(201, ada.post(`${path}/issues`, { title: assignees.join(' '), assignees }));
    const removed = await server.call(`/api/v2/members/${zoe.member.id}`, { method: 'DELETE' });
    assert.equal(removed.status, 204, removed.text);
    const titles = async (query: string) =>
      ((await ada.get(`${path}/issues?${query}`)).json as unknown as Json[]).map(
        ({ title }) => title as string,
      );
    await eventually(async () => (await titles('assignee=none')).length === 1, 'the list without assignees');
    await eventually(async () => {
      const { json } = await ada.get(`${path}/issues/2`);
      return (json['updated_at'] as string) >= (json['created_at'] as string) && (await rowsOf(zoe)) === 0;
    }, 'the end of the assignments');
    assert.deepEqual(await titles('assignee=none'), ['zoe']);
    assert.deepEqual(await titles('assignee=*'), ['zoe tom']);
    assert.deepEqual(loginsOf((await ada.get(`${path}/issues/2`)).json['assignees']), ['tom']);
    assert.equal((await ada.get(`${path}/issues?assignee=zoe`)).status, 422);
  });

  async function rowsOf({ member }: HostPerson): Promise<number> {
    const { db } = server.app.kernel;
    const rows = await db
      .selectFrom('issue_assignees')
      .selectAll()
      .where('account_id', '=', member.id)
      .execute();
    return rows.length;
  }

  test('the count of open issues is true on the other node at once', async () => {
    const path = await newRepository('counted');
    const reader = nodes.other ?? server;
    const counts = async () => {
      const one = (await reader.call(path, { token: ada.token })).json;
      const list = (await reader.call('/user/repos?per_page=100', { token: ada.token }))
        .json as unknown as Json[];
      const listed = list.find(({ name }) => name === 'counted')!;
      return [one['open_issues_count'], one['open_issues'], listed['open_issues_count']];
    };
    assert.deepEqual(await counts(), [0, 0, 0]);
    for (let index = 0; index < 3; index += 1)
      await expectAnswer(201, bob.post(`${path}/issues`, { title: 'x' }));
    const settled = (count: number) =>
      eventually(async () => (await counts()).every((one) => one === count), `${count} open issues`);
    await settled(3);
    await expectAnswer(200, bob.patch(`${path}/issues/2`, { state: 'closed' }));
    await settled(2);
    await expectAnswer(200, bob.patch(`${path}/issues/2`, { state: 'open' }));
    await settled(3);
  });

  test('an app creates and changes issues with the permission for them, where it is installed', async () => {
    const path = await newRepository('apps', { private: true });
    const { id } = (await ada.get(path)).json;
    await newRepository('elsewhere');
    const app = await makeApp(server, 'ada', {
      name: 'Issue keeper',
      permissions: { issues: 'write', metadata: 'read' },
    });
    const installation = await app.install('ada', [id as number]);
    const token = await app.token(installation);
    const call = (method: string, at: string, body?: Json) =>
      server.call(at, { method, token, ...(body && { body }) });
    const created = await call('POST', `${path}/issues`, {
      title: 'By an app',
      labels: ['bot'],
      assignees: ['tom'],
    });
    assert.equal(created.status, 201, created.text);
    assert.deepEqual([created.json['user'].type, loginsOf(created.json['assignees'])], ['Bot', ['tom']]);
    assert.equal((await call('PATCH', `${path}/issues/1`, { state: 'closed' })).status, 200);
    assert.equal((await call('PUT', `${path}/issues/1/lock`)).status, 204);
    assert.equal((await call('GET', `${path}/issues`)).status, 200);
    assert.equal((await call('GET', `${path}/assignees`)).status, 200);
    assert.equal((await call('POST', '/repos/ada/elsewhere/issues', { title: 'x' })).status, 403);
    for (const at of ['/issues', '/user/issues']) assert.equal((await call('GET', at)).status, 403, at);
    const reading = await app.token(installation, { permissions: { issues: 'read' } });
    const denied = await server.call(`${path}/issues`, {
      method: 'POST',
      token: reading,
      body: { title: 'x' },
    });
    assert.equal(denied.status, 403);
    assert.equal((await server.call(`${path}/issues/1`, { token: reading })).status, 200);
    const without = await app.token(installation, { permissions: { metadata: 'read' } });
    assert.ok([403, 404].includes((await server.call(`${path}/issues/1`, { token: without })).status));
    assert.ok([403, 404].includes((await server.call(`${path}/issues`, { token: without })).status));
  });
});
