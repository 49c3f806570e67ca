// Events and timelines of issues on a running server: every shape that clients know, pages, and who sees what.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Issue } from '../../../../src/host/issues/issue.ts';
import type { NewIssueEvent } from '../../../../src/host/timeline/store.ts';
import { makeApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { problemsWith, type Shape } from '../../../host-contract/check-shape.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { giveEvents, giveIssue } from '../../../host-issues.ts';
import { createTestOrganization, giveRepository, linkedPages } from '../organization-calls.ts';

const { schemas } = JSON.parse(
  readFileSync(new URL('../../../host-contract/shapes.json', import.meta.url), 'utf8'),
) as { schemas: Record<string, Shape> };

const SHA = 'a'.repeat(40);
const NOW = 1_800_000_000_000;
const person = { name: 'Ada', email: 'ada@example.com', time: NOW, zone: 0 };

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;
  /** Of the organization, public and private. */
  let open: number;
  let closed: number;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    [ada, bob] = await Promise.all([joinHost(server, 'ada'), joinHost(server, 'bob')]);
    await createTestOrganization(server, 'acme', { admin: 'ada' });
    open = await giveRepository(server, 'acme', 'open', false);
    closed = await giveRepository(server, 'acme', 'closed', true);
  });
  after(() => server.stop());

  const at = ({ number, repositoryNumber }: Issue) => `/repositories/${repositoryNumber}/issues/${number}`;

  async function timelineOf(issue: Issue, who: HostPerson = ada): Promise<Json[]> {
    const { status, json, text } = await who.get(`${at(issue)}/timeline`);
    assert.equal(status, 200, text);
    return json as unknown as Json[];
  }

  function checkShape(value: unknown, name: string): void {
    const shape = schemas[name];
    assert.ok(shape !== undefined, name);
    assert.deepEqual(
      problemsWith(value, shape, (one) => schemas[one]!),
      [],
      name,
    );
  }

  /** A review with one comment on a line, and one that is pending. */
  async function giveReview({ id }: Issue): Promise<{ reviewId: number; threadId: number }> {
    const { db } = server.app.kernel;
    const times = { created_at: NOW, updated_at: NOW };
    const review = await db
      .insertInto('reviews')
      .values({
        issue_id: id,
        author_id: bob.member.id,
        author_name: null,
        state: 'CHANGES_REQUESTED',
        body: 'Not *yet*',
        commit_id: SHA,
        submitted_at: NOW,
        ...times,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const thread = await db
      .insertInto('review_threads')
      .values({ issue_id: id, is_resolved: 0, resolved_by_id: null })
      .returning('id')
      .executeTakeFirstOrThrow();
    const comment = {
      issue_id: id,
      repository_number: open,
      review_id: review.id,
      thread_id: thread.id,
      in_reply_to: null,
      author_id: bob.member.id,
      author_name: null,
      body: 'Here',
      reactions: '{}',
      path: 'a.txt',
      subject_type: 'line',
      diff_hunk: '@@ -1 +1 @@',
      side: 'RIGHT',
      line: 1,
      start_side: null,
      start_line: null,
      position: 1,
      original_line: 1,
      original_start_line: null,
      original_position: 1,
      commit_id: SHA,
      original_commit_id: SHA,
      is_pending: 0,
      ...times,
    };
    const pending = { ...comment, body: 'Secret', is_pending: 1 };
    await db.insertInto('review_comments').values([comment, pending]).execute();
    return { reviewId: review.id, threadId: thread.id };
  }

  async function giveComment({ id, repositoryNumber }: Issue): Promise<number> {
    const row = await server.app.kernel.db
      .insertInto('issue_comments')
      .values({
        issue_id: id,
        repository_number: repositoryNumber,
        author_id: bob.member.id,
        author_name: null,
        body: 'Seen **here**',
        reactions: '{"+1":2}',
        created_at: NOW,
        updated_at: NOW,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return row.id;
  }

  test('each of the 29 kinds has the shape that clients know', async () => {
    const issue = await giveIssue(server, open, { isPull: true });
    const other = await giveIssue(server, open, { title: 'Another' });
    const { reviewId, threadId } = await giveReview(issue);
    const { json: team } = await ada.post('/orgs/acme/teams', { name: 'Reviewers', privacy: 'closed' });
    const actorId = ada.member.id;
    const label = { label: { name: 'bug', color: 'ff0000' } };
    const milestone = { milestone: { title: 'One' } };
    const assignment = { assignee: bob.member.id, assigner: actorId };
    const type = { id: 1, name: 'Bug', color: 'red' };
    const commitComment = {
      id: 7,
      body: 'Why?',
      path: 'a.txt',
      position: 1,
      line: 1,
      user: bob.member.id,
      created_at: NOW,
      updated_at: NOW,
    };
    const subject = (subjectId: number) => ({ subjectId });
    const unlisted = { isListed: false } as const;
    type Row = Omit<NewIssueEvent, 'event' | 'actorId'>;
    const rows: [event: string, shape: string, row: Row][] = [
      ['labeled', 'labeled-issue-event', { details: label }],
      ['unlabeled', 'unlabeled-issue-event', { details: label }],
      ['milestoned', 'milestoned-issue-event', { details: milestone }],
      ['demilestoned', 'demilestoned-issue-event', { details: milestone }],
      ['renamed', 'renamed-issue-event', { details: { rename: { from: 'a', to: 'b' } } }],
      [
        'review_requested',
        'review-requested-issue-event',
        { details: { review_requester: actorId, requested_reviewer: bob.member.id } },
      ],
      [
        'review_request_removed',
        'review-request-removed-issue-event',
        { details: { review_requester: actorId, requested_team: team['id'] } },
      ],
      [
        'review_dismissed',
        'review-dismissed-issue-event',
        {
          details: { dismissed_review: { state: 'approved', review_id: reviewId, dismissal_message: 'Old' } },
        },
      ],
      ['locked', 'locked-issue-event', { details: { lock_reason: 'spam' } }],
      ['commented', 'timeline-comment-event', { ...subject(await giveComment(issue)), ...unlisted }],
      ['cross-referenced', 'timeline-cross-referenced-event', { ...subject(other.id), ...unlisted }],
      [
        'committed',
        'timeline-committed-event',
        {
          ...unlisted,
          commitId: SHA,
          details: { tree: SHA, parents: [SHA], author: person, committer: person, message: 'Mend\n' },
        },
      ],
      ['reviewed', 'timeline-reviewed-event', { ...subject(reviewId), ...unlisted }],
      ['line-commented', 'timeline-line-commented-event', { ...subject(threadId), ...unlisted }],
      [
        'commit-commented',
        'timeline-commit-commented-event',
        { ...unlisted, commitId: SHA, details: { comments: [commitComment] } },
      ],
      ['assigned', 'timeline-assigned-issue-event', { details: assignment }],
      ['unassigned', 'timeline-unassigned-issue-event', { details: assignment }],
      ['closed', 'state-change-issue-event', { commitId: SHA, details: { state_reason: 'completed' } }],
      ['issue_type_added', 'issue-type-added-issue-event', { details: { issue_type: type } }],
      ['issue_type_removed', 'issue-type-removed-issue-event', { details: { prev_issue_type: type } }],
      [
        'issue_type_changed',
        'issue-type-changed-issue-event',
        { details: { issue_type: type, prev_issue_type: type } },
      ],
      ['sub_issue_added', 'sub-issue-added-issue-event', subject(other.id)],
      ['sub_issue_removed', 'sub-issue-removed-issue-event', subject(other.id)],
      ['parent_issue_added', 'parent-issue-added-issue-event', subject(other.id)],
      ['parent_issue_removed', 'parent-issue-removed-issue-event', subject(other.id)],
      ['blocked_by_added', 'blocked-by-added-issue-event', subject(other.id)],
      ['blocked_by_removed', 'blocked-by-removed-issue-event', subject(other.id)],
      ['blocking_added', 'blocking-added-issue-event', subject(other.id)],
      ['blocking_removed', 'blocking-removed-issue-event', subject(other.id)],
    ];
    assert.equal(rows.length, 29);
    const plain = ['merged', 'head_ref_deleted', 'head_ref_force_pushed', 'ready_for_review', 'mentioned'];
    const all = [...rows, ...plain.map((event) => [event, 'state-change-issue-event', {}] as const)];
    await giveEvents(
      server,
      issue,
      all.map(([event, , row]) => ({ event, actorId, ...row })),
    );
    const { json } = await ada.get(`${at(issue)}/timeline?per_page=100`);
    const items = json as unknown as Json[];
    assert.deepEqual(
      items.map(({ event }) => event),
      all.map(([event]) => event),
    );
    for (const [index, [, shape]] of all.entries()) checkShape(items[index], shape);
    const named = (event: string) => items.find((one) => one['event'] === event)!;
    assert.equal(named('review_request_removed')['requested_team'].slug, 'reviewers');
    assert.equal(named('reviewed')['state'], 'changes_requested');
    assert.deepEqual(
      (named('line-commented')['comments'] as Json[]).map(({ body }) => body),
      ['Here'],
    );
    assert.equal(named('committed')['message'], 'Mend');
    assert.equal(named('blocking_added')['blocking'].title, 'Another');
    assert.equal(named('commented')['reactions']['+1'], 2);
    assert.deepEqual(
      (await timelineOf(issue, bob)).find(({ event }) => event === 'review_request_removed')![
        'requested_team'
      ],
      undefined,
      'names of teams are not for everybody',
    );
    const { json: html } = await ada.call(`${at(issue)}/timeline?per_page=100`, {
      headers: { accept: 'application/vnd.github.html+json' },
    });
    const comment = (html as unknown as Json[]).find(({ event }) => event === 'commented')!;
    assert.match(comment['body_html'] as string, /<strong>here<\/strong>/);
  });

  test('events of an issue are the oldest first, of a repository the newest first, and each is found', async () => {
    const number = await giveRepository(server, 'acme', 'listed', false);
    const first = await giveIssue(server, number);
    const second = await giveIssue(server, number);
    const actorId = bob.member.id;
    const renamed = (from: string) => ({ event: 'renamed', actorId, details: { rename: { from, to: 'x' } } });
    await giveEvents(server, first, [renamed('1'), renamed('2'), renamed('3')]);
    await giveEvents(server, first, [{ event: 'committed', isListed: false, actorId: null, commitId: SHA }]);
    await giveEvents(server, second, [renamed('4')]);
    const fromOf = (list: unknown) => (list as Json[]).map((event) => (event['rename'] as Json)['from']);
    const { json: own } = await bob.get(`${at(first)}/events`);
    assert.deepEqual(fromOf(own), ['1', '2', '3']);
    const all = `/repos/acme/listed/issues/events`;
    const answer = await bob.get(`${all}?per_page=2`);
    const listed = answer.json;
    assert.deepEqual(fromOf(listed), ['4', '3']);
    assert.deepEqual(linkedPages(answer), { first: '1', next: '2', last: '2' });
    assert.deepEqual(fromOf((await bob.get(`${all}?per_page=2&page=2`)).json), ['2', '1']);
    const event = (listed as unknown as Json[])[0]!;
    assert.deepEqual(
      [event['issue'].id, event['issue'].title, event['actor'].login],
      [second.id, 'A fault', 'bob'],
    );
    const { json: found } = await bob.get(`${all}/${event['id']}`);
    assert.deepEqual(found, event);
    assert.equal(event['url'], `${server.url}${all}/${event['id']}`);
    for (const wrong of [`${all}/999999`, `/repos/acme/open/issues/events/${event['id']}`, `${all}/0`])
      assert.ok([404, 422].includes((await bob.get(wrong)).status), wrong);
    assert.equal((await bob.get(`${at(first)}/events?page=x`)).status, 422);
  });

  test('a reference from a repository that the caller may not see is not there, and pages stay whole', async () => {
    const issue = await giveIssue(server, open);
    const hidden = await giveIssue(server, closed, { title: 'Hidden' });
    const seen = await giveIssue(server, open, { title: 'Seen' });
    const row = (event: string, subjectId: number) => ({ event, actorId: ada.member.id, subjectId });
    await giveEvents(server, issue, [
      { ...row('cross-referenced', hidden.id), isListed: false },
      row('sub_issue_added', hidden.id),
      { ...row('cross-referenced', seen.id), isListed: false },
      row('blocked_by_added', seen.id),
    ]);
    const eventsOf = async (path: string, who: HostPerson | null) =>
      ((await server.call(path, { token: who?.token ?? null })).json as unknown as Json[]).map(
        ({ event, source }) => (source === undefined ? event : source.issue.title) as string,
      );
    assert.deepEqual(await eventsOf(`${at(issue)}/timeline`, ada), [
      'Hidden',
      'sub_issue_added',
      'Seen',
      'blocked_by_added',
    ]);
    for (const who of [bob, null]) {
      assert.deepEqual(await eventsOf(`${at(issue)}/timeline`, who), ['Seen', 'blocked_by_added']);
      assert.deepEqual(await eventsOf(`${at(issue)}/timeline?per_page=1`, who), ['Seen']);
      assert.deepEqual(await eventsOf(`${at(issue)}/events`, who), ['blocked_by_added']);
      const page = await server.call(`${at(issue)}/timeline?per_page=1`, { token: who?.token ?? null });
      assert.equal(linkedPages(page)['last'], '2');
    }
    const { json } = await ada.get(`${at(issue)}/events`);
    const { id } = (json as unknown as Json[])[0]!;
    assert.equal((await ada.get(`/repos/acme/open/issues/events/${id}`)).status, 200);
    assert.equal((await bob.get(`/repos/acme/open/issues/events/${id}`)).status, 404);
    for (const path of ['timeline', 'events'])
      assert.equal((await bob.get(`${at(hidden)}/${path}`)).status, 404);
    assert.equal((await bob.get('/repos/acme/closed/issues/events')).status, 404);
  });

  test('an account that is gone is null, and one that never was here is its name', async () => {
    const issue = await giveIssue(server, open);
    await giveEvents(server, issue, [
      { event: 'closed', actorId: 'gone', details: { state_reason: null } },
      {
        event: 'assigned',
        actorId: null,
        actorName: 'old-ada',
        details: { assignee: 'gone', assigner: null },
      },
    ]);
    const [first, second] = await timelineOf(issue);
    assert.equal(first!['actor'], null);
    assert.deepEqual([second!['actor'].login, second!['assignee']], ['old-ada', null]);
  });

  test('an installation that reads pull requests alone sees their events alone', async () => {
    const number = await giveRepository(server, 'acme', 'apps', true);
    const issue = await giveIssue(server, number);
    const pull = await giveIssue(server, number, { isPull: true });
    const closedEvent = { event: 'closed', actorId: ada.member.id };
    await giveEvents(server, issue, [closedEvent]);
    await giveEvents(server, pull, [closedEvent]);
    const path = '/repos/acme/apps/issues/events';
    const numbersFor = async (name: string, permissions: Record<string, 'read'>) => {
      const app = await makeApp(server, 'ada', { name, permissions });
      const token = await app.token(await app.install('acme', [number]));
      const { status, json } = await server.call(path, { token });
      if (status !== 200) return status;
      assert.equal((await server.call(`${at(pull)}/timeline`, { token })).status, 200);
      const own = await server.call(`${at(issue)}/timeline`, { token });
      assert.equal(own.status, 'issues' in permissions ? 200 : 403);
      return (json as unknown as Json[]).map((event) => (event['issue'] as Json)['number'] as number);
    };
    assert.deepEqual(await numbersFor('All', { issues: 'read' }), [2, 1]);
    assert.deepEqual(await numbersFor('Pulls', { pull_requests: 'read' }), [2]);
    assert.equal(await numbersFor('None', { contents: 'read' }), 403);
  });

  test('where issues are switched off they are gone, and pull requests go on', async () => {
    const { id } = await ada.repository('off');
    const number = id as number;
    const issue = await giveIssue(server, number);
    const pull = await giveIssue(server, number, { isPull: true });
    assert.equal((await ada.patch('/repos/ada/off', { has_issues: false })).status, 200);
    for (const path of ['timeline', 'events']) {
      assert.equal((await ada.get(`${at(issue)}/${path}`)).status, 410);
      assert.equal((await ada.get(`${at(pull)}/${path}`)).status, 200);
    }
    assert.equal((await ada.get('/repos/ada/off/issues/events')).status, 410);
  });
});
