// Row 1 of the catalogue: the rate-limit status no longer repeats the core budget as `rate`.
import { change } from '../../../kernel/versions/version.ts';
import { Type } from '../../../kernel/schema/schema.ts';
import { RateLimitCounter, RateLimitStatus } from '../../rate-limit/model.ts';

export const rateRemoved = change({
  version: '2026-03-10',
  title: 'Property `rate` removed from the rate-limit status; read `resources.core` instead',
  advice: 'Read `resources.core`, which has the same four values in every version.',
  schema: RateLimitStatus,
  before: Type.Object(
    { ...RateLimitStatus.properties, rate: RateLimitCounter },
    { $id: 'rate-limit-overview' },
  ),
  down: (status) => ({ ...status, rate: status.resources.core }),
});
