// Runs as the API shows them and policies name them, and the rules of their states.
import { Failure } from '../../kernel/failure.ts';
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import type { PermissionLevel } from '../actors/model.ts';
import { PricingInfo, type ActorPricing } from '../actors/pricing.ts';
import { ORIGINS, type JobMeta, type RunOrigin } from '../jobs/job-meta.ts';
import { STATUSES, type JobStatus } from '../jobs/job.ts';
import { toBuildNumberInt } from '../actors/version.ts';

export interface RunOptions {
  build: string;
  timeoutSecs: number;
  memoryMbytes: number;
  diskMbytes: number;
  maxItems: number | null;
  maxTotalChargeUsd: number | null;
  restartOnError: boolean;
}

export interface RunStats {
  inputBodyLen: number | null;
  migrationCount: number;
  rebootCount: number;
  restartCount: number;
  resurrectCount: number;
  metamorph: number;
  /** Of all its processes together. */
  runTimeMs: number;
  memAvgBytes: number;
  memMaxBytes: number;
  memCurrentBytes: number;
  cpuAvgUsage: number;
  cpuMaxUsage: number;
  cpuCurrentUsage: number;
}

export const NEW_STATS: RunStats = {
  inputBodyLen: null,
  migrationCount: 0,
  rebootCount: 0,
  restartCount: 0,
  resurrectCount: 0,
  metamorph: 0,
  runTimeMs: 0,
  memAvgBytes: 0,
  memMaxBytes: 0,
  memCurrentBytes: 0,
  cpuAvgUsage: 0,
  cpuMaxUsage: 0,
  cpuCurrentUsage: 0,
};

export interface Metamorph {
  createdAt: string;
  actorId: string;
  buildId: string;
  inputKey: string;
}

export const STORAGE_GROUPS = ['datasets', 'keyValueStores', 'requestQueues'] as const;
export type StorageGroup = (typeof STORAGE_GROUPS)[number];

/** By kind and alias. */
export type StorageIds = Record<StorageGroup, Record<string, string>>;

export interface Run {
  id: string;
  actorId: string;
  userId: string;
  taskId: string | null;
  buildId: string;
  buildNumber: string;
  status: JobStatus;
  statusMessage: string | null;
  isMessageTerminal: boolean;
  meta: JobMeta;
  options: RunOptions;
  stats: RunStats;
  exitCode: number | null;
  startedAt: number;
  finishedAt: number | null;
  timeoutAt: number | null;
  datasetId: string;
  storeId: string;
  queueId: string;
  /** Of the storages that the build declares beside these, by kind and alias. */
  aliases?: Partial<StorageIds>;
  inputKey: string;
  generalAccess: string;
  permissionLevel: PermissionLevel;
  /** That of the Actor when the run was started; absent where it had none. */
  pricing?: ActorPricing;
  chargedEvents: Record<string, number>;
  metamorphs: Metamorph[];
  /** Whether its process has answered a request. */
  isServerReady?: boolean;
}

const DateTime = Type.String({ format: 'date-time' });
const Counts = Type.Record(Type.String(), Type.Number());

const RunMetaSchema = Type.Object({
  origin: OneOf(ORIGINS),
  clientIp: Type.Optional(Nullable(Type.String())),
  userAgent: Type.Optional(Nullable(Type.String())),
  scheduleId: Type.Optional(Type.String()),
  scheduledAt: Type.Optional(DateTime),
});

const SHORT_FIELDS = {
  id: Type.String(),
  actId: Type.String(),
  userId: Type.String(),
  actorTaskId: Nullable(Type.String()),
  startedAt: DateTime,
  finishedAt: Nullable(DateTime),
  status: OneOf(STATUSES),
  meta: RunMetaSchema,
  buildId: Type.String(),
  buildNumber: Type.String(),
  buildNumberInt: Type.Integer(),
  defaultKeyValueStoreId: Type.String(),
  defaultDatasetId: Type.String(),
  defaultRequestQueueId: Type.String(),
  usageTotalUsd: Type.Number(),
};

export const RunSummary = Type.Object(SHORT_FIELDS, { $id: 'RunShort' });

const IdsByAlias = Type.Object({ default: Type.String() }, { additionalProperties: Type.String() });

export const RunDetail = Type.Object(
  {
    ...SHORT_FIELDS,
    statusMessage: Nullable(Type.String()),
    isStatusMessageTerminal: Nullable(Type.Boolean()),
    stats: Type.Record(Type.String(), Nullable(Type.Number())),
    options: Type.Object({
      build: Type.String(),
      timeoutSecs: Type.Integer(),
      memoryMbytes: Type.Integer(),
      diskMbytes: Type.Integer(),
      maxItems: Type.Optional(Nullable(Type.Integer())),
      maxTotalChargeUsd: Type.Optional(Nullable(Type.Number())),
      restartOnError: Type.Boolean(),
    }),
    generalAccess: Type.String(),
    exitCode: Nullable(Type.Integer()),
    storageIds: Type.Object({
      datasets: IdsByAlias,
      keyValueStores: IdsByAlias,
      requestQueues: IdsByAlias,
    }),
    gitBranchName: Nullable(Type.String()),
    containerUrl: Type.Optional(
      Type.String({ description: 'What its process serves; only while it is running' }),
    ),
    isContainerServerReady: Type.Optional(
      Type.Boolean({ description: 'Whether its process has answered a request' }),
    ),
    usage: Counts,
    usageUsd: Counts,
    pricingInfo: Type.Optional(PricingInfo),
    chargedEventCounts: Type.Optional(
      Type.Record(Type.String(), Type.Number(), { description: 'Only of a run that is paid by event' }),
    ),
    metamorphs: Nullable(
      Type.Array(
        Type.Object({
          createdAt: DateTime,
          actorId: Type.String(),
          buildId: Type.String(),
          inputKey: Type.String(),
        }),
      ),
    ),
  },
  { $id: 'Run' },
);

