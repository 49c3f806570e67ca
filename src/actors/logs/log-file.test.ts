// An output file of a program that is read while it grows and ends.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { LogFile } from './log-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-log-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a last line that is written while the lines before it are read is stored too', async () => {
  const file = new LogFile(
    { id: 'log', name: 'log', path: join(folder, 'log'), position: 0, totalBytes: 0, now: () => 0 },
    'create',
  );
  file.write('first');
  const reading = file.next();
  file.write('last');
  file.beginClosing('close');
  const first = (await reading)!;
  assert.equal(first.ending, undefined, 'not all of the file was read');
  file.advance(first);
  const rest = (await file.next())!;
  assert.match(Buffer.from(rest.content).toString(), / last\n$/);
  assert.equal(rest.ending, 'close');
  file.close();
});
