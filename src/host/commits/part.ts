// Commits.
import type { Part } from '../../kernel/module.ts';
import { commitRoutes } from './routes.ts';
import { compareRoutes } from './compare-routes.ts';

export const commitPart: Part = {
  tag: { name: 'commits', description: 'Commits and comparisons of them' },
  routes: [...commitRoutes, ...compareRoutes],
};
