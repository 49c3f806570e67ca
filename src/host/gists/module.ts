// Gists.
import type { Module } from '../../kernel/http/module.ts';
import { gistCommentMigrations } from '../migrations/gist-comments.ts';
import { gistMigrations } from '../migrations/gists.ts';
import { gistCommentRoutes } from './comments-routes.ts';
import { gistWork, gistsOfEndedAccounts } from './gist-work.ts';
import { gistListRoutes } from './list-routes.ts';
import { gistRoutes } from './routes.ts';
import { gistStarRoutes } from './star-routes.ts';

export const gistModule: Module = {
  tag: { name: 'gists', description: 'Gists: small git repositories of files' },
  routes: [...gistRoutes, ...gistListRoutes, ...gistStarRoutes, ...gistCommentRoutes],
  migrations: [...gistMigrations, ...gistCommentMigrations],
  work: gistWork,
  ...gistsOfEndedAccounts,
};
