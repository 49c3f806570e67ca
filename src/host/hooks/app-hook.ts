// The webhook of an app, which is part of it, in the form that all webhooks have.
import type { Db } from '../../kernel/storage/tables.ts';
import type { HostApp } from '../apps/app.ts';
import { findApp } from '../apps/store.ts';
import type { Hook } from './hook.ts';

/** Its number is the app's. One without an address is not active. */
export function hookOfApp(app: HostApp): Hook {
  const { url, isActive, contentType, insecureSsl, secret } = app.hook;
  return {
    number: app.number,
    target: { app: app.number },
    targetNumber: app.number,
    isActive: isActive && url !== null,
    events: [...app.events],
    config: { url: url ?? '', contentType, insecureSsl, secret },
    afterEvent: 0,
    lastResponse: { code: null, status: 'unused', message: null },
    createdAt: app.createdAt,
    updatedAt: app.updatedAt,
  };
}

export async function findAppHook(db: Db, appNumber: number): Promise<Hook | undefined> {
  const app = await findApp(db, appNumber);
  return app && hookOfApp(app);
}
