// The query plans for apps and installations: each uses an index, for any number of rows.
import { before, test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, fillTables, recordStatements } from '../../../test/query-plans.ts';
import { findBotAccount } from '../../kernel/identity/store-bots.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import {
  appOwnerStatement,
  findApp,
  findAppByClientId,
  findAppBySlug,
  listAppsOf,
  listLivingApps,
  deleteAppKey,
  deleteAppKeys,
  listAppKeys,
} from './store.ts';
import {
  accountInstallationStatements,
  countInstallationsOf,
  countInstallationsOn,
  findInstallation,
  findInstallationOn,
  installationRemovalStatements,
  listInstallationsOf,
  listInstallationsOn,
  listLivingInstallations,
} from './store-installations.ts';
import {
  countReached,
  deleteRepositoryFromInstallations,
  listNamedRepositories,
  listReachedNumbers,
  listReachedRepositories,
  listWritingBots,
} from './store-reach.ts';
import {
  deleteExpiredTokens,
  deleteInstallationToken,
  deleteInstallationTokens,
  findInstallationToken,
} from './store-tokens.ts';

const NOW = 1_800_000_000_000;
const ROWS = 3000;
const SLICE = { offset: 0, limit: 10 };
const WHOLE_TABLE =
  /(?:SCAN|Seq Scan on) (?:host_apps|host_app_keys|host_installations|host_installation_repositories|host_installation_tokens|bot_accounts|repositories)\b(?! USING)/;

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    await fillTables(engine, ROWS, insertRows);
    const seen = recordStatements(engine);
    await findApp(db, 1);
    await findAppBySlug(db, 'app-1');
    await findAppByClientId(db, 'Iv1.1');
    await listAppsOf(db, 'owner-1', SLICE);
    await listAppKeys(db, 1);
    await deleteAppKey(db, 1);
    await deleteAppKeys(db, 2);
    await listLivingApps(db, [1, 2]);
    await listLivingInstallations(db, [1, 2]);
    await findBotAccount(db, { username: 'app-1[bot]' });
    await findBotAccount(db, { id: '0'.repeat(24) });
    await findBotAccount(db, { number: 2_000_000_001 });
    await findInstallation(db, 1);
    await findInstallationOn(db, 1, 'owner-1');
    await listInstallationsOf(db, 1, SLICE);
    await countInstallationsOf(db, 1);
    await listInstallationsOn(db, ['owner-1', 'owner-2'], SLICE);
    await countInstallationsOn(db, ['owner-1']);
    for (const selection of ['all', 'selected'] as const)
      for (const only of [null, [1, 2]]) {
        const reach = { installation: 1, accountId: 'owner-1', selection, only };
        await listReachedNumbers(db, reach, [1, 2, 3]);
        await listNamedRepositories(db, reach, 'owner-1', ['a', 'b']);
        await listReachedRepositories(db, reach, SLICE);
        await countReached(db, reach, 100);
      }
    await listWritingBots(db, { number: 1, ownerId: 'owner-1' }, ['1'.padStart(24, '0')]);
    await findInstallationToken(db, 'hash-1', NOW);
    await deleteInstallationToken(db, 'none');
    await deleteInstallationTokens(db, 1);
    await deleteExpiredTokens(db, 1);
    await db.transaction().execute(async (tx) => {
      await deleteRepositoryFromInstallations(tx, 1);
      await executeAll(tx, [
        appOwnerStatement(tx, 'owner-1', 'owner-2'),
        ...accountInstallationStatements(tx, 'owner-3'),
        ...installationRemovalStatements(tx, 4),
      ]);
    });
    statements = [...seen.values()];
  });

  test('no query of apps reads a whole table', async () => {
    await assertPlans(engine, statements, { atLeast: 25, scan: WHOLE_TABLE, hasFewRows: true });
  });
});

async function insertRows(tx: Db, indexes: readonly number[]): Promise<void> {
  await insertRepositoryRows(tx, indexes, NOW);
  const times = { created_at: NOW, updated_at: NOW };
  await tx
    .insertInto('bot_accounts')
    .values(
      indexes.map((index) => ({
        id: index.toString(16).padStart(24, '0'),
        username: `app-${index}[bot]`,
        name: 'App',
        ...times,
      })),
    )
    .execute();
  await tx
    .insertInto('host_apps')
    .values(
      indexes.map((index) => ({
        slug: `app-${index}`,
        client_id: `Iv1.${index}`,
        owner_id: `owner-${index % 100}`,
        bot_id: 'bot',
        name: 'App',
        external_url: '',
        is_public: 1,
        permissions: '{}',
        events: '[]',
        urls: '{}',
        hook_active: 0,
        hook_content_type: 'json',
        hook_insecure_ssl: 0,
        ...times,
      })),
    )
    .execute();
  await tx
    .insertInto('host_app_keys')
    .values(indexes.map((index) => ({ app_number: index, public_key: '', created_at: NOW })))
    .execute();
  await tx
    .insertInto('host_installations')
    .values(
      indexes.map((index) => ({
        app_number: 1 + (index % 300),
        account_id: `owner-${index}`,
        target_type: 'User',
        repository_selection: 'selected',
        permissions: '{}',
        events: '[]',
        ...times,
      })),
    )
    .execute();
  await tx
    .insertInto('host_installation_repositories')
    .values(indexes.map((index) => ({ installation_number: 1 + (index % 100), repository_number: index })))
    .execute();
  await tx
    .insertInto('host_installation_tokens')
    .values(
      indexes.map((index) => ({
        hash: `hash-${index}`,
        installation_number: index,
        permissions: '{}',
        created_at: NOW,
        expires_at: NOW + index,
      })),
    )
    .execute();
}
