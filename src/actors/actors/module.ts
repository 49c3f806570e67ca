// Actors.
import type { Module } from '../../kernel/http/module.ts';
import { actorMigrations } from '../migrations/actors.ts';
import { envVarRoutes } from './env-var-routes.ts';
import { actorWork } from './purge.ts';
import { actorRoutes } from './routes.ts';
import { transferActors } from './store-transfers.ts';
import { versionRoutes } from './version-routes.ts';

export const actorModule: Module = {
  tag: {
    name: 'Actors',
    description: 'Programs that the platform builds and runs, with their versions and environment variables',
  },
  routes: [...actorRoutes, ...versionRoutes, ...envVarRoutes],
  migrations: actorMigrations,
  sealedColumns: [{ table: 'actor_versions', column: 'env_vars', key: ['actor_id', 'number'] }],
  boundaryUsers: ['actors', 'actor_versions'],
  transferOwnership: transferActors,
  work: actorWork,
};
