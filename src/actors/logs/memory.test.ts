// Memory stays flat while a program prints far more than a log may have, and while a log is read.
import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { usedBytes } from '../../../test/memory.ts';
import { insertRunRow } from '../../../test/run-rows.ts';
import { startServer, type TestServer } from '../../../test/server.ts';
import { LOG_BYTES } from './model.ts';
import { openLogWriter } from './log-writer.ts';
import { readLog } from './stored-log.ts';

const MEGABYTE = 1024 * 1024;
const MAX_RISE = 24 * MEGABYTE;

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

test('memory stays flat while 200 megabytes are printed, and while the log is read', async () => {
  const { kernel } = server.app;
  const id = await insertRunRow(kernel, { userId: 'someone' });
  const writer = await openLogWriter(kernel, { id, folder: join(kernel.settings.execution.work, id) });
  const megabyte = Buffer.from(`${'x'.repeat(1023)}\n`.repeat(1024));
  const begun = usedBytes();
  let highest = begun;
  const look = () => (highest = Math.max(highest, usedBytes()));
  for (let written = 0; written < 200; written += 1) {
    await appendFile(writer.file, megabyte);
    if (written % 10 === 0) look();
  }
  await writer.end();
  look();
  let length = 0;
  let pieces = 0;
  for await (const { content } of readLog(kernel, id)) {
    length += content.length;
    pieces += 1;
    if (pieces % 20 === 0) look();
  }
  assert.ok(length > LOG_BYTES / 2 && length <= LOG_BYTES);
  assert.ok(highest - begun < MAX_RISE, `rose by ${highest - begun} bytes`);
});
