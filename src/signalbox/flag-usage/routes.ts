// How often a flag was evaluated in an environment: per variation by day, and by which SDKs.
import { openEnvironment } from '../../flags/find-project.ts';
import { readFlag } from '../../flags/feature-flags/read-flag.ts';
import { route } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { readFlagEvaluations } from './store.ts';

const DAY = 24 * 60 * 60 * 1000;
const DEFAULT_DAYS = 30;
/** Evaluations are kept for this long. */
const MAX_DAYS = 60;

const FlagUsageReport = Type.Object(
  {
    since: Type.Integer({ description: 'The beginning of the first day, in epoch milliseconds' }),
    days: Type.Array(
      Type.Object({
        at: Type.Integer({ description: 'The beginning of the day in UTC' }),
        variation: Type.Optional(
          Type.Integer({ description: 'Its index; absent where the code got its own default' }),
        ),
        count: Type.Integer(),
      }),
      { description: 'Days and variations without an evaluation are absent' },
    ),
    sdks: Type.Array(
      Type.Object({
        name: Type.String(),
        version: Type.Optional(Type.String()),
        lastSeen: Type.Integer({
          description: 'The beginning of the hour; of the day, for what is older than two days',
        }),
        count: Type.Integer(),
      }),
      { description: 'At most 50, the last seen first' },
    ),
    isComplete: Type.Boolean({
      description: 'False where there was too much to add up: the oldest is left out',
    }),
  },
  { $id: 'FlagUsageReport' },
);

const getFlagUsage = route(
  {
    id: 'getFlagUsage',
    method: 'GET',
    path: '/projects/{projectKey}/flags/{featureFlagKey}/usage',
    summary: 'Get how often a flag was evaluated in an environment, by day',
    description: 'As SDKs report it, some seconds later. It is kept for 60 days.',
    access: { action: 'viewProject' },
    params: Type.Object({ projectKey: Type.String(), featureFlagKey: Type.String() }),
    query: Type.Object({
      environment: Type.String({ description: 'Its key' }),
      days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_DAYS, description: `${DEFAULT_DAYS} where it is absent` }),
      ),
    }),
    reply: { 200: FlagUsageReport },
  },
  async (call, { db }) => {
    const { projectKey, featureFlagKey } = call.params;
    const { environment: environmentKey, days = DEFAULT_DAYS } = call.query;
    const { project, environment } = await openEnvironment(call, db, projectKey, environmentKey);
    const { flag } = await readFlag(db, project, featureFlagKey, [environment.key]);
    const since = call.now - (call.now % DAY) - (days - 1) * DAY;
    const found = await readFlagEvaluations(db, { environmentId: environment.id, flagKey: flag.key, since });
    return {
      since,
      days: found.days.map(({ day, variation, count }) => ({
        at: day,
        ...(variation >= 0 && { variation }),
        count,
      })),
      sdks: found.sdks.map(({ sdk, lastHour, count }) => ({ ...nameOf(sdk), lastSeen: lastHour, count })),
      isComplete: !found.isCut,
    };
  },
);

/** `NodeJSClient/9.13.7`. */
function nameOf(sdk: string): { name: string; version?: string } {
  const slash = sdk.lastIndexOf('/');
  return slash <= 0 ? { name: sdk } : { name: sdk.slice(0, slash), version: sdk.slice(slash + 1) };
}

export const flagUsageRoutes = [getFlagUsage];
