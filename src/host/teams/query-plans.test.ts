// The query plans for organizations, teams and custom repository roles: each uses an index, for any number of rows.
import { before, test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Organization } from '../organizations/model.ts';
import {
  countOwnedRepositories,
  findOrganization,
  findOrganizationFor,
  insertOrganization,
  listOrganizationsAfter,
  listOrganizationsById,
  listOrganizationsOf,
  lockOrganization,
  shareLockOrganization,
  updateOrganization,
} from '../organizations/store.ts';
import {
  deleteCollaborations,
  deleteMembership,
  findMembership,
  hasOtherAdmin,
  listMembersAmong,
  listOrganizationIdsOf,
  listOrganizationMembers,
  saveMembership,
  updatePublicity,
  removedAccountStatements,
} from '../organizations/store-members.ts';
import { ownerOfOrganization } from '../organizations/model.ts';
import { DEFAULT_REPOSITORY_SETTINGS } from '../repositories/repository.ts';
import { insertRepository } from '../repositories/store.ts';
import {
  deleteRepositoryRole,
  findRepositoryRole,
  findRepositoryRoleByName,
  insertRepositoryRole,
  listRepositoryRoles,
  replaceCustomRoles,
  replaceGrantedRole,
  updateRepositoryRole,
} from '../repository-roles/store.ts';
import {
  countInTeams,
  deleteOrganizationTeam,
  findFreeSlug,
  findTeamByNumber,
  findTeamBySlug,
  hasChildTeams,
  insertOrganizationTeam,
  isTeamNameTaken,
  listChildTeams,
  listOrganizationTeams,
  listTeamsOfAccount,
  listWithAncestors,
  listWithDescendants,
  updateOrganizationTeam,
  type TeamFields,
} from './store.ts';
import {
  deleteTeamMember,
  findTeamRole,
  isInTeams,
  listTeamMembers,
  saveTeamMember,
} from './store-members.ts';
import {
  deleteTeamRepository,
  deleteTeamsOfRepository,
  listTeamGrants,
  listTeamRepositories,
  listTeamsOfRepository,
  saveTeamRepository,
} from './store-repositories.ts';

