// Builds.
import type { Part } from '../../kernel/part.ts';
import { buildMigrations } from '../migrations/builds.ts';

export const buildPart: Part = {
  tag: { name: 'Builds', description: 'Runnable forms of the versions of Actors' },
  migrations: buildMigrations,
};
