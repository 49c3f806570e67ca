// Watches a started program: its limits, its end, and that nothing of it stays; and ends those that have grown most on a full file system.
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { statSync } from 'node:fs';
import type { Logger } from '../../kernel/observability/log.ts';
import type { Cgroup } from './cgroup.ts';
import { openDiskWatch } from './disk-watch.ts';
import {
  freezeProcesses,
  thawProcesses,
  findProcesses,
  killProcesses,
  selectProcesses,
  openUsageSampler,
  isHeldBy,
} from './program-processes.ts';
import type { Launch, LaunchedProcess } from './launch.ts';
import { isRunning, sendSignal, type ProcessIdentity, type ProcessInfo } from './process-table.ts';
import { removeTree } from './remove-tree.ts';
import type { Program, ProgramExit, ProgramLimit, ProgramUsage, Runner, RunningProgram } from './runner.ts';

const MB = 1024 ** 2;
const WATCH_MS = 500;
const KILL_PAUSE_MS = { least: 5, most: 100 };

interface Supervision {
  program: Program;
  plan: Pick<Launch, 'traits' | 'killUser' | 'temporary' | 'sharedFolders'>;
  launched: LaunchedProcess;
  cgroup?: Cgroup | undefined;
  /** All processes of this machine; one reading may serve several programs. */
  listShared(): Promise<ProcessInfo[]>;
  measureDisk: Runner['measureDisk'];
  /** How many files it may have; many where it is not said. */
  maxEntries?: number | undefined;
  /** Called when all is dead. Never rejects. */
  release(): Promise<void>;
}

export interface SupervisedProgram extends RunningProgram {
  readonly folder: string;
  /** By how much it has grown lately on disk, in bytes. */
  growth(): Promise<number>;
  /** It does nothing until it is thawed. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Kills it because the disk is full. */
  endForSpace(): void;
}

