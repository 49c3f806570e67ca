// Transfers of repositories.
import type { Part } from '../../kernel/module.ts';
import { repositoryTransferRoutes } from './routes.ts';

export const transferPart: Part = {
  tag: { name: 'transfers', description: 'New owners of repositories' },
  routes: repositoryTransferRoutes,
};
