// The resources of an API, as its reference has pages: one for each heading, with the operations below it.
import type { Api } from '../../http/protocol.ts';
import type { RouteShape } from '../../http/route.ts';
import { existsIn } from '../../versions/version.ts';

export interface DocsResource {
  /** In addresses: `branch-protection`. */
  slug: string;
  name: string;
  description: string;
  /** Without aliases. */
  shapes: RouteShape[];
}

const OTHER = 'Other';

const known = new WeakMap<Api, DocsResource[]>();

/** In the order of their names. */
export function resourcesOf(api: Api): DocsResource[] {
  const found = known.get(api);
  if (found !== undefined) return found;
  const resources = new Map<string, DocsResource>();
  for (const { shape } of api.routes) {
    if (shape.aliasOf !== undefined) continue;
    const tag = api.tags?.get(shape.id);
    const name = tag?.name ?? OTHER;
    const resource = resources.get(name) ?? {
      slug: slugOf(name),
      name: titleOf(name),
      description: tag?.description ?? '',
      shapes: [],
    };
    resource.shapes.push(shape);
    resources.set(name, resource);
  }
  const sorted = [...resources.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  known.set(api, sorted);
  return sorted;
}

/** Some names are those of clients: `code-scanning`, `graphql`. */
function titleOf(name: string): string {
  if (name === 'graphql') return 'GraphQL';
  const words = name === name.toLowerCase() ? name.replaceAll('-', ' ') : name;
  return words[0]!.toUpperCase() + words.slice(1);
}

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** Operation ids may have slashes, which anchors keep. */
export function resourcePath(api: string, slug: string): string {
  return `/docs/${api}/${slug}`;
}

/** Where an operation is described; undefined for one that is not. */
export function operationPath(api: Api, id: string): string | undefined {
  const resource = resourcesOf(api).find(({ shapes }) => shapes.some((shape) => shape.id === id));
  return resource && `${resourcePath(api.protocol.name, resource.slug)}#${encodeURIComponent(id)}`;
}

export function shapesIn({ shapes }: DocsResource, version: string): RouteShape[] {
  return shapes.filter((shape) => existsIn(shape, version));
}
