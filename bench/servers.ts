// The two servers of a comparison, each in a process of its own: ours, and a bare node:http server with the same body.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoopReport } from './loop-watch.ts';

export const TOKEN = 'api-bench-administrator-token';

export interface BenchServer {
  url: string;
  /** From the start of the process to its first good answer. */
  readyMs: number;
  /** Resident memory now. */
  memory(): number;
  stop(): Promise<void>;
}

/** Allowances so large that a bench never meets them; counting itself stays on. */
const LIMIT = ['host.core', 'actors.global', 'flags.global', 'flags.route']
  .map((name) => `${name}=1000000000000/3600`)
  .join(',');

export function startOurs(settings: NodeJS.ProcessEnv = {}): Promise<BenchServer> {
  return startServe([new URL('../launch.mjs', import.meta.url).pathname], settings);
}

export interface WatchedServer extends BenchServer {
  /** How the event loop did since the last question. */
  loop(): Promise<LoopReport>;
}

/** Ours without the launcher, and with an eye on its event loop. */
export async function startWatched(settings: NodeJS.ProcessEnv = {}): Promise<WatchedServer> {
  const watch = new URL('./loop-watch.ts', import.meta.url).pathname;
  const bin = new URL('../src/bin.ts', import.meta.url).pathname;
  return startServe(['--max-semi-space-size=8', '--import', watch, bin], settings);
}

async function startServe(program: string[], settings: NodeJS.ProcessEnv): Promise<WatchedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const port = await freePort();
  const env = {
    PORT: String(port),
    SIGNALBOX_DATA: folder,
    SIGNALBOX_ADMIN_TOKEN: TOKEN,
    SIGNALBOX_LIMIT: LIMIT,
    SIGNALBOX_LOG_LEVEL: 'warn',
    ...settings,
  };
  const server = await start([...program, 'serve'], env, port, '/healthz');
  return {
    ...server,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function startBare(): Promise<BenchServer> {
  const port = await freePort();
  return start([new URL('./bare.ts', import.meta.url).pathname], { PORT: String(port) }, port, '/');
}

/** Reads a JSON body and sends it back. */
export async function startEcho(): Promise<BenchServer> {
  const port = await freePort();
  return start([new URL('./echo.ts', import.meta.url).pathname], { PORT: String(port) }, port, '/');
}

async function start(
  program: string[],
  env: NodeJS.ProcessEnv,
  port: number,
  path: string,
): Promise<WatchedServer> {
  const begun = performance.now();
  const child = spawn(process.execPath, program, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const url = `http://127.0.0.1:${port}`;
  await untilAnswers(url + path, child);
  return {
    url,
    readyMs: performance.now() - begun,
    memory: () => residentBytes(child),
    loop: async () => {
      const told = once(child, 'message') as Promise<[LoopReport]>;
      child.send('report');
      return (await told)[0];
    },
    stop: () => stop(child),
  };
}

async function untilAnswers(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}`);
    const isUp = await fetch(url).then(
      (response) => response.ok,
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
