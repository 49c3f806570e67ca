// SIGKILL of a server while it stores logs: each line that a program has written is there afterwards, once and in order.
import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { readLog } from '../../src/actors/logs/stored-log.ts';
import { findLog } from '../../src/actors/logs/store.ts';
import type { Kernel } from '../../src/kernel/kernel.ts';
import { openFileBlobs } from '../../src/kernel/storage/blobs/blob.ts';
import { onEachEngine } from '../engines.ts';
import { eventually, inTime } from '../eventually.ts';
import { rounds } from '../long.ts';
import { insertRunRow } from '../run-rows.ts';

const KILLS = rounds(3, 30);
const LOGS = 3;
/** The kill comes after a random number of stored bytes up to this. */
const MAX_BYTES = 20_000;
const PROCESS = new URL('logs-process.ts', import.meta.url).pathname;

onEachEngine((testEngine) => {
  test(`after ${KILLS} kills every line is in its log, once and in order`, async (t) => {
    const folder = await testEngine.folder();
    const location = await testEngine.migratedDatabase();
    const engine = await testEngine.open([], location);
    const kernel = {
      db: engine.db,
      blobs: await openFileBlobs(join(folder, 'blobs')),
      clock: { now: Date.now },
    } as unknown as Kernel;
    const ids: string[] = [];
    for (let log = 0; log < LOGS; log += 1) ids.push(await insertRunRow(kernel, { userId: 'someone' }));
    const programs = ids.map(() => new Program());
    const storedBytes = async () => {
      const totals = await Promise.all(ids.map(async (id) => (await findLog(engine.db, id))!.totalBytes));
      return Math.min(...totals);
    };

    for (let kills = 0; kills < KILLS; kills += 1) {
      const server = await startProcess(t, [location, folder, ...ids]);
      const enough = (await storedBytes()) + 1 + Math.random() * MAX_BYTES;
      const writing = programs.map((program, index) => program.writeTo(server.files[index]!));
      await eventually(async () => (await storedBytes()) > enough, 'stored lines');
      await server.kill();
      // Programs may outlive their server for a moment.
      for (const program of programs) program.stopAfter(50);
      await Promise.all(writing);
    }
    const last = await startProcess(t, [location, folder, ...ids]);
    await last.end();

    // What this process knows of the other one's writes may be a quarter of a second old.
    const after = await testEngine.open([], location);
    for (const [index, id] of ids.entries()) {
      let text = '';
      for await (const { content } of readLog({ ...kernel, db: after.db }, id))
        text += Buffer.from(content).toString();
      const lines = text.split('\n').slice(0, -1);
      const expected = Array.from({ length: programs[index]!.written }, (_, line) => `line ${line}`);
      assert.deepEqual(
        lines.map((line) => line.replace(/^\S{24} /, '')),
        expected,
      );
      assert.equal((await findLog(after.db, id))!.isPacked, true);
    }
    assert.deepEqual(await after.db.selectFrom('log_files').selectAll().execute(), []);
  });
});

/** Writes numbered lines to its output, in pieces that are not lines. */
class Program {
  written = 0;
  #left = Infinity;

  async writeTo(file: string): Promise<void> {
    this.#left = Infinity;
    for (; this.#left > 0; this.#left -= 1) {
      const line = `line ${this.written}\n`;
      const middle = Math.floor(Math.random() * line.length);
      await appendFile(file, line.slice(0, middle));
      await appendFile(file, line.slice(middle));
      this.written += 1;
    }
  }

  stopAfter(lines: number): void {
    this.#left = lines;
  }
}

async function startProcess(t: TestContext, args: string[]) {
  const child: ChildProcess = fork(PROCESS, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  t.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const [files] = (await inTime(once(child, 'message'), 'the start of a process')) as [string[]];
  return {
    files,
    async kill() {
      child.kill('SIGKILL');
      await inTime(exited);
    },
    async end() {
      child.send('end');
      assert.deepEqual(await inTime(exited, 'the end of a process'), [0, null]);
    },
  };
}
