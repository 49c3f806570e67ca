// Actors.
import type { Part } from '../../kernel/part.ts';
import { actorMigrations } from '../migrations/actors.ts';

export const actorPart: Part = {
  tag: {
    name: 'Actors',
    description: 'Programs that the platform builds and runs, with their versions and environment variables',
  },
  migrations: actorMigrations,
};
