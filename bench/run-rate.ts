// How fast many short runs that are queued at once finish, against a plain pool of processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, type Effort } from './compare.ts';
import { cpuMsOf } from './cpu.ts';
import { headers } from './queue-calls.ts';
import { Connection } from './raw-http.ts';
import type { Row } from './report.ts';
import { createScript, finish, startRun, startRunServer } from './run-calls.ts';

const RUNS = 200;
const LEAST = 0.7;
/** As many as a server executes at once by default. */
const WIDTH = Math.max(8, 4 * availableParallelism());
const CALLERS = 16;
/** That of runs. */
const NICENESS = 10;

/** Waits for something else most of its time, as an Actor does that fetches a page. */
const SHORT = `console.log('begun'); setTimeout(() => console.log('done'), 500);\n`;

/** In turns, so that other load of the machine affects both. */
export async function benchRate({ rounds }: Effort): Promise<Row> {
  const server = await startRunServer({ SIGNALBOX_NODE_RUNS: String(WIDTH) });
  const actorId = await createScript(server.url, SHORT);
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  writeFileSync(join(folder, 'main.js'), SHORT);
  const rates: { ours: number; pool: number; cpuMs: number }[] = [];
  await runAll(server.url, actorId, WIDTH);
  for (let round = 0; round < rounds; round += 1) {
    const pool = await poolRate(folder);
    const before = cpuMsOf(server.pid);
    const ours = await runAll(server.url, actorId, RUNS);
    rates.push({ pool, ours, cpuMs: (cpuMsOf(server.pid) - before) / RUNS });
  }
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  const ratio = median(rates.map(({ ours, pool }) => ours / pool));
  return {
    what: `${RUNS} runs of half a second queued at once, ${WIDTH} at a time`,
    value: `${median(rates.map(({ ours }) => ours)).toFixed(1)} runs/s, ${median(rates.map(({ cpuMs }) => cpuMs)).toFixed(0)} ms of the server's CPU each`,
    ratio,
    against: `a pool of ${WIDTH} plain processes, niced as runs are, without a sandbox, ${median(rates.map(({ pool }) => pool)).toFixed(1)}/s`,
    target: `≥ ${LEAST}`,
    isMet: ratio >= LEAST,
  };
}

/** Finished runs per second, from the first call to the end of the last run. */
async function runAll(url: string, actorId: string, count: number): Promise<number> {
  const begun = performance.now();
  const ids: string[] = [];
  let left = count;
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      const connection = new Connection(url, headers);
      while ((left -= 1) >= 0) ids.push(await startRun(connection, actorId));
      connection.close();
    }),
  );
  for (const id of ids) {
    const status = await finish(url, `/v2/actor-runs/${id}`);
    if (status !== 'SUCCEEDED') throw new Error(`A run is ${status}`);
  }
  return (count * 1000) / (performance.now() - begun);
}

async function poolRate(folder: string): Promise<number> {
  const begun = performance.now();
  let left = RUNS;
  await Promise.all(
    Array.from({ length: WIDTH }, async () => {
      while ((left -= 1) >= 0) {
        const child = spawn(process.execPath, ['main.js'], {
          cwd: folder,
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        // Otherwise other load would slow the runs alone.
        setPriority(child.pid!, NICENESS);
        child.stdout.resume();
        await once(child, 'close');
      }
    }),
  );
  return (RUNS * 1000) / (performance.now() - begun);
}
