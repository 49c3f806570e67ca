// Transfers of repositories.
import type { Module } from '../../kernel/http/module.ts';
import { repositoryTransferRoutes } from './routes.ts';

export const transferModule: Module = {
  tag: { name: 'transfers', description: 'New owners of repositories' },
  routes: repositoryTransferRoutes,
};
