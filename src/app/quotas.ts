// How many calls each category of the rate limit allows, and how many streams.
import type { Config } from './config.ts';
import type { StreamLimits } from '../flags/delivery/sdk-streams.ts';
import type { Api } from '../kernel/http/protocol.ts';
import { Failure } from '../kernel/failure.ts';
import { LOGIN_QUOTA, LOGIN_CATEGORY } from '../kernel/http/pages/login.ts';
import type { Quota } from '../kernel/limits/window.ts';
import type { SecondaryQuotas } from '../kernel/limits/secondary-limits.ts';
import { DOCS_CATEGORY } from '../kernel/http/pages/session-pages.ts';
import { DOCS_QUOTA } from '../kernel/openapi/serve-docs.ts';

/** The defaults of each API and of the login, overridden by the settings; an unknown name is an error. */
export function quotasOf(apis: readonly Api[], limit: Config['limit']): Record<string, Quota> {
  const usual = apis.flatMap(({ protocol }) =>
    Object.entries(protocol.limits.quotas).map(
      ([category, quota]) => [`${protocol.name}.${category}`, quota] as const,
    ),
  );
  const all: Record<string, Quota> = {
    ...Object.fromEntries(usual),
    [LOGIN_CATEGORY]: LOGIN_QUOTA,
    [DOCS_CATEGORY]: DOCS_QUOTA,
  };
  for (const name of Object.keys(limit)) {
    if (all[name] === undefined) {
      throw new Failure('invalid', `There is no quota "${name}". There are: ${Object.keys(all).join(', ')}.`);
    }
  }
  return { ...all, ...limit };
}

export function secondaryQuotasOf(config: Config): SecondaryQuotas {
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
