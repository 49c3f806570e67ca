// The API root.
import type { Part } from '../../kernel/part.ts';
import { rootRoutes } from './routes.ts';

export const rootPart: Part = {
  routes: rootRoutes,
};