/** Scans of what a statement has found itself are none of a table. */
const WHOLE_TABLE = /SCAN (?!CONSTANT|own|up|down|found|\(?(?:sub)?query)|Seq Scan on/;
const NOW = 1_800_000_000_000;
const PAGE = { offset: 30, limit: 10 };
const ORGANIZATIONS = 4;
const TEAMS = 40;
const ACCOUNTS = 40;

const accountOf = (at: number) => `account-${at}`;
const teamFields = (name: string, parentNumber: number | null): TeamFields => ({
  slug: name,
  name,
  description: null,
  privacy: 'closed',
  notificationSetting: 'notifications_enabled',
  permission: 'pull',
  parentNumber,
});
const ROLE = { description: null, baseRole: 'read' as const, permissions: [] };

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    const organizations: Organization[] = [];
    const repositories: number[] = [];
    const teams: number[] = [];
    await db.transaction().execute(async (tx) => {
      for (let at = 0; at < ORGANIZATIONS; at += 1) {
        const organization = await insertOrganization(tx, { login: `org-${at}`, name: null }, NOW);
        organizations.push(organization);
        await insertRepositoryRole(tx, organization.id, { ...ROLE, name: `role-${at}` }, NOW);
        for (let other = 0; other < ACCOUNTS; other += 1) {
          const role = other % 20 === 0 ? 'admin' : 'member';
          await saveMembership(tx, organization.id, { accountId: accountOf(other), role }, NOW);
        }
      }
      for (let at = 0; at < TEAMS; at += 1) {
        const organization = organizations[at % ORGANIZATIONS]!;
        const parent = at < ORGANIZATIONS ? null : teams[at % ORGANIZATIONS]!;
        const { number } = await insertOrganizationTeam(
          tx,
          organization.id,
          teamFields(`team-${at}`, parent),
          NOW,
        );
        teams.push(number);
        const owner = ownerOfOrganization(organization);
        const fields = {
          name: `repo-${at}`,
          description: null,
          isPrivate: true,
          defaultBranch: 'main',
          license: null,
        };
        const settings = DEFAULT_REPOSITORY_SETTINGS;
        const repository = await insertRepository(tx, owner, { ...fields, settings }, NOW);
        repositories.push(repository.number);
        await saveTeamRepository(tx, number, { repositoryNumber: repository.number, role: 'read' }, NOW);
        for (let other = 0; other < 5; other += 1) {
          const accountId = accountOf((at + other * 37) % ACCOUNTS);
          await saveTeamMember(tx, number, accountId, 'member', NOW);
          await tx
            .insertInto('collaborators')
            .values({
              repository_number: repository.number,
              account_id: accountId,
              role: 'read',
              created_at: NOW,
            })
            .onConflict((conflict) => conflict.doNothing())
            .execute();
        }
      }
    });
    const seen = recordStatements(engine);
    const [organization, other] = organizations as [Organization, Organization];
    const [team, next] = teams as [number, number];
    const [repository] = repositories as [number];
    for (const by of [{ id: organization.id }, { login: 'Org-1' }, { number: organization.number }]) {
      await findOrganization(db, by);
      await findOrganizationFor(db, by, accountOf(1));
    }
    await listOrganizationsAfter(db, organization.number, 10);
    await listOrganizationsById(db, [organization.id, other.id]);
    for (const onlyPublic of [true, false]) {
      await listOrganizationsOf(db, accountOf(1), { onlyPublic }, PAGE);
      await listOrganizationMembers(db, organization.id, { onlyPublic }, PAGE);
      await listOrganizationMembers(db, organization.id, { onlyPublic, role: 'admin' }, PAGE);
    }
    await countOwnedRepositories(db, organization.id);
    await findMembership(db, organization.id, accountOf(1));
    await listMembersAmong(db, organization.id, [accountOf(1), accountOf(2)]);
    await listOrganizationIdsOf(db, accountOf(1));
    await findTeamByNumber(db, team);
    await findTeamBySlug(db, organization.id, 'team-0');
    for (const viewer of [undefined, accountOf(1)])
      await listOrganizationTeams(db, organization.id, viewer, PAGE);
    await listChildTeams(db, team, PAGE);
    await listTeamsOfAccount(db, accountOf(1), PAGE);
    await listWithAncestors(db, team);
    await listWithDescendants(db, team);
    await hasChildTeams(db, team);
    await countInTeams(db, [team, next]);
    await findTeamRole(db, team, accountOf(1));
    await isInTeams(db, [team, next], accountOf(1));
    for (const role of [undefined, 'maintainer', 'member'] as const)
      await listTeamMembers(db, [team, next], role, PAGE);
    for (const viewer of ['all', 'public', { accountId: accountOf(1) }] as const)
      await listTeamRepositories(db, [team, next], viewer, PAGE);
    for (const viewer of [undefined, accountOf(1)]) await listTeamsOfRepository(db, repository, viewer, PAGE);
    await listTeamGrants(db, [team, next], [repository]);
    await listRepositoryRoles(db, organization.id);
    const role = (await findRepositoryRoleByName(db, organization.id, 'ROLE-0'))!;
    await findRepositoryRole(db, organization.id, role.number);
    await db.transaction().execute(async (tx) => {
      await lockOrganization(tx, organization.id);
      await shareLockOrganization(tx, organization.id);
      await updateOrganization(tx, organization.id, organization, NOW);
      await hasOtherAdmin(tx, organization.id, accountOf(0));
      await updatePublicity(tx, organization.id, accountOf(1), true);
      await deleteMembership(tx, organization.id, accountOf(2));
      await deleteCollaborations(tx, accountOf(3));
      for (const statement of removedAccountStatements(tx, accountOf(4), accountOf(5), NOW))
        await tx.executeQuery(statement);
      await isTeamNameTaken(tx, organization.id, 'Team-0');
      await findFreeSlug(tx, organization.id, 'team-0');
      await updateOrganizationTeam(tx, team, teamFields('other', null), NOW);
      await deleteTeamMember(tx, team, accountOf(1));
      await deleteTeamRepository(tx, team, repository);
      await deleteTeamsOfRepository(tx, repository);
      await replaceGrantedRole(tx, organization.id, 'read', 'write');
      await replaceCustomRoles(tx, repository, organization.id);
      await updateRepositoryRole(tx, role.number, { ...ROLE, name: 'Other' }, NOW);
      await deleteRepositoryRole(tx, role.number);
      await deleteOrganizationTeam(tx, next);
    });
    statements = [...seen.values()];
  });

  test('every statement about organizations, teams and roles goes by an index', async () => {
    await assertPlans(engine, statements, { atLeast: 50, scan: WHOLE_TABLE, hasFewRows: true });
  });
});
