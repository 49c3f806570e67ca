// Actors.
import type { Part } from '../../kernel/module.ts';
import { actorMigrations } from '../migrations/actors.ts';
import { envVarRoutes } from './env-var-routes.ts';
import { actorWork } from './purge.ts';
import { actorRoutes } from './routes.ts';
import { handOverActors } from './store-transfers.ts';
import { versionRoutes } from './version-routes.ts';

export const actorPart: Part = {
  tag: {
    name: 'Actors',
    description: 'Programs that the platform builds and runs, with their versions and environment variables',
  },
  routes: [...actorRoutes, ...versionRoutes, ...envVarRoutes],
  migrations: actorMigrations,
  boundaryUsers: ['actors', 'actor_versions'],
  handOver: handOverActors,
  work: actorWork,
};
