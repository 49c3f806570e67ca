// Counted evaluations of flags.
import type { Module } from '../../kernel/http/module.ts';
import { flagUsageRoutes } from './routes.ts';

export const flagUsageModule: Module = {
  tag: { name: 'Flag usage', description: 'How often flags are evaluated, and by which SDKs' },
  routes: flagUsageRoutes,
};
