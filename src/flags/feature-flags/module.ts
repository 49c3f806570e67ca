// Flags.
import type { Module } from '../../kernel/http/module.ts';
import { featureFlagMigrations } from '../migrations/feature-flags.ts';
import { dependentFlagRoutes } from './dependent-routes.ts';
import { featureFlagRoutes } from './routes.ts';
import { flagStatusRoutes } from './status-routes.ts';

export const featureFlagModule: Module = {
  tag: { name: 'Feature flags', description: 'Flags with their targets, rules, rollouts and prerequisites' },
  routes: [...featureFlagRoutes, ...flagStatusRoutes, ...dependentFlagRoutes],
  migrations: featureFlagMigrations,
  async *demo(kernel) {
    yield* (await import('../demo.ts')).flagsDemo(kernel);
  },
  async *removeDemo() {
    yield* (await import('../demo.ts')).removeFlagsDemo();
  },
  async demoParts({ db }) {
    return await (await import('../demo.ts')).flagsDemoParts(db);
  },
};
