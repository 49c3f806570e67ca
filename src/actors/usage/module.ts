// What an account has used, and its limits.
import type { Module } from '../../kernel/http/module.ts';
import { retentionSweep } from '../../kernel/jobs/retention.ts';
import { usageRoutes } from './routes.ts';
import { userMigrations } from '../migrations/users.ts';
import { deleteUsageDaysBefore } from './store.ts';

const ROWS_AT_ONCE = 200;

export const usageModule: Module = {
  tag: { name: 'Usage', description: 'What the account has used, and its limits' },
  routes: usageRoutes,
  migrations: userMigrations,
  work: (kernel) => ({
    recurring: [
      retentionSweep(kernel, {
        kind: 'actors.usage.sweep',
        retained: 'usage',
        deleteBefore: (before) => deleteUsageDaysBefore(kernel.db, before, ROWS_AT_ONCE),
      }),
    ],
  }),
  close: ({ services }) => services.usage.save(),
};
