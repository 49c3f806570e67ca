// What is wrong with this server, or could be, with what to do about it.
import type { EngineFinding } from '../../kernel/storage/check-engine.ts';
import type { SystemCheck, SystemFacts } from './model.ts';

/** What is known beside the facts that are shown. */
export interface CheckedState {
  findings: readonly EngineFinding[];
  /** Sentences about file systems that are full, or nearly. */
  fullDisks: readonly string[];
  isDiskFull: boolean;
  git: { isAvailable: boolean; message: string };
  /** Why nothing can be built or run here. */
  actorsRefusal: string | undefined;
  /** How this program is called on the command line. */
  program: string;
  now: number;
}

const SLOW_MS = 100;
const FULL_PART = 0.9;
/** A node says every ten seconds that it is there. */
const UNSEEN_MS = 35_000;
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
/** Time enough to do something. */
const SOON_MS = 14 * 24 * 60 * 60 * 1000;

export function checkSystem(facts: SystemFacts, state: CheckedState): SystemCheck[] {
  return [
    ...checkPause(facts, state),
    checkDatabase(facts, state),
    ...state.findings
      .filter(({ state: found }) => found !== 'ok')
      .map(({ name, detail }): SystemCheck => ({ name, state: 'bad', text: detail })),
    ...checkDisk(facts, state),
    // A paused server does no background work, and its work is late on purpose.
    ...(facts.pausedSince === undefined ? [checkDueWork(facts, state)] : []),
    checkWebhooks(facts),
    ...(facts.pausedSince === undefined ? [checkNodes(facts, state)] : []),
    checkEventLoop(facts),
    ...checkMemory(facts),
    checkGit(state),
    checkActors(state),
    ...checkLimits(facts),
  ];
}

function checkPause({ pausedSince }: SystemFacts, { program }: CheckedState): SystemCheck[] {
  if (pausedSince === undefined) return [];
  return [
    {
      name: 'paused',
      state: 'warn',
      text: `Paused after a restore, since ${new Date(pausedSince).toISOString()}: no schedule, run, webhook or planned change happens.`,
      advice: 'Resume when no other server works on the same data.',
      command: `${program} resume`,
    },
  ];
}

function checkDatabase({ database }: SystemFacts, { program }: CheckedState) {
  const { name, version, bytes } = database;
  return {
    name: 'database',
    state: 'ok',
    text: `${name} ${version} answers, and takes ${inUnits(bytes)}.`,
    advice: 'A thorough check takes longer: the command makes it.',
    command: `${program} doctor`,
  } satisfies SystemCheck;
}

function checkDisk(
  { disk, diskUse }: SystemFacts,
  { fullDisks, isDiskFull, program, now }: CheckedState,
): SystemCheck[] {
  const name = 'disk';
  if (fullDisks.length > 0)
    return fullDisks.map((text) => ({
      name,
      state: isDiskFull ? 'bad' : 'warn',
      text,
      advice: 'Delete what is not needed, or give the file system more room.',
      command: `${program} doctor`,
    }));
  const soon = diskUse.disks.filter(({ fullAt = Infinity }) => fullAt < now + SOON_MS);
  if (soon.length > 0)
    return soon.map(({ names, freeBytes, bytesPerDay, fullAt }) => ({
      name,
      state: 'warn',
      text: `The file system of ${names} is full on ${new Date(fullAt!).toISOString().slice(0, 10)} if it goes on like this: ${inUnits(freeBytes)} are free, and ${inUnits(bytesPerDay!)} more are used each day.`,
      advice: 'Keep less, by the settings for how long things are kept, or give the file system more room.',
      command: `${program} doctor`,
    }));
  if (disk === undefined) return [];
  return [{ name, state: 'ok', text: `${inUnits(disk.freeBytes)} of ${inUnits(disk.totalBytes)} are free.` }];
}

