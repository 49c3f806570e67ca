// The flags of a run: what it has read where it named itself to the flags API, why it got that, and what the flags are now.
import { openRun, VIEW_RUN } from '../../actors/runs/access.ts';
import {
  FURTHER,
  listRunFlags,
  MAX_READ_VALUES,
  DEFAULT_IN_CODE,
  UNKNOWN_TO_SDK,
  type RunFlagCount,
} from '../../actors/runs/store-flags.ts';
import { DAY } from '../../actors/usage/model.ts';
import { findEnvironmentById } from '../../flags/environments/store.ts';
import type { FlagData } from '../../flags/evaluation/data.ts';
import type { Flag } from '../../flags/feature-flags/flag.ts';
import { findFlags } from '../../flags/feature-flags/store-references.ts';
import { projectResource } from '../../flags/policy/resources.ts';
import type { Environment } from '../../flags/projects/project.ts';
import { listProjectNames } from '../../flags/projects/store.ts';
import { route, type Call } from '../../kernel/http/route.ts';
import { isObject } from '../../kernel/json/json-value.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { ByRunId } from './log-routes.ts';

/** A run that reads those of more is no run that anybody reads a table of. */
const MAX_ENVIRONMENTS = 20;

const REASON_KINDS = [
  'OFF',
  'FALLTHROUGH',
  'TARGET_MATCH',
  'RULE_MATCH',
  'PREREQUISITE_FAILED',
  'ERROR',
] as const;

const ReadFlag = Type.Object(
  {
    project: Type.Object({ key: Type.String(), name: Type.String() }),
    environment: Type.Object({ key: Type.String(), name: Type.String(), isCritical: Type.Boolean() }),
    key: Type.String(),
    name: Type.Optional(Type.String({ description: 'Absent where there is no such flag now' })),
    variation: Type.Optional(
      Type.Integer({ description: 'Absent where the default value in the code applied' }),
    ),
    variationName: Type.Optional(Type.String({ description: 'As it is called now' })),
    value: Type.Optional(
      Type.Unknown({ description: 'What the run got; absent where it is long or was not said' }),
    ),
    version: Type.Optional(Type.Integer({ description: 'Of the flag, when it was read' })),
    reason: Type.Optional(
      Type.Object(
        {
          kind: OneOf(REASON_KINDS),
          ruleIndex: Type.Optional(Type.Integer()),
          ruleId: Type.Optional(Type.String()),
          prerequisiteKey: Type.Optional(Type.String()),
          errorKind: Type.Optional(Type.String()),
        },
        { description: 'Why, the last time that it was said; counts of SDKs do not say it' },
      ),
    ),
    reads: Type.Integer({ description: 'How often' }),
    firstAt: Type.Integer({ description: 'When it was first reported, in epoch milliseconds' }),
    lastAt: Type.Integer({ description: 'In epoch milliseconds' }),
    now: Type.Optional(
      Type.Object(
        {
          isOn: Type.Boolean(),
          version: Type.Integer(),
          hasChanged: Type.Optional(
            Type.Boolean({ description: 'Whether it has changed since; absent where no version was said' }),
          ),
          isForEverybody: Type.Boolean({ description: 'Whether it serves the same to everybody' }),
          value: Type.Optional(Type.Unknown({ description: 'What it serves to everybody' })),
        },
        { description: 'Absent where SDKs no longer get it' },
      ),
    ),
    isArchived: Type.Boolean(),
  },
  { $id: 'FlagReadByRun' },
);

const RunFlagList = Type.Object(
  {
    items: Type.Array(ReadFlag, { description: 'The last read first' }),
    hidden: Type.Integer({
      description:
        'Values of flags in projects that the caller may not view, in environments that are gone, and in more than ' +
        `${MAX_ENVIRONMENTS} of them`,
    }),
    further: Type.Integer({
      description: `Reads of further values: at most ${MAX_READ_VALUES} of a run are told apart`,
    }),
    keptDays: Type.Integer({ description: 'How many days after the last read they are kept' }),
  },
  { $id: 'RunFlagList' },
);

const listFlagsOfRun = route(
  {
    id: 'listFlagsOfRun',
    method: 'GET',
    path: '/runs/{runId}/flags',
    summary: 'List the flags that a run has read',
    description:
      'Programs read flags with the key of an environment, which says nothing of the run. So a run is known by the `id` of the `application` ' +
      'of its SDK, which its program sets to `ACTOR_RUN_ID`, or by the header `X-LaunchDarkly-Tags: application-id/…` of evaluations by OFREP, ' +
      'and not by a client-side ID. Reads are shown within two seconds after the SDK has sent its events.',
    access: { ...VIEW_RUN, others: ['viewProject'] },
    params: ByRunId,
    reply: { 200: RunFlagList },
  },
  async (call, kernel) => {
    const { db, services, settings } = kernel;
    const run = await openRun(kernel, call, call.params.runId, 'viewRun');
    await services.runFlags.save();
    const all = await listRunFlags(db, run.id);
    const reads = all.filter(({ flagKey }) => flagKey !== FURTHER);
    const items = await showReads(kernel, call, reads);
    return {
      items: items.toSorted((one, other) => other.lastAt - one.lastAt || (one.key < other.key ? -1 : 1)),
      hidden: reads.length - items.length,
      further: all.find(({ flagKey }) => flagKey === FURTHER)?.reads ?? 0,
      keptDays: Math.round(settings.retained.runCalls / DAY),
    };
  },
);

