// The in-memory services of the Actors API, created when a server starts.
import type { Account } from '../kernel/identity/store-accounts.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { JsonText } from '../kernel/http/route.ts';
import { BuildFolders } from './builds/execution/build-folders.ts';
import { ItemChecker } from './datasets/item-checker.ts';
import { openDatasetFields } from './datasets/store.ts';
import { ExportWriter } from './export/export-client.ts';
import { InputChecker } from './input/input-checker.ts';
import { ThisNode } from './jobs/this-node.ts';
import { openFinishWaits } from './jobs/wait-for-finish.ts';
import { openStoreUsage } from './key-value-stores/store-stats.ts';
import { openLogFeed } from './logs/log-feed.ts';
import { LogFiles } from './logs/log-writer.ts';
import { openQueues } from './request-queues/queues.ts';
import { openRunner } from './runner/open-runner.ts';
import { WebServers } from './runs/web-server.ts';
import { openNetworkSharing } from './standby/nodes.ts';
import { openStandbyPools } from './standby/pools.ts';
import { openStorageCache } from './storages/access.ts';
import { openUsage } from './usage/usage-counter.ts';

export async function openActorsServices(
  kernel: Pick<Kernel, 'engine' | 'clock' | 'log'> & { settings: Pick<Kernel['settings'], 'execution'> },
) {
  const webServers = new WebServers();
  const thisNode = new ThisNode();
  return {
    storages: await openStorageCache(kernel.engine),
    usage: openUsage(kernel),
    storeUsage: openStoreUsage(kernel),
    datasetFields: openDatasetFields(),
    privateUsers: new WeakMap<Account, JsonText>(),
    queues: openQueues(kernel.engine),
    finishWaits: await openFinishWaits(kernel),
    logFiles: new LogFiles(kernel),
    inputChecker: new InputChecker(),
    itemChecker: new ItemChecker(),
    exportWriter: new ExportWriter(),
    buildFolders: new BuildFolders(kernel.settings.execution.work),
    runner: await openRunner(kernel.settings.execution, kernel.log),
    logFeed: await openLogFeed(kernel),
    webServers,
    thisNode,
    networkSharing: await openNetworkSharing(kernel),
    standby: await openStandbyPools({ ...kernel, services: { thisNode } }, webServers),
  };
}