export function supervise(supervision: Supervision): SupervisedProgram {
  const { program, plan, launched, cgroup, listShared, measureDisk, maxEntries, release } = supervision;
  const { traits, killUser, temporary, sharedFolders } = plan;
  const { child, root } = launched;
  const roots: ProcessIdentity[] = [root, ...(launched.connection ? [launched.connection.process] : [])];
  let hasNamespace = false;
  let last: ProgramUsage = { memoryBytes: 0, cpuMs: 0 };
  let exceeded: ProgramLimit | undefined;
  let isKilled = false;
  let isDead = false;
  let killing: Promise<void> | undefined;

  void launched.init.then((first) => {
    if (first === undefined) return;
    hasNamespace = true;
    roots.push(first);
  });
  const init = launched.init;

  const sample = openUsageSampler(() => ({ ...traits, roots }), listShared);
  const disk = openDiskWatch({
    paths: [program.folder, program.output, ...(temporary === undefined ? [] : [temporary])],
    maxBytes: program.diskMbytes * MB,
    maxEntries,
    read: measureDisk,
    ...(traits.uid !== undefined && sharedFolders && { shared: { uid: traits.uid, folders: sharedFolders } }),
    listPids: async () => selectProcesses(await listShared(), { ...traits, roots }).map(({ pid }) => pid),
  });

  async function usage(): Promise<ProgramUsage> {
    if (isDead) return last;
    const counted = cgroup?.usage() ?? {};
    const { memoryBytes, cpuMs } =
      counted.memoryBytes === undefined || counted.cpuMs === undefined
        ? { ...(await sample()), ...counted }
        : { memoryBytes: counted.memoryBytes, cpuMs: counted.cpuMs };
    // The time of a process that nobody waited for is lost with it.
    last = { memoryBytes, cpuMs: Math.max(last.cpuMs, Math.round(cpuMs)) };
    return last;
  }

  /** Repeats until nothing is left, because processes may start others meanwhile. */
  async function killAll(): Promise<void> {
    for (let pause = KILL_PAUSE_MS.least; ; pause = Math.min(pause * 2, KILL_PAUSE_MS.most)) {
      for (const one of roots) if (isRunning(one)) sendSignal(one.pid, 'SIGKILL');
      cgroup?.kill();
      await killUser?.();
      // With a group of its own, or in a namespace, nothing escapes these.
      const rest = cgroup || hasNamespace ? [] : await findProcesses({ ...traits, roots });
      killProcesses(rest);
      if (rest.length === 0 && (cgroup?.isEmpty ?? true) && !roots.some(isRunning)) return;
      await delay(pause);
    }
  }

  function kill(reason?: ProgramLimit): void {
    if (isDead) return;
    exceeded ??= reason;
    isKilled = true;
    killing ??= killAll();
  }

  async function watch(): Promise<void> {
    const { memoryBytes, cpuMs } = await usage();
    if (cgroup?.limitsMemory) {
      if (cgroup.countOomKills() > 0) kill('memory');
    } else if (memoryBytes > program.memoryMbytes * MB) {
      kill('memory');
    }
    const broken = await disk.check(cpuMs);
    if (broken !== undefined) kill(broken);
  }

  let timer: NodeJS.Timeout | undefined;
  const watchAgain = (): void => {
    timer = setTimeout(() => {
      // What cannot be read now is read the next time.
      void watch().then(watchAgain, watchAgain);
    }, WATCH_MS).unref();
  };
  watchAgain();

  const exited = new Promise<ProgramExit>((resolve) => {
    child.once('exit', (code, signal) => void finish(code, signal).then(resolve));
  });

  async function finish(code: number | null, signal: NodeJS.Signals | null): Promise<ProgramExit> {
    clearTimeout(timer);
    await init;
    const wasKilled = isKilled;
    // The program has ended, and what it left in the background ends with it.
    await (killing ??= killAll());
    await usage().catch(() => {});
    isDead = true;
    if ((cgroup?.countOomKills() ?? 0) > 0) exceeded ??= 'memory';
    const status = signal === null ? code : 128 + constants.signals[signal];
    if (status === 128 + constants.signals.SIGXFSZ) exceeded ??= 'disk';
    launched.connection?.end();
    await cgroup?.remove().catch(() => {}); // swept at the next start
    // There may be no room for saving how it ended before.
    if (exceeded === 'full-disk') await removeTree(program.folder).catch(() => {});
    await release();
    return { code: wasKilled || exceeded ? null : status, ...(exceeded && { exceeded }) };
  }

  return {
    folder: program.folder,
    growth: () => disk.growth(),
    freeze: () => freezeProcesses(cgroup, () => findProcesses({ ...traits, roots })),
    thaw: () => thawProcesses(cgroup, () => findProcesses({ ...traits, roots })),
    endForSpace: () => kill('full-disk'),
    exited,
    stop(how) {
      if (how === 'kill') return kill();
      if (isDead) return;
      // In a sandbox the program's group is that of the namespace's first process, which ignores the signal.
      void init.then((first) => {
        const leader = first ?? root;
        if (isRunning(leader)) sendSignal(-leader.pid, 'SIGTERM');
      });
    },
    usage,
    async holdsPort(port) {
      const processes = isDead ? [] : await findProcesses({ ...traits, roots });
      return await isHeldBy(
        port,
        processes.map(({ pid }) => pid),
      );
    },
  };
}

/** A program that has written less is not what fills a disk. */
const MIN_GROWTH_BYTES = 1024 ** 2;

/**
 * All are frozen meanwhile: what one gives up another would take at once, and a program that moves its files about could not be
 * measured. The others go on afterwards.
 */
export async function relieveDisk(
  programs: Iterable<SupervisedProgram>,
  device: number,
  hasRoom: () => Promise<boolean>,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const here = [...programs].filter(({ folder }) => deviceOf(folder) === device);
  const ended = new Set<SupervisedProgram>();
  try {
    await Promise.all(here.map((one) => one.freeze()));
    const grown = await Promise.all(here.map(async (one) => ({ one, bytes: await one.growth() })));
    grown.sort((a, b) => b.bytes - a.bytes);
    for (const { one, bytes } of grown) {
      if (bytes < MIN_GROWTH_BYTES || (await hasRoom())) return;
      log.warn(
        { folder: one.folder, bytes },
        'the disk is full, so the program that has grown most is ended',
      );
      ended.add(one);
      one.endForSpace();
      await one.exited;
    }
  } catch (error) {
    log.warn({ err: error }, 'cannot make room on the disk');
  } finally {
    await Promise.all(here.filter((one) => !ended.has(one)).map((one) => one.thaw()));
  }
}

function deviceOf(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.dev;
}
