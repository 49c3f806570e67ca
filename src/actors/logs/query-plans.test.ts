// The query plans for logs: each uses an index, for any number of rows.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql, type CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import { insertRunRow } from '../../../test/run-rows.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { isLogFinished, listLogsInChunks, listReferencedLogBlobs } from './store-recovery.ts';
import { findChunkGap, findChunkMark, saveLineIndex } from './store-lines.ts';
import {
  appendToLogs,
  deleteLog,
  deleteLogFile,
  endLog,
  findLog,
  findLogFile,
  insertLogFile,
  listChunks,
  reopenLog,
  replaceChunks,
} from './store.ts';

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    const kernel = { db, clock: { now: () => 1_800_000_000_000 } } as unknown as Kernel;
    const content = Buffer.from('a line\n');
    await insertMany(db, content);
    const id = await insertRunRow(kernel, { userId: 'someone', finishedAt: 1 });
    const append = { id, file: 'file', from: 0, to: 7, skipped: 1, content, ending: 'end' as const };
    const seen = recordStatements(engine);
    await insertLogFile(db, id, 'file');
    await findLogFile(db, id, 'file');
    assert.ok(await appendToLogs(engine, [append]));
    await listChunks(db, id, 0);
    await findChunkMark(db, id, 0);
    await findChunkGap(db, { ...(await findLog(db, id))!, totalBytes: 100 });
    await deleteLogFile(db, id, 'other');
    await endLog(db, id);
    await isLogFinished(db, id);
    assert.equal((await listLogsInChunks(db, 'log-', 10)).length, 10);
    const log = (await findLog(db, id))!;
    assert.ok(await replaceChunks(engine, log, { key: 'logs/a', bytes: 7, headBytes: 7 }));
    const packed = (await findLog(db, id))!;
    await saveLineIndex(db, packed, { total: 1, marks: [[0, 0]] });
    assert.ok(await reopenLog(engine, packed, { head: content, tail: new Uint8Array() }, 1));
    await listReferencedLogBlobs(db, ['logs/a', 'logs/b']);
    await db.transaction().execute((tx) => deleteLog(tx, id, 1));
    statements = [...seen.values()].filter(({ sql: text }) => text.includes('"log'));
    await sql.raw('analyze').execute(db);
  });

  /** Logs of which some are packed, with files and chunks. */
  async function insertMany(db: Engine['db'], content: Uint8Array): Promise<void> {
    const ids = Array.from({ length: 2000 }, (_, at) => `log-${at}`);
    const rest = {
      user_id: 'someone',
      is_ended: 0,
      total_bytes: 7,
      blob_bytes: 7,
      head_bytes: 7,
      created_at: 1,
      total_lines: 1,
      line_index: null,
    };
    const rows = ids.map((id, at) => ({
      ...rest,
      id,
      is_packed: at % 10 === 0 ? 0 : 1,
      blob: at % 10 === 0 ? null : `logs/${id}/blob`,
    }));
    await db.insertInto('logs').values(rows).execute();
    await db
      .insertInto('log_files')
      .values(ids.map((id) => ({ log_id: id, file: 'file', position: 7 })))
      .execute();
    await db
      .insertInto('log_chunks')
      .values(ids.map((id) => ({ log_id: id, at: 0, content, first_line: 0 })))
      .execute();
  }

  test('every statement about logs goes by an index', async () => {
    await assertPlans(engine, statements, { atLeast: 19 });
  });
});
