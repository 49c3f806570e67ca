// Segments, and members of big ones with the files that go in and out, as modules of the flags API.
import type { Module } from '../../kernel/http/module.ts';
import { segmentMigrations } from '../migrations/segments.ts';
import type { RecurringWork } from '../../kernel/http/protocol.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { segmentExpiryHandlers, segmentExpiringRoutes } from './expiring-target-routes.ts';
import { segmentMemberRoutes } from './member-routes.ts';
import { segmentRoutes } from './routes.ts';
import { deleteOrphanedMembers } from './store-members.ts';
import { segmentFileMigrations } from '../migrations/segment-files.ts';
import { segmentExportRoutes } from './exports/routes.ts';
import { exportHandlers } from './exports/run-export.ts';
import { segmentImportRoutes } from './imports/routes.ts';
import { importHandlers } from './imports/run-import.ts';

export const segmentModule: Module = {
  tag: { name: 'Segments', description: 'Groups of contexts, those too big for one document among them' },
  routes: [...segmentRoutes, ...segmentMemberRoutes, ...segmentExpiringRoutes],
  migrations: segmentMigrations,
  work: (kernel) => ({ handlers: segmentExpiryHandlers(kernel), recurring: [orphanedMemberSweep(kernel)] }),
};

export const segmentFileModule: Module = {
  tag: { name: 'Segment files', description: 'Files that go into big segments and come out of them' },
  routes: [...segmentImportRoutes, ...segmentExportRoutes],
  migrations: segmentFileMigrations,
  work: (kernel) => ({ handlers: { ...importHandlers(kernel), ...exportHandlers(kernel) } }),
};

const HOUR = 60 * 60 * 1000;

function orphanedMemberSweep({ db }: Pick<Kernel, 'db'>): RecurringWork {
  return {
    kind: 'flags.segment-members.sweep',
    everyMs: HOUR,
    run: (signal) => deleteOrphanedMembers(db, signal),
  };
}
