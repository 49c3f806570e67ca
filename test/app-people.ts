// Apps and their installations for tests: created by the same functions as from a manifest, and calling with their own tokens.
import { createPrivateKey, sign } from 'node:crypto';
import { systemActor } from '../src/kernel/identity/actor.ts';
import type { RepositoryOwner } from '../src/host/owners/model.ts';
import { findOwner } from '../src/host/owners/store.ts';
import type { HostApp, Installation } from '../src/host/apps/app.ts';
import { generateAppKeys, type NewAppKeys, createApp, type AppDraft } from '../src/host/apps/change-app.ts';
import { createInstallation } from '../src/host/apps/change-installation.ts';
import type { Answer, CallInit, Json, TestServer } from './server.ts';

export interface TestApp {
  app: HostApp;
  pem: string;
  /** With a fresh token that the app signs. */
  call(path: string, init?: CallInit): Promise<Answer>;
  jwt(claims?: Json): string;
  /** Installs it, as the account's owner would on a page. */
  install(login: string, repositories?: 'all' | readonly number[]): Promise<Installation>;
  /** A new token of an installation. */
  token(installation: Pick<Installation, 'number'>, body?: Json): Promise<string>;
}

/** Apps may share keys, which take long to generate, where the test is not about keys. */
export async function makeApp(
  server: TestServer,
  owner: string,
  fields: Partial<AppDraft> & { name: string },
  shared?: NewAppKeys,
): Promise<TestApp> {
  const { kernel } = server.app;
  const keys = shared ?? (await generateAppKeys(kernel, true));
  const { id: ownerId } = (await findOwner(kernel.db, owner))!;
  const actor = systemActor({ now: kernel.clock.now() });
  const app = await kernel.changes.run(actor, (tx) =>
    createApp(tx, {
      ownerId,
      description: null,
      externalUrl: 'https://example.com',
      isPublic: true,
      permissions: {},
      events: [],
      urls: { redirect: null, callbacks: [], setup: null, setupOnUpdate: false },
      hook: { url: null, isActive: false, contentType: 'json', insecureSsl: false },
      keys: keys.kept,
      ...fields,
    }),
  );
  const { pem } = keys.shown;
  const jwt = (claims: Json = {}) => {
    const now = Math.floor(kernel.clock.now() / 1000);
    return signedJwt(pem, { iat: now - 30, exp: now + 500, iss: app.number, ...claims });
  };
  const call = (path: string, init: CallInit = {}) => server.call(path, { token: jwt(), ...init });
  return {
    app,
    pem,
    jwt,
    call,
    async install(login, repositories = 'all') {
      const account = (await findOwner(kernel.db, login)) as RepositoryOwner;
      return await kernel.changes.run(systemActor({ now: kernel.clock.now() }), (tx) =>
        createInstallation(tx, { app, account, repositories }),
      );
    },
    async token({ number }, body) {
      const path = `/app/installations/${number}/access_tokens`;
      const answer = await call(path, { method: 'POST', ...(body && { body }) });
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.json['token'] as string;
    },
  };
}

/** With RS256, unless the header says otherwise. */
export function signedJwt(pem: string, claims: Json, header: Json = { alg: 'RS256', typ: 'JWT' }): string {
  const text = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(text), createPrivateKey(pem));
  return `${text}.${signature.toString('base64url')}`;
}
