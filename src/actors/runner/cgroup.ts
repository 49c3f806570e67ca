// Control groups: where this server may create them, and one group per program with its limits.
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  controllerLimits,
  unifiedLimits,
  type GroupLimits,
  type LimitFiles,
  findOwnCgroups,
  type OwnCgroups,
} from './cgroup-files.ts';
import { readProcess } from './process-table.ts';
import type { ProgramUsage } from './runner.ts';

/** Where groups of programs are created: below the server's own group, so that limits on the server include them. */
export interface CgroupParents {
  version: 1 | 2;
  /** Folders by controller; in version 2 all are the same one. */
  folders: Readonly<Record<string, string>>;
}

const REMOVE_TRIES = 50;
const REMOVE_PAUSE_MS = 20;

const SERVER_GROUP = 'signalbox-server';
const WANTED = ['memory', 'pids', 'cpu', 'cpuacct'] as const;

export function readOwnCgroups(): OwnCgroups {
  const read = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  return findOwnCgroups(read('/proc/self/cgroup'), read('/proc/self/mountinfo'));
}

/** Changes nothing. */
export function findCgroupParents({ unified, controllers }: OwnCgroups): CgroupParents | undefined {
  const writable = WANTED.filter((name) => isWritable(controllers[name]));
  if (writable.length > 0) {
    return { version: 1, folders: Object.fromEntries(writable.map((name) => [name, controllers[name]!])) };
  }
  if (unified !== undefined && basename(unified) === SERVER_GROUP) {
    // This process, or the one that started it, has moved there.
    return findCgroupParents({ unified: dirname(unified), controllers });
  }
  if (unified === undefined || !isWritable(unified) || !isWritable(join(unified, 'cgroup.procs')))
    return undefined;
  const offered = readWords(join(unified, 'cgroup.controllers')).filter((name) =>
    (WANTED as readonly string[]).includes(name),
  );
  if (offered.length === 0) return undefined;
  return { version: 2, folders: Object.fromEntries(offered.map((name) => [name, unified])) };
}

/**
 * In version 2 a group either has processes or hands controllers on to its children. So the server moves itself, and the
 * processes that started it, to a child group. Throws where others are in the group too.
 */
export function prepareCgroupParents({ version, folders }: CgroupParents, pid = process.pid): void {
  const [folder] = Object.values(folders);
  if (version === 1 || folder === undefined) return;
  const control = join(folder, 'cgroup.subtree_control');
  const missing = Object.keys(folders).filter((name) => !readWords(control).includes(name));
  if (missing.length === 0) return;
  const leaf = join(folder, SERVER_GROUP);
  mkdirSync(leaf, { recursive: true });
  const present = readWords(join(folder, 'cgroup.procs'));
  const moved = withAncestors(pid).filter((one) => present.includes(String(one)));
  try {
    for (const one of moved) writeFileSync(join(leaf, 'cgroup.procs'), String(one));
    writeFileSync(control, missing.map((name) => `+${name}`).join(' '));
  } catch (error) {
    for (const one of moved) attempt(() => writeFileSync(join(folder, 'cgroup.procs'), String(one)));
    attempt(() => rmdirSync(leaf));
    throw error;
  }
}

function withAncestors(pid: number): number[] {
  const parent = readProcess(pid)?.parent ?? 0;
  return parent === 0 ? [pid] : [pid, ...withAncestors(parent)];
}

export class Cgroup {
  readonly folders: readonly string[];
  readonly #byController: Readonly<Record<string, string>>;
  readonly #version: 1 | 2;

  private constructor(version: 1 | 2, byController: Readonly<Record<string, string>>) {
    this.#version = version;
    this.#byController = byController;
    this.folders = [...new Set(Object.values(byController))];
  }

  static create({ version, folders }: CgroupParents, name: string, limits: GroupLimits): Cgroup {
    const created = Object.fromEntries(
      Object.entries(folders).map(([controller, folder]) => [controller, join(folder, `signalbox-${name}`)]),
    );
    const files: LimitFiles = version === 1 ? controllerLimits(limits) : unifiedLimits(limits);
    const group = new Cgroup(version, created);
    try {
      for (const [controller, folder] of Object.entries(created)) {
        mkdirSync(folder, { recursive: true });
        // Swap accounting and the like may be absent.
        for (const [file, value] of files[controller] ?? []) {
          if (existsSync(join(folder, file))) writeFileSync(join(folder, file), value);
        }
      }
    } catch (error) {
      void group.remove();
      throw error;
    }
    return group;
  }

  /** The kernel waits for milliseconds to move a process, so the event loop does not. */
  async add(pid: number): Promise<void> {
    await Promise.all(this.folders.map((folder) => writeFile(join(folder, 'cgroup.procs'), String(pid))));
  }

