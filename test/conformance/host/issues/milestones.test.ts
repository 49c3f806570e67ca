// Milestones on a running server: created, listed, changed, closed and deleted, and what is refused.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { startServerOn } from '../../../suites.ts';
import type { Json, TestServer } from '../../../server.ts';
import { giveIssue, readIssue } from '../../../host-issues.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;
  let eve: HostPerson;
  const OPEN = '/repos/ada/open/milestones';
  const HIDDEN = '/repos/ada/hidden/milestones';

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    [ada, bob, eve] = await Promise.all([
      joinHost(server, 'ada'),
      joinHost(server, 'bob'),
      joinHost(server, 'eve'),
    ]);
    await ada.repository('open');
    await ada.repository('hidden', { private: true });
  });
  after(() => server.stop());

  async function create(path: string, body: Json): Promise<Json> {
    const { status, text, json } = await ada.post(path, body);
    assert.equal(status, 201, text);
    return json;
  }

  async function eventsOf(milestone: Json): Promise<Json[]> {
    const rows = await server.app.kernel.db
      .selectFrom('host_events')
      .select(['action', 'details'])
      .where('name', '=', 'milestone')
      .orderBy('number')
      .execute();
    return rows
      .map(({ action, details }): Json => ({ action, ...(JSON.parse(details) as Json) }))
      .filter((one) => one['milestone'].milestone.id === milestone['id']);
  }

  test('a milestone is created, read, changed, closed, reopened and deleted', async () => {
    const due = '2027-03-04T05:06:07Z';
    const created = await ada.post(OPEN, { title: ' First ', description: 'A plan', due_on: due });
    assert.equal(created.status, 201, created.text);
    const shown = created.json;
    const path = `${OPEN}/${shown['number']}`;
    assert.deepEqual(
      [shown['title'], shown['description'], shown['state'], shown['due_on'], shown['creator'].login],
      ['First', 'A plan', 'open', due, 'ada'],
    );
    assert.deepEqual(
      [shown['url'], shown['labels_url']],
      [`${server.url}${path}`, `${server.url}${path}/labels`],
    );
    assert.equal(created.headers.get('location'), shown['url']);
    assert.deepEqual((await server.call(path, { token: null })).json, shown);
    const closed = await ada.patch(path, {
      title: 'Second',
      description: null,
      due_on: null,
      state: 'closed',
    });
    assert.equal(closed.status, 200, closed.text);
    assert.deepEqual(
      [closed.json['title'], closed.json['description'], closed.json['due_on'], closed.json['state']],
      ['Second', null, null, 'closed'],
    );
    assert.ok(closed.json['closed_at']);
    assert.deepEqual((await ada.patch(path, { state: 'closed', title: 'Second' })).json, closed.json);
    const reopened = await ada.patch(path, { state: 'open', due_on: '2027-05-06' });
    assert.deepEqual(
      [reopened.json['state'], reopened.json['closed_at'], reopened.json['due_on']],
      ['open', null, '2027-05-06T00:00:00Z'],
    );
    assert.equal((await ada.delete(path)).status, 204);
    for (const answer of [await ada.get(path), await ada.patch(path, { title: 'x' }), await ada.delete(path)])
      assert.equal(answer.status, 404, answer.text);
    assert.equal((await ada.get(`${path}/labels`)).status, 404);
    const events = await eventsOf(shown);
    assert.deepEqual(
      events.map(({ action, changes }) => [action, changes]),
      [
        ['created', undefined],
        ['edited', { title: { from: 'First' }, description: { from: 'A plan' }, due_on: { from: due } }],
        ['closed', undefined],
        ['edited', { due_on: { from: '' } }],
        ['opened', undefined],
        ['deleted', undefined],
      ],
    );
    const next = await create(OPEN, { title: 'First', state: 'closed' });
    assert.equal(next['number'], (shown['number'] as number) + 1);
    assert.equal(next['closed_at'], next['created_at']);
    assert.equal((await ada.delete(`${OPEN}/${next['number']}`)).status, 204);
  });

  test('two milestones of a repository have different titles', async () => {
    await create(OPEN, { title: 'Taken' });
    const other = await create(OPEN, { title: 'Free' });
    for (const answer of [
      await ada.post(OPEN, { title: 'Taken' }),
      await ada.patch(`${OPEN}/${other['number']}`, { title: 'Taken', state: 'closed' }),
    ]) {
      assert.equal(answer.status, 422, answer.text);
      const [error] = answer.json['errors'] as Json[];
      assert.deepEqual(
        [error!['resource'], error!['field'], error!['code']],
        ['Milestone', 'title', 'already_exists'],
      );
    }
    assert.deepEqual((await ada.get(`${OPEN}/${other['number']}`)).json, other);
    await create(HIDDEN, { title: 'Taken' });
  });

  test('bad titles, states and times are refused', async () => {
    const { number } = await create(OPEN, { title: 'Steady' });
    const wrong: [body: Json, field: string][] = [
      [{ title: '' }, 'title'],
      [{ title: '  ' }, 'title'],
      [{ title: 'x'.repeat(257) }, 'title'],
      [{ title: 'a\0b' }, 'title'],
      [{ title: 5 }, 'title'],
      [{ title: null }, 'title'],
      [{ title: 'x', state: 'all' }, 'state'],
      [{ title: 'x', description: 5 }, 'description'],
      [{ title: 'x', description: 'x'.repeat(65_537) }, 'description'],
      [{ title: 'x', due_on: 'tomorrow' }, 'due_on'],
      [{ title: 'x', due_on: '2027-13-01T00:00:00Z' }, 'due_on'],
      [{ title: 'x', due_on: '+012027-01-01' }, 'due_on'],
      [{ title: 'x', due_on: 1_800_000_000 }, 'due_on'],
    ];
    for (const [body, field] of wrong)
      for (const answer of [await ada.post(OPEN, body), await ada.patch(`${OPEN}/${number}`, body)]) {
        assert.equal(answer.status, 422, `${JSON.stringify(body).slice(0, 80)} ${answer.text}`);
        const [error] = answer.json['errors'] as Json[];
        assert.deepEqual([error!['resource'], error!['field']], ['Milestone', field]);
      }
    const missing = await ada.post(OPEN, {});
    assert.deepEqual(
      (missing.json['errors'] as Json[]).map(({ field, code }) => [field, code]),
      [['title', 'missing_field']],
    );
    for (const other of ['0', '-1', 'x', '9007199254740993', '4711'])
      assert.ok([404, 422].includes((await ada.get(`${OPEN}/${other}`)).status), other);
    assert.equal((await ada.get(`${OPEN}/${number}`)).json['title'], 'Steady');
  });

  test('lists take a state, a sort order and a direction, and come in pages', async () => {
    await ada.repository('planned');
    const path = '/repos/ada/planned/milestones';
    await create(path, { title: 'never' });
    await create(path, { title: 'late', due_on: '2028-01-01T00:00:00Z' });
    await create(path, { title: 'soon', due_on: '2027-01-01T00:00:00Z' });
    await create(path, { title: 'done', due_on: '2026-01-01T00:00:00Z', state: 'closed' });
    const list = async (query: string) =>
      ((await server.call(`${path}?${query}`, { token: null })).json as unknown as Json[]).map(
        ({ title }) => title as string,
      );
    assert.deepEqual(await list(''), ['soon', 'late', 'never']);
    assert.deepEqual(await list('direction=desc'), ['never', 'late', 'soon']);
    assert.deepEqual(await list('state=closed'), ['done']);
    assert.deepEqual(await list('state=all'), ['done', 'soon', 'late', 'never']);
    assert.deepEqual(await list('state=all&sort=completeness&direction=desc'), [
      'done',
      'soon',
      'late',
      'never',
    ]);
    assert.deepEqual(await list('state=all&per_page=2&page=2'), ['late', 'never']);
    const { headers } = await ada.get(`${path}?state=all&per_page=3`);
    assert.match(headers.get('link') ?? '', /page=2>; rel="next".*page=2>; rel="last"/);
    for (const query of ['state=x', 'sort=title', 'direction=up'])
      assert.equal((await ada.get(`${path}?${query}`)).status, 422, query);
  });

  test('a milestone counts its issues, lists their labels, and leaves them when it is deleted', async () => {
    await ada.repository('counted');
    const path = '/repos/ada/counted/milestones';
    const milestone = await create(path, { title: 'Counted' });
    const { id: milestoneId, number } = milestone as { id: number; number: number };
    const issues = [
      await giveIssue(server, 'ada/counted', { milestoneId }),
      await giveIssue(server, 'ada/counted', { milestoneId }),
      await giveIssue(server, 'ada/counted'),
    ];
    for (const [at, labels] of [['bug', 'invalid'], ['bug'], ['wontfix']].entries())
      await ada.post(`/repos/ada/counted/issues/${issues[at]!.number}/labels`, labels);
    const shown = (await ada.get(`${path}/${number}`)).json;
    assert.deepEqual([shown['open_issues'], shown['closed_issues']], [2, 0]);
    const labels = (await ada.get(`${path}/${number}/labels`)).json as unknown as Json[];
    assert.deepEqual(
      labels.map(({ name }) => name),
      ['bug', 'invalid'],
    );
    const second = (await ada.get(`${path}/${number}/labels?per_page=1&page=2`)).json as unknown as Json[];
    assert.deepEqual(
      second.map(({ name }) => name),
      ['invalid'],
    );
    assert.equal((await ada.delete(`${path}/${number}`)).status, 204);
    for (const issue of issues) assert.equal((await readIssue(server, issue)).milestoneId, null);
  });

  test('everybody reads the milestones of a public repository; those who may write change them', async () => {
    const { number } = (await create(OPEN, { title: 'Guarded' })) as { number: number };
    const hidden = await create(HIDDEN, { title: 'Guarded' });
    const change = async (
      call: (path: string, init: Json) => Promise<{ status: number }>,
      at: string,
      of: number,
    ) => [
      (await call(at, { method: 'POST', body: { title: 'Taken' } })).status,
      (await call(`${at}/${of}`, { method: 'PATCH', body: { state: 'closed' } })).status,
      (await call(`${at}/${of}`, { method: 'DELETE' })).status,
    ];
    const anonymous = (path: string, init: Json) => server.call(path, { ...init, token: null });
    assert.deepEqual(await change(anonymous, OPEN, number), [401, 401, 401]);
    assert.deepEqual(await change(eve.call, OPEN, number), [403, 403, 403]);
    assert.deepEqual(await change(eve.call, HIDDEN, hidden['number'] as number), [404, 404, 404]);
    for (const path of [HIDDEN, `${HIDDEN}/${hidden['number']}`, `${HIDDEN}/${hidden['number']}/labels`]) {
      assert.equal((await eve.get(path)).status, 404);
      assert.equal((await server.call(path, { token: null })).status, 404);
    }
    assert.equal((await eve.get(`${OPEN}/${number}`)).json['state'], 'open');
    await ada.put('/repos/ada/hidden/collaborators/bob', { permission: 'triage' });
    assert.deepEqual(await change(bob.call, HIDDEN, hidden['number'] as number), [403, 403, 403]);
    await ada.put('/repos/ada/hidden/collaborators/bob', { permission: 'push' });
    assert.deepEqual(await change(bob.call, HIDDEN, hidden['number'] as number), [422, 200, 204]);
    // Ada may ask who has deleted what she had planned.
    const entry = await server.app.kernel.db
      .selectFrom('events')
      .selectAll()
      .orderBy('seq', 'desc')
      .executeTakeFirstOrThrow();
    assert.match(JSON.stringify(entry), /deleted a milestone of somebody else/);
  });
});
