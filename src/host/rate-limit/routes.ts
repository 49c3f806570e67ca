// GET /rate_limit: the remaining calls of every category; the call itself is not counted.
import { Failure } from '../../kernel/failure.ts';
import { route } from '../../kernel/http/route.ts';
import { RateLimitStatus, toRateLimitCounter } from './model.ts';

const getRateLimit = route(
  {
    id: 'rate-limit/get',
    method: 'GET',
    path: '/rate_limit',
    summary: 'Get the rate-limit status of the caller',
    description:
      'It counts against no limit, and no secondary limit refuses it. Only calls with a credential that is not valid count, ' +
      'for their address.',
    access: 'anyone',
    reply: { 200: RateLimitStatus },
    charge: 'never',
    cache: 'never',
  },
  ({ caller, now }, { limits }) => {
    if (!limits.enabled)
      throw new Failure('not-found', 'Rate limiting is not enabled.', { code: 'limits-off' });
    const read = (category: string) => toRateLimitCounter(limits.peek(category, caller, now));
    return {
      resources: {
        core: read('host.core'),
        search: read('host.search'),
        graphql: read('host.graphql'),
        integration_manifest: read('host.integration_manifest'),
        code_scanning_upload: read('host.code_scanning_upload'),
      },
    };
  },
);

export const rateLimitRoutes = [getRateLimit];
