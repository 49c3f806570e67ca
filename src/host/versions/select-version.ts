// Selects the API version of a call by its header, and reports it with the deprecation of old versions. ADR 0128.
import type { ApiProtocol, Headers } from '../../kernel/http/protocol.ts';
import type { RequestContext } from '../../kernel/http/request-context.ts';
import { Failure } from '../../kernel/failure.ts';
import type { RouteShape } from '../../kernel/http/route.ts';
import { changeAnchor, REMOVED_ANCHOR, versionPath } from '../../kernel/versions/version-effects.ts';
import {
  selectVersion,
  shownVersion,
  supportedUntil,
  changesAhead,
  type VersionTable,
} from '../../kernel/versions/version.ts';
import { asksForBeta } from '../media-type.ts';

/** The header of the specification, and the one that clients send. */
export const VERSION_HEADERS = ['X-Host-Api-Version', 'X-GitHub-Api-Version'] as const;

/** The media type `application/vnd.<vendor>.beta+json` asks for the oldest shapes of some resources, until this version. */
export const BETA = 'beta';
const BETA_ENDED = '2026-03-10';

const [OURS, THEIRS] = VERSION_HEADERS.map((name) => name.toLowerCase()) as [string, string];

export function versionSelection(
  versions: VersionTable,
): Pick<
  ApiProtocol,
  'versions' | 'versionOf' | 'variantOf' | 'askForVersion' | 'versionHeaders' | 'namedVersionHeaders'
> {
  const endings = new WeakMap<RouteShape, Map<string, Headers | undefined>>();
  return {
    versions,
    versionOf: (facts) => selectVersion(versions, isVersioned(facts.shape) ? askedVersion(facts) : undefined),
    variantOf: ({ version, headers }) =>
      version < BETA_ENDED && asksForBeta(headers.accept) ? BETA : undefined,
    askForVersion: (version) => ({ [OURS]: version }),
    versionHeaders: (version, shape, publicUrl, variant) => ({
      'x-host-api-version-selected': version,
      'x-github-api-version-selected': version,
      ...(shape !== undefined && noticeHeaders({ version, variant }, shape, publicUrl, versions)),
    }),
    namedVersionHeaders({ shape, version, variant, headers, isVersionRefused }) {
      if (shape === undefined || isVersionRefused || !isVersioned(shape)) return undefined;
      if (!headers[OURS] && !headers[THEIRS]) return undefined;
      let ofShape = endings.get(shape);
      if (ofShape === undefined) endings.set(shape, (ofShape = new Map()));
      const key = `${version} ${variant ?? ''}`;
      if (!ofShape.has(key)) {
        const next = nextChange({ version, variant }, shape, versions);
        ofShape.set(key, next && endHeaders(version, next.version, versions));
      }
      return ofShape.get(key);
    },
  };
}

/** GraphQL and the protocol of git have no versions: a header that clients send with every call must not break them. */
function isVersioned(shape: RouteShape | undefined): boolean {
  return shape?.limit !== 'graphql' && shape?.limit !== 'git';
}

function askedVersion({ headers }: RequestContext): string | undefined {
  const [ours, theirs] = [headers[OURS] || undefined, headers[THEIRS] || undefined] as (string | undefined)[];
  if (ours !== undefined && theirs !== undefined && ours !== theirs) {
    throw new Failure(
      'malformed',
      `Two different API versions were asked for: ${shownVersion(ours)} and ${shownVersion(theirs)}. Send one.`,
    );
  }
  return ours ?? theirs;
}

interface SelectedVersion {
  version: string;
  variant: string | undefined;
}

/** The first change of the route by a newer or announced version. */
function nextChange(
  { version, variant }: SelectedVersion,
  shape: RouteShape,
  versions: VersionTable,
): { version: string; anchor: string } | undefined {
  const places = changesAhead(shape, version, versions, variant).map((change) => ({
    version: change.version,
    anchor: changeAnchor(change.title),
  }));
  if (shape.until !== undefined && shape.until > version)
    places.push({ version: shape.until, anchor: REMOVED_ANCHOR });
  return places.toSorted((a, b) => (a.version < b.version ? -1 : a.version > b.version ? 1 : 0))[0];
}

/**
 * Only on routes that a newer or announced version changes: on every reply the headers would be noise. Clients read
 * `Deprecation` and `Sunset` as the end of the whole operation. That is so where it is removed, and for calls that name the
 * version, since it ends; others get the next version by themselves, and only what `Link` leads to changes for them.
 */
function noticeHeaders(
  selected: SelectedVersion,
  shape: RouteShape,
  publicUrl: string,
  versions: VersionTable,
): Headers {
  const next = nextChange(selected, shape, versions);
  const ends = next && endHeaders(selected.version, next.version, versions);
  if (next === undefined || ends === undefined) return {};
  const page = `${publicUrl}${versionPath('host', next.version)}#${next.anchor}`;
  const isRemoved = shape.until !== undefined && shape.until > selected.version;
  return { ...(isRemoved && ends), link: `<${page}>; rel="deprecation"; type="text/html"` };
}

/** Undefined as long as the version has no end. */
function endHeaders(version: string, next: string, versions: VersionTable): Headers | undefined {
  const sunsetAt = supportedUntil(versions, version);
  if (sunsetAt === undefined) return undefined;
  return {
    deprecation: new Date(`${next}T00:00:00Z`).toUTCString(),
    sunset: new Date(sunsetAt).toUTCString(),
  };
}
