// Statuses of commits.
import type { Part } from '../../kernel/module.ts';
import { statusRoutes } from './routes.ts';

export const statusPart: Part = {
  tag: { name: 'statuses', description: 'What checks report about commits' },
  routes: statusRoutes,
};
