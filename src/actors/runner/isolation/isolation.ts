// Which isolation and which network programs get on this machine, and what it means for a server with given settings.
import { dirname, join } from 'node:path';
import { once } from 'node:events';
import type { ExecutionSettings } from '../../jobs/settings.ts';
import { launch } from '../launch.ts';
import {
  probeBubblewrap,
  type BubblewrapAbilities,
  launchInBubblewrap,
  PROBE_PROGRAM,
  systemWords,
} from './bubblewrap.ts';
import {
  countsProcessesPerNamespace,
  findWorkingTools,
  type MachineTools,
  openAttempts,
  type ProbeAttempt,
} from './machine-tools.ts';
import { canOthersRead, findBarrier } from './user-folders.ts';
import { explainBarrier, userWords } from './uid.ts';
import { missingTools, NetworkUnavailable } from './private-network.ts';

/** Nobody, who is there on every system. */
const PROBE_UID = 65_534;

export type Isolation = (
  | BubblewrapIsolation
  | { kind: 'uid'; tools: MachineTools & { setpriv: string } }
  | { kind: 'none'; tools: MachineTools }
) & {
  /** Why there is nothing stronger, where something stronger was tried. */
  shortfall?: string;
};

export interface BubblewrapIsolation {
  kind: 'bubblewrap';
  tools: MachineTools & { bwrap: string };
  abilities: BubblewrapAbilities;
  /**
   * The `setpriv` by which a server that is root gives each sandbox a user of its own. A sandbox of root's has no capability,
   * but on the network of the machine there are services on abstract sockets that obey everything of root's.
   */
  usersBy?: string;
}

interface IsolationSources {
  tools: MachineTools;
  platform: string;
  isRoot: boolean;
  probe: typeof probeBubblewrap;
  attempt?: ProbeAttempt;
}

let ofMachine: Promise<Isolation> | undefined;

/** It does not change while a process runs, and trying takes milliseconds, so it is tried once. */
export function machineIsolation(): Promise<Isolation> {
  ofMachine ??= tryIsolation();
  return ofMachine;
}

/** Tries what this machine offers. */
export async function tryIsolation(): Promise<Isolation> {
  return await chooseIsolation({
    tools: await findWorkingTools(),
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    probe: probeBubblewrap,
  });
}

export async function chooseIsolation({
  tools,
  platform,
  isRoot,
  probe,
  attempt = openAttempts(),
}: IsolationSources): Promise<Isolation> {
  if (platform !== 'linux') return { kind: 'none', tools };
  const { bwrap, setpriv } = tools;
  let reason: string | undefined;
  if (bwrap !== undefined) {
    const users = isRoot && setpriv !== undefined ? [setpriv, undefined] : [undefined];
    for (const usersBy of users) {
      const asUser = usersBy === undefined ? [] : userWords(usersBy, PROBE_UID);
      // Older versions of bubblewrap cannot forbid namespaces.
      for (const disablesNamespaces of [true, false]) {
        const failure = await attempt(() => probe(bwrap, { asUser, disablesNamespaces }));
        if (failure === undefined) {
          return {
            kind: 'bubblewrap',
            tools: { ...tools, bwrap },
            abilities: { disablesNamespaces },
            ...(usersBy !== undefined && { usersBy }),
            ...(reason !== undefined && { shortfall: `not all of bubblewrap works here (${reason})` }),
          };
        }
        reason ??= failure;
      }
    }
  }
  const shortfall = reason === undefined ? {} : { shortfall: `bubblewrap does not work here (${reason})` };
  if (isRoot && setpriv !== undefined) return { kind: 'uid', tools: { ...tools, setpriv }, ...shortfall };
  return { kind: 'none', tools, ...shortfall };
}

/** The folder for builds and working folders, where none was chosen: users of their own cannot enter the data folder. */
export function defaultWorkFolder(data: string, isolation: Isolation, hadUsers = false): string {
  return hasUsers(isolation) || hadUsers ? `${data}-work` : join(data, 'work');
}

export function hasUsers(isolation: Isolation): boolean {
  return isolation.kind === 'uid' || (isolation.kind === 'bubblewrap' && isolation.usersBy !== undefined);
}

/** What is left of it with this work folder: sandboxes belong to root where users of their own cannot get there. */
export function isolationFor(work: string, isolation: Isolation): Isolation {
  if (isolation.kind !== 'bubblewrap' || isolation.usersBy === undefined) return isolation;
  const { usersBy: _, ...rest } = isolation;
  const isReachable = findBarrier(dirname(work)) === undefined && canOthersRead(process.execPath);
  return isReachable ? isolation : rest;
}

type RefusalSettings = Pick<
  ExecutionSettings,
  'work' | 'allowsUnsandboxed' | 'isLoopbackOnly' | 'network' | 'isolationLoss'
>;