type ShownRead = Static<typeof ReadFlag>;

/** Those in projects that the caller may view. */
async function showReads(
  kernel: Kernel,
  call: Pick<Call, 'can'>,
  reads: readonly RunFlagCount[],
): Promise<ShownRead[]> {
  if (reads.length === 0) return [];
  const { db } = kernel;
  const projects = new Map(
    (await listProjectNames(db))
      .filter((one) => call.can(projectResource(one), 'viewProject'))
      .map((one) => [one.id, one]),
  );
  const shown: ShownRead[] = [];
  const byEnvironment = [...Map.groupBy(reads, ({ environmentId }) => environmentId)];
  for (const [id, some] of byEnvironment.slice(0, MAX_ENVIRONMENTS)) {
    const environment = await findEnvironmentById(db, id);
    const project = environment && projects.get(environment.projectId);
    if (project === undefined) continue;
    const keys = [...new Set(some.map(({ flagKey }) => flagKey))];
    const [flags, present] = await Promise.all([
      findFlags(db, project.id, keys),
      readPresent(kernel, environment!, keys),
    ]);
    for (const read of some) {
      const { flagKey } = read;
      shown.push({
        project: { key: project.key, name: project.name },
        environment: {
          key: environment!.key,
          name: environment!.name,
          isCritical: environment!.critical,
        },
        ...showRead(read, flags.get(flagKey), present.get(flagKey)),
      });
    }
  }
  return shown;
}

/** As SDKs get them. */
async function readPresent(
  { services }: Kernel,
  environment: Environment,
  keys: readonly string[],
): Promise<Map<string, FlagData>> {
  const feed = await services.feeds.open(environment);
  return new Map(
    keys.flatMap((key) => {
      const flag = feed.compiled.flags.get(key);
      return flag === undefined ? [] : [[key, flag.data]];
    }),
  );
}

function showRead(
  { flagKey, variation, version, value, reason, reads, firstAt, lastAt }: RunFlagCount,
  flag: Flag | undefined,
  present: FlagData | undefined,
): Omit<ShownRead, 'project' | 'environment'> {
  const why = reason === null ? undefined : readReason(JSON.parse(reason));
  const name = flag?.variations[variation]?.name;
  return {
    key: flagKey,
    ...(flag && { name: flag.name }),
    ...(variation !== DEFAULT_IN_CODE && { variation, ...(name && { variationName: name }) }),
    ...(value !== null && { value: JSON.parse(value) as unknown }),
    ...(version !== UNKNOWN_TO_SDK && { version }),
    ...(why && { reason: why }),
    reads,
    firstAt,
    lastAt,
    ...(present && { now: showPresent(present, version) }),
    isArchived: flag?.archived ?? false,
  };
}

function showPresent(data: FlagData, readVersion: number): NonNullable<ShownRead['now']> {
  const served = servedToEverybody(data);
  return {
    isOn: data.on,
    version: data.version,
    ...(readVersion !== UNKNOWN_TO_SDK && { hasChanged: data.version !== readVersion }),
    isForEverybody: served !== undefined,
    ...(served !== undefined && served !== null && { value: data.variations[served] }),
  };
}

/** The index of the variation; null for none, and undefined where it depends on the context. */
function servedToEverybody(data: FlagData): number | null | undefined {
  const { on, offVariation, prerequisites, targets, contextTargets, rules, fallthrough } = data;
  if (!on) return offVariation;
  const isPlain = [prerequisites, targets, contextTargets, rules].every(({ length }) => length === 0);
  return isPlain ? fallthrough.variation : undefined;
}

/** SDKs send them, so that anything may stand in them. */
function readReason(reason: unknown): ShownRead['reason'] {
  if (!isObject(reason)) return undefined;
  const { ruleIndex, ruleId, prerequisiteKey, errorKind } = reason;
  const kind = REASON_KINDS.find((one) => one === reason['kind']);
  if (kind === undefined) return undefined;
  return {
    kind,
    ...(Number.isInteger(ruleIndex) && { ruleIndex: ruleIndex as number }),
    ...(typeof ruleId === 'string' && { ruleId }),
    ...(typeof prerequisiteKey === 'string' && { prerequisiteKey }),
    ...(typeof errorKind === 'string' && { errorKind }),
  };
}

export const runFlagRoutes = [listFlagsOfRun];
