// Which SDKs have connected: the routes, the table, and how long it is kept.
import type { Module } from '../../kernel/http/module.ts';
import { sdkActivityMigrations } from '../migrations/sdk-activity.ts';
import { sdkActivityRoutes } from './routes.ts';
import { deleteOldActivity } from './store.ts';

export const sdkActivityModule: Module = {
  tag: { name: 'SDK activity', description: 'Whether SDKs connect to an environment' },
  routes: sdkActivityRoutes,
  migrations: sdkActivityMigrations,
  work: ({ db, clock }) => ({
    recurring: [
      {
        kind: 'flags.sdk-activity.sweep',
        everyMs: 60 * 60_000,
        run: () => deleteOldActivity(db, clock.now()),
      },
    ],
  }),
  close: ({ services }) => services.sdkActivity.save(),
};
