// Teams as a part of the flags API.
import type { Part } from '../../kernel/part.ts';
import { teamBulkRoutes } from './bulk-routes.ts';
import { teamRoutes } from './routes.ts';

export const teamPart: Part = {
  routes: [...teamRoutes, ...teamBulkRoutes],
};
