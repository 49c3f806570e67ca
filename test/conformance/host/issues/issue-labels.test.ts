// Labels of issues on a running server: added, replaced and removed, also by several at once, and what is refused.
import assert from 'node:assert/strict';
import { makeApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { startServerOn } from '../../../suites.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { giveIssue } from '../../../host-issues.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;
  let eve: HostPerson;

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

  const newIssue = async (name = 'open', draft: Json = {}) => {
    const issue = await giveIssue(server, `ada/${name}`, draft);
    return { ...issue, path: `/repos/ada/${name}/issues/${issue.number}/labels` };
  };

  function namesIn(answer: Answer): string[] {
    assert.equal(answer.status, 200, answer.text);
    return (answer.json as unknown as Json[]).map(({ name }) => name as string);
  }

  test('labels are added, replaced and removed, and each reply lists them', async () => {
    const { path, id } = await newIssue();
    assert.deepEqual(namesIn(await ada.post(path, { labels: ['bug', 'Question'] })), ['bug', 'question']);
    assert.deepEqual(namesIn(await ada.post(path, ['wontfix'])), ['bug', 'question', 'wontfix']);
    assert.deepEqual(namesIn(await ada.post(path, { labels: [] })), ['bug', 'question', 'wontfix']);
    assert.deepEqual(namesIn(await server.call(path, { token: null })), ['bug', 'question', 'wontfix']);
    assert.deepEqual(namesIn(await ada.put(path, { labels: [{ name: 'bug' }, 'invalid', 'BUG'] })), [
      'bug',
      'invalid',
    ]);
    assert.deepEqual(namesIn(await ada.delete(`${path}/BUG`)), ['invalid']);
    const missing = await ada.delete(`${path}/bug`);
    assert.deepEqual([missing.status, missing.json['message']], [404, 'Label does not exist']);
    assert.equal((await ada.delete(path)).status, 204);
    assert.deepEqual(namesIn(await ada.get(path)), []);
    assert.equal((await ada.delete(path)).status, 204);
    assert.deepEqual(namesIn(await ada.put(path, '"bug"')), ['bug']);
    assert.deepEqual(namesIn(await ada.put(path, [])), []);
    const events = await server.app.kernel.db
      .selectFrom('issue_events')
      .select(['event', 'details'])
      .where('issue_id', '=', id)
      .orderBy('id')
      .execute();
    assert.deepEqual(
      events.map(({ event, details }) => `${event} ${(JSON.parse(details) as Json)['label'].name}`),
      [
        'labeled bug',
        'labeled question',
        'labeled wontfix',
        'labeled invalid',
        'unlabeled question',
        'unlabeled wontfix',
        'unlabeled bug',
        'unlabeled invalid',
        'labeled bug',
        'unlabeled bug',
      ],
    );
  });

  test('a label that does not exist is created, with the plain color', async () => {
    const { path } = await newIssue();
    const { json } = await ada.post(path, { labels: ['brand new'] });
    const [label] = json as unknown as Json[];
    assert.deepEqual([label!['name'], label!['color'], label!['default']], ['brand new', 'ededed', false]);
    assert.deepEqual((await ada.get('/repos/ada/open/labels/brand%20new')).json, label);
    const renamed = await ada.patch('/repos/ada/open/labels/brand%20new', { new_name: 'old' });
    assert.equal(renamed.json['id'], label!['id']);
    assert.deepEqual(namesIn(await ada.get(path)), ['old']);
    assert.equal((await ada.delete('/repos/ada/open/labels/old')).status, 204);
    assert.deepEqual(namesIn(await ada.get(path)), []);
  });

  test('bad labels are refused, and nothing changes', async () => {
    const { path } = await newIssue();
    const known = namesIn(await ada.get('/repos/ada/open/labels?per_page=100'));
    const many = Array.from({ length: 101 }, (_, at) => `label ${at}`);
    for (const body of [
      {},
      { labels: 'bug' },
      { labels: [5] },
      { labels: [null] },
      { labels: [{ title: 'x' }] },
      { labels: ['fine', ''] },
      { labels: ['fine', 'x'.repeat(51)] },
      { labels: ['fine', 'a\0b'] },
      { labels: many },
      [['bug']],
      5,
    ]) {
      for (const answer of [await ada.post(path, body), await ada.put(path, body)])
        assert.equal(answer.status, 422, `${JSON.stringify(body).slice(0, 80)} ${answer.text}`);
    }
    assert.deepEqual(namesIn(await ada.get(path)), []);
    assert.deepEqual(namesIn(await ada.get('/repos/ada/open/labels?per_page=100')), known);
  });

  test('an issue has at most 100 labels', async () => {
    await ada.repository('full');
    const { path } = await newIssue('full');
    const names = Array.from({ length: 100 }, (_, at) => `label ${at}`);
    assert.equal(namesIn(await ada.put(path, { labels: names })).length, 100);
    const refused = await ada.post(path, { labels: ['one more'] });
    assert.equal(refused.status, 422, refused.text);
    assert.equal((refused.json['errors'] as Json[])[0]!['field'], 'labels');
    assert.equal((await ada.get('/repos/ada/full/labels/one%20more')).status, 404);
    assert.equal(namesIn(await ada.post(path, { labels: ['LABEL 7'] })).length, 100);
    const page = await ada.get(`${path}?per_page=30&page=4`);
    assert.equal(namesIn(page).length, 10);
    assert.match(page.headers.get('link') ?? '', /rel="prev"/);
  });

  test('those who triage label issues; new labels need more', async () => {
    const { path } = await newIssue();
    const hidden = await newIssue('hidden');
    const tryAll = async (person: HostPerson, at: string) => [
      (await person.post(at, ['bug'])).status,
      (await person.put(at, { labels: ['bug', 'invalid'] })).status,
      (await person.delete(`${at}/bug`)).status,
      (await person.delete(at)).status,
    ];
    assert.deepEqual(await tryAll(eve, path), [403, 403, 403, 403]);
    assert.deepEqual(await tryAll(eve, hidden.path), [404, 404, 404, 404]);
    assert.equal((await eve.get(hidden.path)).status, 404);
    assert.equal((await server.call(hidden.path, { token: null })).status, 404);
    for (const method of ['POST', 'PUT', 'DELETE'])
      assert.equal((await server.call(path, { method, body: ['bug'], token: null })).status, 401);
    for (const name of ['open', 'hidden'])
      await ada.put(`/repos/ada/${name}/collaborators/bob`, { permission: 'pull' });
    assert.deepEqual(await tryAll(bob, path), [403, 403, 403, 403]);
    assert.deepEqual(await tryAll(bob, hidden.path), [403, 403, 403, 403]);
    for (const name of ['open', 'hidden'])
      await ada.put(`/repos/ada/${name}/collaborators/bob`, { permission: 'triage' });
    assert.deepEqual(await tryAll(bob, path), [200, 200, 200, 204]);
    assert.deepEqual(await tryAll(bob, hidden.path), [200, 200, 200, 204]);
    assert.equal((await bob.post(path, ['bug', 'not there'])).status, 403);
    assert.deepEqual(namesIn(await bob.get(path)), []);
    assert.equal((await ada.get('/repos/ada/open/labels/not%20there')).status, 404);
  });

  test('an app needs the permission for issues, or on a pull request the one for pull requests', async () => {
    const issue = await newIssue('hidden');
    const pull = await newIssue('hidden', { isPull: true });
    for (const [permissions, expected] of [
      [{ issues: 'write' }, [200, 200]],
      [{ pull_requests: 'write' }, [403, 200]],
      [{ issues: 'read' }, [403, 403]],
      [{ contents: 'write' }, [403, 403]],
    ] as const) {
      const name = Object.entries(permissions).flat().join(' ');
      const app = await makeApp(server, 'ada', { name, permissions });
      const token = await app.token(await app.install('ada'));
      const statuses = [];
      for (const { path } of [issue, pull])
        statuses.push((await server.call(path, { method: 'POST', token, body: ['bug'] })).status);
      assert.deepEqual(statuses, expected, name);
    }
  });

  test('where issues are switched off, those of pull requests go on', async () => {
    await ada.repository('quiet');
    const issue = await newIssue('quiet');
    const pull = await newIssue('quiet', { isPull: true });
    await ada.patch('/repos/ada/quiet', { has_issues: false });
    assert.equal((await ada.get(issue.path)).status, 410);
    assert.equal((await ada.post(issue.path, ['bug'])).status, 410);
    assert.deepEqual(namesIn(await ada.post(pull.path, ['bug'])), ['bug']);
    assert.equal((await ada.get('/repos/ada/quiet/labels')).status, 200);
  });

  test('issues that do not exist have no labels', async () => {
    for (const number of ['4711', '9007199254740991', '0', 'x']) {
      const path = `/repos/ada/open/issues/${number}/labels`;
      for (const answer of [await ada.get(path), await ada.post(path, ['bug']), await ada.delete(path)])
        assert.ok([404, 422].includes(answer.status), answer.text);
    }
  });

  test('labels that eight add at once are all there, new ones too', async () => {
    const { path, id } = await newIssue();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => ada.post(path, { labels: [`at once ${at}`, 'At once', 'bug'] })),
    );
    for (const answer of answers) assert.equal(answer.status, 200, answer.text);
    assert.equal(namesIn(await ada.get(path)).length, 10);
    const labeled = await server.app.kernel.db
      .selectFrom('issue_events')
      .select('id')
      .where('issue_id', '=', id)
      .execute();
    assert.equal(labeled.length, 10);
    await Promise.all(Array.from({ length: 8 }, (_, at) => ada.put(path, { labels: [`at once ${at}`] })));
    assert.equal(namesIn(await ada.get(path)).length, 1);
  });
});
