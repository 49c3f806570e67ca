// The server that runs on a data folder: the file `run.json` by which other commands find it, and whether it is ready.
import { text } from 'node:stream/consumers';
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openHttpRequest } from '../kernel/network/open-request.ts';
import { PRIVATE_FILE } from '../kernel/storage/disk/private-files.ts';

export interface RunFile {
  pid: number;
  /** Where it listens, and where people reach it. */
  url: string;
  publicUrl: string;
  version: string;
  startedAt: string;
  /** Its settings, without secrets. */
  settings: Record<string, string>;
}

const RUN_FILE = 'run.json';

export function saveRunFile(data: string, run: RunFile): void {
  const file = join(data, RUN_FILE);
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${JSON.stringify(run)}\n`, { mode: PRIVATE_FILE });
  renameSync(draft, file);
}

/** Undefined when there is none, or it is unreadable. */
export function readRunFile(data: string): RunFile | undefined {
  try {
    return JSON.parse(readFileSync(join(data, RUN_FILE), 'utf8')) as RunFile;
  } catch {
    return undefined;
  }
}

/** Does not remove the file of another server that has started on the same folder since. */
export function removeRunFile(data: string, pid: number): void {
  if (readRunFile(data)?.pid === pid) rmSync(join(data, RUN_FILE), { force: true });
}

/** Whether another process has this id. In containers every program has id 1, this one too. */
export function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

type RunningServer = RunFile & { state: 'ready' | 'not ready' | 'not answering' };

/** Undefined when none runs here: the file of a killed server is ignored. */
export async function findServer(data: string): Promise<RunningServer | undefined> {
  const run = readRunFile(data);
  if (run === undefined) return undefined;
  const readiness = await fetchReadiness(run.url);
  if (readiness !== undefined) return { ...run, state: readiness.isReady ? 'ready' : 'not ready' };
  return isAlive(run.pid) ? { ...run, state: 'not answering' } : undefined;
}

/** A busy machine may hold up a healthy server for seconds. */
const READINESS_TIMEOUT_MS = 10_000;

interface Readiness {
  isReady: boolean;
  version: string;
  checks: Record<string, boolean>;
}

/** Undefined when nothing answers, or something that is not this server. */
export async function fetchReadiness(url: string): Promise<Readiness | undefined> {
  try {
    const { status, body } = await get(`${url}/readyz`);
    const { version, checks } = JSON.parse(body) as Partial<Readiness>;
    return version === undefined || checks === undefined
      ? undefined
      : { isReady: status === 200, version, checks };
  } catch {
    return undefined;
  }
}

function get(url: string): Promise<{ status: number | undefined; body: string }> {
  // Its certificate is made for the public name, not for the address asked here, and nothing secret is sent.
  const options = { rejectUnauthorized: false, agent: false };
  return new Promise((resolve, reject) => {
    const request = openHttpRequest(new URL(url), options, {
      response: (response) =>
        void text(response).then((body) => resolve({ status: response.statusCode, body }), reject),
      error: reject,
    });
    request.setTimeout(READINESS_TIMEOUT_MS, () => request.destroy(new Error('no answer in time')));
    request.end();
  });
}
