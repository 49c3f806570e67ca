// What becomes of alerts when analyses are deleted while others are being applied, all of it in small steps.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import type { ApplyingAnalysis } from './analysis.ts';
import type { ReadResult } from './sarif/sarif-run.ts';
import { insertAnalysis, insertResults, startOver, upsertRules } from './store-analyses.ts';
import {
  beginApplying,
  closeAlerts,
  endApplying,
  findApplying,
  openAlerts,
  updateApplied,
} from './store-applying.ts';
import { beginDeleting, deleteSome, findDeleting, findPrevious } from './store-deleting.ts';
import { listAlerts } from './store-alerts.ts';
import { endUpload, findPendingUpload, insertUpload } from './store-uploads.ts';

const NOW = 1_800_000_000_000;
const MAIN = 'refs/heads/main';
const PLACE = { repositoryNumber: 1, ref: MAIN, commitSha: 'c', checkoutUri: null };
const LOCATION = { path: 'a.js', start_line: 1, end_line: 1, start_column: 1, end_column: 1 };
const FOUND = { ruleId: 'r', severity: 'error', securitySeverity: null } as const;
const RULE = { name: 'r', description: 'r', fullDescription: 'r', tags: [], help: null, helpUri: null };

onEachEngine((testEngine) => {
  let db: Engine['db'];

  beforeEach(async () => {
    ({ db } = await testEngine.openMigrated());
    await insertRepositoryRows(db, [0], NOW);
    await upsertRules(db, 1, 'Linter', [['r', RULE]]);
  });

  /** Begins an upload with these results. */
  async function begin(
    id: string,
    fingerprints: readonly string[],
    category = '',
  ): Promise<ApplyingAnalysis> {
    await insertUpload(db, { ...PLACE, id }, NOW);
    const upload = (await findPendingUpload(db, 1))!;
    const tool = { toolName: 'Linter', toolVersion: null, toolGuid: null, category };
    const run = { ...tool, resultsCount: fingerprints.length, rulesCount: 1, warning: '' };
    const written = await insertAnalysis(db, upload, run, 0, NOW);
    const results = fingerprints.map((fingerprint): ReadResult => ({
      ...FOUND,
      fingerprint,
      details: { message: fingerprint, location: LOCATION },
    }));
    if (results.length > 0) await insertResults(db, written, results, 0);
    await beginApplying(db, written.number, 10);
    const analysis = (await findApplying(db, upload))!;
    await endUpload(db, upload, [], NOW);
    return analysis;
  }

  async function open(analysis: ApplyingAnalysis, count: number): Promise<ApplyingAnalysis> {
    await openAlerts(db, analysis, count);
    const next = { ...analysis, applied: Math.min(analysis.applied + count, analysis.resultsCount) };
    await updateApplied(db, next);
    return next;
  }

  async function complete(analysis: ApplyingAnalysis): Promise<void> {
    if (analysis.applied < analysis.resultsCount) await openAlerts(db, analysis, 10);
    while ((await closeAlerts(db, analysis, 1)) !== undefined);
    await endApplying(db, analysis);
  }

  const beginRemoval = async (analysis: ApplyingAnalysis) =>
    await beginDeleting(db, analysis, await findPrevious(db, analysis));

  /** False when nothing is left. */
  async function removeOne(): Promise<boolean> {
    const deleting = await findDeleting(db, 1);
    if (deleting !== undefined) await deleteSome(db, deleting, 1, NOW);
    return deleting !== undefined;
  }

  async function remove(analysis: ApplyingAnalysis): Promise<void> {
    await beginRemoval(analysis);
    while (await removeOne());
  }

  /** As lists show them, by their messages. */
  async function states(): Promise<Record<string, string>> {
    const order = { sort: 'created', desc: false } as const;
    const alerts = await listAlerts(db, 1, [MAIN], {}, order, { offset: 0, limit: 100 });
    return Object.fromEntries(alerts.map(({ instance, state }) => [instance.details.message, state]));
  }

  test('an analysis that is deleted meanwhile takes no alert from the one that is being applied', async () => {
    await complete(await begin('one', ['a', 'b']));
    const second = await begin('two', ['b', 'c', 'd']);
    await complete(second);
    const third = await open(await begin('three', ['c', 'b', 'e']), 1);
    await remove(second);
    assert.deepEqual(await states(), { a: 'open', b: 'open', c: 'open' });
    await complete(third);
    assert.deepEqual(await states(), { a: 'fixed', b: 'open', c: 'open', e: 'open' });
  });

  test('the last analysis that is deleted meanwhile leaves the one that is being applied', async () => {
    const first = await begin('one', ['a', 'b']);
    await complete(first);
    const second = await open(await begin('two', ['b', 'c']), 1);
    await remove(first);
    assert.deepEqual(await states(), { b: 'open' });
    await complete(second);
    assert.deepEqual(await states(), { b: 'open', c: 'open' });
  });

  test('one that is given up while it is applied has changed nothing', async () => {
    await complete(await begin('one', ['a', 'b']));
    const second = await open(await begin('two', ['c', 'b']), 2);
    await closeAlerts(db, second, 10);
    assert.deepEqual(await states(), { a: 'fixed', b: 'open', c: 'open' });
    await remove(second);
    assert.deepEqual(await states(), { a: 'open', b: 'open' });
  });

  test('a process that lost its upload to another one does not end it', async () => {
    await insertUpload(db, { ...PLACE, id: 'one' }, NOW);
    const upload = (await findPendingUpload(db, 1))!;
    const tool = { toolName: 'Linter', toolVersion: null, toolGuid: null, category: '' };
    const run = { ...tool, resultsCount: 0, rulesCount: 0, warning: '' };
    const slow = await insertAnalysis(db, upload, run, 0, NOW);
    assert.deepEqual(await startOver(db, upload), new Set());
    const quick = await insertAnalysis(db, upload, run, 0, NOW);
    await assert.rejects(beginApplying(db, slow.number, 10), { kind: 'conflict' });
    await beginApplying(db, quick.number, 10);
    await complete((await findApplying(db, upload))!);
    assert.deepEqual(await startOver(db, upload), new Set([0]));
  });

  test('each step of a deletion leaves alerts as they were or as they will be', async () => {
    await complete(await begin('one', ['a', 'b']));
    const second = await begin('two', ['b', 'c', 'd']);
    await complete(second);
    const before: Record<string, string | undefined> = await states();
    const after: Record<string, string> = { a: 'open', b: 'open' };
    await beginRemoval(second);
    do {
      const now = await states();
      for (const name of ['a', 'b', 'c', 'd'])
        assert.ok(now[name] === before[name] || now[name] === after[name], `${name}: ${now[name]}`);
    } while (await removeOne());
    assert.deepEqual(await states(), after);
  });

  test('whatever order uploads and deletions of two categories come in, alerts are as the newest analyses say', async () => {
    const random = randomFrom(17);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    /** By category: the analyses that are ready, and what they have. */
    const ready = new Map<string, { analysis: ApplyingAnalysis; has: string[] }[]>();
    for (const category of ['', 'other']) ready.set(category, []);
    for (let round = 0; round < 25; round += 1) {
      const category = random(2) === 0 ? '' : 'other';
      const has = names.filter(() => random(2) === 0);
      const newest = ready.get(category)!.at(-1);
      const isDeletion = newest !== undefined && random(2) === 0;
      let analysis = await begin(`upload-${round}`, has, category);
      const isGivenUp = !isDeletion && random(4) === 0;
      if (isDeletion) await beginRemoval(newest.analysis);
      while (analysis.applied < analysis.resultsCount) {
        if (random(2) === 0) await removeOne();
        analysis = await open(analysis, 1 + random(2));
      }
      let isOpen = true;
      for (let isLeft = true; isLeft && (!isGivenUp || random(3) > 0);) {
        if (random(2) === 0) await removeOne();
        isLeft = (await closeAlerts(db, analysis, 1)) !== undefined;
        if (!isLeft && !isGivenUp) {
          await endApplying(db, analysis);
          isOpen = false;
        }
      }
      if (isDeletion) ready.get(category)!.pop();
      while (await removeOne());
      if (isOpen) await remove(analysis);
      else ready.get(category)!.push({ analysis, has });
      const expected: Record<string, string> = {};
      for (const name of names) {
        const sets = [...ready.values()];
        if (sets.some((set) => set.at(-1)?.has.includes(name))) expected[name] = 'open';
        else if (sets.some((set) => set.some((one) => one.has.includes(name)))) expected[name] = 'fixed';
      }
      const shown = await states();
      assert.deepEqual(shown, expected, `round ${round}`);
    }
  });
});

/** Whole numbers below a limit, the same in every run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
