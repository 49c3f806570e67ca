// The query parameters of the host's lists: `page` and `per_page`.
import { clampLimit, type Slice } from '../kernel/page.ts';
import { Type } from '../kernel/schema.ts';

/** Offsets beyond it would not be exact. */
const MAX_PAGE = 1_000_000_000;

/** Parameters of every list that has pages. */
export const HostPageQuery = {
  page: Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 1 }),
  per_page: Type.Optional(Type.Integer({ minimum: 0, description: 'At most 100; 30 when not given' })),
};

export function pageSliceOf({ page, per_page: perPage }: { page: number; per_page?: number }): Slice {
  const limit = perPageOf(perPage);
  return { offset: (page - 1) * limit, limit };
}

export function perPageOf(perPage: number | undefined): number {
  return clampLimit(perPage, 30, 100);
}
