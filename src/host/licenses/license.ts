// Licences by their SPDX identifiers.
import { createRequire } from 'node:module';
import { Nullable, Type, type Static } from '../../kernel/schema/schema.ts';
import { nodeId } from '../node-id.ts';

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

export const LicenseSimple = Type.Object(
  {
    key: Type.String(),
    name: Type.String(),
    spdx_id: Nullable(Type.String()),
    url: Nullable(Type.String()),
    node_id: Type.String(),
  },
  { $id: 'license-simple' },
);

/** Of a file whose text is not known. */
const OTHER_LICENSE = {
  key: 'other',
  name: 'Other',
  spdx_id: OTHER_LICENSE_ID,
  url: null,
  node_id: nodeId('License', 'other'),
};

export function licenseOf(spdxId: string | null, base: string): Static<typeof LicenseSimple> | null {
  if (spdxId === null) return null;
  if (spdxId === OTHER_LICENSE_ID) return OTHER_LICENSE;
  const key = spdxId.toLowerCase();
  return {
    key,
    name: licenseNames()[spdxId]?.name ?? spdxId,
    spdx_id: spdxId,
    url: `${base}/licenses/${key}`,
    node_id: nodeId('License', key),
  };
}
