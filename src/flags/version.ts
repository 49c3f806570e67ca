// The API versions of the flag service: dates, chosen by a header. All of them, and `beta`, get the same responses.
import { Failure } from '../kernel/failure.ts';
import type { Call } from '../kernel/route.ts';
import type { VersionTable } from '../kernel/version.ts';

export const CURRENT_VERSION = 20_240_415;

/**
 * Clients and tokens name the version they were written for. Lists cover the differences between versions by query
 * parameters.
 */
export const VALID_VERSIONS: readonly number[] = [
  20_160_426,
  20_191_212,
  20_210_729,
  20_220_603,
  CURRENT_VERSION,
];

const NAMES = new Set([...VALID_VERSIONS.map(String), 'beta', '']);

export const versions: VersionTable = {
  names: [String(CURRENT_VERSION)],
  changes: [],
  headers: ['LD-API-Version'],
};

export function readVersion(asked: string | string[] | undefined): string {
  if (NAMES.has(String(asked ?? ''))) return String(CURRENT_VERSION);
  throw new Failure(
    'malformed',
    `API version ${String(asked)} is not supported. Supported: ${VALID_VERSIONS.join(', ')}, beta.`,
  );
}

/** For beta routes, which need the header. */
export function demandBeta({ headers }: Pick<Call, 'headers'>): void {
  if (headers['ld-api-version'] === 'beta') return;
  throw new Failure('forbidden', 'This is a beta resource: send the header LD-API-Version: beta.');
}
