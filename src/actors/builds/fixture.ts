// A build for tests.
import type { Build } from './model.ts';

export const NEW_BUILD: Build = {
  id: 'build',
  actorId: 'actor',
  userId: 'user',
  versionNumber: '0.1',
  buildNumber: '0.1.1',
  sourceType: 'SOURCE_FILES',
  tag: null,
  status: 'SUCCEEDED',
  statusMessage: null,
  exitCode: 0,
  meta: { origin: 'API', initiator: { memberId: 'user' } },
  options: { memoryMbytes: 1024, diskMbytes: 2048 },
  stats: { runTimeMs: 0, sourceBytes: 0 },
  startedAt: 1,
  finishedAt: 2,
  sources: null,
  commit: null,
  dependencies: null,
  runtime: null,
  definition: null,
  inputSchema: null,
  readme: null,
  changelog: null,
};
