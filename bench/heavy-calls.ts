// Calls that cost milliseconds, one at a time: CPU time of the server with all its threads. Replies as long as a project of 10,000 flags, and the start of a run.
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, type Effort } from './compare.ts';
import { cpuUsOfThreads, untilQuiet } from './cpu.ts';
import { createProject } from './flag-projects.ts';
import { headers } from './queue-calls.ts';
import type { Row } from './report.ts';
import { createScript, startRunServer } from './run-calls.ts';
import { startOurs, TOKEN, type BenchServer } from './servers.ts';

const FLAGS = 10_000;
const WARM_UP_CALLS = 20;
const CALLS_PER_ROUND = 8;
const RUN_WARM_UP_CALLS = 300;
const RUN_CALLS_PER_ROUND = 100;

const context = JSON.stringify({ kind: 'user', key: 'ada' });
const authorization = { authorization: TOKEN, 'content-type': 'application/json' };

export async function benchHeavyCalls(effort: Effort): Promise<Row[]> {
  return [...(await benchProject(effort)), await benchRunStart(effort)];
}

async function benchProject(effort: Effort): Promise<Row[]> {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const { clientId } = await createProject(data, { flags: FLAGS });
  const measureOn = async (calls: readonly HeavyCall[]) => {
    const server = await startOurs({ SIGNALBOX_DATA: data });
    try {
      const rows: Row[] = [];
      for (const call of calls) rows.push(await benchCall(server, call, effort));
      return rows;
    } finally {
      await server.stop();
    }
  };
  try {
    const rows = await measureOn([
      {
        what: `evaluate ${FLAGS} flags for a context`,
        most: 15,
        path: '/api/v2/projects/bench/environments/test/flags/evaluate',
        init: { method: 'POST', headers: authorization, body: context },
      },
      {
        what: `statuses of ${FLAGS} flags`,
        most: 15,
        path: '/api/v2/flag-statuses/bench/test',
        init: { headers: authorization },
      },
    ]);
    const db = new DatabaseSync(join(data, 'signalbox.db'));
    db.exec('update flags set availability = 0');
    db.close();
    const hidden = await measureOn([
      {
        what: `evaluations of a client that sees none of ${FLAGS} flags`,
        most: 1,
        path: `/sdk/evalx/${clientId}/contexts/${Buffer.from(context).toString('base64url')}`,
        init: {},
      },
    ]);
    return [...rows, ...hidden];
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

interface HeavyCall {
  what: string;
  /** Milliseconds. */
  most: number;
  path: string;
  init: RequestInit;
}

async function benchCall(
  { url, pid }: BenchServer,
  { what, most, path, init }: HeavyCall,
  { rounds }: Effort,
): Promise<Row> {
  let bytes = 0;
  const call = async () => {
    const answer = await fetch(url + path, init);
    bytes = (await answer.arrayBuffer()).byteLength;
    if (!answer.ok) throw new Error(`${path} is answered ${answer.status}.`);
  };
  for (let nth = 0; nth < WARM_UP_CALLS; nth += 1) await call();
  const ms = await measureCpu(pid, call, { rounds, calls: CALLS_PER_ROUND });
  return rowOf(`${what}, ${(bytes / 1e6).toFixed(1)} MB`, ms, most);
}

/** The node only takes the calls: no run begins. */
async function benchRunStart({ rounds }: Effort): Promise<Row> {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  try {
    const builder = await startRunServer({ SIGNALBOX_DATA: data });
    const actor = await createScript(builder.url, '');
    await builder.stop();
    const server = await startRunServer({ SIGNALBOX_DATA: data, SIGNALBOX_ROLE: 'api' });
    const call = async () => {
      const answer = await fetch(`${server.url}/v2/actors/${actor}/runs?memory=128`, {
        method: 'POST',
        headers,
      });
      if (answer.status !== 201) throw new Error(`A start is answered ${answer.status}.`);
      await answer.arrayBuffer();
    };
    for (let nth = 0; nth < RUN_WARM_UP_CALLS; nth += 1) await call();
    const ms = await measureCpu(server.pid, call, { rounds, calls: RUN_CALLS_PER_ROUND });
    await server.stop();
    return rowOf('POST a run, without its execution', ms, 3);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/** Milliseconds per call, with what follows the calls. */
async function measureCpu(
  pid: number,
  call: () => Promise<void>,
  { rounds, calls }: { rounds: number; calls: number },
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await untilQuiet(pid);
    const before = cpuUsOfThreads(pid);
    for (let nth = 0; nth < calls; nth += 1) await call();
    await untilQuiet(pid);
    times.push((cpuUsOfThreads(pid) - before) / calls / 1000);
  }
  return median(times);
}

function rowOf(what: string, ms: number, most: number): Row {
  return {
    what,
    value: `${ms.toFixed(1)} ms of CPU`,
    against: '',
    target: `≤ ${most} ms`,
    isMet: ms <= most,
  };
}
