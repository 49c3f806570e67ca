// The API root.
import type { Part } from '../../kernel/module.ts';
import { rootRoutes } from './routes.ts';

export const rootPart: Part = {
  tag: { name: 'root', description: 'The entry point' },
  routes: rootRoutes,
};
