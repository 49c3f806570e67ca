// Triggers of flags, and the URLs that fire them.
import type { Module } from '../../kernel/http/module.ts';
import { triggerMigrations } from '../migrations/triggers.ts';
import { fireRoutes } from './fire.ts';
import { triggerRoutes } from './routes.ts';

export const triggerModule: Module = {
  tag: { name: 'Flag triggers', description: 'URLs that change a flag when they are called' },
  routes: [...triggerRoutes, ...fireRoutes],
  migrations: triggerMigrations,
};
