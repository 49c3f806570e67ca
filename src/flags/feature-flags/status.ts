// Whether a flag is in use in an environment: new, active, launched or inactive.
import { OneOf, Type } from '../../kernel/schema.ts';
import type { Flag, FlagConfig } from './flag.ts';
import { servedBy } from './model.ts';

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
