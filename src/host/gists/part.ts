// Gists.
import type { Part } from '../../kernel/module.ts';
import { gistCommentMigrations } from '../migrations/gist-comments.ts';
import { gistMigrations } from '../migrations/gists.ts';
import { gistCommentRoutes } from './comments-routes.ts';
import { gistWork } from './gist-work.ts';
import { gistsOfEndedAccounts } from './hand-over.ts';
import { gistListRoutes } from './list-routes.ts';
import { gistRawRoutes } from './raw-routes.ts';
import { gistRoutes } from './routes.ts';
import { gistStarRoutes } from './star-routes.ts';

export const gistPart: Part = {
  tag: { name: 'gists', description: 'Gists: small git repositories of files' },
  routes: [...gistRoutes, ...gistListRoutes, ...gistStarRoutes, ...gistRawRoutes, ...gistCommentRoutes],
  migrations: [...gistMigrations, ...gistCommentMigrations],
  work: gistWork,
  ...gistsOfEndedAccounts,
};
