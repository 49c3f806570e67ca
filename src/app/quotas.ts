// How many calls each category of the rate limit allows, and how many streams.
import type { Config } from './config.ts';
import type { StreamLimits } from '../flags/delivery/sdk-streams.ts';
import type { Api } from '../kernel/http/protocol.ts';
import { Failure } from '../kernel/failure.ts';
import { LOGIN_ALLOWANCE, LOGIN_CATEGORY } from '../kernel/identity/sessions/login.ts';
import type { Allowance } from '../kernel/limits/window.ts';
import type { SecondaryAllowances } from '../kernel/limits/secondary-limits.ts';
import { DOCS_ALLOWANCE, DOCS_CATEGORY } from '../kernel/openapi/serve-docs.ts';

/** The defaults of each API and of the login, overridden by the settings; an unknown name is an error. */
export function allowancesOf(apis: readonly Api[], limit: Config['limit']): Record<string, Allowance> {
  const usual = apis.flatMap(({ dialect }) =>
    Object.entries(dialect.limits.allowances).map(
      ([category, allowance]) => [`${dialect.name}.${category}`, allowance] as const,
    ),
  );
  const all: Record<string, Allowance> = {
    ...Object.fromEntries(usual),
    [LOGIN_CATEGORY]: LOGIN_ALLOWANCE,
    [DOCS_CATEGORY]: DOCS_ALLOWANCE,
  };
  for (const name of Object.keys(limit)) {
    if (all[name] === undefined) {
      throw new Failure(
        'invalid',
        `There is no allowance "${name}". There are: ${Object.keys(all).join(', ')}.`,
      );
    }
  }
  return { ...all, ...limit };
}

export function secondaryAllowancesOf(config: Config): SecondaryAllowances {
  return {
    concurrent: config.secondaryLimitConcurrent,
    pointsPerMinute: { rest: config.secondaryLimitPoints, graphql: config.secondaryLimitGraphql },
    contentPerMinute: config.secondaryLimitContentMinute,
    contentPerHour: config.secondaryLimitContentHour,
  };
}

export function streamLimitsOf(config: Config): StreamLimits {
  return {
    perAddress: config.streamsPerAddress,
    perEnvironment: config.streamsPerEnvironment,
    perNode: config.streamsPerNode,
    heartbeatSeconds: config.streamHeartbeat,
  };
}
