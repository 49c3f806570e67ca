// The flag service's versions: numbered by date, chosen by a header; there is one so far, and `beta` means the same.
import { Failure } from '../kernel/failure.ts';
import type { Call } from '../kernel/route.ts';
import type { VersionTable } from '../kernel/version.ts';

export const CURRENT_VERSION = 20_240_415;

export const versions: VersionTable = {
  names: [String(CURRENT_VERSION)],
  changes: [],
  headers: ['LD-API-Version'],
};

export function readVersion(asked: string | string[] | undefined): string {
  if (asked === undefined || asked === '' || asked === 'beta' || asked === String(CURRENT_VERSION)) {
    return String(CURRENT_VERSION);
  }
  throw new Failure(
    'malformed',
    `API version ${String(asked)} is not supported. Supported: ${CURRENT_VERSION}, beta.`,
  );
}

/** For routes that are open only to who asks for them so. */
export function demandBeta({ headers }: Pick<Call, 'headers'>): void {
  if (headers['ld-api-version'] === 'beta') return;
  throw new Failure('forbidden', 'This is a beta resource: send the header LD-API-Version: beta.');
}
