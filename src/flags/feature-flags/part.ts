// Flags.
import type { Part } from '../../kernel/module.ts';
import { featureFlagMigrations } from '../migrations/feature-flags.ts';
import { dependentFlagRoutes } from './dependent-routes.ts';
import { featureFlagRoutes } from './routes.ts';
import { flagStatusRoutes } from './status-routes.ts';

export const featureFlagPart: Part = {
  tag: { name: 'Feature flags', description: 'Flags with their targets, rules, rollouts and prerequisites' },
  routes: [...featureFlagRoutes, ...flagStatusRoutes, ...dependentFlagRoutes],
  migrations: featureFlagMigrations,
  async *demo() {
    yield* (await import('../demo.ts')).flagsDemo();
  },
};
