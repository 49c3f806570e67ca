// Whether a flag is in use in an environment: new, active, launched or inactive.
import type { Db } from '../../kernel/storage/tables.ts';
import { OneOf, Type } from '../../kernel/schema.ts';
import type { Flag, FlagConfig } from './flag.ts';
import { servedBy } from './model.ts';
import type { FlagUsageRow } from './tables.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

export interface Usage {
  lastRequestedAt: number;
  /** The default that SDKs brought along, as JSON. */
  lastDefault: string | null;
}

export type StatusName = 'new' | 'active' | 'launched' | 'inactive';

export const STATUS = {
  name: OneOf(['new', 'active', 'launched', 'inactive']),
  lastRequested: Type.Optional(Type.String({ format: 'date-time' })),
  default: Type.Optional(Type.Unknown({ description: 'The default that the code asked with last' })),
};

/** What decides besides the use; the configuration is only asked for where that is not enough. */
export interface StatusFacts {
  createdAt: number;
  on: boolean;
  modifiedAt: number;
  isUniform: boolean;
}

export function statusOf(facts: StatusFacts, usage: Usage | undefined, now: number): StatusName {
  const isRecent = (at: number) => now - at < WEEK_MS;
  if (usage === undefined) return isRecent(facts.createdAt) ? 'new' : 'inactive';
  if (!isRecent(usage.lastRequestedAt)) return 'inactive';
  return couldBeLaunched(facts, now) && facts.isUniform ? 'launched' : 'active';
}

export function couldBeLaunched({ on, modifiedAt }: Omit<StatusFacts, 'isUniform'>, now: number): boolean {
  return on && now - modifiedAt >= WEEK_MS;
}

/** Whether everyone is served the same variation while it is on. */
export function isUniform({
  rules,
  fallthrough,
  targets,
  contextTargets,
  prerequisites,
}: FlagConfig): boolean {
  const served = new Set([
    ...[fallthrough, ...rules].flatMap((serve) =>
      serve.rollout === undefined
        ? servedBy(serve)
        : serve.rollout.variations.filter(({ weight }) => weight > 0).map(({ variation }) => variation),
    ),
    ...[...targets, ...contextTargets]
      .filter(({ values }) => values.length > 0)
      .map((list) => list.variation),
  ]);
  return served.size === 1 && prerequisites.length === 0;
}

export function factsOf({ createdAt }: Flag, config: FlagConfig): StatusFacts {
  return { createdAt, on: config.on, modifiedAt: config.lastModified, isUniform: isUniform(config) };
}

export function toStatus(name: StatusName, usage: Usage | undefined) {
  if (usage === undefined) return { name };
  return {
    name,
    lastRequested: new Date(usage.lastRequestedAt).toISOString(),
    ...(usage.lastDefault !== null && { default: JSON.parse(usage.lastDefault) as unknown }),
  };
}

/** By the id of the environment. */
export async function findUsage(db: Db, flagId: string): Promise<Map<string, Usage>> {
  const rows = await db.selectFrom('flag_usage').selectAll().where('flag_id', '=', flagId).execute();
  return new Map(rows.map((row) => [row.environment_id, usageOf(row)]));
}

function usageOf(row: Pick<FlagUsageRow, 'last_requested_at' | 'last_default'>): Usage {
  return { lastRequestedAt: row.last_requested_at, lastDefault: row.last_default };
}

export interface UsedFlag extends Omit<StatusFacts, 'isUniform'> {
  id: string;
  key: string;
  usage?: Usage;
}

/** All flags of an environment that are not archived, by their keys. */
export async function listUsage(db: Db, projectId: string, environmentId: string): Promise<UsedFlag[]> {
  const rows = await db
    .selectFrom('flags')
    .innerJoin('flag_configs', (join) =>
      join
        .onRef('flag_configs.flag_id', '=', 'flags.id')
        .on('flag_configs.environment_id', '=', environmentId),
    )
    .leftJoin('flag_usage', (join) =>
      join.onRef('flag_usage.flag_id', '=', 'flags.id').on('flag_usage.environment_id', '=', environmentId),
    )
    .where('flags.project_id', '=', projectId)
    .where('flags.state', 'in', ['live', 'deprecated'])
    .select([
      'flags.id',
      'flags.key',
      'flags.created_at',
      'flag_configs.is_on',
      'flag_configs.modified_at',
      'flag_usage.last_requested_at',
      'flag_usage.last_default',
    ])
    .orderBy('flags.key')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    key: row.key,
    createdAt: row.created_at,
    on: row.is_on === 1,
    modifiedAt: row.modified_at,
    ...(row.last_requested_at !== null && {
      usage: usageOf({ ...row, last_requested_at: row.last_requested_at }),
    }),
  }));
}