/** All storages of the run, with the default ones. */
export function storageIdsOf({ datasetId, storeId, queueId, aliases }: Run) {
  return {
    datasets: { default: datasetId, ...aliases?.datasets },
    keyValueStores: { default: storeId, ...aliases?.keyValueStores },
    requestQueues: { default: queueId, ...aliases?.requestQueues },
  };
}

/** Where the proxy shows what the process of the run serves. */
export function containerUrlOf(publicUrl: string, { id }: Pick<Run, 'id'>): string {
  return `${publicUrl}/container/${id}`;
}

const isoOf = (time: number | null) => (time === null ? null : new Date(time).toISOString());

export function toRunSummary(run: Run): Static<typeof RunSummary> {
  const { initiator: _initiator, startedByRunId: _parent, webhookDepth: _depth, ...meta } = run.meta;
  return {
    id: run.id,
    actId: run.actorId,
    userId: run.userId,
    actorTaskId: run.taskId,
    startedAt: new Date(run.startedAt).toISOString(),
    finishedAt: isoOf(run.finishedAt),
    status: run.status,
    meta,
    buildId: run.buildId,
    buildNumber: run.buildNumber,
    buildNumberInt: toBuildNumberInt(run.buildNumber),
    defaultKeyValueStoreId: run.storeId,
    defaultDatasetId: run.datasetId,
    defaultRequestQueueId: run.queueId,
    usageTotalUsd: 0,
  };
}

/** A run that has waited this long says so. */
const WAITING_MS = 1000;
const GIGABYTE_MBYTES = 1024;
const HOUR_MS = 3_600_000;

/** Without the public URL, for a run that is not running: one that is has a URL of its own. */
export function toRunDetail(run: Run, now: number, publicUrl?: string): Static<typeof RunDetail> {
  const { options, stats } = run;
  const { runTimeMs, ...counted } = stats;
  const computeUnits = (options.memoryMbytes / GIGABYTE_MBYTES) * (runTimeMs / HOUR_MS);
  const isWaiting = run.status === 'READY' && now - run.startedAt > WAITING_MS;
  return {
    ...toRunSummary(run),
    statusMessage:
      run.statusMessage ?? (isWaiting ? 'Waiting in the queue until a server has room for this run' : null),
    isStatusMessageTerminal: run.isMessageTerminal,
    stats: {
      ...counted,
      netRxBytes: 0,
      netTxBytes: 0,
      durationMillis: (run.finishedAt ?? now) - run.startedAt,
      runTimeSecs: runTimeMs / 1000,
      computeUnits,
    },
    options,
    generalAccess: run.generalAccess,
    exitCode: run.exitCode,
    storageIds: storageIdsOf(run),
    gitBranchName: null,
    ...(run.status === 'RUNNING' &&
      publicUrl !== undefined && {
        containerUrl: containerUrlOf(publicUrl, run),
        isContainerServerReady: run.isServerReady ?? false,
      }),
    usage: { ACTOR_COMPUTE_UNITS: computeUnits },
    usageUsd: {},
    ...(run.pricing && { pricingInfo: run.pricing }),
    ...(isCharged(run) && { chargedEventCounts: run.chargedEvents }),
    metamorphs: run.metamorphs.length === 0 ? null : run.metamorphs,
  };
}

/** Runs of older releases have counts without prices. */
function isCharged({ pricing, chargedEvents }: Run): boolean {
  return pricing?.pricingModel === 'PAY_PER_EVENT' || Object.keys(chargedEvents).length > 0;
}

/** Reads `status` of a query: a list joined by commas, in either spelling. */
export function parseStatuses(text: string | undefined): JobStatus[] | undefined {
  if (text === undefined || text === '') return undefined;
  return text.split(',').map((word) => {
    const name = word.trim().toUpperCase().replace('_', '-');
    const status = STATUSES.find((one) => one === name);
    if (status === undefined) throw wrongWord('status', word, STATUSES);
    return status;
  });
}

export function parseOrigin(text: string | undefined): RunOrigin | undefined {
  if (text === undefined || text === '') return undefined;
  const origin = ORIGINS.find((one) => one === text.toUpperCase());
  if (origin === undefined) throw wrongWord('origin', text, ORIGINS);
  return origin;
}

function wrongWord(name: string, word: string, words: readonly string[]): Failure {
  return new Failure(
    'malformed',
    `The parameter ${name} cannot be "${word}". Use one of ${words.join(', ')}.`,
    {
      part: 'request',
    },
  );
}

/** The tag of what a run has created, in the names of resources. */
export function runTag(runId: string): string {
  return `run-${runId}`;
}
