// Lists of flags from the database: filtered, sorted, one page at a time.
import {
  sql,
  type ExpressionBuilder,
  type ExpressionWrapper,
  type RawBuilder,
  type Selectable,
  type SqlBool,
} from 'kysely';
import type { Slice } from '../../kernel/http/reply/page.ts';
import { escapeLike } from '../../kernel/storage/search.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import { mapInSlices, TimeSlice } from '../../kernel/yield-to-event-loop.ts';
import { KEPT_KINDS_MS } from '../events/store.ts';
import type { FlagFilter, FlagOrder } from './filter.ts';
import type { Flag, FlagConfig } from './flag.ts';
import type { ConfigListItem } from './representation.ts';
import { fromConfigRow, fromFlagRow, type ConfigHead } from './store-rows.ts';

export interface FlagQuery {
  projectId: string;
  filter: FlagFilter;
  /** The environment that `filter` or `orders` refer to. */
  environmentId?: string | undefined;
  /** The repositories whose references `filter` counts. */
  repositoryIds?: readonly string[];
  orders: readonly FlagOrder[];
  slice: Slice;
  now: number;
}

/** Without their configurations. */
export async function listFlags(db: Db, query: FlagQuery): Promise<{ flags: Flag[]; total: number }> {
  if (query.filter.isNothing) return { flags: [], total: 0 };
  const [rows, { total }] = await Promise.all([pageOf(db, query), countOf(db, query)]);
  return { flags: await mapInSlices(rows, (row) => fromFlagRow(row)), total };
}

type FlagColumns = ExpressionBuilder<Tables, 'flags'>;

/** Finds the ids by an index alone, and then reads only the rows of the page. */
async function pageOf(db: Db, query: FlagQuery): Promise<Selectable<Tables['flags']>[]> {
  const { orders, slice, environmentId } = query;
  const [first] = orders;
  const isByTargeting = first?.field === 'targetingModifiedDate';
  let ids = db
    .selectFrom('flags')
    .select('flags.id')
    .where((eb) => matches(eb, query))
    .limit(slice.limit)
    .offset(slice.offset);
  if (isByTargeting) {
    ids = ids
      .innerJoin('flag_configs', 'flag_configs.flag_id', 'flags.id')
      .where('flag_configs.environment_id', '=', environmentId!)
      .orderBy('flag_configs.modified_at', directionOf(first))
      .orderBy('flag_configs.flag_id', directionOf(first));
  } else {
    const last = orders.at(-1) ?? NEWEST;
    for (const order of orders.length === 0 ? [NEWEST] : orders) {
      for (const column of COLUMNS[order.field]) ids = ids.orderBy(column, directionOf(order));
    }
    ids = ids.orderBy('flags.id', directionOf(last));
  }
  const found = await ids.execute();
  if (found.length === 0) return [];
  const rows = await db
    .selectFrom('flags')
    .selectAll()
    .where(
      'id',
      'in',
      found.map(({ id }) => id),
    )
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  // A flag may have been deleted between the two statements.
  return found.flatMap(({ id }) => byId.get(id) ?? []);
}

const NEWEST: FlagOrder = { field: 'creationDate', desc: true };

function directionOf({ desc }: FlagOrder): 'asc' | 'desc' {
  return desc ? 'desc' : 'asc';
}

/** The expressions must be those of the indexes. */
const COLUMNS: Record<FlagOrder['field'], RawBuilder<unknown>[]> = {
  creationDate: [sql.raw('flags.created_at')],
  key: [sql.raw('flags.key')],
  maintainerId: [sql.raw(`coalesce(flags.maintainer_id, '')`)],
  name: [sql.raw('flags.sort_name')],
  tags: [sql.raw('substr(flags.tags, 1, 200)')],
  type: [sql.raw('flags.is_temporary')],
  targetingModifiedDate: [],
};

async function countOf(db: Db, query: FlagQuery): Promise<{ total: number }> {
  return await db
    .selectFrom('flags')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where((eb) => matches(eb, query))
    .executeTakeFirstOrThrow();
}

