// Labels are created, renamed and deleted, also at once and with many issues, on each engine.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { createIssue, editIssue } from '../issues/change-issue.ts';
import { withLabel } from '../issues/lists/facets.ts';
import { insertIssueRows, ISSUE_DRAFT, newIssueRepository, NOW, runChange } from '../issues/fixture.ts';
import { lockIssue } from '../issues/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { lockRepository } from '../repositories/store.ts';
import { changeLabel, createLabel, findOrCreateLabels, removeLabel } from './change-label.ts';
import { labelWork, REMOVE_LABEL } from './label-work.ts';
import { listLabels, listLabelsOf } from './store.ts';

const SLICE = { offset: 0, limit: 100 };

onEachEngine((testEngine) => {
  let engine: Engine;
  let place = 0;

  before(async () => {
    engine = await testEngine.openMigrated();
  });

  const newRepository = async () => await newIssueRepository(engine, (place += 1));
  const newLabel = async (found: FoundRepository, name: string) =>
    await runChange(engine, (tx) => createLabel(tx, found, { name, color: 'ff0000', description: null }));
  const namesIn = async ({ repository }: FoundRepository) =>
    (await listLabels(engine.db, repository.number, SLICE)).items.map(({ name }) => name);

  async function removeFromIssues(labelId: number): Promise<void> {
    const work = labelWork({ db: engine.db } as Kernel).handlers![REMOVE_LABEL]!;
    await work({ payload: String(labelId) } as never, new AbortController().signal);
  }

  async function countRows(labelId: number): Promise<number[]> {
    const links = await engine.db
      .selectFrom('issue_labels')
      .where('label_id', '=', labelId)
      .select('issue_id')
      .execute();
    const facets = await engine.db
      .selectFrom('issue_facets')
      .where('facet', '=', withLabel(labelId))
      .select('issue_id')
      .execute();
    return [links.length, facets.length];
  }

  test('of eight who create labels that differ in case, one does', async () => {
    const found = await newRepository();
    const forms = ['bug', 'Bug', 'BUG', 'bUg', 'buG', 'BUg', 'bUG', 'BuG'];
    const results = await Promise.allSettled(forms.map((name) => newLabel(found, name)));
    const refused = results.filter((one) => one.status === 'rejected');
    assert.equal(refused.length, 7);
    for (const { reason } of refused) assert.equal(reason.details.code, 'already_exists');
    assert.equal((await namesIn(found)).length, 1);
  });

  test('eight who put the same new labels on issues create each once', async () => {
    const found = await newRepository();
    const issues = await Promise.all(
      Array.from({ length: 2 }, () => runChange(engine, (tx) => createIssue(tx, found, ISSUE_DRAFT))),
    );
    await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        runChange(engine, async (tx) => {
          const issue = issues[at % 2]!;
          await lockRepository(tx.db, found.repository.number);
          await lockIssue(tx.db, issue.id);
          const names = at < 4 ? ['a', 'b', 'c'] : ['C', 'B', 'A'];
          const labels = await findOrCreateLabels(tx, { ...found, role: 'write' }, names);
          await editIssue(tx, found, issue.id, { labels: () => labels });
        }),
      ),
    );
    assert.equal((await namesIn(found)).length, 3);
    const created = await engine.db
      .selectFrom('host_events')
      .selectAll()
      .where('repository_number', '=', found.repository.number)
      .where('name', '=', 'label')
      .execute();
    assert.equal(created.length, 3);
    const labels = await listLabelsOf(
      engine.db,
      issues.map(({ id }) => id),
    );
    for (const { id } of issues) assert.equal(labels.get(id)?.length, 3);
  });

  test('a label that is renamed stays on its issues; the timeline keeps the old name', async () => {
    const found = await newRepository();
    const label = await newLabel(found, 'old');
    const { id } = await runChange(engine, (tx) =>
      createIssue(tx, found, { ...ISSUE_DRAFT, labels: [label] }),
    );
    await runChange(engine, (tx) => changeLabel(tx, found, 'OLD', { name: 'new' }));
    const shown = (await listLabelsOf(engine.db, [id])).get(id);
    assert.deepEqual(shown, [{ ...label, name: 'new' }]);
    const [event] = await engine.db
      .selectFrom('issue_events')
      .selectAll()
      .where('issue_id', '=', id)
      .execute();
    assert.deepEqual(JSON.parse(event!.details), { label: { name: 'old', color: 'ff0000' } });
  });

  test('a rename to the name of another is refused, and one in case alone is not', async () => {
    const found = await newRepository();
    await newLabel(found, 'one');
    await newLabel(found, 'two');
    await assert.rejects(
      runChange(engine, (tx) => changeLabel(tx, found, 'one', { name: 'TWO' })),
      { details: { code: 'already_exists', fields: [{ field: 'new_name', message: 'already exists' }] } },
    );
    await runChange(engine, (tx) => changeLabel(tx, found, 'one', { name: 'ONE' }));
    assert.deepEqual(await namesIn(found), ['ONE', 'two']);
  });

  test('a deleted label is gone from all issues at once, and its rows later, in batches', async () => {
    const found = await newRepository();
    const label = await newLabel(found, 'gone');
    const ids = await insertIssueRows(engine, found, 1200, {
      labelId: label.id,
      facets: [withLabel(label.id)],
    });
    await runChange(engine, (tx) => removeLabel(tx, found, 'gone'));
    assert.equal((await listLabelsOf(engine.db, ids.slice(0, 100))).size, 0);
    const again = await newLabel(found, 'gone');
    assert.notEqual(again.id, label.id);
    assert.deepEqual(await countRows(label.id), [1200, 1200]);
    await removeFromIssues(label.id);
    assert.deepEqual(await countRows(label.id), [0, 0]);
    const due = await engine.db
      .selectFrom('due')
      .select('payload')
      .where('id', '=', `${REMOVE_LABEL}:${label.id}`)
      .execute();
    assert.deepEqual(due, [{ payload: String(label.id) }]);
  });

  test('the work of a server that stops goes on at the next', async () => {
    const found = await newRepository();
    const label = await newLabel(found, 'gone');
    await insertIssueRows(engine, found, 700, { labelId: label.id, facets: [withLabel(label.id)] });
    const work = labelWork({ db: engine.db } as Kernel).handlers![REMOVE_LABEL]!;
    await assert.rejects(work({ payload: String(label.id) } as never, AbortSignal.abort()));
    assert.deepEqual(await countRows(label.id), [200, 700]);
    await removeFromIssues(label.id);
    assert.deepEqual(await countRows(label.id), [0, 0]);
  });

  test('a label that somebody deletes while others add it is on no issue, or is a new one', async () => {
    const found = await newRepository();
    const old = await newLabel(found, 'contested');
    const issues = await Promise.all(
      Array.from({ length: 4 }, () => runChange(engine, (tx) => createIssue(tx, found, ISSUE_DRAFT))),
    );
    const add = async (id: number) =>
      await runChange(
        engine,
        async (tx) => {
          await lockRepository(tx.db, found.repository.number);
          await lockIssue(tx.db, id);
          const labels = await findOrCreateLabels(tx, { ...found, role: 'write' }, ['contested']);
          await editIssue(tx, found, id, { labels: (present) => [...present, ...labels] });
        },
        NOW + 1,
      );
    await Promise.all([
      ...issues.map(({ id }) => add(id)),
      runChange(engine, (tx) => removeLabel(tx, found, 'contested')),
    ]);
    await removeFromIssues(old.id);
    assert.deepEqual(await countRows(old.id), [0, 0]);
  });
});
