import assert from 'node:assert/strict';
import { appendFile, mkdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { insertBuildRow, insertRunRow } from '../../../test/run-rows.ts';
import type { TestServer } from '../../../test/server.ts';
import { startServerOn } from '../../../test/suites.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { orphanSweep } from '../../kernel/storage/blobs/orphan-blobs.ts';
import { openLogWriter } from './log-writer.ts';
import { logModule } from './module.ts';
import { readLog } from './stored-log.ts';
import { logSweep, recoverLogs } from './recover-logs.ts';
import { appendToLogs, deleteLog, findLog, insertLogFile } from './store.ts';

const HOUR = 60 * 60 * 1000;
const FILE = 'left/output-1.log';

onEachEngine((engine) => {
  let server: TestServer;
  let kernel: Kernel;
  before(async () => {
    server = await startServerOn(engine);
    ({ kernel } = server.app);
  });
  after(() => server.stop());

  const signal = new AbortController().signal;
  const userId = 'someone';
  const pathOf = (file: string) => join(kernel.settings.execution.work, file);

  /** A file of a server that has died when some of it was stored. */
  async function leaveFile(id: string, content: string, stored: number, file = FILE): Promise<void> {
    const path = pathOf(file);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, content);
    await utimes(path, new Date('2026-01-02T03:04:05.678Z'), new Date('2026-01-02T03:04:05.678Z'));
    await insertLogFile(kernel.db, id, file);
    const text = Buffer.from(
      content.slice(0, stored).replaceAll(/^/gm, '2026-01-01T00:00:00.000Z ').slice(0, -25),
    );
    const append = { id, file, from: 0, to: stored, skipped: 0, content: text };
    assert.ok(await appendToLogs(kernel.engine, [append]));
  }

  async function textOf(id: string): Promise<string> {
    let text = '';
    for await (const { content } of readLog(kernel, id)) text += Buffer.from(content).toString();
    return text;
  }
  const withoutTimes = (text: string) => text.replaceAll(/^\S{24} /gm, '');

  test('the rest of a file is stored once, with the time of its last write, and the log of a run that goes on stays open', async () => {
    const id = await insertRunRow(kernel, { userId });
    await leaveFile(id, 'one\ntwo\nthree\nfo', 8);
    await recoverLogs(kernel);
    const text = await textOf(id);
    assert.equal(withoutTimes(text), 'one\ntwo\nthree\nfo\n');
    assert.match(text, /^2026-01-02T03:04:05\.678Z three$/m);
    assert.equal((await findLog(kernel.db, id))!.isEnded, false);
    await assert.rejects(stat(pathOf(FILE)), { code: 'ENOENT' });
    await recoverLogs(kernel);
    assert.equal(await textOf(id), text);
  });

  test('the log of a build that has finished is ended', async () => {
    const id = await insertBuildRow(kernel, { userId, finishedAt: kernel.clock.now() });
    await leaveFile(id, 'one\ntwo\n', 4);
    await recoverLogs(kernel);
    assert.equal(withoutTimes(await textOf(id)), 'one\ntwo\n');
    const { isEnded, isPacked } = (await findLog(kernel.db, id))!;
    assert.deepEqual([isEnded, isPacked], [true, true]);
  });

  test('a run that has gone on elsewhere, and ended, gets the rest of its first file, too', async () => {
    const id = await insertRunRow(kernel, { userId, finishedAt: kernel.clock.now() });
    await leaveFile(id, 'one\ntwo\n', 4);
    const writer = await openLogWriter(kernel, { id, folder: pathOf('elsewhere') });
    writer.write('three');
    await writer.end();
    await recoverLogs(kernel);
    assert.equal(withoutTimes(await textOf(id)), 'one\nthree\ntwo\n');
    assert.equal((await findLog(kernel.db, id))!.isPacked, true);
    await recoverLogs(kernel);
    assert.equal(withoutTimes(await textOf(id)), 'one\nthree\ntwo\n');
  });

  test('files that are being written, and those of other nodes, are left alone', async () => {
    const id = await insertRunRow(kernel, { userId });
    const writer = await openLogWriter(kernel, { id, folder: pathOf('mine') });
    await insertLogFile(kernel.db, id, 'elsewhere/output-2.log');
    await recoverLogs(kernel);
    await appendFile(writer.file, 'still here\n');
    await writer.end();
    assert.equal(withoutTimes(await textOf(id)), 'still here\n');
    const left = await kernel.db.selectFrom('log_files').select('file').where('log_id', '=', id).execute();
    const expected = kernel.engine.isShared ? [{ file: 'elsewhere/output-2.log' }] : [];
    assert.deepEqual(left, expected);
  });

  test('the sweep ends and packs what a crash has left between the end of a run and that of its log', async () => {
    const now = kernel.clock.now();
    const finished = await insertRunRow(kernel, { userId, finishedAt: now - HOUR });
    const justFinished = await insertRunRow(kernel, { userId, finishedAt: now });
    const running = await insertRunRow(kernel, { userId });
    await logSweep(kernel).run(signal);
    const states = await Promise.all([finished, justFinished, running].map((id) => findLog(kernel.db, id)));
    assert.deepEqual(
      states.map((log) => [log!.isEnded, log!.isPacked]),
      [
        [true, true],
        [false, false],
        [false, false],
      ],
    );
  });

  test('if the blob cannot be written, the log has ended all the same, and the sweep packs it', async () => {
    const id = await insertRunRow(kernel, { userId });
    const failing = { ...kernel.blobs, put: () => Promise.reject(new Error('away')) };
    const writer = await openLogWriter(Object.create(kernel, { blobs: { value: failing } }) as Kernel, {
      id,
      folder: pathOf('full'),
    });
    writer.write('a line');
    await writer.end();
    assert.deepEqual(
      [(await findLog(kernel.db, id))!.isEnded, (await findLog(kernel.db, id))!.isPacked],
      [true, false],
    );
    assert.equal(withoutTimes(await textOf(id)), 'a line\n');
    await logSweep(kernel).run(signal);
    assert.equal((await findLog(kernel.db, id))!.isPacked, true);
    assert.equal(withoutTimes(await textOf(id)), 'a line\n');
  });

  test('blobs of logs are deleted with them, and are orphans only when no log refers to them', async () => {
    const id = await insertRunRow(kernel, { userId });
    const writer = await openLogWriter(kernel, { id, folder: pathOf('deleted') });
    writer.write('a line');
    await writer.end();
    const { key } = (await findLog(kernel.db, id))!.blob!;
    await kernel.blobs.put('logs/none/left', new Uint8Array(1));
    server.clock.ahead += 2 * HOUR;
    await orphanSweep(kernel, logModule.blobKinds!).run(signal);
    const keys = async () => (await Array.fromAsync(kernel.blobs.list('logs/'))).map((blob) => blob.key);
    assert.ok((await keys()).includes(key));
    assert.ok(!(await keys()).includes('logs/none/left'));
    await kernel.db.transaction().execute((tx) => deleteLog(tx, id, kernel.clock.now()));
    const work = await kernel.db.selectFrom('due').select('kind').where('payload', '=', key).execute();
    assert.deepEqual(work, [{ kind: 'logs.delete-blob' }]);
  });
});
