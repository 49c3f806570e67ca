// Licences by their SPDX identifiers.
import { createRequire } from 'node:module';
import { Nullable, Type, type Static } from '../../kernel/schema.ts';
import { nodeId } from '../node-id.ts';
import { OTHER_LICENSE_ID } from './recognize-license.ts';

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

/** Loaded when the first licence is shown: most starts need none. */
let names: Record<string, { name: string }> | undefined;

export function licenseOf(spdxId: string | null, base: string): Static<typeof LicenseSimple> | null {
  if (spdxId === null) return null;
  if (spdxId === OTHER_LICENSE_ID) return OTHER_LICENSE;
  names ??= createRequire(import.meta.url)('spdx-license-list/spdx.json') as Record<string, { name: string }>;
  const key = spdxId.toLowerCase();
  return {
    key,
    name: names[spdxId]?.name ?? spdxId,
    spdx_id: spdxId,
    url: `${base}/licenses/${key}`,
    node_id: nodeId('License', key),
  };
}
