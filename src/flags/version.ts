// The flag service's versions: numbered by date, chosen by a header. All are answered alike, and `beta` means the same.
import { Failure } from '../kernel/failure.ts';
import type { Call } from '../kernel/route.ts';
import type { VersionTable } from '../kernel/version.ts';

export const CURRENT_VERSION = 20_240_415;

/** Clients and tokens name the version they were made for. What differs between them, lists here have by parameters. */
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

/** For routes that are open only to who asks for them so. */
export function demandBeta({ headers }: Pick<Call, 'headers'>): void {
  if (headers['ld-api-version'] === 'beta') return;
  throw new Failure('forbidden', 'This is a beta resource: send the header LD-API-Version: beta.');
}
