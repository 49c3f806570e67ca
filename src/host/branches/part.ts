// Branches, tags, and the contributors to a repository.
import type { Part } from '../../kernel/module.ts';
import { contributorRoutes } from './contributor-routes.ts';
import { hostBranchRoutes } from './routes.ts';

export const branchPart: Part = {
  tag: { name: 'branches', description: 'Branches, tags and contributors' },
  routes: [...hostBranchRoutes, ...contributorRoutes],
};
