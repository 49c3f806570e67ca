// Branches, tags, and the contributors to a repository.
import type { Module } from '../../kernel/http/module.ts';
import { contributorRoutes } from './contributor-routes.ts';
import { hostBranchRoutes } from './routes.ts';

export const branchModule: Module = {
  tag: { name: 'branches', description: 'Branches, tags and contributors' },
  routes: [...hostBranchRoutes, ...contributorRoutes],
};
