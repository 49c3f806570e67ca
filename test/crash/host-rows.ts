// What tests of crashes need before a server starts, written without one: people with tokens, repositories and analyses.
import type { ReadResult } from '../../src/host/code-scanning/sarif/sarif-run.ts';
import { insertAnalysis, insertResults, upsertRules } from '../../src/host/code-scanning/store-analyses.ts';
import {
  beginApplying,
  closeAlerts,
  endApplying,
  findApplying,
  openAlerts,
  updateApplied,
} from '../../src/host/code-scanning/store-applying.ts';
import { endUpload, findPendingUpload, insertUpload } from '../../src/host/code-scanning/store-uploads.ts';
import { insertRepositoryRows } from '../../src/host/repositories/fixture.ts';
import { chunk } from '../../src/kernel/collections/chunk.ts';
import { newSecret } from '../../src/kernel/secrets/secret.ts';
import { insertMember, type Member } from '../../src/kernel/identity/store-members.ts';
import { insertToken, TOKEN_PREFIX } from '../../src/kernel/identity/store-tokens.ts';
import type { Db } from '../../src/kernel/storage/tables.ts';

const MAIN = 'refs/heads/main';

export async function insertPerson(db: Db, username: string): Promise<{ member: Member; token: string }> {
  const fields = { username, email: `${username}@example.com`, role: 'writer' as const };
  const member = await insertMember(db, fields, null, Date.now());
  const secret = newSecret(TOKEN_PREFIX);
  const token = { memberId: member.id, isService: false, name: 'given', description: '', customRoles: [] };
  await insertToken(db, { ...token, role: 'writer' }, secret, Date.now());
  return { member, token: secret.value };
}

/** The first repository of the database, without anything in git. */
export async function insertFirstRepository(db: Db, { id, username }: Member, name: string): Promise<void> {
  const names = { owner_id: id, name, full_name: `${username}/${name}` };
  await insertRepositoryRows(db, [0], Date.now(), () => names);
}

const RULE = { name: 'r', description: 'r', fullDescription: 'r', tags: [], help: null, helpUri: null };
const LOCATION = { path: 'a.js', start_line: 1, end_line: 1, start_column: 1, end_column: 1 };

/** An analysis of the first repository that was processed to its end; returns its number. */
export async function insertAppliedAnalysis(
  tx: Db,
  id: string,
  fingerprints: readonly string[],
): Promise<number> {
  const now = Date.now();
  const place = { repositoryNumber: 1, ref: MAIN, commitSha: 'c'.repeat(40), checkoutUri: null };
  await upsertRules(tx, 1, 'Linter', [['r', RULE]]);
  await insertUpload(tx, { ...place, id }, now);
  const upload = (await findPendingUpload(tx, 1))!;
  const tool = { toolName: 'Linter', toolVersion: null, toolGuid: null, category: '' };
  const run = { ...tool, resultsCount: fingerprints.length, rulesCount: 1, warning: '' };
  const written = await insertAnalysis(tx, upload, run, 0, now);
  let start = 0;
  for (const some of chunk(fingerprints, 100)) {
    const results = some.map((fingerprint): ReadResult => ({
      ruleId: 'r',
      severity: 'error',
      securitySeverity: null,
      fingerprint,
      details: { message: fingerprint, location: LOCATION },
    }));
    await insertResults(tx, written, results, start);
    start += some.length;
  }
  await beginApplying(tx, written.number, 0);
  for (let analysis = (await findApplying(tx, upload))!; analysis.applied < start;) {
    await openAlerts(tx, analysis, 100);
    analysis = { ...analysis, applied: Math.min(analysis.applied + 100, start) };
    await updateApplied(tx, analysis);
  }
  const analysis = (await findApplying(tx, upload))!;
  while ((await closeAlerts(tx, analysis, 500)) !== undefined);
  await endApplying(tx, analysis);
  await endUpload(tx, upload, [], now);
  return written.number;
}
