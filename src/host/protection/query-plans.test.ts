// The query plans for rules of branches: each statement uses an index, for any number of rows.
import { testPlans } from '../../../test/query-plans.ts';
import { executeAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { listMembersByLogin, listTeamsBySlug, listTeamsOfAccounts } from '../codeowners/store.ts';
import { insertReviewRows } from '../reviews/fixture.ts';
import { hasUnsuccessfulStatus } from '../statuses/store.ts';
import { DEFAULT_RULE } from './rule.ts';
import { hasOpenConversations } from './store-conversations.ts';
import {
  countProtections,
  deleteProtection,
  findProtection,
  listProtectedNames,
  listProtectionsOf,
  listReportedStatuses,
  lockProtections,
  moveProtection,
  upsertProtection,
} from './store.ts';
import {
  actorRemovalStatements,
  deleteAccountActors,
  deleteStrandedTeams,
  listAdministrators,
  listNamedActors,
  listPurposesOf,
  listWritingTeams,
  replaceActors,
} from './store-actors.ts';

const NOW = 1_800_000_000_000;
const ROWS = 3000;
const SHA = '1'.repeat(40);

/** A scan of what a recursion or subquery has produced is no scan of a table. */
const WHOLE_TABLE =
  /(?:SCAN|Seq Scan on) (?:branch_protections|members|branch_protection_actors|commit_statuses|repositories|organization_teams|organization_team_members|team_repositories|repository_roles|granted|team|custom)\b(?! USING)/;

testPlans('every statement about rules goes by an index', {
  rows: ROWS,
  insertRows,
  execute: executeAllStatements,
  atLeast: 22,
  scan: WHOLE_TABLE,
});

testPlans('conversations are found by an index', {
  rows: ROWS,
  async insertRows(tx, rows) {
    await insertReviewRows(tx, rows, NOW);
    await tx
      .insertInto('review_threads')
      .values(rows.map((at) => ({ issue_id: at + 1, is_resolved: 0, resolved_by_id: null })))
      .execute();
  },
  execute: async (db) => void (await hasOpenConversations(db, 1)),
  atLeast: 1,
  scan: /(?:SCAN|Seq Scan on) (?:review_threads|review_comments|thread|comment)\b/,
});

async function executeAllStatements(db: Db): Promise<void> {
  const repository = { number: 1, ownerId: 'owner-0' };
  await findProtection(db, 1, 'main');
  await listProtectionsOf(db, 1, ['main', 'other']);
  await listProtectedNames(db, 1);
  await countProtections(db, 1);
  await listReportedStatuses(db, { repository: 1, sha: SHA }, ['ci', 'lint']);
  await listNamedActors(db, 1);
  await listWritingTeams(db, repository);
  await listPurposesOf(db, 1, repository, 'account-1');
  await listAdministrators(db, ['account-1', 'account-2']);
  await listMembersByLogin(db, ['account-1', 'account-2']);
  await listTeamsBySlug(db, 'owner-1', ['team-1', 'team-2']);
  await listTeamsOfAccounts(db, ['account-1', 'account-2']);
  await hasUnsuccessfulStatus(db, { repository: 1, sha: SHA });
  await db.transaction().execute(async (tx) => {
    await lockProtections(tx, 1);
    const rule = await upsertProtection(tx, 1, 'new', DEFAULT_RULE, NOW);
    await replaceActors(tx, rule.number, 'push', { accounts: ['account-1'], teams: [1] });
    await moveProtection(tx, rule, 'newer', NOW);
    await deleteProtection(tx, rule.number);
    await deleteAccountActors(tx, 'account-1', { number: 1 });
    await deleteAccountActors(tx, 'account-1', { ownerId: 'owner-1' });
    await deleteStrandedTeams(tx, repository);
    await executeAll(tx, actorRemovalStatements(tx, 'account-1'));
  });
}

async function insertRows(tx: Db, rows: readonly number[]): Promise<void> {
  const times = { created_at: NOW, updated_at: NOW };
  await tx
    .insertInto('repositories')
    .values(
      rows.map((at) => ({
        owner_id: `owner-${at}`,
        name: `repo-${at}`,
        full_name: `owner-${at}/repo-${at}`,
        is_private: 0,
        is_archived: 0,
        default_branch: 'main',
        settings: '{}',
        topics: '[]',
        languages: '{}',
        size_kb: 1,
        star_count: 0,
        watch_count: 0,
        fork_count: 0,
        pushed_at: NOW,
        ...times,
      })),
    )
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
        ...times,
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
        privacy: 'closed',
        notification_setting: 'notifications_enabled',
        permission: 'pull',
        ...times,
      })),
    )
    .execute();
  await tx
    .insertInto('members')
    .values(
      rows.map((at) => ({
        id: `account-${at}`,
        username: `account-${at}`,
        email: `${at}@example.com`,
        password: null,
        first_name: null,
        last_name: null,
        sort_name: `${at}`,
        role: 'writer',
        custom_roles: '[]',
        last_seen_at: null,
        ...times,
      })),
    )
    .execute();
  const teams = rows.map((at) => ({ team_number: at + 1, created_at: NOW }));
  await tx
    .insertInto('organization_team_members')
    .values(teams.map((row, at) => ({ ...row, account_id: `account-${rows[at]}`, role: 'member' })))
    .execute();
  await tx
    .insertInto('team_repositories')
    .values(teams.map((row) => ({ ...row, repository_number: row.team_number, role: 'write' })))
    .execute();
  await tx
    .insertInto('branch_protections')
    .values(rows.map((at) => ({ repository_number: at + 1, branch: 'main', rule: '{}', ...times })))
    .execute();
  await tx
    .insertInto('branch_protection_actors')
    .values(
      rows.flatMap((at) => [
        { protection_number: at + 1, purpose: 'push', account_id: `account-${at}`, team_number: null },
        { protection_number: at + 1, purpose: 'push', account_id: null, team_number: at + 1 },
      ]),
    )
    .execute();
  await tx
    .insertInto('commit_statuses')
    .values(
      rows.map((at) => ({
        repository_number: at + 1,
        sha: SHA,
        context: 'ci',
        state: 'success',
        creator_id: `account-${at}`,
        created_at: NOW,
      })),
    )
    .execute();
}
