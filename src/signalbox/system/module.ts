// The state of the server, for administrators.
import type { Module } from '../../kernel/http/module.ts';
import { systemRoutes } from './routes.ts';

export const systemModule: Module = {
  tag: { name: 'System', description: 'The state of the server, for administrators' },
  routes: systemRoutes,
};
