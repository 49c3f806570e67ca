// Commits.
import type { Module } from '../../kernel/http/module.ts';
import { commitRoutes } from './routes.ts';
import { compareRoutes } from './compare-routes.ts';

export const commitModule: Module = {
  tag: { name: 'commits', description: 'Commits and comparisons of them' },
  routes: [...commitRoutes, ...compareRoutes],
};
