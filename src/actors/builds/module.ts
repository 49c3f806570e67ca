// Builds.
import type { Module } from '../../kernel/http/module.ts';
import { buildMigrations } from '../migrations/builds.ts';
import { pushBuildWork } from './build-on-push.ts';
import { buildRetention } from './change-build.ts';
import { buildRoutes } from './routes.ts';
import { updateBuildOwner } from './store.ts';
import { sourceBlobs } from './execution/build-folders.ts';

export const buildModule: Module = {
  tag: { name: 'Builds', description: 'Runnable forms of the versions of Actors' },
  routes: buildRoutes,
  migrations: buildMigrations,
  sealedColumns: [{ table: 'build_snapshots', column: 'env_vars', key: ['build_id'] }],
  boundaryUsers: ['builds'],
  work: (kernel) => ({ ...pushBuildWork(kernel), recurring: [buildRetention(kernel)] }),
  blobKinds: [sourceBlobs],
  transferOwnership: ({ db }, from, to) => updateBuildOwner(db, from.id, to.id),
};
