// Code references as a part of the flags API.
import type { Part } from '../../kernel/module.ts';
import { codeReferenceMigrations } from '../migrations/code-references.ts';
import { branchRoutes } from './branch-routes.ts';
import { extinctionRoutes } from './extinction-routes.ts';
import { repositoryRoutes } from './repository-routes.ts';
import { statisticsRoutes } from './statistics-routes.ts';

export const codeReferencePart: Part = {
  tag: { name: 'Code references', description: 'Where the code of repositories names flags' },
  routes: [...repositoryRoutes, ...branchRoutes, ...extinctionRoutes, ...statisticsRoutes],
  migrations: codeReferenceMigrations,
};
