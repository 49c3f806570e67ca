// The query of lists: from which item on, how many, and whether the newest come first.
import { clampLimit, describeLimit, type Slice } from '../kernel/http/reply/page.ts';
import { Type, type Static } from '../kernel/schema/schema.ts';

const MAX_LISTED = 1000;

export const LIST_QUERY = Type.Object({
  offset: Type.Integer({ minimum: 0, default: 0 }),
  limit: Type.Optional(Type.Integer({ minimum: 0, description: describeLimit(MAX_LISTED, MAX_LISTED) })),
  desc: Type.Boolean({ default: false }),
});

export function listSliceOf({ offset, limit }: Omit<Static<typeof LIST_QUERY>, 'desc'>): Slice {
  return { offset, limit: clampLimit(limit, MAX_LISTED, MAX_LISTED) };
}
