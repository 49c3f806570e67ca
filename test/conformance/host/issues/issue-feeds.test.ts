// Feeds show what happens to issues: as the issue is now, and only to those who may read it now.
import assert from 'node:assert/strict';
import { makeApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { IssueDesk } from '../../../host-issues.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await joinHost(server, 'ada');
    bob = await joinHost(server, 'bob');
  });
  after(() => server.stop());

  async function newDesk(name: string, fields: Json = {}): Promise<IssueDesk> {
    return new IssueDesk(server, ada, (await ada.repository(name, fields))['id'] as number);
  }

  /** What a feed shows of issues, the newest first. */
  async function issuesIn(person: HostPerson, path: string, init: CallInit = {}): Promise<Json[]> {
    const { status, json, text } = await person.call(path, init);
    assert.equal(status, 200, text);
    return (json as unknown as Json[]).filter(({ type }) => type === 'IssuesEvent');
  }

  const actionsOf = (events: Json[]) => events.map(({ payload }) => payload.action as string);

  test('what happens to an issue is in the feeds of its repository, of its author and of everybody', async () => {
    const desk = await newDesk('events');
    const urgent = await desk.label('urgent');
    const issue = await desk.open({ body: 'It is dark.', labels: [urgent] });
    await desk.edit(issue, { title: 'No light', assigneeIds: () => [bob.member.id] });
    await desk.edit(issue, { state: 'closed', labels: () => [], lock: { reason: null } });
    await desk.edit(issue, { state: 'open', assigneeIds: () => [] });
    const expected = 'unassigned reopened unlabeled closed assigned labeled opened'.split(' ');
    for (const path of [
      '/repos/ada/events/events',
      '/users/ada/events',
      '/networks/ada/events/events',
      '/events',
    ]) {
      const received = (await issuesIn(bob, path)).filter(({ repo }) => repo.name === 'ada/events');
      assert.deepEqual(actionsOf(received), expected, path);
      assert.deepEqual(new Set(received.map(({ payload }) => payload.issue.title)), new Set(['No light']));
    }
    const [unassigned, , unlabeled, , , , opened] = await issuesIn(bob, '/repos/ada/events/events');
    assert.deepEqual([unassigned!['payload'].assignee.login, unassigned!['payload'].assignees], ['bob', []]);
    assert.deepEqual([unlabeled!['payload'].label.name, unlabeled!['payload'].labels], ['urgent', []]);
    assert.deepEqual(
      [opened!['actor'].login, opened!['payload'].issue.body, opened!['payload'].issue.user.login],
      ['ada', 'It is dark.', 'ada'],
    );
  });

  test('a comment is in feeds as it is now, until it is deleted', async () => {
    const desk = await newDesk('talked');
    const issue = await desk.open();
    const first = await desk.comment(issue, 'Why?');
    const second = await desk.editComment(await desk.comment(issue, 'Becuase.'), 'Because.');
    const bodies = async () => {
      const { json } = await bob.get('/repos/ada/talked/events');
      const received = (json as unknown as Json[]).filter(({ type }) => type === 'IssueCommentEvent');
      assert.ok(received.every(({ payload }) => payload.issue.number === issue.number));
      return received.map(({ payload }) => [payload.comment.body, payload.comment.author_association]);
    };
    assert.deepEqual(await bodies(), [
      ['Because.', 'OWNER'],
      ['Why?', 'OWNER'],
    ]);
    await desk.removeComment(second);
    assert.deepEqual(await bodies(), [[first.body, 'OWNER']]);
    assert.equal((await ada.patch('/repos/ada/talked', { has_issues: false })).status, 200);
    assert.deepEqual(await bodies(), []);
  });

  test('issues of a private repository are shown to those who may read it, and to nobody else', async () => {
    const desk = await newDesk('secret', { private: true });
    await desk.open();
    const path = '/users/ada/events?per_page=100';
    const inSecret = async (person: HostPerson) =>
      (await issuesIn(person, path)).filter(({ repo }) => repo.name === 'ada/secret').length;
    assert.deepEqual([await inSecret(ada), await inSecret(bob)], [1, 0]);
    assert.equal((await bob.get('/repos/ada/secret/events')).status, 404);
    assert.equal((await ada.put('/repos/ada/secret/collaborators/bob', { permission: 'pull' })).status, 204);
    assert.equal((await issuesIn(bob, '/repos/ada/secret/events')).length, 1);
  });

  test('where issues are switched off, feeds no longer show them', async () => {
    const desk = await newDesk('off');
    await desk.open();
    assert.equal((await issuesIn(bob, '/repos/ada/off/events')).length, 1);
    assert.equal((await ada.patch('/repos/ada/off', { has_issues: false })).status, 200);
    assert.equal((await issuesIn(bob, '/repos/ada/off/events')).length, 0);
    const { json } = await bob.get('/repos/ada/off/events');
    assert.deepEqual(
      (json as unknown as Json[]).map(({ type }) => type),
      ['CreateEvent'],
    );
  });

  test('a program sees issues of private repositories in feeds by its permission for issues', async () => {
    const desk = await newDesk('programs', { private: true });
    await desk.open();
    for (const [name, permissions, count] of [
      ['With issues', { metadata: 'read', issues: 'read' }, 1],
      ['Without issues', { metadata: 'read', contents: 'read' }, 0],
    ] as const) {
      const app = await makeApp(server, 'ada', { name, permissions });
      const token = await app.token(await app.install('ada'));
      assert.equal((await issuesIn(bob, '/repos/ada/programs/events', { token })).length, count, name);
    }
  });

  test('H17 with the beta media type, issues in feeds of the old version have a pull request that is null', async () => {
    const desk = await newDesk('beta');
    await desk.open();
    const nothing = { url: null, html_url: null, diff_url: null, patch_url: null };
    for (const [version, word, expected] of [
      ['2022-11-28', 'beta', nothing],
      ['2022-11-28', 'v3', undefined],
      ['2026-03-10', 'beta', undefined],
      ['2026-03-10', 'v3', undefined],
    ] as const) {
      const headers = { accept: `application/vnd.github.${word}+json`, 'x-github-api-version': version };
      const [{ payload } = {}] = await issuesIn(bob, '/repos/ada/beta/events', { headers });
      assert.deepEqual(payload.issue.pull_request, expected, `${word} in ${version}`);
    }
  });
});
