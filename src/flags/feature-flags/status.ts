// The status of a flag in an environment: new, active, launched or inactive, by its usage.
import { OneOf, Type } from '../../kernel/schema/schema.ts';
import type { Flag, FlagConfig } from './flag.ts';
import { servedBy } from './model.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

export interface FlagUsage {
  lastRequestedAt: number;
  /** The default value that SDKs last sent, as JSON. */
  lastDefault: string | null;
}

export type FlagStatusName = 'new' | 'active' | 'launched' | 'inactive';

export const STATUS_FIELDS = {
  name: OneOf(['new', 'active', 'launched', 'inactive']),
  lastRequested: Type.Optional(Type.String({ format: 'date-time' })),
  default: Type.Optional(Type.Unknown({ description: 'The default that the code asked with last' })),
};

/** What decides the status besides usage. `isUniform` needs the whole configuration, so it is read only where it matters. */
export interface StatusFacts {
  createdAt: number;
  on: boolean;
  modifiedAt: number;
  isUniform: boolean;
}

export function flagStatusOf(facts: StatusFacts, usage: FlagUsage | undefined, now: number): FlagStatusName {
  const isRecent = (at: number) => now - at < WEEK_MS;
  if (usage === undefined) return isRecent(facts.createdAt) ? 'new' : 'inactive';
  if (!isRecent(usage.lastRequestedAt)) return 'inactive';
  return couldBeLaunched(facts, now) && facts.isUniform ? 'launched' : 'active';
}

export function couldBeLaunched({ on, modifiedAt }: Omit<StatusFacts, 'isUniform'>, now: number): boolean {
  return on && now - modifiedAt >= WEEK_MS;
}

/** Whether everyone is served the same variation while the flag is on. */
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

export function statusFactsOf({ createdAt }: Flag, config: FlagConfig): StatusFacts {
  return { createdAt, on: config.on, modifiedAt: config.lastModified, isUniform: isUniform(config) };
}

export function showStatus(name: FlagStatusName, usage: FlagUsage | undefined) {
  if (usage === undefined) return { name };
  return {
    name,
    lastRequested: new Date(usage.lastRequestedAt).toISOString(),
    ...(usage.lastDefault !== null && { default: JSON.parse(usage.lastDefault) as unknown }),
  };
}
