// Reads the states of flags: what each is doing in an environment, and why one would say so.
import { listConfigHeads, listWholeConfigs } from '../../flags/feature-flags/store-lists.ts';
import type { Flag, FlagConfig } from '../../flags/feature-flags/flag.ts';
import {
  couldBeLaunched,
  flagStatusOf,
  isUniform,
  type FlagStatusName,
  type FlagUsage,
  type StatusFacts,
} from '../../flags/feature-flags/status.ts';
import { findFlags } from '../../flags/feature-flags/store-references.ts';
import type { Environment, Project } from '../../flags/projects/project.ts';
import {
  describeRemoval,
  readyToRemoveSince,
  SETTLED_MS,
  type RemovalFacts,
} from '../../flags/removable-flags/rule.ts';
import { readRemovalFacts } from '../../flags/removable-flags/store.ts';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { quoteJson } from './clause-words.ts';
import type { FlagStates, Lifecycle } from './states-model.ts';
import { countWaitingApprovals, listEvaluationsByDay, listNextChanges, listUsageOf } from './store-states.ts';

const DAY = 24 * 60 * 60 * 1000;
const DAYS = 7;

interface StatesRequest {
  project: Project;
  environment: Environment;
  keys: readonly string[];
  now: number;
}

/** Of those of the flags that exist, in the order of the keys. */
export async function readFlagStates(
  db: Db,
  { project, environment, keys, now }: StatesRequest,
): Promise<Static<typeof FlagStates>> {
  const found = await findFlags(db, project.id, keys);
  const flags = keys.flatMap((key) => found.get(key) ?? []);
  if (flags.length === 0) return { items: [] };
  const ids = flags.map(({ id }) => id);
  const from = now - (now % DAY) - (DAYS - 1) * DAY;
  const [heads, usage, days, changes, approvals, removal] = await Promise.all([
    listConfigHeads(db, ids, [environment.id]),
    listUsageOf(db, environment.id, ids),
    listEvaluationsByDay(db, environment.id, keys, from),
    listNextChanges(db, environment.id, ids),
    countWaitingApprovals(db, environment.id, ids),
    findRemovalFacts(db, flags, now),
  ]);
  const facts = new Map(
    flags.map((flag) => {
      const head = heads.get(flag.id)?.get(environment.id);
      return [
        flag.id,
        { createdAt: flag.createdAt, on: head?.on ?? false, modifiedAt: head?.lastModified ?? now },
      ];
    }),
  );
  const maybeLaunched = ids.filter((id) => usage.has(id) && couldBeLaunched(facts.get(id)!, now));
  const uniform = await findUniformFlags(db, maybeLaunched, environment.id);
  return {
    items: flags.map((flag) => {
      const { id, key } = flag;
      const used = usage.get(id);
      const next = changes.get(id);
      const known = { ...facts.get(id)!, isUniform: uniform.has(id) };
      const byDay = days.get(key);
      return {
        key,
        ...lifecycleOf(flag, { facts: known, usage: used, removal: removal.get(id) }, now),
        week: Array.from({ length: DAYS }, (_, day) => byDay?.get(day) ?? 0),
        ...(used && { lastEvaluated: used.lastRequestedAt }),
        ...(next && { nextChange: { at: next.at, id: next.id } }),
        waitingApprovals: approvals.get(id) ?? 0,
      };
    }),
  };
}

/** Only of flags that are old enough. */
async function findRemovalFacts(
  db: Db,
  flags: readonly Flag[],
  now: number,
): Promise<Map<string, RemovalFacts>> {
  const old = flags.filter(({ archived, createdAt }) => !archived && now - createdAt >= SETTLED_MS);
  return await readRemovalFacts(
    db,
    old.map(({ id, projectId, temporary, createdAt }) => ({
      id,
      projectId,
      isTemporary: temporary,
      createdAt,
    })),
  );
}

/** A configuration may be large, so that few are read at once. */
const CONFIGS_AT_ONCE = 10;

async function findUniformFlags(
  db: Db,
  flagIds: readonly string[],
  environmentId: string,
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const some of chunk(flagIds, CONFIGS_AT_ONCE)) {
    const configs: Map<string, Map<string, FlagConfig>> = await listWholeConfigs(db, some, [environmentId]);
    for (const [id, byEnvironment] of configs) {
      const config = byEnvironment.get(environmentId);
      if (config !== undefined && isUniform(config)) found.add(id);
    }
  }
  return found;
}

interface Observed {
  facts: StatusFacts;
  usage: FlagUsage | undefined;
  removal: RemovalFacts | undefined;
}

function lifecycleOf(
  flag: Flag,
  { facts, usage, removal }: Observed,
  now: number,
): { lifecycle: Lifecycle; reason: string } {
  const since = removal && readyToRemoveSince(removal, now);
  if (since !== undefined) {
    const served = flag.variations[removal!.deciding[0]!.served!];
    const shown = served === undefined ? 'nothing' : quoteJson(served.value);
    return { lifecycle: 'ready-to-remove', reason: describeRemoval(removal!, since, shown, now) };
  }
  const name = flagStatusOf(facts, usage, now);
  return { lifecycle: name, reason: REASONS[name](facts, usage, now) };
}

const REASONS: Readonly<
  Record<FlagStatusName, (facts: StatusFacts, usage: FlagUsage | undefined, now: number) => string>
> = {
  new: () => 'It was made within a week, and no SDK has asked for it yet.',
  active: ({ on, modifiedAt }, _usage, now) => {
    if (!on) return 'SDKs ask for it, and it is off.';
    return now - modifiedAt < DAYS * DAY
      ? 'SDKs ask for it, and it was changed within a week.'
      : 'SDKs ask for it, and what they get depends on the context.';
  },
  launched: ({ modifiedAt }, _usage, now) =>
    `SDKs ask for it, and it has served the same to everybody for ${daysSince(modifiedAt, now)} days.`,
  inactive: (_facts, usage, now) =>
    usage === undefined
      ? 'No SDK has ever asked for it.'
      : `No SDK has asked for it for ${daysSince(usage.lastRequestedAt, now)} days.`,
};

function daysSince(at: number, now: number): number {
  return Math.floor((now - at) / DAY);
}
