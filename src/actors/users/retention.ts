// How long the data of an account is kept.
import type { Kernel } from '../../kernel/kernel.ts';
import { DAY } from '../usage/model.ts';
import { findAccountRecord } from './store.ts';

declare module '../../kernel/kernel.ts' {
  interface Settings {
    /** How long unnamed storages are kept after their last use, and runs and builds after their end, unless their account says otherwise. */
    retentionMs: number;
  }
}

export async function retentionOf(
  { db, settings }: Pick<Kernel, 'db' | 'settings'>,
  userId: string,
): Promise<number> {
  const days = (await findAccountRecord(db, userId))?.dataRetentionDays;
  return days == null ? settings.retentionMs : days * DAY;
}
