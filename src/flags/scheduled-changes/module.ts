// Scheduled changes of flags.
import type { Module } from '../../kernel/http/module.ts';
import { scheduledChangeMigrations } from '../migrations/scheduled-changes.ts';
import { scheduledChangeHandlers } from './execute.ts';
import { scheduledChangeRoutes } from './routes.ts';

export const scheduledChangeModule: Module = {
  tag: { name: 'Scheduled changes', description: 'Changes of flags that are made at a set time' },
  routes: scheduledChangeRoutes,
  migrations: scheduledChangeMigrations,
  boundaryUsers: ['scheduled_changes'],
  work: (kernel) => ({ handlers: scheduledChangeHandlers(kernel) }),
};
