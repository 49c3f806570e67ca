// Segments, and members of big ones, as a module of the flags API.
import type { Module } from '../../kernel/http/module.ts';
import { segmentMigrations } from '../migrations/segments.ts';
import { segmentExpiryHandlers } from './expire-target.ts';
import { segmentExpiringRoutes } from './expiring-target-routes.ts';
import { segmentMemberRoutes } from './member-routes.ts';
import { segmentRoutes } from './routes.ts';
import { orphanedMemberSweep } from './delete-orphaned-members.ts';

export const segmentModule: Module = {
  tag: { name: 'Segments', description: 'Groups of contexts, those too big for one document among them' },
  routes: [...segmentRoutes, ...segmentMemberRoutes, ...segmentExpiringRoutes],
  migrations: segmentMigrations,
  work: (kernel) => ({ handlers: segmentExpiryHandlers(kernel), recurring: [orphanedMemberSweep(kernel)] }),
};
