// Teams in the database.
import { sql, type Selectable } from 'kysely';
import { foldCase } from '../../kernel/text/fold-case.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import {
  isTeamSlug,
  slugOf,
  type OrganizationTeam,
  type TeamNotifications,
  type TeamPermission,
  type TeamPrivacy,
} from './model.ts';
import type { OrganizationTeamRow } from './tables.ts';

export async function findTeamBySlug(
  db: Db,
  organizationId: string,
  slug: string,
): Promise<OrganizationTeam | undefined> {
  const folded = slug.toLowerCase();
  if (!isTeamSlug(folded)) return undefined;
  const row = await db
    .selectFrom('organization_teams')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('slug', '=', folded)
    .executeTakeFirst();
  return row && organizationTeamFrom(row);
}

export async function findTeamByNumber(db: Db, number: number): Promise<OrganizationTeam | undefined> {
  return (await listTeamsByNumber(db, [number])).get(number);
}

/** Those that are gone are missing. */
export async function listTeamsByNumber(
  db: Db,
  numbers: readonly number[],
): Promise<Map<number, OrganizationTeam>> {
  if (numbers.length === 0) return new Map();
  const rows = await db.selectFrom('organization_teams').selectAll().where('number', 'in', numbers).execute();
  return new Map(rows.map((row) => [row.number, organizationTeamFrom(row)]));
}

export interface TeamPage {
  items: OrganizationTeam[];
  total: number;
}

