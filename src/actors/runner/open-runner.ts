// Chooses the isolation by what the machine offers, and starts programs with it.
import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../kernel/observability/log.ts';
import type { ExecutionSettings } from '../jobs/settings.ts';
import {
  launchInBubblewrap,
  type SandboxOwner,
  networkWords,
  systemWords,
  writeUserFiles,
} from './isolation/bubblewrap.ts';
import type { DiskQuery } from './disk-usage.ts';
import { openDiskMeter } from './disk-watch.ts';
import {
  Cgroup,
  findCgroupParents,
  prepareCgroupParents,
  readOwnCgroups,
  sweepGroups,
  type CgroupParents,
} from './cgroup.ts';
import {
  isolationFor,
  describeIsolation,
  describeNetwork,
  machineIsolation,
  enforcedLimits,
  explainGaps,
  explainRefusal,
  type BubblewrapIsolation,
  type Isolation,
} from './isolation/isolation.ts';
import { findStrayDescriptors, launch, type Launch, type LaunchedProcess } from './launch.ts';
import { killLeftovers, writeProgramRecord } from './program-record.ts';
import { launchPlainly } from './isolation/plain.ts';
import { NAMESERVER } from './isolation/private-network.ts';
import { probeMounts, removeFilesOf, giveFolder, openWay } from './isolation/user-folders.ts';
import { listProcesses, type ProcessInfo } from './process-table.ts';
import { removeTree } from './remove-tree.ts';
import type { Program, Runner, RunningProgram } from './runner.ts';
import { relieveDisk, supervise, type SupervisedProgram } from './supervise.ts';
import { findObstacle, launchAsUser, takeUser, userWords, UidPool } from './isolation/uid.ts';

/** Threads count too: a browser has hundreds. */
const MAX_PROCESSES = 1024;
/** For how long one reading of all processes serves every program. */
const LIST_AGE_MS = 400;

const NO_MOUNTS =
  'This machine does not let the server give programs a /tmp and /dev/shm of their own: what they write there counts as disk space, and is deleted at the end.';

export type RunnerSettings = Pick<
  ExecutionSettings,
  'work' | 'allowsUnsandboxed' | 'isLoopbackOnly' | 'network' | 'networkShortfall' | 'isolationLoss'
>;

export interface RunnerOptions {
  /** Instead of what the machine offers. */
  isolation?: Isolation;
  cgroups?: CgroupParents | 'none';
  maxProcesses?: number;
  maxFiles?: number;
  /** As if this server could not mount. */
  mounts?: 'none';
}

