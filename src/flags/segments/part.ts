// Segments, and members of big ones.
import type { Part } from '../../kernel/part.ts';
import { segmentMigrations } from '../migrations/segments.ts';
import { segmentExpiryHandlers } from './expire.ts';
import { segmentExpiringRoutes } from './expiring-routes.ts';
import { segmentMemberRoutes } from './member-routes.ts';
import { segmentRoutes } from './routes.ts';
import { memberSweep } from './sweep.ts';

export const segmentPart: Part = {
  routes: [...segmentRoutes, ...segmentMemberRoutes, ...segmentExpiringRoutes],
  migrations: segmentMigrations,
  work: (kernel) => ({ handlers: segmentExpiryHandlers(kernel), recurring: [memberSweep(kernel)] }),
};
