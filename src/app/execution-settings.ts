// How a node executes runs and builds, from the settings, the size of the machine, and what there was before.
import { availableParallelism, totalmem } from 'node:os';
import type { ExecutionSettings } from '../actors/jobs/settings.ts';
import {
  explainLoss,
  readIsolationRecord,
  recordOf,
  writeIsolationRecord,
} from '../actors/runner/isolation/isolation-record.ts';
import {
  defaultWorkFolder,
  machineIsolation,
  type Isolation,
  findNetworkShortfall,
} from '../actors/runner/isolation/isolation.ts';
import type { Config } from './config.ts';
import type { Logger } from '../kernel/observability/log.ts';
import { isLoopbackName } from '../kernel/network/loopback-name.ts';

export async function executionSettingsOf(config: Config, isolation?: Isolation): Promise<ExecutionSettings> {
  const { data, work, nodeMemory, nodeRuns } = config;
  const found = isolation ?? (await machineIsolation());
  const record = readIsolationRecord(data);
  const { loss, ...networks } = await chooseNetwork(config, found, record?.hasOwnNetwork);
  return {
    work: work ?? defaultWorkFolder(data, found, record?.hasUsers),
    allowsUnsandboxed: config.actorsUnsandboxed,
    isLoopbackOnly: isLoopbackOnly(config),
    isolationLoss:
      explainLoss(found, {
        least: leastIsolationOf(config),
        record,
        isRoot: process.getuid?.() === 0,
      }) ?? loss,
    ...networks,
    isExecuting: config.role !== 'api',
    isPublic: config.role !== 'worker',
    nodeUrl: config.nodeUrl,
    nodeMemoryMbytes: nodeMemory ?? Math.floor((totalmem() / 1024 ** 2) * 0.75),
    nodeRuns: nodeRuns ?? Math.max(8, 4 * availableParallelism()),
    accountMemoryMbytes: config.accountMemory,
    accountRuns: config.accountRuns,
  };
}

/**
 * Whether only programs on this machine can reach the server: behind a reverse proxy others can, wherever it listens. A worker
 * runs what callers of other nodes have started, and nobody knows here who reaches those.
 */
export function isLoopbackOnly({ role, host, publicUrl, nodeUrl, trustProxy }: Config): boolean {
  if (role !== 'all') return false;
  const names = [publicUrl, nodeUrl].flatMap((url) => (url === undefined ? [] : [new URL(url).hostname]));
  return trustProxy.length === 0 && [host, ...names].every(isLoopbackName);
}

type Networks = Pick<ExecutionSettings, 'network' | 'packageNetwork' | 'networkShortfall'> & {
  loss?: string;
};

/** One of its own for each run, where it can be had: what runs serve is then out of reach for others on this machine. */
async function chooseNetwork(
  { actorNetwork, role }: Config,
  isolation: Isolation,
  hadOwn = false,
): Promise<Networks> {
  if (actorNetwork === 'host' || role === 'api')
    return { network: actorNetwork ?? 'host', packageNetwork: 'host' };
  const shortfall = await findNetworkShortfall(isolation);
  if (actorNetwork === 'none')
    return { network: 'none', packageNetwork: shortfall === undefined ? 'private' : 'host' };
  const own = { network: 'private', packageNetwork: 'private' } as const;
  if (shortfall === undefined) return own;
  const ways = `Mend that and start the server again, or let them share the network of this machine with --actor-network host.`;
  if (actorNetwork === 'private') {
    return {
      ...own,
      loss: `Actors are to have a network of their own (--actor-network private), which cannot be had here: ${shortfall}. ${ways}`,
    };
  }
  if (hadOwn) {
    return {
      ...own,
      loss: `Actors of this data folder had a network of their own before, which cannot be had now: ${shortfall}. ${ways}`,
    };
  }
  return { network: 'host', packageNetwork: 'host', networkShortfall: shortfall };
}

/** Who accepts no isolation at all accepts every kind. */
function leastIsolationOf({ actorIsolation, actorsUnsandboxed }: Config): Config['actorIsolation'] {
  return actorIsolation ?? (actorsUnsandboxed ? 'none' : undefined);
}

/** After a loss that nobody has accepted, what there was before stays the measure. */
export async function recordIsolation(
  { role, data }: Config,
  { isolationLoss, network }: ExecutionSettings,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  if (role === 'api' || isolationLoss !== undefined) return;
  const record = { ...recordOf(await machineIsolation()), hasOwnNetwork: network !== 'host' };
  try {
    writeIsolationRecord(data, record);
  } catch (error) {
    log.warn(
      { err: error },
      'cannot record the isolation of Actors, so a weaker one would not be noticed later',
    );
  }
}
