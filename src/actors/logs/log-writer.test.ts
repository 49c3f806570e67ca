import assert from 'node:assert/strict';
import { appendFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Kernel } from '../../kernel/kernel.ts';
import { onEachEngine } from '../../../test/engines.ts';
import { eventually } from '../../../test/eventually.ts';
import type { TestServer } from '../../../test/server.ts';
import { startServerOn } from '../../../test/suites.ts';
import { newId } from '../../kernel/id.ts';
import { cutNotice, HEAD_BYTES, LOG_BYTES } from './model.ts';
import { openLogWriter } from './log-writer.ts';
import { readLog } from './stored-log.ts';
import { deleteLog, findLog, insertLog } from './store.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let kernel: Kernel;
  let folder: string;
  before(async () => {
    server = await startServerOn(engine);
    ({ kernel } = server.app);
    folder = join(kernel.settings.execution.work, 'runs');
  });
  after(() => server.stop());

  async function createLog(): Promise<string> {
    const id = newId(kernel.clock.now());
    await insertLog(kernel.db, { id, userId: 'someone' }, kernel.clock.now());
    return id;
  }

  /** With the notice in place of what was cut out. */
  async function storedLog(id: string): Promise<string> {
    let position = 0;
    let text = '';
    for await (const { at, content } of readLog(kernel, id)) {
      if (at > position) text += cutNotice(at - position, content);
      text += Buffer.from(content).toString();
      position = at + content.length;
    }
    return text;
  }

  const linesOf = (text: string) => text.split('\n').slice(0, -1);
  const withoutTimes = (text: string) => text.replaceAll(/^\S{24} /gm, '');
  const chunkCount = async (id: string) =>
    (await kernel.db.selectFrom('log_chunks').select('at').where('log_id', '=', id).execute()).length;

  test('lines of the program and of the platform are stored in order while it runs, and are in a blob in the end', async () => {
    const id = await createLog();
    const writer = await openLogWriter(kernel, { id, folder });
    assert.equal((await stat(writer.file)).mode & 0o777, 0o600);
    writer.write('ACTOR: Starting');
    await appendFile(writer.file, 'one\ntwo\nthr');
    await eventually(async () => withoutTimes(await storedLog(id)) === 'ACTOR: Starting\none\ntwo\n');
    await appendFile(writer.file, 'ee\nlast');
    writer.write('ACTOR: Ended');
    assert.deepEqual(
      await kernel.db.selectFrom('log_files').select('log_id').where('log_id', '=', id).execute(),
      [{ log_id: id }],
    );
    await writer.end();
    const text = await storedLog(id);
    assert.equal(withoutTimes(text), 'ACTOR: Starting\none\ntwo\nthree\nlast\nACTOR: Ended\n');
    assert.ok(linesOf(text).every((line) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /.test(line)));
    const log = (await findLog(kernel.db, id))!;
    assert.deepEqual([log.isEnded, log.isPacked, log.blob?.bytes], [true, true, text.length]);
    assert.equal(await chunkCount(id), 0);
    assert.deepEqual(
      await kernel.db.selectFrom('log_files').selectAll().where('log_id', '=', id).execute(),
      [],
    );
    await assert.rejects(stat(writer.file), { code: 'ENOENT' });
  });

  test('many logs that end at once are stored in a few commits', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, createLog));
    const writers = await Promise.all(ids.map((id) => openLogWriter(kernel, { id, folder })));
    await Promise.all(writers.map(async (writer, i) => appendFile(writer.file, `line of ${i}\n`)));
    let commits = 0;
    const { batchIf } = kernel.engine;
    kernel.engine.batchIf = (guards, statements) => {
      if (guards.some(({ sql }) => sql.includes('log_files'))) commits += 1;
      return batchIf(guards, statements);
    };
    await Promise.all(writers.map((writer) => writer.end()));
    kernel.engine.batchIf = batchIf;
    assert.ok(commits <= 6, `${commits} commits`);
    for (const [i, id] of ids.entries()) assert.equal(withoutTimes(await storedLog(id)), `line of ${i}\n`);
  });

  test('a log that goes on elsewhere is continued, and one that has ended, too', async () => {
    const id = await createLog();
    const first = await openLogWriter(kernel, { id, folder });
    await appendFile(first.file, 'first');
    await first.close();
    assert.equal((await findLog(kernel.db, id))!.isEnded, false);
    const second = await openLogWriter(kernel, { id, folder });
    second.write('second');
    await second.end();
    const old = (await findLog(kernel.db, id))!.blob!.key;
    const third = await openLogWriter(kernel, { id, folder });
    assert.equal((await findLog(kernel.db, id))!.isEnded, false);
    assert.equal(withoutTimes(await storedLog(id)), 'first\nsecond\n');
    third.write('third');
    await third.end();
    assert.equal(withoutTimes(await storedLog(id)), 'first\nsecond\nthird\n');
    const work = await kernel.db.selectFrom('due').select('kind').where('payload', '=', old).execute();
    assert.deepEqual(work, [{ kind: 'logs.delete-blob' }]);
  });

  test('the middle of a log that is too long is cut out, and a line says how much', async () => {
    const id = await createLog();
    const writer = await openLogWriter(kernel, { id, folder });
    const line = `${'x'.repeat(99)}\n`;
    const count = 400_000;
    await appendFile(writer.file, `first\n${line.repeat(count)}`);
    await appendFile(writer.file, 'last\n');
    await writer.end();
    const text = await storedLog(id);
    assert.ok(text.length <= LOG_BYTES && text.length > LOG_BYTES - 600_000, `${text.length}`);
    const lines = linesOf(text);
    assert.match(lines[0]!, /Z first$/);
    assert.match(lines.at(-1)!, /Z last$/);
    const notices = lines.filter((one) => one.includes('are left out here'));
    assert.equal(notices.length, 1);
    const head = text.indexOf(notices[0]!);
    assert.ok(head > HEAD_BYTES - 200 && head < HEAD_BYTES + 200, `${head}`);
    const cut = Number(/ACTOR: (\d+) bytes/.exec(notices[0]!)![1]);
    const { totalBytes } = (await findLog(kernel.db, id))!;
    assert.equal(cut, totalBytes - text.length + notices[0]!.length + 1);
    assert.ok(
      lines.every((one) => /^\S{24} (x{99}|first|last|ACTOR: .*)$/.test(one)),
      'no line is damaged',
    );

    // When it goes on, its beginning stays, and there is still one gap.
    const again = await openLogWriter(kernel, { id, folder });
    assert.equal(await storedLog(id), text);
    again.write('resurrected');
    await again.end();
    const later = linesOf(await storedLog(id));
    assert.match(later[0]!, /Z first$/);
    assert.match(later.at(-1)!, /Z resurrected$/);
    assert.equal(later.filter((one) => one.includes('are left out here')).length, 1);
  });

  test('a file that grows faster than it is stored is skipped, and its beginning and end are there', async () => {
    const id = await createLog();
    const writer = await openLogWriter(kernel, { id, folder });
    const megabyte = `${'y'.repeat(1023)}\n`.repeat(1024);
    for (let written = 0; written < 100; written += 1) await appendFile(writer.file, megabyte);
    writer.write('the end');
    await writer.end();
    const text = await storedLog(id);
    assert.ok(text.length <= LOG_BYTES);
    assert.match(text, /Z the end\n$/);
    const { totalBytes } = (await findLog(kernel.db, id))!;
    assert.ok(totalBytes > 100 * megabyte.length, 'what was skipped is counted');
  });

  test('a log that is deleted while it is written does not disturb the others', async () => {
    const [gone, kept] = [await createLog(), await createLog()];
    const [goneWriter, keptWriter] = await Promise.all(
      [gone, kept].map((id) => openLogWriter(kernel, { id, folder })),
    );
    await kernel.db.transaction().execute((tx) => deleteLog(tx, gone, kernel.clock.now()));
    goneWriter!.write('nobody reads this');
    keptWriter!.write('somebody reads this');
    await Promise.all([goneWriter!.end(), keptWriter!.end()]);
    assert.equal(withoutTimes(await storedLog(kept)), 'somebody reads this\n');
    assert.equal(await storedLog(gone), '');
    assert.equal((await readdir(folder)).length, 0);
  });

  test('an empty log ends without a blob', async () => {
    const id = await createLog();
    const writer = await openLogWriter(kernel, { id, folder });
    await writer.end();
    assert.deepEqual(await findLog(kernel.db, id), {
      id,
      isEnded: true,
      isPacked: true,
      totalBytes: 0,
      totalLines: 0,
    });
    assert.equal(await storedLog(id), '');
  });
});
