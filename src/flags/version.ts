// The API versions of the flag service: dates, chosen by a header, or by the token where there is none.
import { Failure } from '../kernel/failure.ts';
import type { Caller } from '../kernel/identity/caller.ts';
import type { Call } from '../kernel/http/route.ts';
import type { VersionTable } from '../kernel/versions/version.ts';

export const CURRENT_VERSION = 20_240_415;

/** They differ in what lists show where the query does not say it: see `isPaged`. `beta` is the current one. */
export const VALID_VERSIONS: readonly number[] = [20_220_603, CURRENT_VERSION];

/** Their replies had other shapes, which no client of today knows. */
const ENDED_VERSIONS: readonly number[] = [20_160_426, 20_191_212, 20_210_729];

const NAMES = new Set([...VALID_VERSIONS.map(String), 'beta', '']);

/** The shapes of requests and replies are the same in all versions, so that for the kernel there is one. */
export const versions: VersionTable = {
  names: [String(CURRENT_VERSION)],
  changes: [],
  headers: ['LD-API-Version'],
};

export function readVersion(asked: string | string[] | undefined): string {
  if (NAMES.has(String(asked ?? ''))) return String(CURRENT_VERSION);
  const fate = ENDED_VERSIONS.map(String).includes(String(asked)) ? 'has ended' : 'is not supported';
  throw new Failure(
    'malformed',
    `API version ${String(asked)} ${fate}. Supported: ${VALID_VERSIONS.join(', ')}, beta.`,
  );
}

type VersionedCall = Pick<Call, 'headers'> & { caller: Caller | undefined };

/** The version that answers the call. */
export function versionOf({ headers, caller }: VersionedCall): number {
  const asked = Number(headers['ld-api-version']);
  const named =
    headers['ld-api-version'] || caller === undefined || caller.kind === 'anonymous'
      ? asked
      : caller.token?.defaultApiVersion;
  return VALID_VERSIONS.find((version) => version === named) ?? CURRENT_VERSION;
}

/** Since 20240415, lists come in pages, and flags in them have only the environments that the query names. */
export function isPaged(call: VersionedCall): boolean {
  return versionOf(call) >= 20_240_415;
}

/** For beta routes, which need the header. */
export function requireBeta({ headers }: Pick<Call, 'headers'>): void {
  if (headers['ld-api-version'] === 'beta') return;
  throw new Failure('forbidden', 'This is a beta resource: send the header LD-API-Version: beta.');
}
