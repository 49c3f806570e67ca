// Archives of repositories.
import type { Part } from '../../kernel/module.ts';
import { archiveRoutes } from './routes.ts';

export const archivePart: Part = {
  tag: { name: 'archives', description: 'Archives of repositories' },
  routes: archiveRoutes,
};
