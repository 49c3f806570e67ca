// Search.
import type { Part } from '../../kernel/module.ts';
import { searchRoutes } from './routes.ts';

export const searchPart: Part = {
  tag: { name: 'search', description: 'Search' },
  routes: searchRoutes,
};
