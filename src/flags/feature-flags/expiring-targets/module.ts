// Expiring targets of flags. Segments share the table.
import type { Module } from '../../../kernel/http/module.ts';
import { expiringTargetMigrations } from '../../migrations/expiring-targets.ts';
import { expiryHandlers, expiringTargetRoutes } from './routes.ts';

export const expiringTargetModule: Module = {
  tag: { name: 'Expiring targets', description: 'Targets of flags that are removed at a set time' },
  routes: expiringTargetRoutes,
  migrations: expiringTargetMigrations,
  work: (kernel) => ({ handlers: expiryHandlers(kernel) }),
};
