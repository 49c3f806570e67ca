// The default setup of code scanning.
import type { Module } from '../../kernel/http/module.ts';
import { codeScanningSetupMigrations } from '../migrations/code-scanning-setup.ts';
import { configureScanning, CONFIGURE_SCANNING, codeScanningSetupRoutes } from './routes.ts';

export const codeScanningSetupModule: Module = {
  tag: { name: 'code scanning setup', description: 'What code scanning analyses by default' },
  routes: codeScanningSetupRoutes,
  migrations: codeScanningSetupMigrations,
  work: (kernel) => ({
    handlers: {
      async [CONFIGURE_SCANNING]({ payload }) {
        const { number } = JSON.parse(payload) as { number: number };
        await configureScanning(kernel, number);
      },
    },
  }),
};
