// Rate limits as they stand.
import type { Module } from '../../kernel/http/module.ts';
import { limitRoutes } from './routes.ts';

export const limitModule: Module = {
  tag: { name: 'Limits', description: 'What is used and left of rate limits' },
  routes: limitRoutes,
};
