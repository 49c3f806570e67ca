// The licences of the SPDX list by their identifiers.
import { createRequire } from 'node:module';

/** Of a text that is none of the list. */
export const OTHER_LICENSE_ID = 'NOASSERTION';

interface ListedLicense {
  name: string;
  /** Where it is published. */
  url?: string;
}

/** Loaded when the first licence is shown: most starts need none. */
let names: Record<string, ListedLicense> | undefined;

export function licenseNames(): Readonly<Record<string, ListedLicense>> {
  names ??= createRequire(import.meta.url)('spdx-license-list/spdx.json') as Record<string, ListedLicense>;
  return names;
}

/** In whatever case: clients send `mit` and `MIT`. */
export function findLicenseId(key: string): string | undefined {
  const wanted = key.toLowerCase();
  return Object.keys(licenseNames()).find((id) => id.toLowerCase() === wanted);
}
