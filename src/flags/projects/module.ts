// Projects as a module of the flags API. Their migrations create the tables of environments, too.
import type { Module } from '../../kernel/http/module.ts';
import { projectMigrations } from '../migrations/projects.ts';
import { flagDefaultsRoutes } from './flag-defaults-routes.ts';
import { ensureDefaultProject } from './create-project.ts';
import { projectRoutes } from './routes.ts';

export const projectModule: Module = {
  tag: { name: 'Projects', description: 'Projects, and what their new flags begin with' },
  routes: [...projectRoutes, ...flagDefaultsRoutes],
  migrations: projectMigrations,
  firstStart: ensureDefaultProject,
};