function checkDueWork({ dueWork }: SystemFacts, { program }: CheckedState): SystemCheck {
  const name = 'background work';
  const late = dueWork.filter((work) => work.late > 0);
  const failed = dueWork.filter((work) => work.failed > 0);
  if (late.length > 0) {
    const count = late.reduce((sum, work) => sum + work.late, 0);
    const oldest = Math.min(...late.map(({ oldestAt = Infinity }) => oldestAt));
    return {
      name,
      state: 'warn',
      text: `${count} pieces of work are late, the oldest since ${new Date(oldest).toISOString()}: ${kindsOf(late)}.`,
      advice: 'See whether a node that does background work runs, and what its log says.',
      command: `${program} status`,
    };
  }
  if (failed.length > 0)
    return {
      name,
      state: 'warn',
      text: `Some work has failed and is tried again: ${kindsOf(failed)}.`,
      advice: 'The error is shown with its kind, and whole in the log.',
    };
  return { name, state: 'ok', text: 'Nothing is late.' };
}

const MAX_KINDS = 5;

function kindsOf(work: SystemFacts['dueWork']): string {
  const names = work.slice(0, MAX_KINDS).map(({ kind }) => kind);
  return [...names, ...(work.length > MAX_KINDS ? [`${work.length - MAX_KINDS} more`] : [])].join(', ');
}

function checkWebhooks({ webhooks: { failing, retrying } }: SystemFacts): SystemCheck {
  const name = 'webhooks';
  const advice = 'Look at the deliveries of the hook: each shows what its receiver has answered.';
  if (failing > 0)
    return { name, state: 'warn', text: `${failing} deliveries were given up in the last day.`, advice };
  if (retrying > 0) return { name, state: 'ok', text: `${retrying} deliveries are tried again.` };
  return { name, state: 'ok', text: 'Every delivery succeeds.' };
}

function checkNodes({ nodes }: SystemFacts, { now }: CheckedState): SystemCheck {
  const name = 'nodes';
  const gone = nodes.filter(({ seenAt }) => seenAt < now - UNSEEN_MS).map(({ id }) => id);
  if (gone.length > 0)
    return {
      name,
      state: 'warn',
      text: `Not seen lately: ${gone.slice(0, MAX_KINDS).join(', ')}.`,
      advice: 'Their work is given to others by itself. See whether they still run.',
    };
  if (!nodes.some(({ roles }) => roles.includes('worker')))
    return {
      name,
      state: 'bad',
      text: 'No node does background work.',
      advice: 'Start one with --role worker or --role all.',
    };
  return { name, state: 'ok', text: nodes.length === 1 ? 'One node.' : `${nodes.length} nodes.` };
}

function checkEventLoop({ eventLoop }: SystemFacts): SystemCheck {
  const name = 'event loop';
  const p99Ms = eventLoop?.p99Ms ?? 0;
  return p99Ms < SLOW_MS
    ? { name, state: 'ok', text: `Late by ${p99Ms} ms at most, in 99 of 100 cases.` }
    : {
        name,
        state: 'warn',
        text: `Late by more than ${p99Ms} ms, in one of 100 cases.`,
        advice: 'The machine is too busy: give it more processors, or add a node.',
      };
}

function checkMemory({ memory: { rss, limit } }: SystemFacts): SystemCheck[] {
  const name = 'memory';
  if (limit === undefined) return [];
  const text = `${inUnits(rss)} of ${inUnits(limit)} are used.`;
  if (rss < limit * FULL_PART) return [{ name, state: 'ok', text }];
  return [
    { name, state: 'warn', text, advice: 'Give the container more memory, before the system ends it.' },
  ];
}

function checkGit({ git: { isAvailable, message } }: CheckedState): SystemCheck {
  return { name: 'git', state: isAvailable ? 'ok' : 'warn', text: message };
}

function checkActors({ actorsRefusal, program }: CheckedState): SystemCheck {
  const name = 'actors';
  return actorsRefusal === undefined
    ? { name, state: 'ok', text: 'Builds and runs can start.' }
    : { name, state: 'warn', text: actorsRefusal, command: `${program} doctor` };
}

function checkLimits({ limits: { isEnabled } }: SystemFacts): SystemCheck[] {
  if (isEnabled) return [];
  return [
    {
      name: 'rate limits',
      state: 'warn',
      text: 'Rate limits are off: passwords can be guessed without end.',
      advice: 'Start the server without --limits off.',
    },
  ];
}

/** As the console writes sizes. */
function inUnits(bytes: number): string {
  const unit = bytes < GIB / 10 ? MIB : GIB;
  return `${(bytes / unit).toFixed(1)} ${unit === MIB ? 'MiB' : 'GiB'}`;
}
