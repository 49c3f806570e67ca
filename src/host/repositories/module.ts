// Repositories.
import type { Module } from '../../kernel/http/module.ts';
import { repositoryMigrations } from '../migrations/repositories.ts';
import { HOST_ROLE_STATEMENTS } from './caller-roles.ts';
import { repositoryListRoutes } from './list-routes.ts';
import { repositoryWork } from './changes/repository-work.ts';
import { hostRepositoryRoutes } from './routes.ts';
import { transferRepositories } from './changes/transfer-repository.ts';

export const repositoryModule: Module = {
  tag: { name: 'repos', description: 'Repositories' },
  routes: [...hostRepositoryRoutes, ...repositoryListRoutes],
  migrations: repositoryMigrations,
  transferOwnership: transferRepositories,
  work: repositoryWork,
  close: ({ services }) => services.git.close(),
  roleStatements: [HOST_ROLE_STATEMENTS],
  async *demo(kernel) {
    yield* (await import('../demo.ts')).hostDemo(kernel);
  },
  async *removeDemo(kernel) {
    yield* (await import('../demo.ts')).removeHostDemo(kernel);
  },
  async demoParts({ db }) {
    return await (await import('../demo.ts')).hostDemoParts(db);
  },
};
