// Builds as the API shows them.
import { Failure } from '../../kernel/failure.ts';
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { SOURCE_TYPES, toBuildNumberInt, type SourceType } from '../actors/version.ts';
import { ORIGINS, type JobMeta } from '../jobs/job-meta.ts';
import { STATUSES, type JobStatus } from '../jobs/job.ts';
import type { StartCommand } from './definition/commands.ts';

export interface BuildOptions {
  /** Absent where the caller did not say. */
  useCache?: boolean;
  betaPackages?: boolean;
  memoryMbytes: number;
  diskMbytes: number;
}

export interface BuildStats {
  /** Of the execution, without the time in the queue. */
  runTimeMs: number;
  /** Of the built sources, unpacked. */
  sourceBytes: number;
}

/** What a node needs to run the build, without paths of a machine. */
export interface BuildRuntime {
  start: StartCommand;
  install: 'npm' | 'pip' | null;
}

export interface Build {
  id: string;
  actorId: string;
  userId: string;
  versionNumber: string;
  buildNumber: string;
  sourceType: SourceType;
  tag: string | null;
  status: JobStatus;
  statusMessage: string | null;
  exitCode: number | null;
  meta: JobMeta;
  options: BuildOptions;
  stats: BuildStats;
  startedAt: number;
  finishedAt: number | null;
  sources: string | null;
  /** The id of the commit that it was built from; null for other sources, and for builds of earlier releases. */
  commit: string | null;
  dependencies: string | null;
  runtime: BuildRuntime | null;
  definition: Record<string, unknown> | null;
  inputSchema: string | null;
  readme: string | null;
  changelog: string | null;
}

/** Of one build, in milliseconds. */
export const BUILD_TIMEOUT_MS = 1800 * 1000;
export const BUILD_MEMORY_MBYTES = 4096;

const DateTime = Type.String({ format: 'date-time' });

const BuildMeta = Type.Object({
  origin: OneOf(ORIGINS),
  clientIp: Type.Optional(Nullable(Type.String())),
  userAgent: Type.Optional(Nullable(Type.String())),
});

const SHORT_FIELDS = {
  id: Type.String(),
  actId: Type.String(),
  userId: Type.String(),
  status: OneOf(STATUSES),
  startedAt: DateTime,
  finishedAt: Nullable(DateTime),
  usageTotalUsd: Type.Number(),
  buildNumber: Type.String(),
  buildNumberInt: Type.Integer(),
  meta: BuildMeta,
};

export const BuildSummary = Type.Object(SHORT_FIELDS, { $id: 'BuildShort' });

export const BuildDetail = Type.Object(
  {
    ...SHORT_FIELDS,
    statusMessage: Nullable(Type.String()),
    exitCode: Nullable(Type.Integer()),
    stats: Type.Object({
      durationMillis: Type.Integer(),
      runTimeSecs: Type.Number(),
      computeUnits: Type.Number(),
      imageSizeBytes: Type.Optional(Type.Integer({ description: 'Of the built sources' })),
    }),
    options: Type.Object({
      useCache: Type.Optional(Type.Boolean()),
      betaPackages: Type.Optional(Type.Boolean()),
      memoryMbytes: Type.Integer(),
      diskMbytes: Type.Integer(),
    }),
    usage: Type.Object({ ACTOR_COMPUTE_UNITS: Type.Number() }),
    usageUsd: Type.Object({ ACTOR_COMPUTE_UNITS: Type.Number() }),
    actVersion: Type.Object({
      versionNumber: Type.String(),
      buildTag: Nullable(Type.String()),
      sourceType: OneOf(SOURCE_TYPES),
    }),
    inputSchema: Nullable(Type.String()),
    readme: Nullable(Type.String()),
    changelog: Nullable(Type.String()),
    actorDefinition: Nullable(Type.Record(Type.String(), Type.Unknown())),
  },
  { $id: 'Build' },
);

/** The fields of a list. */
export type BuildShort = Pick<
  Build,
  'id' | 'actorId' | 'userId' | 'status' | 'startedAt' | 'finishedAt' | 'buildNumber' | 'meta'
>;

interface BuildView {
  now: number;
  /** Whether the caller is the owner: others do not see who built it, nor the values of environment variables. */
  isOwner: boolean;
}

export function toBuildSummary(build: BuildShort, { isOwner }: BuildView): Static<typeof BuildSummary> {
  const { origin, clientIp, userAgent } = build.meta;
  return {
    id: build.id,
    actId: build.actorId,
    userId: build.userId,
    status: build.status,
    startedAt: new Date(build.startedAt).toISOString(),
    finishedAt: build.finishedAt === null ? null : new Date(build.finishedAt).toISOString(),
    usageTotalUsd: 0,
    buildNumber: build.buildNumber,
    buildNumberInt: toBuildNumberInt(build.buildNumber),
    meta: isOwner ? { origin, clientIp: clientIp ?? null, userAgent: userAgent ?? null } : { origin },
  };
}

const GIGABYTE_MBYTES = 1024;
const HOUR_MS = 3_600_000;

export function toBuildDetail(build: Build, view: BuildView): Static<typeof BuildDetail> {
  const { stats, options } = build;
  const computeUnits = (options.memoryMbytes / GIGABYTE_MBYTES) * (stats.runTimeMs / HOUR_MS);
  return {
    ...toBuildSummary(build, view),
    statusMessage: build.statusMessage,
    exitCode: build.exitCode,
    stats: {
      durationMillis: (build.finishedAt ?? view.now) - build.startedAt,
      runTimeSecs: stats.runTimeMs / 1000,
      computeUnits,
      ...(stats.sourceBytes > 0 && { imageSizeBytes: stats.sourceBytes }),
    },
    options,
    usage: { ACTOR_COMPUTE_UNITS: computeUnits },
    usageUsd: { ACTOR_COMPUTE_UNITS: 0 },
    actVersion: {
      versionNumber: build.versionNumber,
      buildTag: build.tag,
      sourceType: build.sourceType,
    },
    inputSchema: build.inputSchema,
    readme: build.readme,
    changelog: build.changelog,
    actorDefinition: view.isOwner ? build.definition : withoutVariables(build.definition),
  };
}

function withoutVariables(definition: Build['definition']): Build['definition'] {
  if (definition === null) return null;
  const { environmentVariables: _hidden, ...shown } = definition;
  return shown;
}

export function unknownBuild(tagOrNumber: string): Failure {
  return new Failure(
    'invalid',
    `The Actor has no build with the tag or number "${tagOrNumber}". Build it first, or name another build.`,
    { code: 'unknown-build-tag' },
  );
}

export function buildNotFound(): Failure {
  return new Failure('not-found', 'Actor build was not found');
}
