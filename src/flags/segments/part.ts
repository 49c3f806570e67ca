// Segments, and members of big ones.
import type { Part } from '../../kernel/part.ts';
import { segmentMigrations } from '../migrations/segments.ts';
import { segmentExpiryHandlers } from './expire.ts';
import { segmentExpiringRoutes } from './expiring-routes.ts';
import { segmentMemberRoutes } from './member-routes.ts';
import { segmentRoutes } from './routes.ts';
import { memberSweep } from './sweep.ts';

export const segmentPart: Part = {
  tag: { name: 'Segments', description: 'Groups of contexts, those too big for one document among them' },
  routes: [...segmentRoutes, ...segmentMemberRoutes, ...segmentExpiringRoutes],
  migrations: segmentMigrations,
  work: (kernel) => ({ handlers: segmentExpiryHandlers(kernel), recurring: [memberSweep(kernel)] }),
};
