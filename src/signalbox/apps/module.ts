// Apps of accounts, and apps that are installed on them, for those who manage the accounts.
import type { Module } from '../../kernel/http/module.ts';
import { managedAppRoutes } from './routes.ts';

export const managedAppModule: Module = {
  tag: { name: 'Apps', description: 'Apps of an account, and those that are installed on it' },
  routes: managedAppRoutes,
};