export async function openRunner(
  settings: RunnerSettings,
  log: Logger,
  options: RunnerOptions = {},
): Promise<Runner> {
  const isolation = isolationFor(settings.work, options.isolation ?? (await machineIsolation()));
  const refusal = explainRefusal(isolation, settings);
  const mounts =
    isolation.kind === 'uid' && options.mounts !== 'none' ? await probeMounts(isolation.tools) : undefined;
  const strays = findStrayDescriptors();
  const { maxProcesses = MAX_PROCESSES } = options;
  let parents =
    options.cgroups === 'none' ? undefined : (options.cgroups ?? findCgroupParents(readOwnCgroups()));
  let isPrepared = false;
  let nameWords: readonly string[] | undefined;
  let connectedWords: readonly string[] | undefined;
  let pool: UidPool | undefined;
  const running = new Set<SupervisedProgram>();
  const diskMeter = openDiskMeter();
  const measureDisk = (query: DiskQuery) => diskMeter.ask(() => query);
  const listShared = shareFor(LIST_AGE_MS, listProcesses);

  /** The first start does what should not happen to a server that never runs a program. */
  function prepare(): void {
    if (isPrepared) return;
    isPrepared = true;
    mkdirSync(settings.work, { recursive: true });
    try {
      if (parents !== undefined) prepareCgroupParents(parents);
    } catch (error) {
      giveUpCgroups(error);
    }
  }

  function giveUpCgroups(error: unknown): void {
    log.warn({ err: error }, 'control groups cannot be used, so programs run without their limits');
    parents = undefined;
  }

  async function joinGroup(
    below: CgroupParents,
    name: string,
    program: Program,
    pid: number,
  ): Promise<Cgroup | undefined> {
    let group: Cgroup | undefined;
    try {
      group = Cgroup.create(below, name, { ...program, processes: maxProcesses });
      await group.add(pid);
      return group;
    } catch (error) {
      giveUpCgroups(error);
      await group?.remove();
      return undefined;
    }
  }

  async function planLaunch(program: Program): Promise<Launch> {
    if (isolation.kind === 'bubblewrap') {
      nameWords ??= writeUserFiles(join(settings.work, 'sandbox'));
      const system =
        program.network === 'private'
          ? (connectedWords ??= networkWords(join(settings.work, 'sandbox'), NAMESERVER))
          : systemWords();
      const files = { system: [...system, ...nameWords], node: process.execPath };
      const user = await ownerOf(program, isolation);
      return launchInBubblewrap(program, { ...isolation, files, maxProcesses, user });
    }
    const temporary = temporaryFolder(program.id);
    mkdirSync(temporary, { recursive: true });
    if (isolation.kind === 'none') return launchPlainly(program, isolation.tools, temporary);
    pool ??= new UidPool();
    return launchAsUser(program, {
      ...isolation,
      pool,
      work: settings.work,
      maxProcesses,
      temporary,
      mounts,
    });
  }

  async function ownerOf(
    program: Program,
    { usersBy }: BubblewrapIsolation,
  ): Promise<SandboxOwner | undefined> {
    const { folder } = program;
    openWay(settings.work, join(settings.work, 'sandbox', 'any'));
    if (usersBy === undefined || findObstacle(program, settings.work) !== undefined) {
      const own = process.getuid?.();
      if (own === 0 && lstatSync(folder).uid !== own) await giveFolder(folder, own);
      return undefined;
    }
    const users = (pool ??= new UidPool());
    const uid = await takeUser(users, [folder]);
    return { uid, words: userWords(usersBy, uid), release: () => users.release(uid) };
  }

  async function removeTemporary(folder: string): Promise<void> {
    await removeTree(folder).catch((error: unknown) => {
      log.warn({ err: error, folder }, 'cannot remove the temporary files of a program');
    });
  }

  async function sweepUser(uid: number): Promise<void> {
    await removeFilesOf(uid).catch((error: unknown) => {
      log.warn({ err: error, uid }, 'cannot remove the temporary files of a user of a program');
    });
  }

  function temporaryFolder(id: string): string {
    return join(settings.work, 'tmp', id);
  }

  async function start(program: Program): Promise<RunningProgram> {
    if (refusal !== undefined) throw new Error(refusal);
    checkProgram(program);
    if (program.network !== 'host' && isolation.kind !== 'bubblewrap') {
      throw new Error('A program without a network, or with one of its own, needs bubblewrap.');
    }
    prepare();
    const plan = await planLaunch(program);
    let removeRecord = (): void => {};
    const release = async (): Promise<void> => {
      if (plan.temporary !== undefined) await removeTemporary(plan.temporary);
      if (plan.sharedFolders !== undefined) await sweepUser(plan.traits.uid!);
      plan.release();
      removeRecord();
    };
    let cgroup: Cgroup | undefined;
    let launched: LaunchedProcess | undefined;
    try {
      launched = await launch(plan, program.output, { ...isolation.tools, strays });
      const { root } = launched;
      const name = `${program.id}-${process.pid}-${root.pid}`;
      const connection = launched.connection?.process;
      cgroup = parents && (await joinGroup(parents, name, program, root.pid));
      // What it sends and receives takes memory of the program's, and not of the server's.
      if (connection !== undefined) await cgroup?.add(connection.pid);
      removeRecord = writeProgramRecord(settings.work, {
        ...plan.traits,
        id: program.id,
        process: root,
        connection,
        cgroups: cgroup?.folders ?? [],
      });
      const supervised = supervise({
        program,
        plan,
        launched,
        cgroup,
        listShared,
        measureDisk,
        maxEntries: options.maxFiles,
        release,
      });
      running.add(supervised);
      void supervised.exited.then(() => running.delete(supervised));
      launched.go();
      return supervised;
    } catch (error) {
      launched?.abandon();
      await cgroup?.remove();
      await release();
      throw error;
    }
  }

  return {
    isolation: isolation.kind,
    description: [describeIsolation(isolation), describeNetwork(settings)].join(' '),
    get warnings() {
      const { networkShortfall } = settings;
      return [
        ...explainGaps(isolation, enforcedLimits(isolation, Object.keys(parents?.folders ?? {}))),
        ...(isolation.kind === 'uid' && mounts === undefined ? [NO_MOUNTS] : []),
        ...(networkShortfall === undefined ? [] : [describeNetwork(settings)]),
      ];
    },
    ...(refusal !== undefined && { refusal }),
    start,
    measureDisk,
    relieveDisk: (device, hasRoom) => relieveDisk(running, device, hasRoom, log),
    async killLeftovers() {
      const killed = await killLeftovers(settings.work, Date.now());
      for (const { id, uid, server } of killed) {
        await removeTemporary(temporaryFolder(id));
        if (uid !== undefined) await sweepUser(uid);
        if (uid !== undefined) (pool ??= new UidPool()).release(uid, server);
      }
      if (parents !== undefined) sweepGroups(parents);
      if (killed.length === 0) return;
      log.warn({ programs: killed.map(({ id }) => id) }, 'killed programs that a server left running');
    },
    close: () => diskMeter.close(),
  };
}

/** Hostile values must not become options of a tool, and a missing folder should be named. */
function checkProgram({ command, env, folder, readable, output, id }: Program): void {
  const words = [...command, ...Object.keys(env), ...Object.values(env), folder, ...readable, output, id];
  if (words.some((word) => word.includes('\0')))
    throw new Error('A program has a NUL in its words or environment.');
  if (Object.keys(env).some((name) => name === '' || name.includes('='))) {
    throw new Error('The name of an environment variable is empty or has an equals sign.');
  }
  if (!/^[\w-]+$/.test(id)) throw new Error('The id of a program is not usable in file names.');
  for (const path of [folder, ...readable]) {
    if (!path.startsWith('/')) throw new Error(`The path ${path} is not absolute.`);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) throw new Error(`There is no ${path}.`);
  }
}

function shareFor(ms: number, read: () => Promise<ProcessInfo[]>): () => Promise<ProcessInfo[]> {
  let latest: { at: number; list: Promise<ProcessInfo[]> } | undefined;
  return () => {
    const now = performance.now();
    if (latest === undefined || now - latest.at > ms) latest = { at: now, list: read() };
    return latest.list;
  };
}
