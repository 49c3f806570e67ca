// The rate-limit status.
import type { Module } from '../../kernel/http/module.ts';
import { rateLimitRoutes } from './routes.ts';

export const rateLimitModule: Module = {
  tag: { name: 'rate-limit', description: 'What is left of the budgets' },
  routes: rateLimitRoutes,
};
