// Finds which operation of an API a recorded call was made to.
import type { Api } from '../src/kernel/http/protocol.ts';
import { restOf, withoutRest } from '../src/kernel/http/path-template.ts';
import { changesAhead, defaultVersion } from '../src/kernel/versions/version.ts';
import type { RecordedCall } from '../test/recorder.ts';

interface Pattern {
  id: string;
  method: string;
  path: RegExp;
}

const patterns = new WeakMap<Api, Pattern[]>();

export interface CalledOperation {
  id: string;
  /** The call was answered in the shape of an older version. */
  isOlder: boolean;
}

/** Undefined where it is none of this API. */
export function findOperation(api: Api, call: RecordedCall): CalledOperation | undefined {
  const { method, path } = call;
  let known = patterns.get(api);
  if (known === undefined) patterns.set(api, (known = patternsOf(api)));
  const [plain] = path.split('?') as [string];
  const found = known.find((one) => one.method === method && one.path.test(plain));
  if (found === undefined) return undefined;
  const version = versionOfCall(api, call);
  const { id } = found;
  if (version === undefined) return { id, isOlder: false };
  const { shape } = api.routes.find((route) => route.shape.id === id)!;
  return { id, isOlder: changesAhead(shape, version, api.protocol.versions).length > 0 };
}

/** Undefined for other words for a version that went well, such as `beta`: they mean the newest. */
export function versionOfCall(
  { protocol: { versions } }: Api,
  { headers }: Pick<RecordedCall, 'headers'>,
): string | undefined {
  const asked = (versions.headers ?? []).map((header) => headers[header.toLowerCase()]).find(Boolean);
  if (asked === undefined) return defaultVersion(versions);
  return versions.names.includes(asked) ? asked : undefined;
}

/** Those with fewer parameters first: `/a/b` is not `/a/{id}`. Those whose last parameter is a rest come at the end. */
function patternsOf({ protocol, routes }: Api): Pattern[] {
  const rank = (path: string) => path.split('{').length + (restOf(path) === undefined ? 0 : 100);
  return (
    routes
      .map(({ shape }) => shape)
      // The examples of an alias are those of its original.
      .filter(({ aliasOf }) => aliasOf === undefined)
      .toSorted((a, b) => rank(a.path) - rank(b.path))
      .map(({ id, method, path }) => {
        const inner = withoutRest(path)
          .replaceAll('.', '\\.')
          .replaceAll(/\{\w+\}/g, '[^/]+');
        const rest = restOf(path) === undefined ? '/?' : '(?:/.*)?';
        const prefix = `(?:${protocol.prefixes.join('|')})`;
        return { id, method, path: new RegExp(`^${prefix}${inner === '/' ? '' : inner}${rest}$`) };
      })
  );
}
