// Reads the facts about this server: every figure is cheap, and none is read from a table that grows without a bound.
import { hostname } from 'node:os';
import { listLastSeenNodes } from '../../actors/standby/store-nodes.ts';
import { countUnfinishedRuns } from '../actors/store-runs.ts';
import { findPause } from '../../kernel/backup/backup-store.ts';
import { listFirstDue } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { LogLevel } from '../../kernel/observability/log-level.ts';
import { describeEngine } from '../../kernel/storage/describe-engine.ts';
import type { EngineFinding } from '../../kernel/storage/check-engine.ts';
import { readDeliveryBacklog } from '../../kernel/webhooks/store-backlog.ts';
import { DISK_NODE, readDiskUse } from './disk-use.ts';
import { summarizeDue } from './due-work.ts';
import type { SystemFacts, SystemNode } from './model.ts';

const MAX_NODES = 100;
const MAX_DUE = 2000;
const MAX_DELIVERIES = 1000;
const MAX_RUNS = 2000;
const DAY = 24 * 60 * 60 * 1000;

export async function readSystem(
  kernel: Kernel,
  now: number,
): Promise<{ facts: SystemFacts; findings: EngineFinding[] }> {
  const { db, services, disk } = kernel;
  const [described, due, backlog, seen, diskUse, runs, pause] = await Promise.all([
    describeEngine(kernel.engine),
    listFirstDue(db, MAX_DUE + 1),
    readDeliveryBacklog(db, now - DAY, MAX_DELIVERIES),
    listLastSeenNodes(db, MAX_NODES),
    readDiskUse(kernel, DISK_NODE),
    countUnfinishedRuns(db, MAX_RUNS),
    findPause(db),
  ]);
  const { findings, ...database } = described;
  const uptime = process.uptime();
  const p99Ms = kernel.metrics.eventLoopP99Ms;
  const space = disk.spaceOf('data');
  const facts: SystemFacts = {
    release: kernel.release,
    node: { version: process.versions.node, platform: process.platform, arch: process.arch },
    startedAt: Math.round(now - uptime * 1000),
    ...(pause !== undefined && { pausedSince: pause.since }),
    uptimeSeconds: Math.floor(uptime),
    memory: readMemory(),
    ...(Number.isFinite(p99Ms) && { eventLoop: { p99Ms: Math.round(p99Ms * 10) / 10 } }),
    database: { ...database, ...loadOf(kernel) },
    ...(space && { disk: { freeBytes: space.freeBytes, totalBytes: space.totalBytes } }),
    diskUse,
    // Only a bucket has addresses at which others read.
    objects: { kind: kernel.blobs.presign === undefined ? 'folder' : 's3' },
    nodes: nodesOf(kernel, seen, now),
    dueWork: summarizeDue(due.slice(0, MAX_DUE), now),
    isDueWorkComplete: due.length <= MAX_DUE,
    webhooks: { pending: backlog.pending, retrying: backlog.retrying, failing: backlog.failed },
    runs: [...runs].map(([status, count]) => ({ status, count })),
    git: gitLoadOf(kernel),
    streams: { flags: services.sdkStreams.size, changes: services.changeStreams.size },
    limits: { isEnabled: kernel.limits.enabled },
    logLevel: kernel.log.level as LogLevel,
  };
  return { facts, findings };
}

function loadOf({
  engine: { load },
}: Kernel): Pick<SystemFacts['database'], 'statements' | 'meanMs' | 'connections'> {
  const { count, sum } = load.statements;
  const connections = load.connections?.();
  return {
    statements: count,
    meanMs: count === 0 ? 0 : Math.round((sum / count) * 1_000_000) / 1000,
    ...(connections && { connections }),
  };
}

function gitLoadOf({ services: { packs, downloads } }: Kernel): SystemFacts['git'] {
  const [transfers, others] = [packs.load, downloads.load];
  return {
    transfers: transfers.used,
    downloads: others.used,
    waiting: transfers.waiting + others.waiting,
  };
}

function readMemory(): SystemFacts['memory'] {
  const { rss, heapUsed } = process.memoryUsage();
  const limit = process.constrainedMemory();
  // Without a limit the system says nothing, or a number that no machine has.
  return { rss, heapUsed, ...(limit > 0 && limit < Number.MAX_SAFE_INTEGER && { limit }) };
}

function nodesOf(
  kernel: Kernel,
  seen: readonly { name: string; seenAt: number }[],
  now: number,
): SystemNode[] {
  const self = selfNameOf(kernel);
  const own: SystemNode = { id: self, roles: ['api'], seenAt: now, isSelf: true };
  const isListed = seen.some(({ name }) => name === self);
  return [
    ...(isListed ? [] : [own]),
    ...seen.map(({ name, seenAt }): SystemNode =>
      name === self
        ? { ...own, roles: ['api', 'worker'] }
        : { id: name, roles: ['worker'], seenAt, isSelf: false },
    ),
  ];
}

/** A node without background work has no name in the database. */
export function selfNameOf({ services }: Pick<Kernel, 'services'>): string {
  return services.thisNode.name ?? `${hostname()}:${process.pid}`;
}
