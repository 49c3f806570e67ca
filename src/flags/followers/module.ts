// Followers of flags.
import type { Module } from '../../kernel/http/module.ts';
import { followerMigrations } from '../migrations/followers.ts';
import { followerRoutes } from './routes.ts';

export const followerModule: Module = {
  tag: { name: 'Followers', description: 'Members who follow flags' },
  routes: followerRoutes,
  migrations: followerMigrations,
};