function matches(eb: FlagColumns, query: FlagQuery) {
  const { projectId, filter, environmentId } = query;
  const { states, words, tags, isTemporary, availability, maintainerIds, maintainerTeams } = filter;
  const { purposes, otherPurposes, contextKinds } = filter;
  const { createdBefore, createdAfter, evaluatedAfter, minReferences, maxReferences } = filter;
  const all = [eb('flags.project_id', '=', projectId)];
  if (states.length < 3) all.push(eb('flags.state', 'in', states));
  if (isTemporary !== undefined) all.push(eb('flags.is_temporary', '=', Number(isTemporary)));
  if (purposes !== undefined) all.push(eb('flags.purpose', 'in', purposes));
  if (otherPurposes !== undefined)
    all.push(eb.or([eb('flags.purpose', 'is', null), eb('flags.purpose', 'not in', otherPurposes)]));
  if (availability !== undefined) all.push(eb('flags.availability', 'in', availability));
  if (maintainerIds !== undefined) all.push(eb('flags.maintainer_id', 'in', maintainerIds));
  if (maintainerTeams !== undefined) all.push(eb('flags.maintainer_team', 'in', maintainerTeams));
  if (createdBefore !== undefined) all.push(eb('flags.created_at', '<', createdBefore));
  if (createdAfter !== undefined) all.push(eb('flags.created_at', '>', createdAfter));
  if (words !== undefined) {
    const contains = `%${escapeLike(words)}%`;
    all.push(eb(eb.ref('flags.words'), 'like', sql<string>`${contains} escape '\\'`));
  }
  for (const tag of tags) {
    all.push(
      eb(
        'flags.no',
        'in',
        eb
          .selectFrom('flag_tags')
          .where('flag_tags.project_id', '=', projectId)
          .where('flag_tags.tag', '=', tag)
          .select('flag_tags.flag_no'),
      ),
    );
  }
  if (evaluatedAfter !== undefined) {
    all.push(
      eb(
        'flags.id',
        'in',
        eb
          .selectFrom('flag_usage')
          .where('flag_usage.environment_id', '=', environmentId!)
          .where('flag_usage.last_requested_at', '>', evaluatedAfter)
          .select('flag_usage.flag_id'),
      ),
    );
  }
  all.push(...conditionsInEnvironment(eb, query));
  for (const kind of contextKinds) all.push(eb.exists(evaluationsFor(eb, query, kind)));
  if (minReferences !== undefined)
    all.push(eb('flags.key', 'in', referencedFlags(eb, query, '>=', minReferences)));
  if (maxReferences !== undefined)
    all.push(eb('flags.key', 'not in', referencedFlags(eb, query, '>', maxReferences)));
  return eb.and(all);
}

/** Each asks for the one row, or the few, of the flag, most of them in the environment. */
function conditionsInEnvironment(eb: FlagColumns, { filter, environmentId }: FlagQuery) {
  const { isOn, targetingBefore, targetingAfter, isScheduled, isWaiting } = filter;
  const all: ExpressionWrapper<Tables, 'flags', SqlBool>[] = [];
  const unless = (isWanted: boolean, found: ExpressionWrapper<Tables, 'flags', SqlBool>) =>
    isWanted ? found : eb.not(found);
  if (isOn !== undefined || targetingBefore !== undefined || targetingAfter !== undefined) {
    let config = eb
      .selectFrom('flag_configs')
      .select('flag_configs.flag_id')
      .whereRef('flag_configs.flag_id', '=', 'flags.id')
      .where('flag_configs.environment_id', '=', environmentId!);
    if (isOn !== undefined) config = config.where('flag_configs.is_on', '=', Number(isOn));
    if (targetingBefore !== undefined)
      config = config.where('flag_configs.modified_at', '<', targetingBefore);
    if (targetingAfter !== undefined) config = config.where('flag_configs.modified_at', '>', targetingAfter);
    all.push(eb.exists(config));
  }
  if (isScheduled !== undefined) {
    const scheduled = eb
      .selectFrom('scheduled_changes')
      .select('scheduled_changes.id')
      .whereRef('scheduled_changes.flag_id', '=', 'flags.id')
      .where('scheduled_changes.environment_id', '=', environmentId!)
      .where('scheduled_changes.status', '=', 'pending');
    all.push(unless(isScheduled, eb.exists(scheduled)));
  }
  if (filter.isRemovable !== undefined) {
    const removable = eb
      .selectFrom('removable_flags')
      .select('removable_flags.flag_id')
      .whereRef('removable_flags.flag_id', '=', 'flags.id');
    all.push(unless(filter.isRemovable, eb.exists(removable)));
  }
  if (isWaiting !== undefined) {
    const waiting = eb
      .selectFrom('approval_requests')
      .select('approval_requests.id')
      .whereRef('approval_requests.flag_id', '=', 'flags.id')
      .where('approval_requests.status', '=', 'pending')
      .where('approval_requests.environment_id', '=', environmentId!);
    all.push(unless(isWaiting, eb.exists(waiting)));
  }
  return all;
}

