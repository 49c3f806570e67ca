// Link objects, and the collection that holds a page of items.
import type { RequestContext } from '../kernel/http/request-context.ts';
import { ownLink, placingLinks, publicPathOf } from '../kernel/http/public-path.ts';
import { neighbours, Page, withQuery } from '../kernel/http/reply/page.ts';
import { JsonText } from '../kernel/http/route.ts';
import { joinTexts } from '../kernel/json/join-texts.ts';
import { Type, type TSchema } from '../kernel/schema/schema.ts';

export const Link = Type.Object({ href: Type.String(), type: Type.String() }, { $id: 'Link' });
export const Links = Type.Record(Type.String(), Link);

const ROOT = '/api/v2';

/** `path` is below the API's root. */
export function linkTo(path: string, type = 'application/json') {
  return ownLink(ROOT + path, type);
}

/** A link to the page of the web console that shows the same resource. */
export function siteTo(path: string) {
  return ownLink(path, 'text/html');
}

/**
 * `first` and `last` are always present; `next` and `prev` only if that page exists, because importers follow `next`
 * until it is absent.
 */
export function toCollection(page: Page, { url }: Pick<RequestContext, 'url'>) {
  const at = (offset: number) =>
    ownLink(
      withQuery(url, { limit: page.slice.limit, offset: offset === 0 ? undefined : offset }),
      'application/json',
    );
  const links = Object.entries(neighbours(page)).map(([rel, offset]) => [rel, at(offset)]);
  const self = at(page.slice.offset);
  return { items: page.items, totalCount: page.total, _links: { self, ...Object.fromEntries(links) } };
}

const LIST = '{"items":[';

/** The same with items that are JSON already, as many as large projects have flags. The items belong to it. */
export function toCollectionJson(page: Page<string>, call: Pick<RequestContext, 'url'>, publicUrl: string) {
  const { items, total, slice } = page;
  const rest = toCollection(new Page([], total, slice), call);
  // An empty list stands first in it.
  const json = JSON.stringify(rest, placingLinks(publicPathOf(publicUrl)));
  return new JsonText(joinTexts(LIST, items, json.slice(LIST.length)));
}

export function Collection(item: TSchema) {
  return Type.Object({ items: Type.Array(item), totalCount: Type.Integer(), _links: Links });
}
