// Milestones and the counts of their issues, changed by several at once, on each engine.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { createIssue, editIssue, type IssueEdit } from '../issues/change-issue.ts';
import { inRepository, milestonedIn, withMilestone } from '../issues/lists/facets.ts';
import { insertIssueRows, ISSUE_DRAFT, newIssueRepository, runChange } from '../issues/fixture.ts';
import { findIssue } from '../issues/store.ts';
import { insertLabels, listMilestoneLabels } from '../labels/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { changeMilestone, createMilestone, removeMilestone } from './change-milestone.ts';
import { milestoneWork, REMOVE_MILESTONE } from './milestone-work.ts';
import type { Milestone } from './model.ts';
import { findMilestone, listMilestones } from './store.ts';

const NONE = { description: null, state: 'open', creator: { id: 'ada', name: null }, dueOn: null } as const;

onEachEngine((testEngine) => {
  let engine: Engine;
  let place = 0;

  before(async () => {
    engine = await testEngine.openMigrated();
  });

  const newRepository = async () => await newIssueRepository(engine, (place += 1));
  const newMilestone = async (found: FoundRepository, title: string, more: Partial<Milestone> = {}) =>
    (await runChange(engine, (tx) => createMilestone(tx, found, { ...NONE, title, ...more }))).milestone;
  const edit = async (found: FoundRepository, id: number, change: IssueEdit) =>
    await runChange(engine, (tx) => editIssue(tx, found, id, change));

  async function countsOf(found: FoundRepository, { number }: Milestone): Promise<number[]> {
    const { openIssueCount, closedIssueCount } = (await findMilestone(
      engine.db,
      found.repository.number,
      number,
    ))!;
    return [openIssueCount, closedIssueCount];
  }

  test('numbers grow by one, and are not given again', async () => {
    const found = await newRepository();
    const created = await Promise.all(Array.from({ length: 8 }, (_, at) => newMilestone(found, `m${at}`)));
    assert.deepEqual(
      created.map(({ number }) => number).toSorted((one, other) => one - other),
      [1, 2, 3, 4, 5, 6, 7, 8],
    );
    await runChange(engine, (tx) => removeMilestone(tx, found, 8));
    assert.equal((await newMilestone(found, 'next')).number, 9);
  });

  test('of eight who create or rename to the same title one does, and no number is lost', async () => {
    const found = await newRepository();
    const other = await newMilestone(found, 'other');
    const results = await Promise.allSettled([
      ...Array.from({ length: 7 }, () => newMilestone(found, 'same')),
      runChange(engine, (tx) => changeMilestone(tx, found, other.number, { title: 'same' })),
    ]);
    const refused = results.filter((one) => one.status === 'rejected');
    assert.equal(refused.length, 7);
    for (const { reason } of refused) assert.equal(reason.details.code, 'already_exists');
    const wasCreated = results.slice(0, 7).some((one) => one.status === 'fulfilled');
    assert.equal((await newMilestone(found, 'next')).number, wasCreated ? 3 : 2);
  });

  test('counts are true when eight at once move, close and reopen issues', async () => {
    const found = await newRepository();
    const [one, other] = [await newMilestone(found, 'one'), await newMilestone(found, 'other')];
    const issues = await Promise.all(
      Array.from({ length: 4 }, (_, at) =>
        runChange(engine, (tx) =>
          createIssue(tx, found, { ...ISSUE_DRAFT, milestoneId: at < 2 ? one.id : null }),
        ),
      ),
    );
    const edits: IssueEdit[] = [
      { milestoneId: other.id },
      { state: 'closed' },
      { milestoneId: one.id, state: 'open' },
      { milestoneId: null },
      { state: 'open' },
      { milestoneId: other.id, state: 'closed' },
      { title: 'Another title' },
      { milestoneId: one.id },
    ];
    for (let round = 0; round < 3; round += 1)
      await Promise.all(edits.map((change, at) => edit(found, issues[(at + round) % 4]!.id, change)));
    const now = await Promise.all(
      issues.map(({ number }) => findIssue(engine.db, found.repository.number, number)),
    );
    for (const milestone of [one, other]) {
      const states = now.filter((issue) => issue!.milestoneId === milestone.id).map((issue) => issue!.state);
      assert.deepEqual(await countsOf(found, milestone), [
        states.filter((state) => state === 'open').length,
        states.filter((state) => state === 'closed').length,
      ]);
    }
  });

  test('lists are sorted by the time that is due or by completeness', async () => {
    const found = await newRepository();
    const repositoryNumber = found.repository.number;
    const never = await newMilestone(found, 'never');
    const late = await newMilestone(found, 'late', { dueOn: 2000 });
    const soon = await newMilestone(found, 'soon', { dueOn: 1000, state: 'closed' });
    for (const [milestoneId, states] of [
      [late.id, ['closed']],
      [soon.id, ['closed', 'open']],
    ] as const)
      for (const state of states) {
        const draft = { ...ISSUE_DRAFT, milestoneId };
        const { id } = await runChange(engine, (tx) => createIssue(tx, found, draft));
        if (state === 'closed') await edit(found, id, { state });
      }
    const list = async (sort: 'due_on' | 'completeness', desc: boolean) => {
      const filter = { repositoryNumber, states: ['open', 'closed'] as const };
      const listed = await listMilestones(engine.db, filter, { sort, desc }, { offset: 0, limit: 10 });
      assert.deepEqual([listed.total, listed.isTotalExact], [3, true]);
      return listed.items.map(({ title }) => title);
    };
    assert.deepEqual(await list('due_on', false), ['soon', 'late', 'never']);
    assert.deepEqual(await list('due_on', true), ['never', 'late', 'soon']);
    assert.deepEqual(await list('completeness', false), ['never', 'soon', 'late']);
    assert.deepEqual(await list('completeness', true), ['late', 'soon', 'never']);
    const second = await listMilestones(
      engine.db,
      { repositoryNumber, states: ['open'] },
      { sort: 'due_on', desc: false },
      { offset: 1, limit: 1 },
    );
    assert.deepEqual([second.items.map(({ id }) => id), second.total], [[never.id], 2]);
  });

  test('the labels of a milestone follow its issues and theirs, each once', async () => {
    const found = await newRepository();
    const [one, other] = [await newMilestone(found, 'one'), await newMilestone(found, 'other')];
    const fields = { color: 'ff0000', description: null };
    const [a, b] = await insertLabels(engine.db, found.repository.number, [
      { name: 'a', ...fields },
      { name: 'b', ...fields },
    ]);
    const draft = { ...ISSUE_DRAFT, labels: [a!], milestoneId: one.id };
    const [first, second] = [
      await runChange(engine, (tx) => createIssue(tx, found, draft)),
      await runChange(engine, (tx) => createIssue(tx, found, draft)),
    ];
    const names = async ({ id }: Milestone) =>
      (await listMilestoneLabels(engine.db, id)).map(({ name }) => name).join();
    assert.deepEqual([await names(one), await names(other)], ['a', '']);
    await edit(found, second.id, { labels: () => [a!, b!] });
    assert.deepEqual([await names(one), await names(other)], ['a,b', '']);
    await edit(found, second.id, { milestoneId: other.id });
    assert.deepEqual([await names(one), await names(other)], ['a', 'a,b']);
    await edit(found, first.id, { labels: () => [] });
    await edit(found, second.id, { milestoneId: null });
    assert.deepEqual([await names(one), await names(other)], ['', '']);
  });

  test('a deleted milestone is taken from all of its issues, the first ones at once', async () => {
    const found = await newRepository();
    const { number } = found.repository;
    const milestone = await newMilestone(found, 'gone');
    const facets = [inRepository(number), milestonedIn(number, '*'), withMilestone(milestone.id)];
    await insertIssueRows(engine, found, 500, { milestoneId: milestone.id, facets });
    await runChange(engine, (tx) => removeMilestone(tx, found, milestone.number));
    const left = async () =>
      (await engine.db.selectFrom('issues').select('id').where('milestone_id', '=', milestone.id).execute())
        .length;
    assert.equal(await left(), 300);
    const due = await engine.db
      .selectFrom('due')
      .selectAll()
      .where('id', '=', `${REMOVE_MILESTONE}:${milestone.id}`)
      .executeTakeFirstOrThrow();
    const work = milestoneWork({ db: engine.db } as Kernel).handlers![REMOVE_MILESTONE]!;
    await work(due, new AbortController().signal);
    assert.equal(await left(), 0);
    const counts = async (facet: string) =>
      (await engine.db.selectFrom('issue_facets').select('issue_id').where('facet', '=', facet).execute())
        .length;
    assert.deepEqual(
      await Promise.all([...facets, milestonedIn(number, 'none')].map(counts)),
      [500, 0, 0, 500],
    );
    const events = await engine.db
      .selectFrom('issue_events')
      .select(['event', 'details'])
      .where('repository_number', '=', number)
      .execute();
    assert.equal(events.length, 500);
    assert.deepEqual(events[499], { event: 'demilestoned', details: '{"milestone":{"title":"gone"}}' });
  });

  test('an issue that gets a milestone while somebody deletes it has it not, or loses it', async () => {
    const found = await newRepository();
    for (let round = 0; round < 4; round += 1) {
      const milestone = await newMilestone(found, `round ${round}`);
      const { id, number } = await runChange(engine, (tx) => createIssue(tx, found, ISSUE_DRAFT));
      const [edited] = await Promise.allSettled([
        edit(found, id, { milestoneId: milestone.id }),
        runChange(engine, (tx) => removeMilestone(tx, found, milestone.number)),
      ]);
      if (edited.status === 'rejected') assert.equal(edited.reason.details.fields[0].field, 'milestone');
      const issue = await findIssue(engine.db, found.repository.number, number);
      assert.equal(issue?.milestoneId, null);
      const facets = await engine.db
        .selectFrom('issue_facets')
        .select('facet')
        .where('issue_id', '=', id)
        .execute();
      const names = facets.map(({ facet }) => facet);
      assert.ok(names.includes(milestonedIn(found.repository.number, 'none')));
      assert.ok(!names.includes(withMilestone(milestone.id)));
    }
  });
});