function evaluationsFor(eb: FlagColumns, { filter, environmentId, now }: FlagQuery, kind: string) {
  const evaluations = eb
    .selectFrom('flag_context_kinds')
    .select('flag_context_kinds.kind')
    .whereRef('flag_context_kinds.flag_id', '=', 'flags.id')
    .where('flag_context_kinds.kind', '=', kind)
    .where('flag_context_kinds.seen_at', '>', now - KEPT_KINDS_MS);
  return filter.environmentKey === undefined
    ? evaluations
    : evaluations.where('flag_context_kinds.environment_id', '=', environmentId!);
}

/** The keys of the flags of which default branches have this many references. */
function referencedFlags(
  eb: FlagColumns,
  { projectId, repositoryIds = [] }: FlagQuery,
  operator: '>' | '>=',
  count: number,
) {
  return (
    eb
      .selectFrom('code_references')
      .innerJoin('code_branches', 'code_branches.id', 'code_references.branch_id')
      .innerJoin('code_repositories', (join) =>
        join
          .onRef('code_repositories.id', '=', 'code_branches.repository_id')
          .onRef('code_repositories.default_branch', '=', 'code_branches.name'),
      )
      .where('code_references.project_id', '=', projectId)
      // PostgreSQL takes no empty list; no id is empty.
      .where('code_repositories.id', 'in', ['', ...repositoryIds])
      .groupBy('code_references.flag_key')
      .having(({ fn }) => fn.sum('code_references.hunk_count'), operator, count)
      .select('code_references.flag_key')
  );
}

/** Flags that are not archived whose keys come after this one, without their configurations. */
export async function listFlagsByKey(
  db: Db,
  projectId: string,
  after: string,
  limit: number,
): Promise<Flag[]> {
  const rows = await db
    .selectFrom('flags')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('state', 'in', ['live', 'deprecated'])
    .where('key', '>', after)
    .orderBy('key')
    .limit(limit)
    .execute();
  return await mapInSlices(rows, (row) => fromFlagRow(row));
}

/** The heads of configurations, by flag and environment. */
export async function listConfigHeads(
  db: Db,
  flagIds: readonly string[],
  environmentIds: readonly string[],
): Promise<Map<string, Map<string, ConfigListItem>>> {
  return await listConfigs(db, flagIds, environmentIds, 'head', (row) => ({
    ...(JSON.parse(row.text) as ConfigHead),
    on: row.is_on === 1,
    version: row.version,
    lastModified: row.modified_at,
  }));
}

export async function listWholeConfigs(
  db: Db,
  flagIds: readonly string[],
  environmentIds: readonly string[],
): Promise<Map<string, Map<string, FlagConfig>>> {
  return await listConfigs(db, flagIds, environmentIds, 'doc', ({ text, ...row }) =>
    fromConfigRow({ ...row, doc: text }),
  );
}

interface ConfigText {
  is_on: number;
  version: number;
  modified_at: number;
  text: string;
}

async function listConfigs<Config>(
  db: Db,
  flagIds: readonly string[],
  environmentIds: readonly string[],
  column: 'head' | 'doc',
  read: (row: ConfigText) => Config,
): Promise<Map<string, Map<string, Config>>> {
  const found = new Map<string, Map<string, Config>>(flagIds.map((id) => [id, new Map()]));
  if (flagIds.length === 0 || environmentIds.length === 0) return found;
  const rows = await db
    .selectFrom('flag_configs')
    .select(['flag_id', 'environment_id', 'is_on', 'version', 'modified_at', `${column} as text`])
    .where('flag_id', 'in', flagIds)
    .where('environment_id', 'in', environmentIds)
    .execute();
  const slice = new TimeSlice();
  for (const row of rows) {
    found.get(row.flag_id)!.set(row.environment_id, read(row));
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return found;
}
