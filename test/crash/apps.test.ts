// SIGKILL of a server while installations and apps are removed and created: what was begun ends by itself, and nothing is twice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertAppManifest } from '../../src/host/app-manifests/store.ts';
import type { HostApp } from '../../src/host/apps/app.ts';
import { generateAppKeyPair } from '../../src/host/apps/change-app.ts';
import { insertApp, insertAppKey } from '../../src/host/apps/store.ts';
import { insertInstallation } from '../../src/host/apps/store-installations.ts';
import { hashSecret } from '../../src/kernel/secrets/secret.ts';
import { insertBotAccount } from '../../src/kernel/identity/store-bots.ts';
import type { Member } from '../../src/kernel/identity/store-members.ts';
import { insertSession } from '../../src/kernel/identity/sessions/store-sessions.ts';
import type { Db } from '../../src/kernel/storage/tables.ts';
import { signedJwt } from '../app-people.ts';
import { onEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { FORM } from '../people.ts';
import type { Json } from '../server.ts';
import { openReceiver } from '../webhook-receiver.ts';
import { callerOf, dieAt, SECRET_KEY, settingsOn, startChild } from './child-server.ts';
import { insertPerson } from './host-rows.ts';

const INSTALLATIONS = 400;
/** Installations that are removed at once. */
const BATCH = 50;
const CODES = 6;
const FIELDS = {
  description: null,
  externalUrl: 'https://example.com',
  isPublic: true,
  permissions: { contents: 'read' },
  events: [],
  urls: { redirect: null, callbacks: [], setup: null, setupOnUpdate: false },
} as const;

onEachEngine((engine) => {
  test('a server that is killed while installations are removed', async (t) => {
    const receiver = await openReceiver();
    t.after(() => receiver.close());
    const { location, settings } = await settingsOn(engine);
    const allowed = {
      ...settings,
      SIGNALBOX_ALLOW_PRIVATE_WEBHOOKS: '1',
      SIGNALBOX_SECRET_KEY: SECRET_KEY,
    };
    const storage = await engine.open([], location);
    const { db } = storage;
    const { member } = await insertPerson(db, 'eve');
    const { publicKey, pem } = await generateAppKeyPair();
    const app = await insertReaper(db, member, `${receiver.url}/reaper`, publicKey);
    const first = await insertInstallations(db, app, member);

    // Without background work the removal stays begun.
    let server = await startChild({ ...allowed, SIGNALBOX_ROLE: 'api' });
    t.after(() => server.kill());
    const { call } = callerOf(() => server.url, jwtOf(app, pem));
    const expect = async (status: number, path: string, method: string) => {
      const answer = await call(path, { method });
      assert.equal(answer.status, status, answer.text);
      return answer;
    };
    const at = `/app/installations/${first}`;
    const token = (await expect(201, `${at}/access_tokens`, 'POST')).json['token'] as string;
    await expect(204, at, 'DELETE');
    await server.kill();
    assert.equal(await countInstallations(db), INSTALLATIONS);
    assert.deepEqual(receiver.received, []);

    server = await startChild({ ...allowed, ...dieAt('removed installations of an app', 2) });
    await eventually(
      async () => (await countInstallations(db)) < INSTALLATIONS,
      'the end of the installation',
    );
    await expect(404, at, 'GET');
    assert.equal((await callerOf(() => server.url, token).call('/installation/repositories')).status, 401);
    const [told] = await receiver.wait('/reaper');
    assert.equal(told!.json['action'], 'deleted');
    assert.equal(told!.json['installation'].id, first);
    // It may die before it answers.
    const removing = removeOnPage(db, server.url, member).catch(() => undefined);
    await server.died();
    await removing;
    const gone = 1 + 2 * BATCH;
    assert.equal(await countInstallations(db), INSTALLATIONS - gone, 'it was killed in the middle');
    assert.equal((await uninstalled(db)).length, gone);
    // Its lease would end later.
    await db.updateTable('due').set({ due_at: 0 }).where('kind', '=', 'host.remove-app').execute();

    server = await startChild(allowed);
    await eventually(async () => (await countInstallations(db)) === 0, 'the end of all installations');
    await eventually(
      async () =>
        (await db.selectFrom('due').select('id').where('kind', 'like', 'host.remove-%').execute()).length ===
        0,
      'the end of the work',
    );
    const entries = await uninstalled(db);
    assert.equal(entries.length, INSTALLATIONS);
    assert.equal(new Set(entries).size, INSTALLATIONS);
    await expect(401, '/app', 'GET');
    // A deleted app hears of nothing.
    assert.equal(receiver.received.length, 1);
    await server.kill();
    await storage.close();
  });

  test('a server that is killed while manifests become apps', async (t) => {
    const receiver = await openReceiver();
    t.after(() => receiver.close());
    const { location, settings } = await settingsOn(engine);
    const allowed = { ...settings, SIGNALBOX_ALLOW_PRIVATE_WEBHOOKS: '1' };
    const storage = await engine.open([], location);
    const { db } = storage;
    const { member, token } = await insertPerson(db, 'eve');
    const codes = Array.from({ length: CODES }, (_, at) => `code-${at}`);
    for (const code of codes) await insertManifest(db, code, member, `${receiver.url}/${code}`);

    let server = await startChild(allowed);
    t.after(() => server.kill());
    const convert = async (code: string): Promise<{ status: number; json: Json }> => {
      const answer = await fetch(`${server.url}/app-manifests/${code}/conversions`, { method: 'POST' });
      return { status: answer.status, json: (await answer.json()) as Json };
    };
    const lost = { status: 0, json: {} as Json };
    const converting = codes.map((code) => convert(code).catch(() => lost));
    await eventually(async () => (await usedCodes(db)).size > 0, 'the first app');
    await server.kill();
    const replies = await Promise.all(converting);
    const used = await usedCodes(db);
    const made = replies.filter(({ status }) => status === 201).length;
    t.diagnostic(`${used.size} of ${CODES} codes were used, and ${made} replies came`);
    // An app is there with everything, or not at all.
    assert.deepEqual(
      await appsIn(db),
      codes.filter((code) => used.has(hashSecret(code))),
    );

    server = await startChild(allowed);
    for (const [index, code] of codes.entries()) {
      const isUsed = used.has(hashSecret(code));
      if (replies[index]!.status === 201) assert.ok(isUsed, `${code} was answered, and is lost`);
      const again = await convert(code);
      assert.equal(again.status, isUsed ? 404 : 201);
      assert.equal((await convert(code)).status, 404);
      const shown = await callerOf(() => server.url, token).call(`/apps/${code}`);
      assert.equal(shown.status, 200, shown.text);
      const { pem } = (replies[index]!.status === 201 ? replies[index]! : again).json;
      if (pem === undefined) continue;
      const jwt = jwtOf({ number: shown.json['id'] as number }, pem as string);
      assert.equal((await callerOf(() => server.url, jwt).call('/app')).status, 200);
    }
    assert.deepEqual(await appsIn(db), codes);
    for (const code of codes) await receiver.wait(`/${code}`);
    // What the killed server had sent and not recorded comes again, with the same id.
    const told = new Set(receiver.received.map(({ headers }) => headers['x-github-delivery']));
    assert.equal(told.size, CODES);
    await server.kill();
    await storage.close();
  });
});

function jwtOf({ number }: Pick<HostApp, 'number'>, pem: string): string {
  const now = Math.floor(Date.now() / 1000);
  return signedJwt(pem, { iat: now - 30, exp: now + 570, iss: number });
}

async function insertReaper(db: Db, { id }: Member, url: string, publicKey: string): Promise<HostApp> {
  const now = Date.now();
  const { id: botId } = await insertBotAccount(db, 'reaper', 'Reaper', now);
  const names = { name: 'Reaper', slug: 'reaper', clientId: 'Iv1.reaper', clientSecretHash: null };
  const hook = { url, isActive: true, contentType: 'json', insecureSsl: false, secret: null } as const;
  const app = await insertApp(db, { ...FIELDS, ...names, ownerId: id, botId, hook }, now);
  await insertAppKey(db, app.number, publicKey, now);
  return app;
}

/** Returns the number of the one on the member's account. Nothing reads the other accounts. */
async function insertInstallations(db: Db, app: HostApp, member: Member): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    const { number: appNumber, permissions } = app;
    const rights = {
      permissions,
      events: [],
      rightsRevision: 0,
      selection: 'all',
      targetType: 'User',
    } as const;
    const numbers: number[] = [];
    for (let at = 0; at < INSTALLATIONS; at += 1) {
      const accountId = at === 0 ? member.id : `account-${at}`;
      numbers.push((await insertInstallation(tx, { ...rights, appNumber, accountId }, Date.now()))!.number);
    }
    return numbers[0]!;
  });
}

