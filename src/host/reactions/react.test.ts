// Reactions come and go: counts of issues and comments are true, whoever reacts at the same time, on each engine.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { Changes, type ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { createComment, editComment, removeComment } from '../issue-comments/change-comment.ts';
import type { IssueComment } from '../issue-comments/model.ts';
import type { OpenedIssues } from '../issues/access.ts';
import { createIssue, editIssue } from '../issues/change-issue.ts';
import { REACTIONS, type Issue } from '../issues/issue.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import { addReaction, removeReaction, type OpenedSubject } from './react.ts';
import { findReactionCounts, listReactions } from './store.ts';
import { subjectOf } from './model.ts';

const NOW = 1_800_000_000_000;
const OWNER: RepositoryOwner = {
  id: 'owner-0',
  number: 1,
  login: 'owner-0',
  type: 'User',
  isSiteAdmin: false,
};
const PEOPLE = ['ada', 'bob', 'cleo', 'dan', 'eve', 'fay', 'gus', 'hal'];
const SLICE = { offset: 0, limit: 100 };

onEachEngine((testEngine) => {
  let engine: Engine;
  let opened: OpenedIssues;

  before(async () => {
    engine = await testEngine.openMigrated();
    await insertRepositoryRows(engine.db, [1000], NOW, () => ({ owner_id: OWNER.id }));
    const { number } = await engine.db
      .selectFrom('repositories')
      .select('number')
      .orderBy('number', 'desc')
      .executeTakeFirstOrThrow();
    opened = { repository: (await findRepositoryByNumber(engine.db, number))!, owner: OWNER, role: 'read' };
  });

  async function run<T>(work: (tx: ChangeTransaction) => Promise<T>): Promise<T> {
    return await new Changes(engine, []).run(
      { now: NOW, can: () => true, requirePermission: () => {} },
      work,
    );
  }

  async function newSubjects(): Promise<{
    issue: Issue;
    comment: IssueComment;
    onIssue: OpenedSubject;
    onComment: OpenedSubject;
  }> {
    const draft = { title: 'A fault', body: null, labels: [], assigneeIds: [], milestoneId: null };
    const author = { id: 'ada', name: null };
    const issue = await run((tx) => createIssue(tx, opened, { ...draft, author }));
    const comment = await run((tx) => createComment(tx, opened, issue.id, { author, body: 'x' }));
    const shared = { issueId: issue.id, role: opened.role };
    return {
      issue,
      comment,
      onIssue: { ...shared, subject: subjectOf('issue', issue.id) },
      onComment: { ...shared, subject: subjectOf('comment', comment.id) },
    };
  }

  const countsOf = ({ subject }: OpenedSubject) => findReactionCounts(engine.db, subject);

  test('the reactions of eight people at once are all counted, each once', async () => {
    const { issue, comment, onIssue, onComment } = await newSubjects();
    const added = await Promise.all(
      [...PEOPLE, ...PEOPLE].flatMap((id) =>
        [onIssue, onComment].map((on) => run((tx) => addReaction(tx, on, id, '+1'))),
      ),
    );
    assert.equal(added.filter(({ isNew }) => isNew).length, 16);
    // What changes the rows meanwhile keeps their counts.
    await Promise.all([
      run((tx) => editIssue(tx, opened, issue.id, { title: 'Another' })),
      run((tx) => editComment(tx, opened, comment, 'y')),
      ...REACTIONS.map((content) => run((tx) => addReaction(tx, onIssue, 'ada', content))),
      ...REACTIONS.map((content) => run((tx) => addReaction(tx, onComment, 'ada', content))),
    ]);
    const each = Object.fromEntries(REACTIONS.map((content) => [content, 1]));
    for (const on of [onIssue, onComment]) assert.deepEqual(await countsOf(on), { ...each, '+1': 8 });
    const reactions = await listReactions(engine.db, onIssue.subject, '+1', SLICE);
    await Promise.all(
      reactions.map(({ id, accountId }) => run((tx) => removeReaction(tx, onIssue, accountId, id))),
    );
    const { '+1': _gone, ...others } = each;
    assert.deepEqual(await countsOf(onIssue), others);
  });

  test('a reaction that is taken back twice at once is counted once', async () => {
    const { onComment } = await newSubjects();
    const { reaction } = await run((tx) => addReaction(tx, onComment, 'ada', 'heart'));
    await run((tx) => addReaction(tx, onComment, 'bob', 'heart'));
    const ends = await Promise.allSettled(
      [1, 2].map(() => run((tx) => removeReaction(tx, onComment, 'ada', reaction.id))),
    );
    assert.deepEqual(ends.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    assert.deepEqual(await countsOf(onComment), { heart: 1 });
  });

  test('nobody takes back the reaction of another, or one of another subject', async () => {
    const { onIssue, onComment } = await newSubjects();
    const { reaction } = await run((tx) => addReaction(tx, onIssue, 'ada', 'eyes'));
    await assert.rejects(
      run((tx) => removeReaction(tx, onIssue, 'bob', reaction.id)),
      { kind: 'denied' },
    );
    await assert.rejects(
      run((tx) => removeReaction(tx, onComment, 'ada', reaction.id)),
      { kind: 'not-found' },
    );
    assert.deepEqual(await countsOf(onIssue), { eyes: 1 });
  });

  test('in a locked conversation nobody reacts but those who may write', async () => {
    const { issue, onIssue } = await newSubjects();
    const { reaction } = await run((tx) => addReaction(tx, onIssue, 'ada', 'eyes'));
    await run((tx) => editIssue(tx, opened, issue.id, { lock: { reason: 'spam' } }));
    await assert.rejects(
      run((tx) => addReaction(tx, onIssue, 'ada', '-1')),
      { kind: 'denied' },
    );
    await assert.rejects(
      run((tx) => removeReaction(tx, onIssue, 'ada', reaction.id)),
      { kind: 'denied' },
    );
    await run((tx) => addReaction(tx, { ...onIssue, role: 'write' }, 'bob', '-1'));
    assert.deepEqual(await countsOf(onIssue), { eyes: 1, '-1': 1 });
  });

  test('reactions go with their comment, and a reaction to a comment that is gone finds none', async () => {
    const { comment, onIssue, onComment } = await newSubjects();
    for (const on of [onIssue, onComment]) await run((tx) => addReaction(tx, on, 'ada', 'rocket'));
    await run((tx) => removeComment(tx, opened, comment));
    assert.deepEqual(await listReactions(engine.db, onComment.subject, undefined, SLICE), []);
    assert.equal((await listReactions(engine.db, onIssue.subject, undefined, SLICE)).length, 1);
    await assert.rejects(
      run((tx) => addReaction(tx, onComment, 'ada', 'rocket')),
      { kind: 'not-found' },
    );
  });
});
