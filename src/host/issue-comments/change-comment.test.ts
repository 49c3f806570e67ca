// Comments are written, changed and deleted: counts, lists, timelines and events, on each engine.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { Changes, type ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { EventDetails } from '../events/model.ts';
import type { OpenedIssues } from '../issues/access.ts';
import { createIssue, editIssue } from '../issues/change-issue.ts';
import { inRepository, subscribedBy } from '../issues/lists/facets.ts';
import type { Issue } from '../issues/issue.ts';
import { listIssueIds } from '../issues/lists/store-facets.ts';
import { findIssue } from '../issues/store.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import { createComment, editComment, removeComment } from './change-comment.ts';
import { countComments, listComments, type CommentFilter } from './store.ts';

const NOW = 1_800_000_000_000;
const OWNER: RepositoryOwner = {
  id: 'owner-0',
  number: 1,
  login: 'owner-0',
  type: 'User',
  isSiteAdmin: false,
};
const ADA = { id: 'ada', name: null };
const OLDEST = { sort: 'created', desc: false } as const;
const SLICE = { offset: 0, limit: 100 };

onEachEngine((testEngine) => {
  let engine: Engine;
  let place = 0;

  before(async () => {
    engine = await testEngine.openMigrated();
  });

  /** A repository of its own for each test, for a caller who may write. */
  async function newRepository(): Promise<OpenedIssues> {
    place += 1;
    await insertRepositoryRows(engine.db, [place * 1000], NOW, () => ({ owner_id: OWNER.id }));
    const { number } = await engine.db
      .selectFrom('repositories')
      .select('number')
      .orderBy('number', 'desc')
      .executeTakeFirstOrThrow();
    return { repository: (await findRepositoryByNumber(engine.db, number))!, owner: OWNER, role: 'write' };
  }

  async function run<T>(work: (tx: ChangeTransaction) => Promise<T>, now = NOW): Promise<T> {
    return await new Changes(engine, []).run({ now, can: () => true, requirePermission: () => {} }, work);
  }

  async function newIssue(opened: OpenedIssues, isPull = false): Promise<Issue> {
    const draft = { title: 'A fault', body: null, labels: [], assigneeIds: [], milestoneId: null };
    return await run((tx) =>
      createIssue(tx, opened, { ...draft, author: { id: 'eve', name: null }, ...(isPull && { isPull }) }),
    );
  }

  const write = (opened: OpenedIssues, { id }: Issue, body: string, now = NOW) =>
    run((tx) => createComment(tx, opened, id, { author: ADA, body }), now);

  const read = async ({ repositoryNumber, number }: Issue) =>
    (await findIssue(engine.db, repositoryNumber, number))!;

  const timelineOf = async ({ id }: Issue) =>
    await engine.db
      .selectFrom('issue_events')
      .select(['event', 'subject_id', 'is_listed', 'actor_id'])
      .where('issue_id', '=', id)
      .execute();

  test('eight comments that are written at once are all counted, in the issue and in its lists', async () => {
    const opened = await newRepository();
    const issue = await newIssue(opened);
    const other = await newIssue(opened);
    const comments = await Promise.all(
      Array.from({ length: 8 }, (_, index) => write(opened, issue, `${index}`, NOW + 1000)),
    );
    assert.equal((await read(issue)).commentCount, 8);
    const facets = [inRepository(opened.repository.number)];
    const byComments = async () =>
      (
        await listIssueIds(
          engine.db,
          { states: ['open'], facets },
          { sort: 'comments', desc: true },
          { offset: 0, limit: 10 },
        )
      ).ids;
    assert.deepEqual(await byComments(), [issue.id, other.id]);
    await Promise.all(comments.slice(0, 5).map((one) => run((tx) => removeComment(tx, opened, one))));
    assert.equal((await read(issue)).commentCount, 3);
    const rows = await engine.db
      .selectFrom('issue_facets')
      .select(['comment_count', 'updated_at'])
      .distinct()
      .where('issue_id', '=', issue.id)
      .execute();
    assert.deepEqual(rows, [{ comment_count: 3, updated_at: NOW + 1000 }]);
  });

  test('whoever comments is subscribed, and the timeline has a row that lists of events do not show', async () => {
    const opened = await newRepository();
    const issue = await newIssue(opened);
    const comment = await write(opened, issue, 'First');
    assert.deepEqual(await timelineOf(issue), [
      { event: 'commented', subject_id: comment.id, is_listed: 0, actor_id: 'ada' },
    ]);
    const filter = {
      states: ['open'] as const,
      facets: [subscribedBy('ada'), inRepository(opened.repository.number)],
    };
    const { ids } = await listIssueIds(engine.db, filter, { sort: 'created', desc: true }, SLICE);
    assert.deepEqual(ids, [issue.id]);
    await run((tx) => removeComment(tx, opened, comment));
    assert.deepEqual(await timelineOf(issue), []);
  });

  test('a comment that is deleted twice at once is counted once, and the second finds none', async () => {
    const opened = await newRepository();
    const issue = await newIssue(opened);
    const comment = await write(opened, issue, 'First');
    const ends = await Promise.allSettled([1, 2].map(() => run((tx) => removeComment(tx, opened, comment))));
    assert.deepEqual(ends.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    assert.equal((await read(issue)).commentCount, 0);
    await assert.rejects(
      run((tx) => editComment(tx, opened, comment, 'x')),
      { kind: 'not-found' },
    );
  });

  test('a locked conversation goes on for those who may write', async () => {
    const opened = await newRepository();
    const issue = await newIssue(opened);
    const comment = await write(opened, issue, 'First');
    await run((tx) => editIssue(tx, opened, issue.id, { lock: { reason: null } }));
    const reader = { ...opened, role: 'read' as const };
    for (const work of [
      (tx: ChangeTransaction) => createComment(tx, reader, issue.id, { author: ADA, body: 'x' }),
      (tx: ChangeTransaction) => editComment(tx, reader, comment, 'x'),
      (tx: ChangeTransaction) => removeComment(tx, reader, comment),
    ])
      await assert.rejects(run<unknown>(work), { kind: 'denied' });
    assert.equal((await write(opened, issue, 'Second')).body, 'Second');
  });

  test('each change is an event with the issue and the comment as they are then', async () => {
    const opened = await newRepository();
    const issue = await newIssue(opened);
    const comment = await write(opened, issue, 'First', NOW + 1000);
    await run((tx) => editComment(tx, opened, comment, 'First'), NOW + 1500);
    await run((tx) => editComment(tx, opened, comment, 'Second'), NOW + 2000);
    await run((tx) => removeComment(tx, opened, comment), NOW + 3000);
    const rows = await engine.db
      .selectFrom('host_events')
      .select(['action', 'details'])
      .where('repository_number', '=', opened.repository.number)
      .where('name', '=', 'issue_comment')
      .orderBy('number')
      .execute();
    const recorded = rows.map(({ action, details: text }) => {
      const {
        issue: shown,
        comment: one,
        changes,
      } = JSON.parse(text) as EventDetails['issue_comment.edited'];
      return [action, shown.issue.commentCount, one.comment.body, shown.issue.updatedAt - NOW, changes];
    });
    assert.deepEqual(recorded, [
      ['created', 1, 'First', 1000, undefined],
      ['edited', 1, 'Second', 2000, { body: { from: 'First' } }],
      ['deleted', 0, 'Second', 3000, undefined],
    ]);
  });

  test('a call that began earlier and comes later does not turn the time of change back', async () => {
    const opened = await newRepository();
    const issue = await newIssue(opened);
    const comment = await write(opened, issue, 'First', NOW + 2000);
    const edited = await run((tx) => editComment(tx, opened, comment, 'Second'), NOW + 1000);
    assert.equal(edited.updatedAt, NOW + 2000);
    assert.equal((await read(issue)).updatedAt, NOW + 2000);
  });

  test('lists are of an issue, of a repository or of its pull requests, since a time, in both orders', async () => {
    const opened = await newRepository();
    const issue = await newIssue(opened);
    const pull = await newIssue(opened, true);
    const first = await write(opened, issue, 'first', NOW + 1000);
    await write(opened, pull, 'second', NOW + 2000);
    await write(opened, issue, 'third', NOW + 3000);
    await run((tx) => editComment(tx, opened, first, 'first again'), NOW + 4000);
    const { number: repositoryNumber } = opened.repository;
    const bodies = async (
      filter: CommentFilter,
      order: { sort: 'created' | 'updated'; desc: boolean } = OLDEST,
    ) => {
      const comments = await listComments(engine.db, filter, order, SLICE);
      assert.equal(await countComments(engine.db, filter, 10), comments.length);
      return comments.map(({ body }) => body);
    };
    const all = { of: { repositoryNumber } };
    assert.deepEqual(await bodies(all), ['first again', 'second', 'third']);
    const newest = { sort: 'updated', desc: true } as const;
    assert.deepEqual(await bodies(all, newest), ['first again', 'third', 'second']);
    assert.deepEqual(await bodies({ ...all, updatedSince: NOW + 3000 }), ['first again', 'third']);
    assert.deepEqual(await bodies({ of: { repositoryNumber, arePulls: true } }), ['second']);
    assert.deepEqual(await bodies({ of: { issueId: issue.id } }), ['first again', 'third']);
    assert.deepEqual(await bodies({ of: { issueId: issue.id }, updatedSince: NOW + 3500 }), ['first again']);
    assert.equal(await countComments(engine.db, all, 2), 2);
    const page = await listComments(engine.db, all, OLDEST, { offset: 1, limit: 1 });
    assert.deepEqual(
      page.map(({ body, issueNumber, isOnPull }) => [body, issueNumber, isOnPull]),
      [['second', pull.number, true]],
    );
  });
});
