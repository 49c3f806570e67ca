// The calls that read something in APIs with versions, and what newer versions change about each.
import { describedPath, parametersOf } from '../../kernel/http/path-template.ts';
import type { Api } from '../../kernel/http/protocol.ts';
import { route, type Route, type RouteShape } from '../../kernel/http/route.ts';
import { PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { changeAnchor, versionPath } from '../../kernel/versions/version-effects.ts';
import { changesAhead } from '../../kernel/versions/version.ts';
import { cursorPage } from '../cursor-page.ts';

const VersionedCall = Type.Object(
  {
    api: Type.String(),
    operation: Type.String(),
    summary: Type.String(),
    path: Type.String({ description: 'With its parameters in braces' }),
    parameters: Type.Array(Type.String(), { description: 'Names in the path' }),
    until: Type.Optional(Type.String({ description: 'The version that removes it' })),
    changes: Type.Array(
      Type.Object({
        version: Type.String(),
        title: Type.String(),
        advice: Type.String(),
        page: Type.String({ description: 'Where it is described, below the address of the server' }),
      }),
      { description: 'By versions after the oldest' },
    ),
  },
  { $id: 'VersionedCall' },
);

/** The APIs may not be there yet. */
export function versionedCallRoutes(apis: () => readonly Api[]): Route[] {
  const listVersionedCalls = route(
    {
      id: 'listVersionedCalls',
      method: 'GET',
      path: '/versioned-calls',
      summary: 'List the calls that read something in APIs with versions',
      description: 'Those that a newer version changes come first.',
      access: 'caller',
      query: Type.Object({
        q: Type.Optional(PlainText({ maxLength: 200, description: 'Part of the operation, or of the path' })),
      }),
      list: VersionedCall,
    },
    ({ query: { q = '' } }) =>
      cursorPage(
        listCalls(apis()).filter(({ operation, path }) => operation.includes(q) || path.includes(q)),
      ),
  );
  return [listVersionedCalls];
}

function listCalls(apis: readonly Api[]): Static<typeof VersionedCall>[] {
  return apis
    .filter(({ protocol: { versions } }) => versions.headers !== undefined && versions.names.length > 1)
    .flatMap((api) =>
      api.routes
        .map(({ shape }) => shape)
        .filter(({ method, aliasOf }) => method === 'GET' && aliasOf === undefined)
        .map((shape) => toCall(api, shape)),
    )
    .toSorted(
      (one, other) =>
        Math.sign(other.changes.length) - Math.sign(one.changes.length) ||
        (one.operation < other.operation ? -1 : 1),
    );
}

function toCall({ protocol }: Api, shape: RouteShape): Static<typeof VersionedCall> {
  const { name, versions } = protocol;
  // The same change of several resources is one for readers.
  const changes = new Map(
    changesAhead(shape, versions.names[0]!, versions).map((change) => [
      `${change.version} ${change.title}`,
      change,
    ]),
  );
  return {
    api: name,
    operation: shape.id,
    summary: shape.summary,
    path: describedPath(shape.path),
    parameters: parametersOf(shape.path),
    ...(shape.until !== undefined && { until: shape.until }),
    changes: [...changes.values()].map(({ version, title, advice }) => ({
      version,
      title,
      advice,
      page: `${versionPath(name, version)}#${changeAnchor(title)}`,
    })),
  };
}
