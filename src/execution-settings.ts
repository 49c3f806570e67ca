// How a node executes runs and builds, from the settings and the size of the machine.
import { availableParallelism, totalmem } from 'node:os';
import type { ExecutionSettings } from './actors/jobs/settings.ts';
import { defaultWorkFolder, machineIsolation } from './actors/runner/isolation.ts';
import type { Config } from './config.ts';

export async function executionSettingsOf(config: Config): Promise<ExecutionSettings> {
  const { data, work, host, nodeMemory, nodeRuns } = config;
  return {
    work: work ?? defaultWorkFolder(data, await machineIsolation()),
    allowsUnsandboxed: config.actorsUnsandboxed,
    isLoopbackOnly: /^(127\.|::1$|localhost$)/.test(host),
    network: config.actorNetwork,
    isExecuting: config.role !== 'api',
    isPublic: config.role !== 'worker',
    nodeUrl: config.nodeUrl,
    nodeMemoryMbytes: nodeMemory ?? Math.floor((totalmem() / 1024 ** 2) * 0.75),
    nodeRuns: nodeRuns ?? Math.max(8, 4 * availableParallelism()),
    accountMemoryMbytes: config.accountMemory,
    accountRuns: config.accountRuns,
  };
}