/** The reason why no program may run, with the ways out. */
export function explainRefusal(
  { kind, tools, shortfall }: Isolation,
  { work, allowsUnsandboxed, isLoopbackOnly, network, isolationLoss }: RefusalSettings,
  platform: string = process.platform,
): string | undefined {
  if (platform === 'win32') return 'Actors run on servers with Linux or macOS only.';
  if (isolationLoss !== undefined) return isolationLoss;
  const install = `install bubblewrap${tools.bwrap === undefined ? '' : ', with user namespaces allowed,'}`;
  if (network === 'none' && kind !== 'bubblewrap') {
    return `Actors are to have no network (--actor-network none), which needs bubblewrap: ${install} on this server, or allow them the network.`;
  }
  if (kind === 'uid') {
    const barrier = findBarrier(dirname(work));
    return barrier === undefined ? undefined : explainBarrier(barrier);
  }
  if (kind !== 'none' || isLoopbackOnly || allowsUnsandboxed) return undefined;
  const why = shortfall === undefined ? '' : `; ${shortfall}`;
  return `This server has no sandbox for Actors, and others can reach it${why}: ${install}, or run the server as root with setpriv, or accept that Actors can do what the server's user can with --actors-unsandboxed.`;
}

const SENTENCES = {
  bubblewrap: 'Each run has a sandbox of bubblewrap',
  uid: 'Each run has a user of its own',
  none: 'Runs have no sandbox',
};

/** For the log of a start and the doctor. */
export function describeIsolation({ kind, shortfall }: Isolation): string {
  return `${SENTENCES[kind]}${shortfall === undefined ? '' : `, as ${shortfall}`}.`;
}

/** For the log of a start, the doctor, and the log of a run. */
export function describeNetwork({
  network,
  networkShortfall: why,
}: Pick<ExecutionSettings, 'network' | 'networkShortfall'>): string {
  if (network === 'private') return 'Runs have a network of their own.';
  if (network === 'none') return 'Runs have no network.';
  return `Runs share the network of this machine${why === undefined ? '' : `, as they cannot have their own: ${why}`}.`;
}

export interface EnforcedLimits {
  memory: boolean;
  processes: boolean;
  cpu: boolean;
}

/** What control groups and the isolation enforce together. */
export function enforcedLimits(isolation: Isolation, controllers: readonly string[]): EnforcedLimits {
  const { kind, tools } = isolation;
  const countsInside =
    kind === 'bubblewrap' &&
    countsProcessesPerNamespace(isolation.usersBy === undefined ? undefined : PROBE_UID);
  const countsByUser = tools.prlimit !== undefined && (kind === 'uid' || countsInside);
  return {
    memory: controllers.includes('memory'),
    processes: controllers.includes('pids') || countsByUser,
    cpu: controllers.includes('cpu'),
  };
}

/** At most two sentences: one on isolation, one on limits. */
export function explainGaps({ kind }: Isolation, { memory, processes, cpu }: EnforcedLimits): string[] {
  const missing = [
    ...(memory ? [] : ['memory, which is watched instead']),
    ...(processes ? [] : ['the number of processes']),
    ...(cpu ? [] : ['processor time, which is only given with low priority']),
  ];
  return [
    ...(kind === 'none'
      ? ["There is no sandbox: this program can read and change what the server's own user can."]
      : []),
    ...(missing.length === 0 ? [] : [`This machine does not let the server cap ${missing.join(', nor ')}.`]),
  ];
}

let networkShortfall: Promise<string | undefined> | undefined;

/** Why they cannot, as the end of a sentence. It does not change while a process runs, so it is tried once. */
export async function findNetworkShortfall(isolation: Isolation): Promise<string | undefined> {
  if (isolation.kind !== 'bubblewrap') return 'that needs bubblewrap';
  networkShortfall ??= tryNetwork(isolation);
  return await networkShortfall;
}

async function tryNetwork(isolation: BubblewrapIsolation): Promise<string | undefined> {
  return missingTools(isolation.tools) ?? (await openAttempts()(() => probeNetwork(isolation)));
}

async function probeNetwork({ tools, abilities, usersBy }: BubblewrapIsolation): Promise<void> {
  const plan = launchInBubblewrap(
    { ...PROBE_PROGRAM, network: 'private' },
    {
      tools,
      abilities,
      files: { system: systemWords(), node: '/usr' },
      maxProcesses: 1024,
      ...(usersBy !== undefined && {
        user: { uid: PROBE_UID, words: userWords(usersBy, PROBE_UID), release: () => {} },
      }),
    },
  );
  const launched = await launch(plan, '/dev/null', { strays: [] }).catch((error: unknown) => {
    throw error instanceof NetworkUnavailable ? new Error(error.reason) : error;
  });
  try {
    const ended = once(launched.child, 'exit');
    launched.go();
    const [code] = (await ended) as [number | null];
    if (code !== 0) throw new Error('bubblewrap does not work in a network namespace');
  } finally {
    launched.connection?.end();
  }
}
