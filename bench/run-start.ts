// From the call that starts a run to the first line of its program, against the same program in the same sandbox without a server.
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openRunner } from '../src/actors/runner/open-runner.ts';
import type { Runner } from '../src/actors/runner/runner.ts';
import { createLog } from '../src/kernel/observability/log.ts';
import { median, type Effort } from './compare.ts';
import { headers } from './queue-calls.ts';
import { Connection } from './raw-http.ts';
import type { Row } from './report.ts';
import { createScript, finish, makeReachableFolder, startRun, startRunServer } from './run-calls.ts';

const MAX_MS = 120;
const PAIRS = 15;

export async function benchStart({ rounds }: Effort): Promise<Row> {
  const pings = await openPings();
  const server = await startRunServer();
  const actorId = await createScript(
    server.url,
    `require('node:net').connect(${pings.port}, '127.0.0.1').end();\n`,
  );
  const connection = new Connection(server.url, headers);
  // The first run puts the built sources into the work folder.
  await finish(server.url, `/v2/actor-runs/${await startRun(connection, actorId)}`);
  const bare = await openBare(join(server.work, 'sources'));
  const times: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  for (let turn = -3; turn < rounds * PAIRS; turn += 1) {
    const theirs = await bare.measure(pings);
    const begun = performance.now();
    const pinged = pings.next();
    const id = await startRun(connection, actorId);
    const ours = (await pinged) - begun;
    const status = await finish(server.url, `/v2/actor-runs/${id}`);
    if (status !== 'SUCCEEDED') throw new Error(`A run is ${status}`);
    // What the server does after the end, such as packing the log, is not a part of the next start.
    await delay(50);
    if (turn < 0) continue;
    times.ours.push(ours);
    times.bare.push(theirs);
  }
  connection.close();
  await server.stop();
  bare.remove();
  pings.close();
  const [ours, theirs] = [median(times.ours), median(times.bare)];
  return {
    what: 'POST to the first line of the program, p50',
    value: `${ours.toFixed(0)} ms, ${(ours - theirs).toFixed(0)} ms more`,
    against: `the same program in the same sandbox (${bare.isolation}), started directly, ${theirs.toFixed(0)} ms`,
    target: `≤ ${MAX_MS} ms more`,
    isMet: ours - theirs <= MAX_MS,
  };
}

interface Pings {
  port: number;
  /** When the next program connects. */
  next(): Promise<number>;
  close(): void;
}

async function openPings(): Promise<Pings> {
  let resolve = (_at: number): void => {};
  const server: Server = createServer((socket) => {
    resolve(performance.now());
    socket.on('error', () => {}).resume();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: (server.address() as { port: number }).port,
    next() {
      const { promise, resolve: settle } = Promise.withResolvers<number>();
      resolve = settle;
      return promise;
    },
    close: () => server.close(),
  };
}

/** The only sources of that server, in a working folder that is ready. */
async function openBare(sources: string) {
  const work = makeReachableFolder();
  const folder = join(work, 'runs', 'bare', 'actor');
  mkdirSync(folder, { recursive: true });
  cpSync(join(sources, readdirSync(sources)[0]!), folder, { recursive: true });
  const settings = { work, allowsUnsandboxed: true, isLoopbackOnly: true, network: 'host' } as const;
  const runner: Runner = await openRunner(settings, createLog('silent', false));
  return {
    isolation: runner.isolation,
    async measure(pings: Pings): Promise<number> {
      const begun = performance.now();
      const pinged = pings.next();
      const program = await runner.start({
        id: 'bare',
        command: [process.execPath, 'main.js'],
        env: { HOME: folder, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' },
        folder,
        readable: [],
        output: join(work, 'output'),
        memoryMbytes: 128,
        diskMbytes: 256,
        network: 'host',
        hasNodePermissions: true,
      });
      const time = (await pinged) - begun;
      await program.exited;
      return time;
    },
    remove: () => rmSync(work, { recursive: true, force: true }),
  };
}
