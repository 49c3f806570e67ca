// Large pushes and clones pass through the server without staying in its memory.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../git-tests.ts';
import { joinHost, type HostPerson } from '../host-people.ts';
import { usedBytes } from '../memory.ts';
import { startServer, type TestServer } from '../server.ts';
import { GitClient, gitUrl } from './git-client.ts';

const MEBIBYTE = 1024 ** 2;
const SIZE_MB = 32;
/** Far less than what is transferred. */
const MOST_BYTES = 8 * MEBIBYTE;

let server: TestServer;
let ada: HostPerson;
before(async () => {
  server = await startServer({ limits: 'off' });
  ada = await joinHost(server, 'ada');
});
after(() => server.stop());

/** The most that is used while it goes on, above what is used before. */
async function riseDuring(work: () => Promise<unknown>): Promise<number> {
  const atFirst = usedBytes();
  let highest = atFirst;
  let timer: NodeJS.Timeout;
  const look = () => {
    const begun = performance.now();
    highest = Math.max(highest, usedBytes());
    // On a busy machine a look takes longer than the usual pause, and nearly all time would go into looks.
    timer = setTimeout(look, Math.max(500, 10 * (performance.now() - begun)));
  };
  timer = setTimeout(look, 500);
  await work().finally(() => clearTimeout(timer));
  return highest - atFirst;
}

/** Bytes that cannot be compressed. */
function writeLarge(file: string): void {
  const open = openSync(file, 'w');
  for (let count = 0; count < SIZE_MB; count += 1) writeSync(open, randomBytes(MEBIBYTE));
  closeSync(open);
}

test(`${SIZE_MB} MB are pushed and cloned in constant memory`, async () => {
  await ada.repository('heavy');
  const client = new GitClient();
  await client.begin('work');
  writeLarge(client.path('work', 'large.bin'));
  await client.run('work', 'add', '.');
  await client.run('work', '-c', 'core.compression=0', 'commit', '--quiet', '--message', 'large');
  const url = gitUrl(server, ada.token, 'ada/heavy');
  const pushed = await riseDuring(() => client.run('work', 'push', '--quiet', url, 'main'));
  assert.ok(pushed < MOST_BYTES, `a push took ${pushed} bytes`);
  const cloned = await riseDuring(() => client.run('', 'clone', '--quiet', '--bare', url, 'copy'));
  assert.ok(cloned < MOST_BYTES, `a clone took ${cloned} bytes`);
});
