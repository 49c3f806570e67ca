// Segments, and members of big ones, as a module of the flags API, with the sweep that deletes members of deleted segments.
import type { Module } from '../../kernel/http/module.ts';
import { segmentMigrations } from '../migrations/segments.ts';
import type { RecurringWork } from '../../kernel/http/protocol.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { segmentExpiryHandlers } from './expire-target.ts';
import { segmentExpiringRoutes } from './expiring-target-routes.ts';
import { segmentMemberRoutes } from './member-routes.ts';
import { segmentRoutes } from './routes.ts';
import { deleteOrphanedMembers } from './store-members.ts';

export const segmentModule: Module = {
  tag: { name: 'Segments', description: 'Groups of contexts, those too big for one document among them' },
  routes: [...segmentRoutes, ...segmentMemberRoutes, ...segmentExpiringRoutes],
  migrations: segmentMigrations,
  work: (kernel) => ({ handlers: segmentExpiryHandlers(kernel), recurring: [orphanedMemberSweep(kernel)] }),
};

const HOUR = 60 * 60 * 1000;

function orphanedMemberSweep({ db }: Pick<Kernel, 'db'>): RecurringWork {
  return {
    kind: 'flags.segment-members.sweep',
    everyMs: HOUR,
    run: (signal) => deleteOrphanedMembers(db, signal),
  };
}
