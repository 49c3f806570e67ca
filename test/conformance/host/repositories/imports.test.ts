// Imports of issues and pull requests on a running server: what is kept, what follows, and what is refused.
import assert from 'node:assert/strict';
import { compareCodePoints } from '../../../../src/kernel/text/fold-case.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const AT = '2020-03-01T10:00:00Z';
const LATER = '2021-04-02T11:00:00Z';
const SOURCE = 'https://code.example.org/old/shop';

const ISSUE = {
  source_id: 9001,
  number: 7,
  title: 'Old #3 of @ada',
  body: 'Closes #1, says @ada',
  author: 'stranger',
  state: 'open',
  state_reason: null,
  locked: false,
  lock_reason: null,
  labels: [],
  assignees: [],
  milestone: null,
  created_at: AT,
  updated_at: LATER,
  closed_at: null,
  closed_by: null,
};
const COMMENT = {
  source_id: 5001,
  number: 7,
  author: 'ada',
  body: 'I see @ada',
  created_at: AT,
  updated_at: LATER,
};
const MILESTONE = {
  source_id: 3001,
  number: 4,
  title: 'First',
  description: null,
  state: 'open',
  author: 'stranger',
  due_on: null,
  created_at: AT,
  updated_at: AT,
  closed_at: null,
};

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let place = 0;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await joinHost(server, 'ada');
  });
  after(() => server.stop());

  /** A repository of ada into which an import has begun. */
  async function newImport(fields: Json = {}): Promise<{ at: string; admin: string }> {
    place += 1;
    const name = `imported-${place}`;
    await ada.repository(name, { auto_init: true, ...fields });
    const admin = `/admin/repos/ada/${name}/import`;
    const begun = await server.call(admin, { method: 'PUT', body: { source: SOURCE } });
    assert.equal(begun.status, 200, begun.text);
    return { at: `/repos/ada/${name}`, admin };
  }

  const send = (path: string, body: unknown) => server.call(path, { method: 'POST', body });
  const ok = async (path: string, body: unknown): Promise<Json> => {
    const { status, text, json } = await send(path, body);
    assert.equal(status, 200, text);
    return json;
  };
  const shaOf = async (at: string, branch: string): Promise<string> =>
    (await ada.get(`${at}/git/ref/heads/${branch}`)).json['object'].sha;

  test('issues keep numbers, times, states and authors; counts and lists are true, and the next number is free', async () => {
    const { at, admin } = await newImport();
    const closed = {
      ...ISSUE,
      source_id: 9002,
      number: 3,
      author: 'ADA',
      state: 'closed',
      state_reason: 'not_planned',
      closed_at: LATER,
      closed_by: 'ada',
      locked: true,
      lock_reason: 'spam',
      labels: ['Bug', 'from there'],
      assignees: ['ada', 'stranger'],
      milestone: 4,
    };
    const batch = {
      labels: [{ name: 'Bug', color: '00ff00', description: 'Broken' }],
      milestones: [MILESTONE],
      issues: [ISSUE, closed],
      comments: [COMMENT, { ...COMMENT, source_id: 5002, number: 3, author: null }],
    };
    assert.deepEqual(await ok(admin, batch), { created: 5, unchanged: 0, left_out: [] });
    assert.deepEqual(await ok(admin, batch), { created: 0, unchanged: 5, left_out: [] });
    const { json: open } = await ada.get(`${at}/issues/7`);
    assert.deepEqual(
      [
        open['user'].login,
        open['author_association'],
        open['created_at'],
        open['updated_at'],
        open['comments'],
      ],
      ['stranger', 'MANNEQUIN', AT, LATER, 1],
    );
    const { json: shut } = await ada.get(`${at}/issues/3`);
    assert.deepEqual(
      [
        shut['user'].login,
        shut['state_reason'],
        shut['closed_at'],
        shut['closed_by'].login,
        shut['active_lock_reason'],
      ],
      ['ada', 'not_planned', LATER, 'ada', 'spam'],
    );
    assert.deepEqual(
      [
        shut['labels'].map(({ name, color }: Json) => [name, color]),
        shut['assignees'].map(({ login }: Json) => login),
        [shut['milestone'].number, shut['milestone'].open_issues, shut['milestone'].closed_issues],
      ],
      [
        [
          ['Bug', '00ff00'],
          ['from there', 'ededed'],
        ],
        ['ada'],
        [4, 0, 1],
      ],
    );
    assert.equal((await ada.get(at)).json['open_issues_count'], 1);
    const listed = async (query: string) =>
      ((await ada.get(`${at}/issues?${query}`)).json as Json[]).map(({ number }) => number);
    assert.deepEqual(await listed('state=all&sort=created'), [3, 7]);
    assert.deepEqual(await listed('state=all&creator=ada'), [3]);
    assert.deepEqual(await listed('state=closed&labels=bug'), [3]);
    // Nothing of the texts has an effect.
    assert.deepEqual(await listed('state=all&mentioned=ada'), []);
    const { json: timeline } = await ada.get(`${at}/issues/3/timeline`);
    assert.deepEqual(
      (timeline as Json[]).map(({ event }) => event),
      ['commented', 'closed'],
    );
    const { json: comments } = await ada.get(`${at}/issues/7/comments`);
    assert.deepEqual(
      (comments as Json[]).map(({ user, created_at: created }) => [user.login, created]),
      [['ada', AT]],
    );
    assert.equal((await ada.post(`${at}/issues`, { title: 'New' })).json['number'], 8);
    const { json: milestone } = await ada.post(`${at}/milestones`, { title: 'Second' });
    assert.equal(milestone['number'], 5);
    const { json: progress } = await server.call(admin, { method: 'PUT', body: { source: SOURCE } });
    assert.deepEqual(progress['imported'].issue, { count: 2, updated_at: LATER });
    assert.deepEqual(progress['imported'].comment, { count: 2, updated_at: LATER });
  });

  test('pull requests keep their branches and commits, reviews and comments on lines', async () => {
    const { at, admin } = await newImport();
    const base = await shaOf(at, 'main');
    await ada.post(`${at}/git/refs`, { ref: 'refs/import/pull/2', sha: base });
    const content = Buffer.from('new\n').toString('base64');
    await ada.post(`${at}/git/refs`, { ref: 'refs/heads/gone', sha: base });
    await ada.put(`${at}/contents/new.txt`, { message: 'Add new.txt', content, branch: 'gone' });
    const head = await shaOf(at, 'gone');
    const pull = {
      base: { ref: 'main', sha: base },
      head: { ref: 'gone', sha: head, owner: 'ada', is_fork: false },
      draft: false,
      maintainer_can_modify: false,
      merged_at: LATER,
      merged_by: 'stranger',
      merge_commit_sha: head,
      commits: 1,
      additions: 1,
      deletions: 0,
      changed_files: 1,
    };
    const merged = { ...ISSUE, number: 2, state: 'closed', closed_at: LATER, pull };
    const fork = { ref: 'patch-1', sha: head, owner: 'someone', is_fork: true };
    const open = { ...pull, head: fork, merged_at: null, merged_by: null, merge_commit_sha: null };
    const written = { author: 'ada', body: 'Hm', created_at: AT, updated_at: AT, number: 2 };
    const review = { ...written, source_id: 1, state: 'APPROVED', commit_id: head };
    const line = {
      ...written,
      review: 1,
      in_reply_to: null,
      path: 'new.txt',
      subject_type: 'line',
      diff_hunk: '@@ -0,0 +1 @@\n+new',
      side: 'RIGHT',
      line: 1,
      start_side: null,
      start_line: null,
      position: 1,
      original_line: 1,
      original_start_line: null,
      original_position: 1,
      commit_id: head,
      original_commit_id: head,
    };
    const batch = {
      issues: [
        merged,
        { ...ISSUE, source_id: 9003, number: 5, pull: open },
        // Two forks may have branches of one name.
        { ...ISSUE, source_id: 9004, number: 6, pull: open },
        { ...ISSUE, source_id: 9005, number: 9, pull: { ...open, head: { ...fork, sha: 'a'.repeat(40) } } },
      ],
      reviews: [review, { ...review, source_id: 2, number: 77 }],
      review_comments: [
        { ...line, source_id: 12, in_reply_to: 11 },
        { ...line, source_id: 11 },
        { ...line, source_id: 13, review: null },
      ],
    };
    const result = await ok(admin, batch);
    assert.deepEqual([result['created'], result['unchanged']], [8, 0]);
    assert.deepEqual(
      result['left_out'].map(({ reason }: Json) => reason),
      [
        'Pull request 9 is closed here, because its commits are missing.',
        'There is no pull request 77 here.',
      ],
    );
    const { json: shown } = await ada.get(`${at}/pulls/2`);
    assert.deepEqual(
      [shown['merged'], shown['merged_at'], shown['merge_commit_sha'], shown['head'].sha, shown['base'].sha],
      [true, LATER, head, head, base],
    );
    assert.equal(shown['review_comments'], 3);
    const { json: files } = await ada.get(`${at}/pulls/2/files`);
    assert.deepEqual(
      (files as Json[]).map(({ filename }) => filename),
      ['new.txt'],
    );
    const { json: commits } = await ada.get(`${at}/pulls/2/commits`);
    assert.equal((commits as Json[]).length, 1);
    assert.equal((await ada.get(`${at}/git/ref/pull/2/head`)).json['object'].sha, head);
    const { json: fromFork } = await ada.get(`${at}/pulls/6`);
    assert.deepEqual([fromFork['state'], fromFork['head'].repo], ['open', null]);
    const missing = await ada.get(`${at}/pulls/9/files`);
    assert.equal(missing.status, 404);
    assert.equal((await ada.get(`${at}/pulls/9`)).json['state'], 'closed');
    const { json: timeline } = await ada.get(`${at}/issues/2/timeline`);
    assert.deepEqual(
      (timeline as Json[])
        .map(({ event, comments }) => `${event} ${comments?.length ?? ''}`.trim())
        .toSorted(compareCodePoints),
      ['closed', 'committed', 'line-commented 1', 'line-commented 2', 'merged', 'reviewed', 'reviewed'],
    );
    assert.equal((await server.call(admin, { method: 'DELETE' })).status, 204);
    assert.equal((await ada.get(`${at}/git/ref/import/pull/2`)).status, 404);
    const late = await send(admin, { issues: [{ ...ISSUE, source_id: 1, number: 20 }] });
    assert.deepEqual([late.status, /no import/i.test(late.text)], [409, true]);
  });

  test('numbers come in any order, and one that is taken is a conflict that changes nothing', async () => {
    const { at, admin } = await newImport();
    await ok(admin, { issues: [ISSUE] });
    await ok(admin, { issues: [{ ...ISSUE, source_id: 8000, number: 2 }] });
    const other = { ...ISSUE, source_id: 8001 };
    const taken = await send(admin, { issues: [{ ...other, source_id: 8002, number: 30 }, other] });
    assert.deepEqual([taken.status, taken.json['message']], [409, 'The number 7 is taken by another issue.']);
    assert.equal((await ada.get(`${at}/issues/30`)).status, 404);
    const moved = await send(admin, { issues: [{ ...ISSUE, number: 31 }] });
    assert.equal(moved.status, 409);
    const twice = await send(admin, { issues: [other, { ...other, source_id: 8003 }] });
    assert.equal(twice.status, 422);
    const title = { ...MILESTONE, source_id: 3002, number: 5 };
    assert.equal((await send(admin, { milestones: [MILESTONE, title] })).status, 409);
    assert.equal((await ada.post(`${at}/issues`, { title: 'New' })).json['number'], 8);
  });

  test('an import is begun by an administrator of the host, from one source, with one audit entry and no events', async () => {
    const { at, admin } = await newImport();
    await ok(admin, { issues: [ISSUE], comments: [COMMENT] });
    assert.equal((await server.call(admin, { method: 'PUT', body: { source: SOURCE } })).status, 200);
    const { json: log } = await server.call('/api/v2/auditlog?q=began');
    const own = (log['items'] as Json[]).filter(({ name }) => at.endsWith(`/${name}`));
    assert.equal(own.length, 1);
    const events = ((await ada.get(`${at}/events`)).json as Json[]).map(({ type }) => type);
    assert.deepEqual(
      events.filter((type) => /Issue/.test(type)),
      [],
    );
    const elsewhere = await server.call(admin, {
      method: 'PUT',
      body: { source: 'https://other.example/a' },
    });
    assert.equal(elsewhere.status, 409);
    for (const method of ['PUT', 'POST', 'DELETE']) {
      const body = method === 'PUT' ? { source: SOURCE } : { issues: [] };
      const init = { method, ...(method !== 'DELETE' && { body }) };
      assert.equal((await ada.call(admin, init)).status, 403, method);
      assert.equal((await server.call(admin, { ...init, token: null })).status, 401, method);
      assert.equal((await server.call(admin.replace('/ada/', '/eve/'), init)).status, 404, method);
    }
    const eve = await joinHost(server, `eve-${engine.kind}`);
    const secret = await newImport({ private: true });
    assert.equal((await eve.post(secret.admin, { issues: [ISSUE] })).status, 404);
  });

  test('what is wrong in a batch is refused as a whole', async () => {
    const { at, admin } = await newImport();
    const wrong: [Json, number][] = [
      [{ issues: [{ ...ISSUE, number: '7' }] }, 422],
      [{ issues: [{ ...ISSUE, number: 0 }] }, 422],
      [{ issues: [{ ...ISSUE, number: 2 ** 40 }] }, 422],
      [{ issues: [{ ...ISSUE, title: 7 }] }, 422],
      [{ issues: [{ ...ISSUE, title: ' ' }] }, 422],
      [{ issues: [{ ...ISSUE, title: 'a'.repeat(257) }] }, 422],
      [{ issues: [{ ...ISSUE, body: 'a'.repeat(65_537) }] }, 422],
      [{ issues: [{ ...ISSUE, body: 'a\0b' }] }, 422],
      [{ issues: [{ ...ISSUE, created_at: 'yesterday' }] }, 422],
      [{ issues: [{ ...ISSUE, milestone: 99 }] }, 422],
      [{ issues: [{ ...ISSUE, labels: ['a'.repeat(51)] }] }, 422],
      [
        {
          issues: Array.from({ length: 101 }, (_, index) => ({
            ...ISSUE,
            number: index + 1,
            source_id: index + 1,
          })),
        },
        422,
      ],
      [{ issues: 7 }, 422],
      [{ labels: [{ name: 'x', color: 'green', description: null }] }, 422],
      [{ issues: [ISSUE], comments: [{ ...COMMENT, body: 'a'.repeat(65_537) }] }, 422],
      [{ issues: [ISSUE], comments: [{ ...COMMENT, author: 7 }] }, 422],
    ];
    for (const [batch, status] of wrong) {
      const answer = await send(admin, batch);
      assert.equal(answer.status, status, `${JSON.stringify(batch).slice(0, 200)} ${answer.text}`);
    }
    assert.equal((await send(admin, '[')).status, 400);
    assert.deepEqual((await ada.get(`${at}/issues?state=all`)).json, []);
    assert.equal((await ada.get(at)).json['open_issues_count'], 0);
    const lost = await ok(admin, { comments: [COMMENT] });
    assert.deepEqual(lost['left_out'], [
      { kind: 'comment', source_id: 5001, reason: 'There is no issue 7 here.' },
    ]);
  });

  test('commits that are pushed while an import is under way close nothing', async () => {
    const { at, admin } = await newImport();
    const { id } = (await ada.get(at)).json;
    await ok(admin, { issues: [ISSUE] });
    const listDue = async () => {
      const { db } = server.app.kernel;
      const due = db.selectFrom('due').select('payload').where('kind', '=', 'host.read-commits');
      const payloads = (await due.execute()).map(({ payload }) => JSON.parse(payload) as Json);
      return payloads.filter(({ number }) => number === id);
    };
    await eventually(async () => (await listDue()).length === 0, 'the work of the first commit');
    const content = Buffer.from('x').toString('base64');
    await ada.put(`${at}/contents/x.txt`, { message: 'Fixes #7', content });
    await server.call(admin, { method: 'DELETE' });
    assert.deepEqual(await listDue(), []);
    assert.equal((await ada.get(`${at}/issues/7`)).json['state'], 'open');
  });
});
