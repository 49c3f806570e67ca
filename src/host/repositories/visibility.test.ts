// Who sees a repository, on each engine: the condition of statements and the rule for rows agree for every kind of caller.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { anonymousAt, type Caller, type KnownCaller } from '../../kernel/identity/caller.ts';
import { compilePolicy } from '../../kernel/identity/policy.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { programCaller } from '../apps/program.ts';
import { insertInstallationRepositories } from '../apps/store-reach.ts';
import { ownerOfOrganization } from '../organizations/model.ts';
import { saveMembership } from '../organizations/store-members.ts';
import { insertOrganization, updateOrganization } from '../organizations/store.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { saveTeamMember } from '../teams/store-members.ts';
import { saveTeamRepository } from '../teams/store-repositories.ts';
import { insertOrganizationTeam } from '../teams/store.ts';
import { HOST_ROLE_STATEMENTS, rolesOn } from './caller-roles.ts';
import { DEFAULT_REPOSITORY_SETTINGS, type Repository } from './repository.ts';
import { insertRepository } from './store.ts';
import { visibleTo } from './store-visibility.ts';
import { isRepositoryVisible, viewerFor } from './visibility.ts';

const NOW = 1_800_000_000_000;
const ALL = { effect: 'allow' as const, actions: ['*'], resources: ['*'] };

/** One who may do what a writer may, or what the statements say. */
function person(id: string, statements = [ALL, ...HOST_ROLE_STATEMENTS.writer]): KnownCaller {
  const member = { id, username: id, customRoles: [] } as unknown as KnownCaller['member'];
  return { kind: 'token', member, grants: [[compilePolicy(statements)]] };
}

onEachEngine((testEngine) => {
  let engine: Engine;
  const repositories = new Map<Repository, RepositoryOwner>();
  const callers = new Map<string, Caller>();

  before(async () => {
    engine = await testEngine.openMigrated();
    await engine.db.transaction().execute(async (tx) => {
      const add = async (owner: RepositoryOwner, name: string, isPrivate: boolean) => {
        const fields = { name, description: null, isPrivate, defaultBranch: 'main', license: null };
        const settings = DEFAULT_REPOSITORY_SETTINGS;
        const repository = await insertRepository(tx, owner, { ...fields, settings }, NOW);
        repositories.set(repository, owner);
        return repository.number;
      };
      const ada = { id: 'ada', login: 'ada' } as RepositoryOwner;
      await add(ada, 'open', false);
      const shared = await add(ada, 'shared', true);
      await add(ada, 'secret', true);
      await tx
        .insertInto('collaborators')
        .values({ repository_number: shared, account_id: 'bob', role: 'read', created_at: NOW })
        .execute();
      for (const login of ['strict', 'lenient']) {
        const organization = await insertOrganization(tx, { login, name: null }, NOW);
        const defaultPermission = login === 'strict' ? ('none' as const) : ('read' as const);
        await updateOrganization(tx, organization.id, { ...organization, defaultPermission }, NOW);
        await saveMembership(tx, organization.id, { accountId: `${login}-admin`, role: 'admin' }, NOW);
        for (const accountId of [`${login}-member`, `${login}-teammate`])
          await saveMembership(tx, organization.id, { accountId, role: 'member' }, NOW);
        const owner = ownerOfOrganization(organization);
        const given = await add(owner, 'given', true);
        await add(owner, 'kept', true);
        await add(owner, 'open', false);
        const team = { slug: 'top', name: 'top', description: null, privacy: 'closed' as const };
        const more = { notificationSetting: 'notifications_enabled' as const, permission: 'pull' as const };
        const fields = { ...team, ...more, parentNumber: null };
        const { number: top } = await insertOrganizationTeam(tx, organization.id, fields, NOW);
        const lower = { ...fields, slug: 'low', name: 'low', parentNumber: top };
        const { number: low } = await insertOrganizationTeam(tx, organization.id, lower, NOW);
        await saveTeamRepository(tx, top, { repositoryNumber: given, role: 'read' }, NOW);
        await saveTeamMember(tx, low, `${login}-teammate`, 'member', NOW);
        for (const role of ['admin', 'member', 'teammate'])
          callers.set(`${role} of ${login}`, person(`${login}-${role}`));
      }
      callers.set('nobody', anonymousAt('192.0.2.1'));
      callers.set('an owner', person('ada'));
      callers.set('a collaborator', person('bob'));
      callers.set('a stranger', person('cid'));
      callers.set('an administrator', person('dan', [ALL]));
      const bot = person('bot').member;
      const install = (number: number, selection: 'all' | 'selected', more: { lacks?: string } = {}) =>
        programCaller(bot, {
          kind: 'installation',
          app: 1,
          reach: { installation: number, accountId: 'ada', selection, only: null },
          permissions: { contents: 'read' },
          tokenHash: '',
          ...more,
        });
      await insertInstallationRepositories(tx, 2, [shared]);
      callers.set('an installation', install(1, 'all'));
      callers.set('an installation on some', install(2, 'selected'));
      callers.set('an installation that lacks the permission', install(1, 'all', { lacks: 'contents:read' }));
    });
  });

  async function readBoth(caller: Caller): Promise<{ found: string[]; shown: string[] }> {
    const { db } = engine;
    const rows = await db
      .selectFrom('repositories')
      .select('number')
      .where(visibleTo(viewerFor(caller)))
      .execute();
    const numbers = new Set(rows.map(({ number }) => number));
    const roles = await rolesOn(db, caller, [...repositories.keys()]);
    const namesOf = (isSeen: (repository: Repository, owner: RepositoryOwner) => boolean) =>
      [...repositories].flatMap(([repository, owner]) =>
        isSeen(repository, owner) ? `${owner.login}/${repository.name}` : [],
      );
    return {
      found: namesOf(({ number }) => numbers.has(number)),
      shown: namesOf((repository, owner) =>
        isRepositoryVisible(caller, { repository, owner, role: roles.get(repository.number) }),
      ),
    };
  }

  test('statements find what rows show, for every kind of caller', async () => {
    const open = ['ada/open', 'strict/open', 'lenient/open'];
    const lenient = ['lenient/given', 'lenient/kept'];
    const expected: Record<string, string[]> = {
      nobody: [],
      'a stranger': [],
      'an owner': ['ada/shared', 'ada/secret'],
      'a collaborator': ['ada/shared'],
      'an administrator': ['ada/shared', 'ada/secret', 'strict/given', 'strict/kept', ...lenient],
      'an installation': ['ada/shared', 'ada/secret'],
      'an installation on some': ['ada/shared'],
      'an installation that lacks the permission': [],
      'admin of strict': ['strict/given', 'strict/kept'],
      'member of strict': [],
      'teammate of strict': ['strict/given'],
      'admin of lenient': lenient,
      'member of lenient': lenient,
      'teammate of lenient': lenient,
    };
    assert.deepEqual([...callers.keys()].toSorted(), Object.keys(expected).toSorted());
    for (const [name, caller] of callers) {
      const { found, shown } = await readBoth(caller);
      assert.deepEqual(found.toSorted(), [...open, ...expected[name]!].toSorted(), name);
      assert.deepEqual(shown, found, name);
    }
  });

  test('rows hide more: what the policy of a token does not let it view', async () => {
    const deny = { effect: 'deny' as const, actions: ['viewRepository'], resources: ['repo/ada/*'] };
    const { found, shown } = await readBoth(person('ada', [ALL, ...HOST_ROLE_STATEMENTS.writer, deny]));
    const hidden = found.filter((name) => !shown.includes(name));
    assert.deepEqual(hidden, ['ada/shared', 'ada/secret']);
  });
});
