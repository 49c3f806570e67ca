// Lists of the Signalbox API: pages without a total, and the cursor of the next one.
import { Page } from '../kernel/http/reply/page.ts';
import { Type, type TSchema } from '../kernel/schema/schema.ts';

export const CursorPage = (item: TSchema) =>
  Type.Object({
    items: Type.Array(item),
    next: Type.Optional(
      Type.String({ description: 'The cursor of the next page; absent where there is none' }),
    ),
  });

/** Without `next`, it is the last page. */
export function cursorPage<Item>(items: Item[], next?: string): Page<Item> {
  return new Page(items, items.length, { offset: 0, limit: items.length }, false, {
    ...(next !== undefined && { next }),
  });
}

export function renderCursorPage({ items, more }: Page): Record<string, unknown> {
  return { items, ...more };
}
