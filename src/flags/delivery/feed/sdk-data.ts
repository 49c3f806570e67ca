// Converts stored flags and segments to the format that SDKs evaluate.
import type { ClauseData, FlagData, RuleData, SegmentData, ServeData } from '../../evaluation/data.ts';
import type { Clause, Flag, FlagConfig, Rule, Serve } from '../../feature-flags/flag.ts';
import type { Segment } from '../../segments/segment.ts';

/**
 * The version is that of the whole flag. It rises with every change of the flag in any environment, and continues above
 * the old value when a deleted flag is created again, because SDKs ignore older versions.
 */
export function toFlagData(flag: Omit<Flag, 'environments'>, config: FlagConfig): FlagData {
  const { key, version, variations, clientSideAvailability, purpose } = flag;
  const { on, prerequisites, targets, contextTargets, salt, trackEvents, trackEventsFallthrough } = config;
  return {
    key,
    version,
    on,
    prerequisites,
    targets,
    contextTargets,
    rules: config.rules.filter(({ disabled }) => disabled !== true).map(toRuleData),
    fallthrough: toServeData(config.fallthrough),
    offVariation: config.offVariation ?? null,
    variations: variations.map(({ value }) => value),
    clientSide: clientSideAvailability.usingEnvironmentId,
    clientSideAvailability,
    salt,
    trackEvents,
    trackEventsFallthrough,
    debugEventsUntilDate: null,
    ...(purpose === 'migration' && { migration: config.migrationSettings ?? {} }),
    deleted: false,
  };
}

export function toSegmentData(segment: Segment): SegmentData {
  const { key, version, salt, unbounded, unboundedContextKind, generation } = segment;
  const { included, excluded, includedContexts, excludedContexts } = segment;
  return {
    key,
    version,
    included,
    excluded,
    includedContexts,
    excludedContexts,
    salt,
    rules: segment.rules.map(({ _id, clauses, weight, bucketBy, rolloutContextKind }) => ({
      id: _id,
      clauses: clauses.map(toClauseData),
      ...(weight !== undefined && { weight }),
      ...(bucketBy !== undefined && { bucketBy }),
      ...(rolloutContextKind !== undefined && { rolloutContextKind }),
    })),
    unbounded,
    ...(unbounded && { unboundedContextKind: unboundedContextKind ?? 'user', generation }),
    deleted: false,
  };
}

function toRuleData({ _id, clauses, trackEvents, ...serve }: Rule): RuleData {
  return { id: _id, clauses: clauses.map(toClauseData), ...toServeData(serve), trackEvents };
}

function toClauseData({ attribute, op, values, negate, contextKind }: Clause): ClauseData {
  return { attribute, op, values, negate, ...(contextKind !== undefined && { contextKind }) };
}

function toServeData({ variation, rollout }: Serve): ServeData {
  if (rollout === undefined) return variation === undefined ? {} : { variation };
  const { variations, bucketBy, contextKind, seed } = rollout;
  return {
    rollout: {
      kind: 'rollout',
      variations: variations.map(({ _untracked, ...weighted }) => ({
        ...weighted,
        ...(_untracked === true && { untracked: true }),
      })),
      ...(bucketBy !== undefined && { bucketBy }),
      ...(contextKind !== undefined && { contextKind }),
      ...(seed !== undefined && { seed }),
    },
  };
}
