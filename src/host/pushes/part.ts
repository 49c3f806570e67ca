// What follows pushes.
import type { Part } from '../../kernel/part.ts';
import { pushMigrations } from '../migrations/pushes.ts';
import { TELL_PUSH, tellPushHandler } from './tell-pushes.ts';

export const pushPart: Part = {
  migrations: pushMigrations,
  work: (kernel) => ({ handlers: { [TELL_PUSH]: tellPushHandler(kernel) } }),
};
