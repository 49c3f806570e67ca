// Tools for clients: request echo, and signed objects.
import type { Part } from '../../kernel/module.ts';
import { toolRoutes } from './routes.ts';

export const toolPart: Part = {
  tag: { name: 'Tools', description: 'Help for trying things out' },
  routes: toolRoutes,
};
