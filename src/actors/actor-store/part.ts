// The store.
import type { Part } from '../../kernel/module.ts';
import { actorStoreMigrations } from '../migrations/actor-store.ts';
import { storeRoutes } from './routes.ts';

export const storePart: Part = {
  tag: { name: 'Store', description: 'Public Actors of all accounts' },
  routes: storeRoutes,
  migrations: actorStoreMigrations,
};
