// Tools for those who try things out.
import type { Part } from '../../kernel/part.ts';
import { toolRoutes } from './routes.ts';

export const toolPart: Part = {
  tag: { name: 'Tools', description: 'Help for trying things out' },
  routes: toolRoutes,
};
