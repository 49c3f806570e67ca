// The commands `logs` and `runs wait`: what a run or a build prints, while it prints it, and how a run ended.
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadedSettings } from '../../app/read-settings.ts';
import { Failure } from '../../kernel/failure.ts';
import type { ShownLogLines } from '../../signalbox/actors/log-model.ts';
import { EXIT } from '../command-errors.ts';
import { printJson, wantsJson, type Io } from '../io.ts';
import { Progress } from '../progress.ts';
import { printable, printableLine } from '../terminal-text.ts';
import { parseDuration } from '../token/token-create.ts';
import { openRemote, type RemoteOptions, type RemoteServer } from './remote-server.ts';
import { sendForJson } from './send.ts';

interface LogsOptions extends RemoteOptions {
  follow?: boolean;
  tail?: string;
  level?: string;
  build?: boolean;
}

const POLL_MS = 1000;

export async function runLogs(
  { config }: LoadedSettings,
  id: string,
  options: LogsOptions,
  io: Io,
): Promise<number> {
  const tail = options.tail === undefined ? undefined : readCount(options.tail, '--tail', 2000);
  const server = await openRemote(config, options, io);
  const hasColours = io.isTerminal && !io.env['NO_COLOR'];
  const path = `/signalbox/v1/${options.build === true ? 'builds' : 'runs'}/${encodeURIComponent(id)}/log-lines`;
  try {
    let query: Record<string, string> = tail === undefined ? { after: '0' } : { tail: String(tail) };
    for (;;) {
      const level = options.level === undefined ? {} : { level: options.level };
      const asked = new URLSearchParams({ ...query, ...level });
      const page = await sendForJson<ShownLogLines>(server, { path: `${path}?${asked.toString()}` });
      for (const { text } of page.lines) io.out(printableLine(text, hasColours));
      const hasMore = page.next < page.total;
      if (!hasMore && (page.isComplete || options.follow !== true)) return EXIT.good;
      if (!hasMore) await delay(POLL_MS);
      query = { after: String(page.next) };
    }
  } finally {
    await server.close();
  }
}

function readCount(text: string, flag: string, most: number): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw new Failure('invalid', `${flag} must be a whole number from 1 to ${most}, not "${text}".`);
}

interface RunReply {
  data: {
    id: string;
    status: string;
    statusMessage?: string | null;
    exitCode?: number | null;
    finishedAt?: string | null;
  };
}

interface WaitOptions extends RemoteOptions {
  timeout?: string;
  json?: boolean;
}

const ENDED = ['SUCCEEDED', 'FAILED', 'ABORTED', 'TIMED-OUT'];
/** The longest that one call waits. */
const WAIT_SECONDS = 60;

/** The exit code is 0 for a run that succeeded, 1 for another end, and 3 where it goes on. */
export async function runRunsWait(
  { config }: LoadedSettings,
  id: string,
  options: WaitOptions,
  io: Io,
): Promise<number> {
  const until = options.timeout === undefined ? Infinity : performance.now() + parseDuration(options.timeout);
  const server = await openRemote(config, options, io);
  const progress = new Progress(io);
  try {
    const run = await waitForRun(server, id, until, progress);
    progress.end();
    if (wantsJson(options, io)) printJson(io, run);
    else io.out([run.status, ...(run.statusMessage ? [printable(run.statusMessage)] : [])].join(': '));
    if (!ENDED.includes(run.status)) return EXIT.waiting;
    return run.status === 'SUCCEEDED' ? EXIT.good : EXIT.failed;
  } finally {
    progress.end();
    await server.close();
  }
}

async function waitForRun(
  server: RemoteServer,
  id: string,
  until: number,
  progress: Progress,
): Promise<RunReply['data']> {
  for (;;) {
    const left = Math.max(0, Math.ceil((until - performance.now()) / 1000));
    const seconds = Math.min(WAIT_SECONDS, left);
    const { data } = await sendForJson<RunReply>(server, {
      path: `/v2/actor-runs/${encodeURIComponent(id)}?waitForFinish=${seconds}`,
    });
    if (ENDED.includes(data.status) || performance.now() >= until) return data;
    progress.update(`${id}: ${data.status}`);
  }
}
