// Fixture of the command-line tests: runs a command in this process, or a server in a child process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atEndOfFile } from '../../test/cleanup.ts';
import { inTime } from '../../test/eventually.ts';
import { migratedFile } from '../../test/templates.ts';
import type { Io } from './io.ts';
import { runCli } from './program.ts';

/** The test runner may have built a bundle, which starts faster. */
const BIN = process.env['SIGNALBOX_TEST_BIN'] ?? fileURLToPath(new URL('../bin.ts', import.meta.url));

/** Removed when the tests of the file are over. Other users may pass through it: without a sandbox, Actors run as such. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-cli-'));
  chmodSync(folder, 0o711);
  // A killed server, or a program of it, may write for another moment.
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

export interface ProcessResult {
  code: number | null;
  signal?: NodeJS.Signals | null;
  out: string;
  err: string;
}

/** Runs a command in this process, as if in a pipe. */
export async function run(argv: readonly string[], io: Partial<Io> = {}): Promise<ProcessResult> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli(argv, {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    env: {},
    program: 'signalbox',
    isTerminal: false,
    ...io,
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

interface SpawnedProcess {
  pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the output holds the text, with all of it until then; fails when the process ends without. */
  say(text: string): Promise<string>;
  /** Rejects when the process does not end in time. */
  readonly ended: Promise<ProcessResult>;
}

/** Runs a command, or another file, in a child process that is killed at the end of the test file at the latest. */
export function start(
  argv: readonly string[],
  env: NodeJS.ProcessEnv = {},
  file: string = BIN,
  /** A command that becomes the process, such as one that enters namespaces. */
  before: readonly string[] = [],
): SpawnedProcess {
  const [program, ...words] = [...before, process.execPath, file, ...argv] as [string, ...string[]];
  const child = spawn(program, words, {
    // Shares the compile cache, so that the child does not compile all sources again. No test needs a file of random bytes.
    // Tests serve sites to Actors on loopback; those of networks set their own.
    env: {
      SIGNALBOX_DISK_RESERVE: '0',
      SIGNALBOX_ACTOR_NETWORK: 'host',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEndOfFile(() => child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part));
  const closed = once(child, 'close').then(([code, signal]): ProcessResult => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    out,
    err,
  }));
  const say = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => out.includes(text) && resolve(out);
      look();
      child.stdout.on('data', look);
      void closed.then((end) => reject(new Error(`ended without saying "${text}": ${JSON.stringify(end)}`)));
    });
  return {
    pid: child.pid!,
    kill: (signal) => void child.kill(signal),
    say: (text) => inTime(say(text), `saying "${text}"`),
    get ended() {
      return inTime(closed, `the end of ${[file, ...argv].join(' ')}`);
    },
  };
}

/** The fields of the log line that announces a server. */
export interface Banner {
  level: number;
  msg: string;
  url: string;
  publicUrl: string;
  role: string;
  apis?: Record<string, string>;
  docs?: string;
  login?: string;
  data: string;
  database: string;
  actors: string;
  pid: number;
  token?: string;
}

export interface ServerProcess extends SpawnedProcess {
  url: string;
  banner: Banner;
  /** The administrator's, when this start created it. */
  token: string | undefined;
}

/** A new data folder has all tables of this tree: creating them takes a quarter of a start. Tests of a first start use `start`. */
export async function startServer(
  data: string,
  argv: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
  file: string = BIN,
): Promise<ServerProcess> {
  const database = join(data, 'signalbox.db');
  if (file === BIN && env['DATABASE_URL'] === undefined && !existsSync(database)) {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    writeFileSync(database, await migratedFile(), { mode: 0o600 });
  }
  return await whenListening(start(['serve', '--port', '0', '--data', data, ...argv], env, file));
}

export async function whenListening(spawned: SpawnedProcess): Promise<ServerProcess> {
  const said = await spawned.say('"msg":"listening"}\n');
  // The last line may be incomplete.
  const lines = said.slice(0, said.lastIndexOf('\n')).split('\n');
  const banner = lines.map((line) => JSON.parse(line) as Banner).find(({ msg }) => msg === 'listening')!;
  return Object.assign(spawned, { url: banner.url, banner, token: banner.token });
}

/** The status of GET /user with this token. */
export async function statusOf(url: string, token: string): Promise<number> {
  const response = await fetch(`${url}/user`, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response.status;
}
