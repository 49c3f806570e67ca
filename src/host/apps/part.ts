// Apps, their installations and the tokens of these.
import { executeAll } from '../../kernel/storage/execute-all.ts';
import type { Part } from '../../kernel/part.ts';
import { appMigrations } from '../migrations/apps.ts';
import { appRoutes } from './app-routes.ts';
import { REMOVE_INSTALLATION } from './change-installation.ts';
import { endAppAccounts } from './end-accounts.ts';
import { installationRoutes } from './installation-routes.ts';
import { installationRemovalStatements } from './store-installations.ts';
import { deleteExpiredTokens } from './store-tokens.ts';

const SWEEP_MS = 60 * 60 * 1000;

export const appPart: Part = {
  tag: { name: 'apps', description: 'Apps, their installations and the tokens of these' },
  routes: [...appRoutes, ...installationRoutes],
  migrations: appMigrations,
  ...endAppAccounts,
  work: ({ db, clock }) => ({
    handlers: {
      [REMOVE_INSTALLATION]: async ({ payload }) => {
        await db
          .transaction()
          .execute((tx) => executeAll(tx, installationRemovalStatements(tx, Number(payload))));
      },
    },
    recurring: [
      {
        kind: 'host.sweep-installation-tokens',
        everyMs: SWEEP_MS,
        run: async () => void (await deleteExpiredTokens(db, clock.now())),
      },
    ],
  }),
};
