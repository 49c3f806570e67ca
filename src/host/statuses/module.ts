// Statuses of commits.
import type { Module } from '../../kernel/http/module.ts';
import { statusRoutes } from './routes.ts';

export const statusModule: Module = {
  tag: { name: 'statuses', description: 'What checks report about commits' },
  routes: statusRoutes,
};
