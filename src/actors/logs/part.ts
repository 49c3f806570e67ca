// Logs.
import type { Part } from '../../kernel/part.ts';
import { logMigrations } from '../migrations/logs.ts';

export const logPart: Part = {
  tag: { name: 'Logs', description: 'What builds and runs print' },
  migrations: logMigrations,
};
