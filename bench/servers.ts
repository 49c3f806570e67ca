// The two servers of a comparison, each in a process of its own: ours, and bare node:http that sends the same bytes.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleInto } from '../scripts/bundle.ts';
import { makeStartBundle } from '../scripts/start-bundle.ts';
import { cpuMsOf } from './cpu.ts';
import type { LoopReport } from './loop-watch.ts';
import type { MemoryReport } from './memory-watch.ts';
import type { RecordedReply } from './record.ts';
import type { RecordedStream } from './stream-readers.ts';

export const TOKEN = 'api-bench-administrator-token';

export interface BenchServer {
  url: string;
  pid: number;
  /** From the start of the process to its first successful answer. */
  readyMs: number;
  /** The CPU time of its process until then. */
  readyCpuMs: number;
  /** Resident memory now. */
  memory(): number;
  stop(): Promise<void>;
}

/** Quotas that a bench never reaches; counting itself stays on. */
const LIMIT = [
  'host.core',
  'host.git',
  'flags.global',
  'flags.route',
  'actors.global',
  'actors.dataset',
  'actors.dataset_push',
  'actors.key_value_store',
  'actors.key_value_record',
  'actors.request_queue',
  'actors.queue',
  'actors.queue_batch',
]
  .map((name) => `${name}=1000000000000/3600`)
  .join(',');

/** Counted, but never reached. */
const SECONDARY_LIMITS = {
  SIGNALBOX_SECONDARY_LIMIT_CONCURRENT: '1000000',
  SIGNALBOX_SECONDARY_LIMIT_POINTS: '1000000000',
  SIGNALBOX_SECONDARY_LIMIT_GRAPHQL: '1000000000',
  SIGNALBOX_SECONDARY_LIMIT_CONTENT_MINUTE: '1000000000',
  SIGNALBOX_SECONDARY_LIMIT_CONTENT_HOUR: '1000000000',
};

export function startOurs(settings: NodeJS.ProcessEnv = {}): Promise<BenchServer> {
  return startServe([new URL('../launch.mjs', import.meta.url).pathname], settings);
}

/** The bundle of the npm package, in a folder of its own. */
export async function buildPackage(): Promise<{ start(): Promise<BenchServer>; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-package-'));
  const root = new URL('../', import.meta.url).pathname;
  for (const file of ['launch.mjs', 'package.json']) copyFileSync(join(root, file), join(folder, file));
  await bundleInto(join(folder, 'dist'));
  const settings = { XDG_CACHE_HOME: join(folder, 'cache') };
  return {
    start: () => startServe([join(folder, 'launch.mjs')], settings),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A clone after a server has run there for a minute: with the bundle of its sources. */
export async function buildClone(): Promise<{ start(): Promise<BenchServer>; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-clone-'));
  const root = new URL('../', import.meta.url).pathname;
  for (const file of ['launch.mjs', 'package.json', 'package-lock.json', 'scripts', 'src', 'actors-library'])
    cpSync(join(root, file), join(folder, file), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  await makeStartBundle(folder);
  return {
    start: () => startServe([join(folder, 'launch.mjs')], {}),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface WatchedServer extends BenchServer {
  /** The event loop since the last report. */
  loop(): Promise<LoopReport>;
}

/** Our server without the launcher, with measurement of its event loop. */
export async function startWatched(settings: NodeJS.ProcessEnv = {}): Promise<WatchedServer> {
  const watch = new URL('./loop-watch.ts', import.meta.url).pathname;
  const bin = new URL('../src/bin.ts', import.meta.url).pathname;
  return startServe(['--max-semi-space-size=8', '--import', watch, bin], settings);
}

export interface WeighedServer extends BenchServer {
  /** After a garbage collection. */
  weigh(): Promise<MemoryReport>;
}

const WEIGHED = [
  '--max-semi-space-size=8',
  '--expose-gc',
  '--import',
  new URL('./memory-watch.ts', import.meta.url).pathname,
];

/** Our server without the launcher, with measurement of its memory. */
export async function startWeighed(settings: NodeJS.ProcessEnv = {}): Promise<WeighedServer> {
  return startServe([...WEIGHED, new URL('../src/bin.ts', import.meta.url).pathname], settings);
}

/** Streams of node:http alone, with measurement of its memory. */
export async function startBareStreams(stream: RecordedStream): Promise<WeighedServer> {
  const port = await freePort();
  const env = { PORT: String(port), STREAM: JSON.stringify(stream) };
  return start([...WEIGHED, new URL('./bare-streams.ts', import.meta.url).pathname], env, port, '/');
}

async function startServe(program: string[], settings: NodeJS.ProcessEnv): Promise<ReportingServer> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const port = await freePort();
  const env = {
    PORT: String(port),
    SIGNALBOX_DATA: folder,
    SIGNALBOX_ADMIN_TOKEN: TOKEN,
    SIGNALBOX_LIMIT: LIMIT,
    ...SECONDARY_LIMITS,
    // Their sites are on loopback, and the same programs without our server share its network too.
    SIGNALBOX_ACTOR_NETWORK: 'host',
    SIGNALBOX_LOG_LEVEL: 'warn',
    ...settings,
  };
  const server = await start([...program, 'serve'], env, port, '/healthz');
  return {
    ...server,
    async stop() {
      await server.stop();
      for (const path of [folder, `${folder}-work`]) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** The reply is in a file, because a long one does not fit into an environment variable. */
export async function startBare(reply: RecordedReply): Promise<BenchServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const file = join(folder, 'reply.json');
  writeFileSync(file, JSON.stringify(reply));
  const env = { PORT: String(port), REPLY_FILE: file };
  const server = await start([new URL('./bare.ts', import.meta.url).pathname], env, port, '/');
  rmSync(folder, { recursive: true });
  return server;
}

/** A proxy of a few lines, in front of a program. */
export async function startBareProxy(target: {
  port: number;
  headers: Record<string, string>;
}): Promise<BenchServer> {
  const port = await freePort();
  const env = { PORT: String(port), TARGET: JSON.stringify(target) };
  return start([new URL('./bare-proxy.ts', import.meta.url).pathname], env, port, '/');
}

const started = new Set<ChildProcess>();
// A bench that fails leaves no server behind.
process.once('exit', () => started.forEach((child) => child.kill()));

type ReportingServer = WatchedServer & WeighedServer;

async function start(
  program: string[],
  env: NodeJS.ProcessEnv,
  port: number,
  path: string,
): Promise<ReportingServer> {
  const begun = performance.now();
  const child = spawn(process.execPath, program, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  started.add(child);
  child.once('exit', () => started.delete(child));
  const url = `http://127.0.0.1:${port}`;
  await untilAnswers(url + path, child);
  return {
    url,
    pid: child.pid!,
    readyMs: performance.now() - begun,
    readyCpuMs: cpuMsOf(child.pid!),
    memory: () => residentBytes(child),
    loop: () => ask<LoopReport>(child),
    weigh: () => ask<MemoryReport>(child),
    stop: () => stop(child),
  };
}

/** What was loaded into the server before its start answers. */
async function ask<Report>(child: ChildProcess): Promise<Report> {
  const report = once(child, 'message') as Promise<[Report]>;
  child.send('report');
  return (await report)[0];
}

async function untilAnswers(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}`);
    const isUp = await fetch(url).then(
      // A baseline may answer all calls with 304, or with the error that is measured.
      ({ status }) => status < 500,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function residentBytes({ pid }: ChildProcess): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
