// The query plans for stars, watches and collaborators: each uses an index, for any number of rows.
import { testPlans } from '../../../test/query-plans.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import {
  deleteCollaborator,
  findCollaboratorRole,
  listCollaboratorIds,
  listGrantsOf,
  upsertCollaborator,
  endLostInterests,
} from '../collaborators/store.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';
import { lockRepository } from '../repositories/store.ts';
import { countRepositoriesOf, countPrivateCollaborators } from '../users/store.ts';
import {
  deleteWatch,
  watchRemovalStatements,
  findWatch,
  listWatched,
  listWatchers,
  upsertWatch,
} from '../watches/store.ts';
import {
  deleteStar,
  hasStar,
  insertStar,
  listStargazers,
  listStarred,
  starRemovalStatements,
} from './store.ts';

const NOW = 1_800_000_000_000;
const ROWS = 3000;
const SLICE = { offset: 0, limit: 10 };

/** A scan of what a recursion or subquery has produced is no scan of a table. */
const WHOLE_TABLE =
  /(?:SCAN|Seq Scan on) (?:stars|watches|collaborators|repositories|organization_members|organization_team_members|team_repositories|repository_roles|member)\b(?! USING)/;

testPlans('every statement about stars, watches and collaborators goes by an index', {
  rows: ROWS,
  insertRows,
  execute: executeAllStatements,
  atLeast: 25,
  scan: WHOLE_TABLE,
});

async function executeAllStatements(db: Db): Promise<void> {
  for (const viewer of ['all', 'public', { accountId: 'account-1' }] as const) {
    for (const sort of ['created', 'updated'] as const)
      await listStarred(db, 'account-1', viewer, { sort, desc: true }, SLICE);
    await listWatched(db, 'account-1', viewer, SLICE);
  }
  await listStargazers(db, 1, SLICE);
  await listWatchers(db, 1, SLICE);
  await hasStar(db, 'account-1', 1);
  await findWatch(db, 'account-1', 1);
  for (const isOwnerOrganization of [true, false]) {
    const repository = { number: 1, ownerId: 'owner-1', isOwnerOrganization };
    for (const affiliation of ['all', 'direct', 'outside'] as const)
      await listCollaboratorIds(db, repository, { affiliation, atLeast: 'read' }, SLICE);
    await listGrantsOf(db, repository, ['account-1', 'account-2']);
  }
  await findCollaboratorRole(db, 1, 'account-1');
  await countRepositoriesOf(db, 'owner-1');
  await countPrivateCollaborators(db, 'owner-1');
  await db.transaction().execute(async (tx) => {
    await insertStar(tx, 'account-new', 1, NOW);
    await deleteStar(tx, 'account-new', 1);
    await executeAll(tx, starRemovalStatements(tx, 'account-2'));
    await upsertWatch(tx, 'account-new', 1, false, NOW);
    await deleteWatch(tx, 'account-new', 1);
    await executeAll(tx, watchRemovalStatements(tx, 'account-2'));
    await upsertCollaborator(tx, 1, { accountId: 'account-new', role: 'read' }, NOW);
    await deleteCollaborator(tx, 1, 'account-new');
    const repository = (await lockRepository(tx, 2))!;
    const owner = { id: 'owner-1', number: 1, login: 'owner-1', isSiteAdmin: false };
    for (const type of ['User', 'Organization'] as const)
      await endLostInterests(tx, { repository, owner: { ...owner, type } });
  });
}

async function insertRows(tx: Db, rows: readonly number[]): Promise<void> {
  await insertRepositoryRows(tx, rows, NOW);
  const people = rows.map((at) => ({
    account_id: `account-${at % 1000}`,
    repository_number: at + 1,
    created_at: NOW,
  }));
  await tx.insertInto('stars').values(people).execute();
  await tx
    .insertInto('watches')
    .values(people.map((row) => ({ ...row, is_ignored: 0 })))
    .execute();
  await tx
    .insertInto('collaborators')
    .values(people.map((row) => ({ ...row, role: 'read' })))
    .execute();
  await tx
    .insertInto('organizations')
    .values(
      rows.map((at) => ({
        id: `owner-${at}`,
        login: `owner-${at}`,
        profile: '{}',
        settings: '{}',
        default_permission: 'read',
        created_at: NOW,
        updated_at: NOW,
      })),
    )
    .execute();
  await tx
    .insertInto('organization_members')
    .values(
      rows.map((at) => ({
        organization_id: `owner-${at}`,
        account_id: `account-${at}`,
        role: 'member',
        is_public: 0,
        created_at: NOW,
      })),
    )
    .execute();
  await tx
    .insertInto('organization_teams')
    .values(
      rows.map((at) => ({
        organization_id: `owner-${at}`,
        slug: `team-${at}`,
        name: `team-${at}`,
        folded_name: `team-${at}`,
        description: null,
        privacy: 'closed',
        notification_setting: 'notifications_enabled',
        permission: 'pull',
        parent_number: null,
        created_at: NOW,
        updated_at: NOW,
      })),
    )
    .execute();
  await tx
    .insertInto('organization_team_members')
    .values(
      rows.map((at) => ({
        team_number: at + 1,
        account_id: `account-${at}`,
        role: 'member',
        created_at: NOW,
      })),
    )
    .execute();
  await tx
    .insertInto('team_repositories')
    .values(
      rows.map((at) => ({ team_number: at + 1, repository_number: at + 1, role: 'read', created_at: NOW })),
    )
    .execute();
  await tx
    .insertInto('repository_roles')
    .values(
      rows.map((at) => ({
        organization_id: `owner-${at}`,
        name: `role-${at}`,
        folded_name: `role-${at}`,
        description: null,
        base_role: 'read',
        permissions: '[]',
        created_at: NOW,
        updated_at: NOW,
      })),
    )
    .execute();
}