/** By slug. A viewer sees closed teams and their own; without one, all are listed. */
export async function listOrganizationTeams(
  db: Db,
  organizationId: string,
  viewerId: string | undefined,
  { offset, limit }: Slice,
): Promise<TeamPage> {
  const teams = db
    .selectFrom('organization_teams')
    .where('organization_id', '=', organizationId)
    .$if(viewerId !== undefined, (query) =>
      query.where(({ or, eb, selectFrom }) =>
        or([
          eb('privacy', '=', 'closed'),
          eb(
            'number',
            'in',
            selectFrom('organization_team_members').select('team_number').where('account_id', '=', viewerId!),
          ),
        ]),
      ),
    );
  const [rows, { total }] = await Promise.all([
    teams.selectAll().orderBy('slug').offset(offset).limit(limit).execute(),
    teams.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { items: rows.map(organizationTeamFrom), total };
}

/** The direct children. */
export async function listChildTeams(
  db: Db,
  parentNumber: number,
  { offset, limit }: Slice,
): Promise<TeamPage> {
  const teams = db.selectFrom('organization_teams').where('parent_number', '=', parentNumber);
  const [rows, { total }] = await Promise.all([
    teams.selectAll().orderBy('number').offset(offset).limit(limit).execute(),
    teams.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { items: rows.map(organizationTeamFrom), total };
}

/** The teams that an account is a direct member of. */
export async function listTeamsOfAccount(
  db: Db,
  accountId: string,
  { offset, limit }: Slice,
): Promise<TeamPage> {
  const memberships = db.selectFrom('organization_team_members as m').where('m.account_id', '=', accountId);
  const [rows, { total }] = await Promise.all([
    memberships
      .innerJoin('organization_teams as t', 't.number', 'm.team_number')
      .selectAll('t')
      .orderBy('m.team_number')
      .offset(offset)
      .limit(limit)
      .execute(),
    memberships.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { items: rows.map(organizationTeamFrom), total };
}

/** The team and its parents, up to the top. */
export async function listWithAncestors(db: Db, number: number): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`
    with recursive up (number) as (
      select cast(${number} as bigint)
      union
      select parent_number from organization_teams join up on up.number = organization_teams.number
      where parent_number is not null)
    select number from up`.execute(db);
  return rows.map((row) => row.number);
}

/** The team and everything below it. */
export async function listWithDescendants(db: Db, number: number): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`
    with recursive down (number) as (
      select cast(${number} as bigint)
      union
      select organization_teams.number from organization_teams join down on organization_teams.parent_number = down.number)
    select number from down`.execute(db);
  return rows.map((row) => row.number);
}

/** Whether another team of the organization has the name, in whatever case. */
export async function isTeamNameTaken(
  tx: Db,
  organizationId: string,
  name: string,
  except?: number,
): Promise<boolean> {
  const row = await tx
    .selectFrom('organization_teams')
    .select('number')
    .where('organization_id', '=', organizationId)
    .where('folded_name', '=', foldCase(name))
    .executeTakeFirst();
  return row !== undefined && row.number !== except;
}

const CANDIDATES = 50;

/** The first free one of `slug`, `slug-2` and so on; what the team `own` has counts as free. */
export async function findFreeSlug(
  tx: Db,
  organizationId: string,
  name: string,
  own?: number,
): Promise<string> {
  const base = slugOf(name);
  for (let start = 1; ; start += CANDIDATES) {
    const candidates = Array.from({ length: CANDIDATES }, (_, index) =>
      start + index === 1 ? base : `${base}-${start + index}`,
    );
    const rows = await tx
      .selectFrom('organization_teams')
      .select(['slug', 'number'])
      .where('organization_id', '=', organizationId)
      .where('slug', 'in', candidates)
      .execute();
    const taken = new Set(rows.filter(({ number }) => number !== own).map(({ slug }) => slug));
    const free = candidates.find((candidate) => !taken.has(candidate));
    if (free !== undefined) return free;
  }
}

export type TeamFields = Pick<
  OrganizationTeam,
  'slug' | 'name' | 'description' | 'privacy' | 'notificationSetting' | 'permission' | 'parentNumber'
>;

export async function insertOrganizationTeam(
  tx: Db,
  organizationId: string,
  fields: TeamFields,
  now: number,
): Promise<OrganizationTeam> {
  const row = await tx
    .insertInto('organization_teams')
    .values({ ...columnsOf(fields), organization_id: organizationId, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
  return organizationTeamFrom(row);
}

export async function updateOrganizationTeam(
  tx: Db,
  number: number,
  fields: TeamFields,
  now: number,
): Promise<OrganizationTeam> {
  const row = await tx
    .updateTable('organization_teams')
    .set({ ...columnsOf(fields), updated_at: now })
    .where('number', '=', number)
    .returningAll()
    .executeTakeFirstOrThrow();
  return organizationTeamFrom(row);
}

/** With its children, as the foreign key says. */
export async function deleteOrganizationTeam(tx: Db, number: number): Promise<void> {
  await tx.deleteFrom('organization_teams').where('number', '=', number).execute();
}

export async function hasChildTeams(db: Db, number: number): Promise<boolean> {
  const row = await db
    .selectFrom('organization_teams')
    .select('number')
    .where('parent_number', '=', number)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export interface TeamCounts {
  members: Map<number, number>;
  repositories: Map<number, number>;
}

/** Direct members and repositories; teams without any are missing. */
export async function countInTeams(db: Db, numbers: readonly number[]): Promise<TeamCounts> {
  if (numbers.length === 0) return { members: new Map(), repositories: new Map() };
  const [members, repositories] = await Promise.all([
    db
      .selectFrom('organization_team_members')
      .select(({ fn }) => ['team_number', fn.countAll<number>().as('total')])
      .where('team_number', 'in', numbers)
      .groupBy('team_number')
      .execute(),
    db
      .selectFrom('team_repositories')
      .select(({ fn }) => ['team_number', fn.countAll<number>().as('total')])
      .where('team_number', 'in', numbers)
      .groupBy('team_number')
      .execute(),
  ]);
  const mapOf = (rows: { team_number: number; total: number }[]) =>
    new Map(rows.map((row) => [row.team_number, row.total]));
  return { members: mapOf(members), repositories: mapOf(repositories) };
}

function columnsOf(fields: TeamFields) {
  return {
    slug: fields.slug,
    name: fields.name,
    folded_name: foldCase(fields.name),
    description: fields.description,
    privacy: fields.privacy,
    notification_setting: fields.notificationSetting,
    permission: fields.permission,
    parent_number: fields.parentNumber,
  };
}

export function organizationTeamFrom(row: Selectable<OrganizationTeamRow>): OrganizationTeam {
  return {
    number: row.number,
    organizationId: row.organization_id,
    slug: row.slug,
    name: row.name,
    description: row.description,
    privacy: row.privacy as TeamPrivacy,
    notificationSetting: row.notification_setting as TeamNotifications,
    permission: row.permission as TeamPermission,
    parentNumber: row.parent_number,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
