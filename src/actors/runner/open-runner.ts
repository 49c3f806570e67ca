// Chooses the isolation by what the machine offers, and starts programs with it.
import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../kernel/log.ts';
import type { ExecutionSettings } from '../jobs/settings.ts';
import { launchInBubblewrap, type SandboxOwner } from './bubblewrap.ts';
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
  machineIsolation,
  enforcedLimits,
  explainGaps,
  explainRefusal,
  type BubblewrapIsolation,
  type Isolation,
} from './isolation.ts';
import { findStrayDescriptors, launch, type Launch, type LaunchedProcess } from './launch.ts';
import { killLeftovers } from './leftovers.ts';
import { launchPlainly } from './plain.ts';
import { listProcesses, type ProcessInfo } from './process-table.ts';
import { writeProgramRecord } from './program-record.ts';
import { removeTree } from './remove-tree.ts';
import type { Program, Runner, RunningProgram } from './runner.ts';
import { supervise } from './supervise.ts';
import { giveFolder, openWay } from './reachable-folders.ts';
import { findObstacle, launchAsUser, takeUser, userWords } from './uid.ts';
import { UidPool } from './uid-pool.ts';
import { systemWords, writeUserFiles } from './system-files.ts';

/** Threads count too: a browser has hundreds. */
const MAX_PROCESSES = 1024;
/** For how long one reading of all processes serves every program. */
const LIST_AGE_MS = 400;

export type RunnerSettings = Pick<
  ExecutionSettings,
  'work' | 'allowsUnsandboxed' | 'isLoopbackOnly' | 'network'
>;

export interface RunnerOptions {
  /** Instead of what the machine offers. */
  isolation?: Isolation;
  cgroups?: CgroupParents | 'none';
  maxProcesses?: number;
}

export async function openRunner(
  settings: RunnerSettings,
  log: Logger,
  options: RunnerOptions = {},
): Promise<Runner> {
  const isolation = isolationFor(settings.work, options.isolation ?? (await machineIsolation()));
  const refusal = explainRefusal(isolation, settings);
  const strays = findStrayDescriptors();
  const { maxProcesses = MAX_PROCESSES } = options;
  let parents =
    options.cgroups === 'none' ? undefined : (options.cgroups ?? findCgroupParents(readOwnCgroups()));
  let isPrepared = false;
  let nameWords: readonly string[] | undefined;
  let pool: UidPool | undefined;
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
      const files = { system: [...systemWords(), ...nameWords], node: process.execPath };
      const user = await ownerOf(program, isolation);
      return launchInBubblewrap(program, { ...isolation, files, maxProcesses, user });
    }
    const temporary = temporaryFolder(program.id);
    mkdirSync(temporary, { recursive: true });
    if (isolation.kind === 'none') return launchPlainly(program, isolation.tools, temporary);
    pool ??= new UidPool();
    return launchAsUser(program, { ...isolation, pool, work: settings.work, maxProcesses, temporary });
  }

  async function ownerOf(
    program: Program,
    { usersBy }: BubblewrapIsolation,
  ): Promise<SandboxOwner | undefined> {
    const { folder, network } = program;
    openWay(settings.work, join(settings.work, 'sandbox', 'any'));
    // Without a network there is nothing that a user of its own protects, and the server's socket may be out of its reach.
    if (usersBy === undefined || network === 'none' || findObstacle(program, settings.work) !== undefined) {
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

  function temporaryFolder(id: string): string {
    return join(settings.work, 'tmp', id);
  }

  async function start(program: Program): Promise<RunningProgram> {
    if (refusal !== undefined) throw new Error(refusal);
    checkProgram(program);
    if (program.network === 'none' && isolation.kind !== 'bubblewrap') {
      throw new Error('A program without a network needs bubblewrap.');
    }
    prepare();
    const plan = await planLaunch(program);
    let removeRecord = (): void => {};
    const release = async (): Promise<void> => {
      if (plan.temporary !== undefined) await removeTemporary(plan.temporary);
      plan.release();
      removeRecord();
    };
    let cgroup: Cgroup | undefined;
    let launched: LaunchedProcess | undefined;
    try {
      launched = await launch(plan, program.output, { ...isolation.tools, strays });
      const { root } = launched;
      const name = `${program.id}-${root.pid}`;
      cgroup = parents && (await joinGroup(parents, name, program, root.pid));
      removeRecord = writeProgramRecord(settings.work, {
        ...plan.traits,
        id: program.id,
        process: root,
        cgroups: cgroup?.folders ?? [],
      });
      const running = supervise({ program, plan, launched, cgroup, listShared, release });
      launched.go();
      return running;
    } catch (error) {
      launched?.abandon();
      await cgroup?.remove();
      await release();
      throw error;
    }
  }

  return {
    isolation: isolation.kind,
    get warnings() {
      return explainGaps(isolation, enforcedLimits(isolation, Object.keys(parents?.folders ?? {})));
    },
    ...(refusal !== undefined && { refusal }),
    start,
    async killLeftovers() {
      const killed = await killLeftovers(settings.work, Date.now());
      for (const { id, uid, server } of killed) {
        await removeTemporary(temporaryFolder(id));
        if (uid !== undefined) (pool ??= new UidPool()).release(uid, server);
      }
      if (parents !== undefined) sweepGroups(parents);
      if (killed.length === 0) return;
      log.warn({ programs: killed.map(({ id }) => id) }, 'killed programs that a server left running');
    },
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
