// The query plans for pushes and recorded references: each uses an index, for any number of rows.
import { testPlans } from '../../../test/query-plans.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import {
  advanceRefsVersion,
  deletePushStatements,
  findPush,
  insertPush,
  listPushes,
  listRecordedBranches,
  listRecordedRefs,
  readRecordedRefs,
  replaceRecordedRefsStatements,
} from './store.ts';

const NOW = 1_800_000_000_000;
const ROWS = 1000;
const OID = '1'.repeat(40);
const PUSH = { id: 'push-1', number: 7, begunAt: NOW, changes: [] };

const WHOLE_TABLE = /(?:SCAN|Seq Scan on) (?:host_refs|host_pushes|repositories)\b(?! USING)/;

testPlans('every statement about pushes goes by an index', {
  rows: ROWS,
  insertRows,
  execute: executeAllStatements,
  atLeast: 11,
  scan: WHOLE_TABLE,
});

async function executeAllStatements(db: Db): Promise<void> {
  const pusher = { accountId: 'account-1' } as unknown as Parameters<typeof insertPush>[1]['pusher'];
  await insertPush(db, { ...PUSH, pusher }, { id: 'due-1', kind: 'test', payload: '{}', dueAt: 1 });
  await readRecordedRefs(db, PUSH.number, ['refs/heads/main']);
  await findPush(db, PUSH.id);
  await listPushes(db, PUSH.number);
  await advanceRefsVersion(db, PUSH.number, 0, NOW);
  await listRecordedRefs(db, PUSH.number);
  await listRecordedRefs(db, PUSH.number, ['refs/heads/main']);
  await listRecordedBranches(db, PUSH.number, { except: 'refs/heads/main', limit: 10 });
  const names = ['refs/heads/main', 'refs/heads/gone'];
  await executeAll(
    db,
    replaceRecordedRefsStatements(db, PUSH.number, names, new Map([['refs/heads/main', OID]])),
  );
  await executeAll(db, deletePushStatements(db, PUSH.id, 'due-1'));
}

async function insertRows(tx: Db, indexes: readonly number[]): Promise<void> {
  await insertRepositoryRows(tx, indexes, NOW);
  const refs = indexes.map((at) => ({ repository_number: at + 1, name: 'refs/heads/main', oid: OID }));
  await tx.insertInto('host_refs').values(refs).execute();
}
