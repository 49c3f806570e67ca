// Issues are created and changed: numbers, counts, lists and timelines, on each engine.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { Changes, type ChangeTransaction } from '../../kernel/change/changes.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import { createIssue, editIssue, type IssueDraft } from './change-issue.ts';
import { assignedIn, inRepository, withLabel } from './lists/facets.ts';
import { labelFrom } from '../labels/store.ts';
import { listIssueIds } from './lists/store-facets.ts';
import { findIssue } from './store.ts';

const NOW = 1_800_000_000_000;
const OWNER: RepositoryOwner = {
  id: 'owner-0',
  number: 1,
  login: 'owner-0',
  type: 'User',
  isSiteAdmin: false,
};
const DRAFT: IssueDraft = {
  title: 'A fault',
  body: null,
  author: { id: 'ada', name: null },
  labels: [],
  assigneeIds: [],
  milestoneId: null,
};
const OPEN = { states: ['open'] as const };
const NEWEST = { sort: 'created', desc: true } as const;
const SLICE = { offset: 0, limit: 10 };

onEachEngine((testEngine) => {
  let engine: Engine;
  let place = 0;

  before(async () => {
    engine = await testEngine.openMigrated();
  });

  /** A repository of its own for each test. */
  async function newRepository(): Promise<FoundRepository> {
    place += 1;
    await insertRepositoryRows(engine.db, [place * 1000], NOW, () => ({ owner_id: OWNER.id }));
    const { number } = await engine.db
      .selectFrom('repositories')
      .select('number')
      .orderBy('number', 'desc')
      .executeTakeFirstOrThrow();
    return { repository: (await findRepositoryByNumber(engine.db, number))!, owner: OWNER };
  }

  async function run<T>(work: (tx: ChangeTransaction) => Promise<T>, now = NOW): Promise<T> {
    return await new Changes(engine, []).run({ now, can: () => true, requirePermission: () => {} }, work);
  }

  async function newLabel({ repository }: FoundRepository, name: string) {
    const row = await engine.db
      .insertInto('labels')
      .values({
        repository_number: repository.number,
        name,
        folded_name: name,
        color: 'ff0000',
        description: null,
        is_default: 0,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return labelFrom(row);
  }

  async function openCountOf({ repository }: FoundRepository): Promise<number> {
    return (await findRepositoryByNumber(engine.db, repository.number))!.openIssueCount;
  }

  test('eight issues that are created at once have the numbers 1 to 8', async () => {
    const found = await newRepository();
    const created = await Promise.all(
      Array.from({ length: 8 }, () => run((tx) => createIssue(tx, found, DRAFT))),
    );
    assert.deepEqual(
      created.map(({ number }) => number).toSorted((one, other) => one - other),
      [1, 2, 3, 4, 5, 6, 7, 8],
    );
    assert.equal(await openCountOf(found), 8);
  });

  test('the number of an issue that is not committed is given to the next', async () => {
    const found = await newRepository();
    await assert.rejects(
      run(async (tx) => {
        await createIssue(tx, found, DRAFT);
        throw new Error('Not this one');
      }),
    );
    assert.equal((await run((tx) => createIssue(tx, found, DRAFT))).number, 1);
  });

  test('an issue that is closed twice at once is counted and recorded once', async () => {
    const found = await newRepository();
    const { id, number } = await run((tx) => createIssue(tx, found, DRAFT));
    await Promise.all([1, 2].map(() => run((tx) => editIssue(tx, found, id, { state: 'closed' }))));
    assert.equal(await openCountOf(found), 0);
    const closed = await findIssue(engine.db, found.repository.number, number);
    assert.equal(closed?.stateReason, 'completed');
    const events = await engine.db
      .selectFrom('issue_events')
      .select('event')
      .where('issue_id', '=', id)
      .execute();
    assert.deepEqual(events, [{ event: 'closed' }]);
  });

  test('labels that are added at once are all there, and the issue is in the list of each', async () => {
    const found = await newRepository();
    const { id } = await run((tx) => createIssue(tx, found, DRAFT));
    const labels = await Promise.all(['a', 'b', 'c', 'd'].map((name) => newLabel(found, name)));
    await Promise.all(
      labels.map((label) =>
        run((tx) => editIssue(tx, found, id, { labels: (present) => [...present, label] })),
      ),
    );
    for (const label of labels) {
      const { ids } = await listIssueIds(
        engine.db,
        { ...OPEN, facets: [withLabel(label.id)] },
        NEWEST,
        SLICE,
      );
      assert.deepEqual(ids, [id]);
    }
    const all = labels.map((label) => withLabel(label.id));
    const { ids, total } = await listIssueIds(engine.db, { ...OPEN, facets: all }, NEWEST, SLICE);
    assert.deepEqual([ids, total], [[id], 1]);
  });

  test('lists follow the state, the assignees and the time of change', async () => {
    const found = await newRepository();
    const { number } = found.repository;
    const first = await run((tx) => createIssue(tx, found, { ...DRAFT, assigneeIds: ['ada'] }));
    const second = await run((tx) => createIssue(tx, found, DRAFT), NOW + 1000);
    const list = async (facet: string, order: { sort: 'created' | 'updated'; desc: boolean }) =>
      (await listIssueIds(engine.db, { states: ['open', 'closed'], facets: [facet] }, order, SLICE)).ids;
    assert.deepEqual(await list(inRepository(number), NEWEST), [second.id, first.id]);
    await run((tx) => editIssue(tx, found, first.id, { state: 'closed', assigneeIds: () => [] }), NOW + 2000);
    assert.deepEqual(await list(inRepository(number), { sort: 'updated', desc: true }), [
      first.id,
      second.id,
    ]);
    assert.deepEqual(await list(assignedIn(number, 'ada'), NEWEST), []);
    assert.deepEqual(await list(assignedIn(number, 'none'), NEWEST), [second.id, first.id]);
    const open = await listIssueIds(engine.db, { ...OPEN, facets: [inRepository(number)] }, NEWEST, SLICE);
    assert.deepEqual(open.ids, [second.id]);
  });

  test('an edit that changes nothing leaves the time of change as it was', async () => {
    const found = await newRepository();
    const { id, title } = await run((tx) => createIssue(tx, found, DRAFT));
    const edited = await run((tx) => editIssue(tx, found, id, { title, state: 'open' }), NOW + 5000);
    assert.equal(edited.updatedAt, NOW);
  });
});
