// The query plans of code scanning: each uses an index, for any number of rows.
import { before, test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, fillTables, recordStatements } from '../../../test/query-plans.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import {
  findAlert,
  listAlerts,
  listAlertsByNumber,
  listInstances,
  listRefsOfAlert,
  updateDismissal,
} from './store-alerts.ts';
import {
  findAnalysis,
  insertAnalysis,
  insertResults,
  listAlertsOfResults,
  listAnalyses,
  startOver,
  upsertRules,
} from './store-analyses.ts';
import {
  beginApplying,
  closeAlerts,
  endApplying,
  findApplying,
  openAlerts,
  updateApplied,
} from './store-applying.ts';
import { deleteScanning, beginDeleting, deleteSome, findDeleting, findPrevious } from './store-deleting.ts';
import {
  findLastAlert,
  listAlertsOfOwners,
  listGrantedNumbers,
  listOrganizationAlerts,
  listWrittenOrganizations,
  updateListed,
} from './store-organization-alerts.ts';
import { endUpload, findPendingUpload, findUpload, insertUpload, sarifBlobs } from './store-uploads.ts';
import type { ReadResult } from './sarif/sarif-run.ts';

const NOW = 1_800_000_000_000;
const ROWS = 2000;
const SLICE = { offset: 0, limit: 10 };
const WHOLE_TABLE =
  /(?:SCAN|Seq Scan on) (?:code_scanning_\w+|repositor\w+|upload|analysis|alert|shown|rule|result|instance|known)\b(?! USING)/;
const RULE = { name: 'r', description: 'r', fullDescription: 'r', tags: [], help: null, helpUri: null };
const RUN = {
  toolName: 'Linter',
  toolVersion: null,
  toolGuid: null,
  category: '',
  resultsCount: 2,
  rulesCount: 1,
  warning: '',
};
const LOCATION = { path: 'a.js', start_line: 1, end_line: 1, start_column: 1, end_column: 1 };

