// The repositories of teams in the database.
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { OrganizationTeam } from './model.ts';
import { organizationTeamFrom } from './store.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { visibleTo, type Viewer } from '../repositories/store-visibility.ts';

/** The repositories of any of the teams that the viewer sees, by number, each once. */
export async function listTeamRepositories(
  db: Db,
  teamNumbers: readonly number[],
  viewer: Viewer,
  { offset, limit }: Slice,
): Promise<{ items: number[]; total: number }> {
  const repositories = db
    .selectFrom('team_repositories as t')
    .innerJoin('repositories', 'repositories.number', 't.repository_number')
    .where('t.team_number', 'in', teamNumbers)
    .where(visibleTo(viewer));
  const [rows, { total }] = await Promise.all([
    repositories
      .select('repositories.number')
      .distinct()
      .orderBy('repositories.number')
      .offset(offset)
      .limit(limit)
      .execute(),
    repositories
      .select(({ fn }) => fn.count<number>('repositories.number').distinct().as('total'))
      .executeTakeFirstOrThrow(),
  ]);
  return { items: rows.map((row) => row.number), total };
}

/** The teams that the repository was given to, by slug, with their roles on it. A viewer sees closed teams and their own. */
export async function listTeamsOfRepository(
  db: Db,
  repositoryNumber: number,
  viewerId: string | undefined,
  { offset, limit }: Slice,
): Promise<{ items: { team: OrganizationTeam; role: string }[]; total: number }> {
  const teams = db
    .selectFrom('team_repositories as g')
    .innerJoin('organization_teams as t', 't.number', 'g.team_number')
    .where('g.repository_number', '=', repositoryNumber)
    .$if(viewerId !== undefined, (query) =>
      query.where(({ or, eb, selectFrom }) =>
        or([
          eb('t.privacy', '=', 'closed'),
          eb(
            't.number',
            'in',
            selectFrom('organization_team_members').select('team_number').where('account_id', '=', viewerId!),
          ),
        ]),
      ),
    );
  const [rows, { total }] = await Promise.all([
    teams.selectAll('t').select('g.role').orderBy('t.slug').offset(offset).limit(limit).execute(),
    teams.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { items: rows.map(({ role, ...row }) => ({ team: organizationTeamFrom(row), role })), total };
}

export interface TeamRepositoryGrant {
  repositoryNumber: number;
  /** A repository role, or the name of a custom one. */
  role: string;
}

/** What the teams are granted on the repositories. */
export async function listTeamGrants(
  db: Db,
  teamNumbers: readonly number[],
  repositoryNumbers: readonly number[],
): Promise<TeamRepositoryGrant[]> {
  if (repositoryNumbers.length === 0) return [];
  const rows = await db
    .selectFrom('team_repositories')
    .select(['repository_number', 'role'])
    .where('team_number', 'in', teamNumbers)
    .where('repository_number', 'in', repositoryNumbers)
    .execute();
  return rows.map((row) => ({ repositoryNumber: row.repository_number, role: row.role }));
}

/** Adds the repository, or changes the role on it. */
export async function saveTeamRepository(
  tx: Db,
  teamNumber: number,
  { repositoryNumber, role }: TeamRepositoryGrant,
  now: number,
): Promise<void> {
  await tx
    .insertInto('team_repositories')
    .values({ team_number: teamNumber, repository_number: repositoryNumber, role, created_at: now })
    .onConflict((conflict) => conflict.columns(['team_number', 'repository_number']).doUpdateSet({ role }))
    .execute();
}

export async function deleteTeamRepository(
  tx: Db,
  teamNumber: number,
  repositoryNumber: number,
): Promise<void> {
  await tx
    .deleteFrom('team_repositories')
    .where('team_number', '=', teamNumber)
    .where('repository_number', '=', repositoryNumber)
    .execute();
}

/** For a repository that gets another owner: teams have repositories of their own organization only. */
export async function deleteTeamsOfRepository(tx: Db, repositoryNumber: number): Promise<void> {
  await tx.deleteFrom('team_repositories').where('repository_number', '=', repositoryNumber).execute();
}
