// The API root, versions and the account as a module of the flags API.
import type { Module } from '../../kernel/http/module.ts';
import { rootRoutes } from './routes.ts';

export const rootModule: Module = {
  tag: { name: 'Other', description: 'The entry point, versions, the account and the caller' },
  routes: rootRoutes,
};
