// Followers of flags.
import type { Part } from '../../kernel/part.ts';
import { followerMigrations } from '../migrations/followers.ts';
import { followerRoutes } from './routes.ts';

export const followerPart: Part = {
  routes: followerRoutes,
  migrations: followerMigrations,
};
