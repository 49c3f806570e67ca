// What follows pushes.
import type { Module } from '../../kernel/http/module.ts';
import { pushMigrations } from '../migrations/pushes.ts';
import { recordPushHandler } from './push.ts';
import { RECORD_PUSH } from './record-pushes.ts';

export const pushModule: Module = {
  migrations: pushMigrations,
  work: (kernel) => ({ handlers: { [RECORD_PUSH]: recordPushHandler(kernel) } }),
};
