// Apps, their installations and the tokens of these.
import type { Part } from '../../kernel/part.ts';
import { appMigrations } from '../migrations/apps.ts';

export const appPart: Part = {
  migrations: appMigrations,
};
