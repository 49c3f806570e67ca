// How callers of the host choose a version, and the headers that say which one answered and warn where a newer one differs.
import type { CallFacts, Dialect, Headers } from '../../kernel/dialect.ts';
import { Failure } from '../../kernel/failure.ts';
import type { RouteShape } from '../../kernel/route.ts';
import { selectVersion, supportedUntil } from '../../kernel/version-support.ts';
import { changesAhead, type VersionTable } from '../../kernel/version.ts';

/** The header of the specification, and the one that clients send. */
export const VERSION_HEADERS = ['X-Host-Api-Version', 'X-GitHub-Api-Version'] as const;

const [OURS, THEIRS] = VERSION_HEADERS.map((name) => name.toLowerCase()) as [string, string];

export function versioning(
  versions: VersionTable,
): Pick<Dialect, 'versions' | 'versionOf' | 'versionHeaders'> {
  return {
    versions,
    versionOf: (facts) => selectVersion(versions, askedVersion(facts)),
    versionHeaders: (version, shape, publicUrl) => ({
      'x-host-api-version-selected': version,
      'x-github-api-version-selected': version,
      ...(shape !== undefined && warnings(version, shape, publicUrl, versions)),
    }),
  };
}

function askedVersion({ headers }: CallFacts): string | undefined {
  const [ours, theirs] = [headers[OURS] || undefined, headers[THEIRS] || undefined] as (string | undefined)[];
  if (ours !== undefined && theirs !== undefined && ours !== theirs) {
    throw new Failure(
      'malformed',
      `Two different API versions were asked for: ${ours} and ${theirs}. Send one.`,
    );
  }
  return ours ?? theirs;
}

/** Only on routes that a newer version changes, an announced one included: on every reply they would be noise. */
function warnings(version: string, shape: RouteShape, publicUrl: string, versions: VersionTable): Headers {
  const marks = changesAhead(shape, version, versions).map((change) => change.version);
  if (shape.until !== undefined && shape.until > version) marks.push(shape.until);
  const [next] = marks.toSorted();
  const floor = supportedUntil(versions, version);
  if (next === undefined || floor === undefined) return {};
  return {
    deprecation: new Date(`${next}T00:00:00Z`).toUTCString(),
    sunset: new Date(floor).toUTCString(),
    link: `<${publicUrl}/docs/host#${next}>; rel="deprecation"; type="text/html"`,
  };
}
