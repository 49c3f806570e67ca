// What the tests of the command line share: running a command here, and a real server in a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atEndOfFile } from '../../test/cleanup.ts';
import { inTime } from '../../test/eventually.ts';
import type { Io } from './io.ts';
import { runCli } from './program.ts';

/** The runner may have made a bundle, which starts faster. */
const BIN = process.env['SIGNALBOX_TEST_BIN'] ?? fileURLToPath(new URL('../bin.ts', import.meta.url));

/** Gone when the tests of the file are over. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-cli-'));
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Ended {
  code: number | null;
  signal?: NodeJS.Signals | null;
  out: string;
  err: string;
}

/** Runs a command in this process, as if in a pipe. */
export async function run(argv: readonly string[], io: Partial<Io> = {}): Promise<Ended> {
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

interface Spawned {
  pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the output holds the text, with all of it until then; fails when the process ends without. */
  say(text: string): Promise<string>;
  /** It has to come soon after it is asked for. */
  readonly ended: Promise<Ended>;
}

/** Runs a command, or another file, in a process of its own, which ends with the tests of the file at the latest. */
export function start(argv: readonly string[], env: NodeJS.ProcessEnv = {}, file: string = BIN): Spawned {
  const child = spawn(process.execPath, [file, ...argv], {
    // Without the compiled code that other processes have left, each would strip and compile all sources anew.
    env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEndOfFile(() => child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part));
  const closed = once(child, 'close').then(([code, signal]): Ended => ({
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

/** The fields of the log line that a server begins with. */
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
  pid: number;
  token?: string;
}

export interface RunningServer extends Spawned {
  url: string;
  banner: Banner;
  /** The administrator's, when this start made it. */
  token: string | undefined;
}

export async function startServer(
  data: string,
  argv: readonly string[] = [],
  env = {},
  file: string = BIN,
): Promise<RunningServer> {
  return await whenListening(start(['serve', '--port', '0', '--data', data, ...argv], env, file));
}

export async function whenListening(spawned: Spawned): Promise<RunningServer> {
  const said = await spawned.say('"msg":"listening"}\n');
  // The last line may not be there as a whole.
  const lines = said.slice(0, said.lastIndexOf('\n')).split('\n');
  const banner = lines.map((line) => JSON.parse(line) as Banner).find(({ msg }) => msg === 'listening')!;
  return Object.assign(spawned, { url: banner.url, banner, token: banner.token });
}

/** The status of a call to the API that asks who the caller is. */
export async function statusOf(url: string, token: string): Promise<number> {
  const response = await fetch(`${url}/user`, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response.status;
}
