// The query plans for webhooks of apps and for manifests: each uses an index, for any number of rows.
import { before, test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, fillTables, recordStatements } from '../../../test/query-plans.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import {
  deleteExpiredManifests,
  findAppManifest,
  insertAppManifest,
  updateManifestUsed,
} from '../app-manifests/store.ts';
import type { AppManifest } from '../app-manifests/manifest.ts';
import { insertEvents, listEventsToDeliver } from '../events/store.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import { listListeningInstallations } from './store-deliver-events.ts';

const NOW = 1_800_000_000_000;
const ROWS = 1000;
const sender: RepositoryOwner = { id: 'owner', number: 1, login: 'owner', type: 'User', isSiteAdmin: false };

/** What no planner may read as a whole. */
const WHOLE_TABLE =
  /(?:SCAN|Seq Scan on) (?:host_installations|host_installation_repositories|host_events|host_app_manifests|repositories)\b(?! USING)/;

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    await fillTables(engine, ROWS, insertRows);
    const seen = recordStatements(engine);
    await listListeningInstallations(db, 4, ['owner-3', 'owner-5']);
    await listListeningInstallations(db, 4, []);
    await listListeningInstallations(db, undefined, ['owner-3']);
    await listEventsToDeliver(db, { app: 4 }, 5, 10);
    await findAppManifest(db, 'code-3', NOW);
    await updateManifestUsed(db, 'code-3', NOW);
    await deleteExpiredManifests(db, NOW);
    statements = [...seen.values()];
  });

  test('every statement about webhooks of apps and about manifests goes by an index', async () => {
    await assertPlans(engine, statements, { atLeast: 7, scan: WHOLE_TABLE, hasFewRows: true });
  });
});

async function insertRows(tx: Engine['db'], rows: readonly number[]): Promise<void> {
  await insertRepositoryRows(tx, rows, NOW);
  await tx
    .insertInto('host_installations')
    .values(
      rows.map((at) => ({
        app_number: at % 50,
        account_id: `owner-${Math.floor(at / 3)}`,
        target_type: 'Organization',
        repository_selection: at % 2 === 0 ? 'all' : 'selected',
        permissions: '{}',
        events: '[]',
        created_at: NOW,
        updated_at: NOW,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await tx
    .insertInto('host_installation_repositories')
    .values(rows.map((at) => ({ installation_number: at + 1, repository_number: at + 1 })))
    .execute();
  const event = { name: 'installation' as const, action: 'created', details: {} };
  for (const at of rows.filter((one) => one % 5 === 0))
    await insertEvents(tx, {
      events: [event],
      at: NOW,
      actorId: undefined,
      snapshot: { sender },
      appNumber: at % 200,
    });
  for (const at of rows)
    await insertAppManifest(
      tx,
      {
        codeHash: `code-${at}`,
        consentHash: `consent-${at}`,
        ownerId: 'owner',
        creatorId: 'owner',
        manifest: {} as AppManifest,
        expiresAt: NOW + at,
      },
      NOW,
    );
}
