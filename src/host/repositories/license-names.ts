// The licences of the SPDX list by their identifiers.
import { createRequire } from 'node:module';

/** Of a text that is none of the list. */
export const OTHER_LICENSE_ID = 'NOASSERTION';

/** Loaded when the first licence is shown: most starts need none. */
let names: Record<string, { name: string }> | undefined;

export function licenseNames(): Readonly<Record<string, { name: string }>> {
  names ??= createRequire(import.meta.url)('spdx-license-list/spdx.json') as Record<string, { name: string }>;
  return names;
}
