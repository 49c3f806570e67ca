// Apps, their installations and the tokens of these.
import { executeAll } from '../../kernel/storage/execute-all.ts';
import type { Module } from '../../kernel/http/module.ts';
import { deleteUsageOf } from '../../kernel/versions/usage/store.ts';
import { appMigrations } from '../migrations/apps.ts';
import { appRoutes } from './app-routes.ts';
import { REMOVE_INSTALLATION } from './change-installation.ts';
import { endAppAccounts } from './leave-installations.ts';
import { installationRoutes } from './installation-routes.ts';
import { programId } from './program.ts';
import { REMOVE_APP, removeInstallationsOfApp, programUsageSweep } from './remove-app.ts';
import { installationRemovalStatements } from './store-installations.ts';
import { deleteExpiredTokens } from './store-tokens.ts';

const SWEEP_MS = 60 * 60 * 1000;

export const appModule: Module = {
  tag: { name: 'apps', description: 'Apps, their installations and the tokens of these' },
  routes: [...appRoutes, ...installationRoutes],
  migrations: appMigrations,
  sealedColumns: [{ table: 'host_apps', column: 'hook_secret', key: ['number'] }],
  ...endAppAccounts,
  work: ({ db, clock, changes }) => ({
    handlers: {
      [REMOVE_APP]: ({ payload }) => removeInstallationsOfApp({ db, clock, changes }, payload),
      [REMOVE_INSTALLATION]: async ({ payload }) => {
        const number = Number(payload);
        await db.transaction().execute(async (tx) => {
          await deleteUsageOf(tx, [programId('installation', number)]);
          await executeAll(tx, installationRemovalStatements(tx, number));
        });
      },
    },
    recurring: [
      programUsageSweep({ db }),
      {
        kind: 'host.sweep-installation-tokens',
        everyMs: SWEEP_MS,
        run: async () => void (await deleteExpiredTokens(db, clock.now())),
      },
    ],
  }),
};
