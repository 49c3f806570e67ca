// Logs.
import type { Module } from '../../kernel/http/module.ts';
import type { BlobKind } from '../../kernel/storage/blobs/orphan-blobs.ts';
import { logMigrations } from '../migrations/logs.ts';
import { logRoutes } from './routes.ts';
import { logHandlers, logSweep } from './recover-logs.ts';
import { listReferencedLogBlobs } from './store-recovery.ts';
import { LOG_BLOB_PREFIX } from './store.ts';

const logBlobs: BlobKind = {
  prefix: LOG_BLOB_PREFIX,
  migration: 'actors-logs',
  listReferenced: listReferencedLogBlobs,
};

export const logModule: Module = {
  tag: { name: 'Logs', description: 'What builds and runs print' },
  routes: logRoutes,
  migrations: logMigrations,
  blobKinds: [logBlobs],
  work: (kernel) => ({ handlers: logHandlers(kernel), recurring: [logSweep(kernel)] }),
  endStreams: ({ services }) => services.logFeed.close(),
};
