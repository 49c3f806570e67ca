// What becomes of alerts when an analysis is deleted while the next one of its set is being applied.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import type { ApplyingAnalysis } from './analysis.ts';
import type { ReadResult } from './sarif/sarif-run.ts';
import { insertAnalysis, insertResults } from './store-analyses.ts';
import {
  beginApplying,
  closeAlerts,
  endApplying,
  findApplying,
  openAlerts,
  updateApplied,
} from './store-applying.ts';
import { deleteAnalysis } from './store-states.ts';
import { endUpload, findPendingUpload, insertUpload } from './store-uploads.ts';

const NOW = 1_800_000_000_000;
const PLACE = { repositoryNumber: 1, ref: 'refs/heads/main', commitSha: 'c', checkoutUri: null };
const LOCATION = { path: 'a.js', start_line: 1, end_line: 1, start_column: 1, end_column: 1 };
const FOUND = { ruleId: 'r', severity: 'error', securitySeverity: null } as const;

onEachEngine((testEngine) => {
  let db: Engine['db'];

  beforeEach(async () => {
    ({ db } = await testEngine.openMigrated());
    await insertRepositoryRows(db, [0], NOW);
  });

  /** Begins an upload with these results. */
  async function begin(id: string, fingerprints: string[]): Promise<ApplyingAnalysis> {
    await insertUpload(db, { ...PLACE, id }, NOW);
    const upload = (await findPendingUpload(db, 1))!;
    const tool = { toolName: 'Linter', toolVersion: null, toolGuid: null, category: '' };
    const run = { ...tool, resultsCount: fingerprints.length, rulesCount: 1, warning: '' };
    const written = await insertAnalysis(db, upload, run, 0, NOW);
    const results = fingerprints.map((fingerprint): ReadResult => ({
      ...FOUND,
      fingerprint,
      details: { message: 'm', location: LOCATION },
    }));
    await insertResults(db, written, results, 0);
    await beginApplying(db, written.number, 10);
    const analysis = (await findApplying(db, upload))!;
    await endUpload(db, upload, [], NOW);
    return analysis;
  }

  async function open(analysis: ApplyingAnalysis, count: number): Promise<ApplyingAnalysis> {
    await openAlerts(db, analysis, count);
    const next = { ...analysis, applied: analysis.applied + count };
    await updateApplied(db, next);
    return next;
  }

  async function complete(analysis: ApplyingAnalysis): Promise<void> {
    if (analysis.applied < analysis.resultsCount) await openAlerts(db, analysis, 10);
    while ((await closeAlerts(db, analysis, 1)) !== undefined);
    await endApplying(db, analysis);
  }

  async function states(): Promise<Record<string, string>> {
    const rows = await db
      .selectFrom('code_scanning_alert_refs as shown')
      .innerJoin('code_scanning_alerts as alert', 'alert.number', 'shown.alert_number')
      .select(['fingerprint', 'state'])
      .execute();
    return Object.fromEntries(rows.map(({ fingerprint, state }) => [fingerprint, state]));
  }

  test('an analysis that is deleted meanwhile takes no alert from the one that is being applied', async () => {
    await complete(await begin('one', ['a', 'b']));
    const second = await begin('two', ['b', 'c', 'd']);
    await complete(second);
    const third = await open(await begin('three', ['c', 'b', 'e']), 1);
    await deleteAnalysis(db, second, NOW);
    assert.deepEqual(await states(), { a: 'open', b: 'open', c: 'open' });
    await complete(third);
    assert.deepEqual(await states(), { a: 'fixed', b: 'open', c: 'open', e: 'open' });
  });

  test('the last analysis that is deleted meanwhile leaves the one that is being applied', async () => {
    const first = await begin('one', ['a', 'b']);
    await complete(first);
    const second = await open(await begin('two', ['b', 'c']), 1);
    await deleteAnalysis(db, first, NOW);
    assert.deepEqual(await states(), { b: 'open' });
    await complete(second);
    assert.deepEqual(await states(), { b: 'open', c: 'open' });
  });

  test('one that is given up while it is applied has changed nothing', async () => {
    await complete(await begin('one', ['a', 'b']));
    const second = await open(await begin('two', ['c', 'b']), 2);
    await closeAlerts(db, second, 10);
    assert.deepEqual(await states(), { a: 'fixed', b: 'open', c: 'open' });
    await deleteAnalysis(db, second, NOW);
    assert.deepEqual(await states(), { a: 'open', b: 'open' });
  });
});
