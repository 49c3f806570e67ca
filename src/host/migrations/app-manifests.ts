// The table of app manifests that wait for their conversion.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const appManifestMigrations: Migration[] = [
  {
    name: 'host-app-manifests',
    up: ({ text }) => [
      `create table host_app_manifests (
         code_hash ${text} primary key, consent_hash ${text} not null unique, owner_id ${text} not null,
         creator_id ${text} not null, manifest ${text} not null, created_at bigint not null,
         expires_at bigint not null, used_at bigint)`,
      `create index host_app_manifests_expires on host_app_manifests (expires_at)`,
    ],
  },
];
