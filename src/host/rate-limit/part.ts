// The rate-limit status.
import type { Part } from '../../kernel/module.ts';
import { rateLimitRoutes } from './routes.ts';

export const rateLimitPart: Part = {
  tag: { name: 'rate-limit', description: 'What is left of the budgets' },
  routes: rateLimitRoutes,
};
