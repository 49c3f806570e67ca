// Rate limits as they stand, and what spends them.
import type { Module } from '../../kernel/http/module.ts';
import type { Api } from '../../kernel/http/protocol.ts';
import { limitRoutes } from './routes.ts';
import { spendingRoutes } from './spending-routes.ts';

export function limitModule(apis: () => readonly Api[]): Module {
  return {
    tag: { name: 'Limits', description: 'What is used and left of rate limits, and what spends them' },
    routes: [...limitRoutes, ...spendingRoutes(apis)],
  };
}
