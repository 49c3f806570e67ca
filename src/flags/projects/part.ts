// Projects. Their tables are also those of environments.
import type { Part } from '../../kernel/part.ts';
import { projectMigrations } from '../migrations/projects.ts';
import { flagDefaultsRoutes } from './flag-defaults-routes.ts';
import { ensureProject } from './make.ts';
import { projectRoutes } from './routes.ts';

export const projectPart: Part = {
  routes: [...projectRoutes, ...flagDefaultsRoutes],
  migrations: projectMigrations,
  firstStart: ensureProject,
};
