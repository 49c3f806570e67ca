// Triggers of flags, and the URLs that fire them.
import type { Part } from '../../kernel/part.ts';
import { triggerMigrations } from '../migrations/triggers.ts';
import { fireRoutes } from './fire.ts';
import { triggerRoutes } from './routes.ts';

export const triggerPart: Part = {
  routes: [...triggerRoutes, ...fireRoutes],
  migrations: triggerMigrations,
};
