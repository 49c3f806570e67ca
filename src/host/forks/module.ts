// Forks and repositories from templates.
import type { Module } from '../../kernel/http/module.ts';
import { copyHandlers } from './copy-work.ts';
import { forkRoutes } from './routes.ts';

export const forkModule: Module = {
  tag: { name: 'forks', description: 'Copies of repositories' },
  routes: forkRoutes,
  work: copyHandlers,
};
