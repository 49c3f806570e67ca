// Sessions of browsers: logging in by a call, which are open, and links for what cannot send a header.
import type { Module } from '../../kernel/http/module.ts';
import { sessionRoutes } from './routes.ts';

export const sessionModule: Module = {
  tag: { name: 'Sessions', description: 'Browsers that are logged in' },
  routes: sessionRoutes,
};
