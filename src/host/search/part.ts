// Search.
import type { Part } from '../../kernel/part.ts';
import { searchRoutes } from './routes.ts';

export const searchPart: Part = {
  routes: searchRoutes,
};
