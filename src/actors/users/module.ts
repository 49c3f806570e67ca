// Users.
import type { Module } from '../../kernel/http/module.ts';
import { userRoutes } from './routes.ts';

export const userModule: Module = {
  tag: { name: 'Users', description: 'Accounts' },
  routes: userRoutes,
};
