// Code references as a module of the flags API.
import type { Module } from '../../kernel/http/module.ts';
import { codeReferenceMigrations } from '../migrations/code-references.ts';
import { branchRoutes } from './branch-routes.ts';
import { extinctionRoutes } from './extinction-routes.ts';
import { repositoryRoutes } from './repository-routes.ts';
import { statisticsRoutes } from './statistics-routes.ts';

export const codeReferenceModule: Module = {
  tag: { name: 'Code references', description: 'Where the code of repositories names flags' },
  routes: [...repositoryRoutes, ...branchRoutes, ...extinctionRoutes, ...statisticsRoutes],
  migrations: codeReferenceMigrations,
};
