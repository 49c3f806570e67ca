// Followers of flags.
import type { Part } from '../../kernel/module.ts';
import { followerMigrations } from '../migrations/followers.ts';
import { followerRoutes } from './routes.ts';

export const followerPart: Part = {
  tag: { name: 'Followers', description: 'Members who follow flags' },
  routes: followerRoutes,
  migrations: followerMigrations,
};
