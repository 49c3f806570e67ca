// Templates of `.gitignore`.
import type { Module } from '../../kernel/http/module.ts';
import { gitignoreRoutes } from './routes.ts';

export const gitignoreModule: Module = {
  tag: { name: 'gitignore', description: 'Templates of .gitignore' },
  routes: gitignoreRoutes,
};
