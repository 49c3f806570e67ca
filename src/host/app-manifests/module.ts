// App manifests: what another site asks for becomes an app, where somebody agrees.
import type { Module } from '../../kernel/http/module.ts';
import { appManifestMigrations } from '../migrations/app-manifests.ts';
import { appManifestRoutes } from './routes.ts';
import { deleteExpiredManifests } from './store.ts';

const HOUR = 60 * 60 * 1000;

export const appManifestModule: Module = {
  tag: { name: 'app-manifests', description: 'Registering apps by a manifest' },
  routes: appManifestRoutes,
  migrations: appManifestMigrations,
  work: ({ db, clock }) => ({
    recurring: [
      {
        kind: 'host.sweep-app-manifests',
        everyMs: HOUR,
        run: () => deleteExpiredManifests(db, clock.now()),
      },
    ],
  }),
};
