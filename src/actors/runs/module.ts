// Runs.
import type { Module } from '../../kernel/http/module.ts';
import { runMigrations } from '../migrations/runs.ts';
import { controlRoutes } from './control-routes.ts';
import { lastRunRoutes } from './route-aliases.ts';
import { runRetention } from './change-run.ts';
import { runCallSweep } from './run-calls.ts';
import { runFlagSweep } from './run-flags.ts';
import { runRoutes } from './routes.ts';
import { startRoutes } from './start-routes.ts';

export const runModule: Module = {
  tag: { name: 'Runs', description: 'Executions of Actors, with the storages of each' },
  routes: [...runRoutes, ...startRoutes, ...controlRoutes, ...lastRunRoutes],
  migrations: runMigrations,
  boundaryUsers: ['runs'],
  work: (kernel) => ({ recurring: [runRetention(kernel), runCallSweep(kernel), runFlagSweep(kernel)] }),
  async close({ services }) {
    await services.runner.close();
    await services.runCalls.save();
    await services.runFlags.save();
  },
};