const resultWith = (fingerprint: string): ReadResult => ({
  fingerprint,
  ruleId: 'r',
  severity: 'error',
  securitySeverity: null,
  details: { message: 'm', location: LOCATION },
});

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    await fillTables(engine, ROWS, insertRows);
    const seen = recordStatements(engine);
    const process = async (id: string, fingerprints: string[]) => {
      await db
        .transaction()
        .execute((tx) =>
          insertUpload(
            tx,
            { id, repositoryNumber: 1, ref: 'refs/heads/main', commitSha: 'c', checkoutUri: null },
            NOW,
          ),
        );
      const upload = (await findPendingUpload(db, 1))!;
      await startOver(db, upload);
      const written = await insertAnalysis(db, upload, RUN, 0, NOW);
      await upsertRules(db, 1, 'Linter', [['r', RULE]]);
      await insertResults(db, written, fingerprints.map(resultWith), 0);
      await beginApplying(db, written.number, 10);
      const analysis = (await findApplying(db, upload))!;
      await db.transaction().execute(async (tx) => {
        await openAlerts(tx, analysis, 10);
        await updateApplied(tx, { ...analysis, applied: 2 });
        await closeAlerts(tx, analysis, 10);
        await endApplying(tx, analysis);
      });
      await endUpload(db, upload, [], NOW);
      return written.number;
    };
    await process('first', ['x', 'y']);
    const number = await process('second', ['y', 'z']);
    await findUpload(db, 1, 'first');
    await sarifBlobs.listReferenced(db, ['host-sarif/first', 'host-sarif/second/0']);
    await listAlertsOfResults(db, number, 0, 10);
    for (const filter of [{}, { refs: ['refs/heads/main'] }, { toolName: 'Linter' }, { uploadId: 'first' }])
      await listAnalyses(db, 1, { ...filter, desc: true }, SLICE);
    const refs = ['refs/heads/main'];
    const owner = { ownerId: 'owner-0' };
    for (const sort of ['created', 'updated'] as const)
      for (const filter of [{}, { states: ['open'] as const }, { toolName: 'Linter' }]) {
        const after = { at: NOW, repositoryNumber: 1, number: 100 };
        await listAlerts(db, 1, refs, filter, { sort, desc: true }, SLICE, after);
        for (const cursor of [undefined, after])
          await listOrganizationAlerts(db, owner, filter, { sort, desc: true }, SLICE, cursor);
        const owners = [owner, { ownerId: 'owner-1', numbers: [1, 2] }];
        await listAlertsOfOwners(db, owners, filter, { sort, desc: true }, SLICE, after);
      }
    await listWrittenOrganizations(db, 'owner-0', 10);
    await listGrantedNumbers(db, 'owner-0', 10);
    await updateListed(db, 1, { start: 0, end: 100 });
    await findLastAlert(db, 1);
    await findAlert(db, 1, 1, 'refs/heads/main');
    await listAlertsByNumber(db, 1, 'refs/heads/main', [1, 2]);
    await listInstances(db, 1, 1, undefined, SLICE);
    await listRefsOfAlert(db, 1, 1);
    const analysis = (await findAnalysis(db, 1, number))!;
    await db.transaction().execute(async (tx) => {
      await updateDismissal(tx, 1, 1, null);
      await beginDeleting(tx, analysis, await findPrevious(tx, analysis));
      for (let step = 0; step < 3; step += 1) await deleteSome(tx, (await findDeleting(tx, 1))!, 10, NOW);
    });
    await deleteScanning(db, 2);
    statements = [...seen.values()].filter(({ sql: text }) =>
      /^\s*(select|insert|update|delete)/i.test(text),
    );
  });

  async function insertRows(tx: Engine['db'], rows: readonly number[]): Promise<void> {
    await insertRepositoryRows(tx, rows, NOW);
    const common = (at: number) => ({ repository_number: at + 1, ref: 'refs/heads/main' });
    await tx
      .insertInto('code_scanning_uploads')
      .values(
        rows.map((at) => ({
          ...common(at),
          id: `upload-${at}`,
          commit_sha: 'c',
          checkout_uri: null,
          status: 'complete',
          errors: null,
          created_at: NOW,
          ended_at: NOW,
        })),
      )
      .execute();
    await tx
      .insertInto('code_scanning_sets')
      .values(rows.map((at) => ({ ...common(at), tool_name: 'Linter', category: '' })))
      .execute();
    await tx
      .insertInto('code_scanning_analyses')
      .values(
        rows.map((at) => ({
          ...common(at),
          set_number: at + 1,
          upload_number: at + 1,
          run_index: 0,
          commit_sha: 'c',
          tool_name: 'Linter',
          tool_version: null,
          tool_guid: null,
          category: '',
          results_count: 1,
          rules_count: 1,
          warning: '',
          created_at: NOW,
          is_ready: 1,
          is_newest: 1,
          applied: null,
          events_left: null,
          restored: null,
        })),
      )
      .execute();
    await tx
      .insertInto('code_scanning_rules')
      .values(
        rows.map((at) => ({
          repository_number: at + 1,
          tool_name: 'Linter',
          rule_id: 'r',
          rule: JSON.stringify(RULE),
          help: null,
        })),
      )
      .execute();
    await tx
      .insertInto('code_scanning_counters')
      .values(rows.map((at) => ({ repository_number: at + 1, last_alert: 1 })))
      .execute();
    const finding = { fingerprint: 'f', rule_id: 'r', severity: 'error', security_severity: null };
    await tx
      .insertInto('code_scanning_alerts')
      .values(
        rows.map((at) => ({
          ...finding,
          repository_number: at + 1,
          number: 1,
          tool_name: 'Linter',
          tool_version: null,
          tool_guid: null,
          created_at: NOW,
          dismissed_at: null,
          dismissed_by: null,
          dismissed_reason: null,
          dismissed_comment: null,
        })),
      )
      .execute();
    await tx
      .insertInto('code_scanning_results')
      .values(
        rows.map((at) => ({
          ...finding,
          analysis_number: at + 1,
          position: 0,
          set_number: at + 1,
          alert_number: 1,
          details: JSON.stringify({ message: 'm', location: LOCATION }),
        })),
      )
      .execute();
    const there = (at: number) => ({
      ...common(at),
      alert_number: 1,
      analysis_number: at + 1,
      updated_at: NOW,
      fixed_at: null,
    });
    await tx
      .insertInto('code_scanning_instances')
      .values(rows.map((at) => ({ ...there(at), set_number: at + 1, is_open: 1 })))
      .execute();
    await tx
      .insertInto('code_scanning_alert_refs')
      .values(
        rows.map((at) => ({
          ...there(at),
          state: 'open',
          created_at: NOW,
          listed_by: `owner-${at % 1000}`,
        })),
      )
      .execute();
  }

  test('every statement of code scanning goes by an index', async () => {
    await assertPlans(engine, statements, { atLeast: 35, scan: WHOLE_TABLE, hasFewRows: true });
  });
});
