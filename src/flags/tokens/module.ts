// Access tokens as a module of the flags API.
import type { Module } from '../../kernel/http/module.ts';
import { tokenRoutes } from './routes.ts';

export const tokenModule: Module = {
  tag: { name: 'Access tokens', description: 'Tokens of members and of services' },
  routes: tokenRoutes,
};
