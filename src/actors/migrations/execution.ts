// All tables that Actors, their builds and their runs need, in the order of application, for tests of a few of them.
import { eventMigrations } from '../../kernel/change/store.ts';
import { dueMigrations } from '../../kernel/due-store.ts';
import { identityMigrations } from '../../kernel/identity/tables.ts';
import type { Migration } from '../../kernel/storage/migrate.ts';
import { deliveryMigrations } from '../../kernel/webhook/store-deliveries.ts';
import { dispatchMigrations } from '../../kernel/webhook/store-dispatches.ts';
import { actorStoreMigrations } from './actor-store.ts';
import { actorMigrations } from './actors.ts';
import { buildMigrations } from './builds.ts';
import { inputMigrations } from './input.ts';
import { jobMigrations } from './jobs.ts';
import { logMigrations } from './logs.ts';
import { runMigrations } from './runs.ts';
import { storageMigrations } from './storages.ts';
import { scheduleMigrations } from './schedules.ts';
import { taskMigrations } from './tasks.ts';
import { userMigrations } from './users.ts';
import { actorWebhookMigrations } from './webhooks.ts';

export const executionMigrations: Migration[] = [
  ...identityMigrations,
  ...eventMigrations,
  ...dueMigrations,
  ...storageMigrations,
  ...userMigrations,
  ...actorMigrations,
  ...buildMigrations,
  ...runMigrations,
  ...taskMigrations,
  ...scheduleMigrations,
  ...jobMigrations,
  ...logMigrations,
  ...inputMigrations,
  ...deliveryMigrations,
  ...dispatchMigrations,
  ...actorWebhookMigrations,
  ...actorStoreMigrations,
];
