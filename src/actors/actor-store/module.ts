// The store.
import type { Module } from '../../kernel/http/module.ts';
import { actorStoreMigrations } from '../migrations/actor-store.ts';
import { storeRoutes } from './routes.ts';

export const storeModule: Module = {
  tag: { name: 'Store', description: 'Public Actors of all accounts' },
  routes: storeRoutes,
  migrations: actorStoreMigrations,
};
