// Headers that say which version answered, and warn where a newer one has changed the route.
import type { Headers } from '../../kernel/dialect.ts';
import type { Shape } from '../../kernel/route.ts';
import { supportEnds } from '../../kernel/version-support.ts';
import { changesAhead } from '../../kernel/version.ts';
import { versions } from './index.ts';

/** The warning stands only on routes that a newer version changes: on every reply it would be noise. */
export function versionHeaders(version: string, shape: Shape | undefined, publicUrl: string): Headers {
  const selected: Headers = {
    'x-host-api-version-selected': version,
    'x-github-api-version-selected': version,
  };
  const ends = supportEnds(versions.names, version);
  if (shape === undefined || ends === undefined) return selected;
  const [next] = changesAhead(shape, version, versions);
  const gone = shape.until !== undefined && shape.until > version ? shape.until : undefined;
  const successor = next?.version ?? gone;
  if (successor === undefined) return selected;
  return {
    ...selected,
    deprecation: new Date(`${successor}T00:00:00Z`).toUTCString(),
    sunset: new Date(ends).toUTCString(),
    link: `<${publicUrl}/docs/host#${successor}>; rel="deprecation"; type="text/html"`,
  };
}
