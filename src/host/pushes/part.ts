// What follows pushes.
import type { Part } from '../../kernel/module.ts';
import { pushMigrations } from '../migrations/pushes.ts';
import { RECORD_PUSH, recordPushHandler } from './record-pushes.ts';

export const pushPart: Part = {
  migrations: pushMigrations,
  work: (kernel) => ({ handlers: { [RECORD_PUSH]: recordPushHandler(kernel) } }),
};
