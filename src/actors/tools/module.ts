// Tools for clients: request echo, and signed objects.
import type { Module } from '../../kernel/http/module.ts';
import { toolRoutes } from './routes.ts';

export const toolModule: Module = {
  tag: { name: 'Tools', description: 'Help for trying things out' },
  routes: toolRoutes,
};
