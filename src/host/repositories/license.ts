// Licences by their SPDX identifiers.
import { Nullable, Type, type Static } from '../../kernel/schema/schema.ts';
import { nodeId } from '../node-id.ts';
import { licenseNames, OTHER_LICENSE_ID } from './license-names.ts';

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