async function countInstallations(db: Db): Promise<number> {
  return (await db.selectFrom('host_installations').select('number').execute()).length;
}

/** What the audit log says of installations that ended. */
async function uninstalled(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('events')
    .select('resource')
    .where('kind', '=', 'installation')
    .where('after', 'is', null)
    .execute();
  return rows.map(({ resource }) => resource);
}

async function removeOnPage(db: Db, url: string, member: Member): Promise<void> {
  const path = `${url}/settings/apps/reaper`;
  const { secret, pageSecret } = await insertSession(db, member, Date.now());
  const browser = { cookie: `signalbox_session=${secret}`, 'x-signalbox-session': pageSecret };
  const page = await (await fetch(path, { headers: { ...browser, accept: 'text/html' } })).text();
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(page) ?? [];
  const body = new URLSearchParams({ token, action: 'delete', confirm: 'reaper' }).toString();
  const headers = { ...FORM, ...browser, origin: url, accept: 'text/html' };
  const answer = await fetch(path, { method: 'POST', headers, body });
  assert.equal(answer.status, 200, await answer.text());
}

async function insertManifest(db: Db, code: string, { id }: Member, url: string): Promise<void> {
  const now = Date.now();
  const people = { ownerId: id, creatorId: id };
  const hashes = { codeHash: hashSecret(code), consentHash: `consent to ${code}` };
  const manifest = { ...FIELDS, name: code, events: [], urls: { ...FIELDS.urls, callbacks: [] } };
  const hook = { url, isActive: true };
  await insertAppManifest(
    db,
    { ...hashes, ...people, manifest: { ...manifest, hook }, expiresAt: now + 60 * 60 * 1000 },
    now,
  );
}

async function usedCodes(db: Db): Promise<Set<string>> {
  const rows = await db
    .selectFrom('host_app_manifests')
    .select('code_hash')
    .where('used_at', 'is not', null)
    .execute();
  return new Set(rows.map(({ code_hash: hash }) => hash));
}

/** The slugs of the apps, each once for every bot, key and audit entry that it has. */
async function appsIn(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('host_apps as app')
    .innerJoin('bot_accounts as bot', 'bot.id', 'app.bot_id')
    .innerJoin('host_app_keys as key', 'key.app_number', 'app.number')
    .innerJoin('events as entry', (join) =>
      join.onRef('entry.name', '=', 'app.slug').on('entry.kind', '=', 'app'),
    )
    .select('app.slug')
    .orderBy('app.slug')
    .execute();
  return rows.map(({ slug }) => slug);
}
