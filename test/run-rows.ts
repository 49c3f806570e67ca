// Rows of builds and runs with logs, for tests that execute nothing.
import type { Build } from '../src/actors/builds/model.ts';
import { insertBuild } from '../src/actors/builds/store.ts';
import { insertLog } from '../src/actors/logs/store.ts';
import { NEW_STATS, type Run } from '../src/actors/runs/model.ts';
import { insertRun } from '../src/actors/runs/store.ts';
import { newId } from '../src/kernel/id.ts';
import type { Kernel } from '../src/kernel/kernel.ts';

export interface RowOptions extends Partial<Pick<Run, 'pricing'>> {
  userId: string;
  finishedAt?: number;
}

/** Returns the id. */
export async function insertRunRow({ db, clock }: Kernel, options: RowOptions): Promise<string> {
  const now = clock.now();
  const id = newId(now);
  const { userId, finishedAt = null, pricing } = options;
  const run: Run = {
    ...(pricing && { pricing }),
    id,
    actorId: 'actor',
    userId,
    taskId: null,
    buildId: 'build',
    buildNumber: '0.0.1',
    status: finishedAt === null ? 'RUNNING' : 'SUCCEEDED',
    statusMessage: null,
    isMessageTerminal: false,
    meta: { origin: 'API', initiator: { memberId: userId } },
    options: {
      build: 'latest',
      timeoutSecs: 3600,
      memoryMbytes: 1024,
      diskMbytes: 2048,
      maxItems: null,
      maxTotalChargeUsd: null,
      restartOnError: false,
    },
    stats: NEW_STATS,
    exitCode: null,
    startedAt: now,
    finishedAt,
    timeoutAt: null,
    datasetId: 'dataset',
    storeId: 'store',
    queueId: 'queue',
    inputKey: 'INPUT',
    generalAccess: 'FOLLOW_USER_SETTING',
    permissionLevel: 'LIMITED_PERMISSIONS',
    chargedEvents: {},
    metamorphs: [],
  };
  await insertRun(db, run);
  await insertLog(db, { id, userId }, now);
  return id;
}

/** Returns the id. */
export async function insertBuildRow({ db, clock }: Kernel, options: RowOptions): Promise<string> {
  const now = clock.now();
  const id = newId(now);
  const { userId, finishedAt = null } = options;
  const build: Build = {
    id,
    actorId: 'actor',
    userId,
    versionNumber: '0.0',
    buildNumber: '0.0.1',
    sourceType: 'SOURCE_FILES',
    tag: null,
    status: finishedAt === null ? 'RUNNING' : 'SUCCEEDED',
    statusMessage: null,
    exitCode: null,
    meta: { origin: 'API', initiator: { memberId: userId } },
    options: { memoryMbytes: 4096, diskMbytes: 8192 },
    stats: { runTimeMs: 0, sourceBytes: 0 },
    startedAt: now,
    finishedAt,
    sources: null,
    commit: null,
    dependencies: null,
    runtime: null,
    definition: null,
    inputSchema: null,
    readme: null,
    changelog: null,
  };
  await insertBuild(db, build);
  await insertLog(db, { id, userId }, now);
  return id;
}
