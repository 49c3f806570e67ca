// A process that cannot end by itself is killed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { makeFolder, start } from './fixture.ts';

const STOP = JSON.stringify(new URL('./stop.ts', import.meta.url).href);

function write(program: string): string {
  const file = join(makeFolder(), 'program.mjs');
  writeFileSync(file, program);
  return file;
}

describe('the watchdog', () => {
  test('ends a process whose thread pool hangs in a system call', async () => {
    const pipe = join(makeFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    // Opening the pipe never returns, because no process writes to it.
    const file = write(`
      import { open } from 'node:fs';
      import { watchStop } from ${STOP};
      open(${JSON.stringify(pipe)}, 'r', () => {});
      watchStop(200);`);
    const { code, signal } = await start([], {}, file).ended;
    assert.deepEqual([code, signal], [null, 'SIGKILL']);
  });

  test('does not keep a process that is done', async () => {
    const file = write(`import { watchStop } from ${STOP}; watchStop(60_000); process.exitCode = 0;`);
    assert.equal((await start([], {}, file).ended).code, 0);
  });
});

describe('an error that nobody caught', () => {
  for (const thrown of [`setTimeout(() => { throw new Error('odd') })`, `Promise.reject(new Error('odd'))`]) {
    test(`is logged and ends the process with 1: ${thrown}`, async () => {
      const file = write(`
        import { waitForStop } from ${STOP};
        const log = { info() {}, fatal: ({ err }, text) => console.log(text + ': ' + err.message) };
        ${thrown};
        const keep = setInterval(() => {}, 1000);
        process.exitCode = await waitForStop(log);
        clearInterval(keep);`);
      const { code, out } = await start([], {}, file).ended;
      assert.equal(code, 1);
      assert.equal(out, 'stopping after an error that nobody caught: odd\n');
    });
  }
});
