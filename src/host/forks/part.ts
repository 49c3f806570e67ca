// Forks and repositories from templates.
import type { Part } from '../../kernel/module.ts';
import { copyHandlers } from './copy-work.ts';
import { forkRoutes } from './routes.ts';

export const forkPart: Part = {
  tag: { name: 'forks', description: 'Copies of repositories' },
  routes: forkRoutes,
  work: copyHandlers,
};
