// Runs.
import type { Part } from '../../kernel/part.ts';
import { runMigrations } from '../migrations/runs.ts';

export const runPart: Part = {
  tag: { name: 'Runs', description: 'Executions of Actors, with the storages of each' },
  migrations: runMigrations,
};