  get limitsMemory(): boolean {
    return this.#byController['memory'] !== undefined;
  }

  /** How many processes the kernel killed because the group had no memory left. */
  countOomKills(): number {
    const folder = this.#byController['memory'];
    if (folder === undefined) return 0;
    const file = this.#version === 1 ? 'memory.oom_control' : 'memory.events';
    return readField(join(folder, file), 'oom_kill');
  }

  /** What it does not count is left out. */
  usage(): Partial<ProgramUsage> {
    const { memory, cpu, cpuacct } = this.#byController;
    const isUnified = this.#version === 2;
    // Cached files are taken back by the kernel when memory is needed.
    const memoryBytes =
      memory &&
      (isUnified
        ? readNumber(join(memory, 'memory.current')) - readField(join(memory, 'memory.stat'), 'inactive_file')
        : readNumber(join(memory, 'memory.usage_in_bytes')) -
          readField(join(memory, 'memory.stat'), 'total_inactive_file'));
    const cpuMs = isUnified
      ? cpu && readField(join(cpu, 'cpu.stat'), 'usage_usec') / 1000
      : cpuacct && readNumber(join(cpuacct, 'cpuacct.usage')) / 1e6;
    return {
      ...(typeof memoryBytes === 'number' && { memoryBytes: Math.max(0, memoryBytes) }),
      ...(typeof cpuMs === 'number' && { cpuMs }),
    };
  }

  /** False where the kernel cannot freeze a group, as in version 1 without its own controller for that. */
  setFrozen(isFrozen: boolean): boolean {
    const [folder] = this.folders;
    const control = this.#version === 2 && folder !== undefined ? join(folder, 'cgroup.freeze') : '';
    if (!existsSync(control)) return false;
    try {
      writeFileSync(control, isFrozen ? '1' : '0');
      return true;
    } catch {
      return false;
    }
  }

  kill(): void {
    killGroups(this.folders);
  }

  get isEmpty(): boolean {
    return areGroupsEmpty(this.folders);
  }

  async remove(): Promise<void> {
    await removeGroups(this.folders);
  }
}

/** One round; the caller repeats it until all are empty. */
export function killGroups(folders: readonly string[]): void {
  for (const folder of folders) {
    // Nothing can be started any more, so that the rounds come to an end.
    attempt(() => existsSync(join(folder, 'pids.max')) && writeFileSync(join(folder, 'pids.max'), '0'));
    const control = join(folder, 'cgroup.kill');
    if (existsSync(control)) {
      attempt(() => writeFileSync(control, '1'));
      continue;
    }
    for (const pid of readWords(join(folder, 'cgroup.procs')))
      attempt(() => process.kill(Number(pid), 'SIGKILL'));
  }
}

export function areGroupsEmpty(folders: readonly string[]): boolean {
  return folders.every((folder) => readWords(join(folder, 'cgroup.procs')).length === 0);
}

/** The kernel may need a moment after the last process has ended. */
export async function removeGroups(folders: readonly string[]): Promise<void> {
  for (let tries = 0; tries < REMOVE_TRIES; tries++) {
    for (const folder of folders) attempt(() => rmdirSync(folder));
    if (!folders.some((folder) => existsSync(folder))) return;
    await delay(REMOVE_PAUSE_MS);
  }
}

/**
 * Removes groups of programs that are dead, whose records are gone too. The last parts of the name are the server and the first process: a
 * server that lives asks a group what its program died of, and removes it.
 */
export function sweepGroups({ folders }: CgroupParents): void {
  for (const folder of new Set(Object.values(folders))) {
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      const [, server, first] = /^signalbox-.+?(?:-(\d+))?-(\d+)$/.exec(name) ?? [];
      const isOver = [server, first].every(
        (pid) => pid === undefined || readProcess(Number(pid)) === undefined,
      );
      // One that is not empty cannot be removed.
      if (first !== undefined && isOver) attempt(() => rmdirSync(join(folder, name)));
    }
  }
}

function attempt(act: () => unknown): void {
  try {
    act();
  } catch {
    // It is gone, or not ours.
  }
}

function isWritable(path: string | undefined): boolean {
  if (path === undefined) return false;
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function readWords(file: string): string[] {
  return readText(file)
    .split(/\s+/)
    .filter((word) => word !== '');
}

function readNumber(file: string): number {
  return Number(readText(file).trim() || 0);
}

/** Of a file with lines of a name and a number. */
function readField(file: string, name: string): number {
  const line = readText(file)
    .split('\n')
    .find((one) => one.startsWith(`${name} `));
  return Number(line?.split(' ')[1] ?? 0);
}
