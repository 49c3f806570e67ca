// Row 12 of the catalogue: organizations no longer say in a field of its own whether push protection shows their link.
import { Type } from '../../../kernel/schema/schema.ts';
import { change, type VersionChange } from '../../../kernel/versions/version.ts';
import {
  OrganizationFull,
  OrganizationPatch,
  PUSH_PROTECTION_LINK_ENABLED,
  type WithPushProtectionLink,
} from '../../organizations/replies.ts';

const FIELD = 'secret_scanning_push_protection_custom_link_enabled';
const version = '2026-03-10';
const title = `Field \`${FIELD}\` removed from organizations`;
const advice =
  'Read and send `secret_scanning_push_protection_custom_link` alone: push protection shows a link where there is one.';
const Old = { [FIELD]: Type.Optional(Type.Boolean()) };

export const customLinkEnabledRemoved: readonly VersionChange[] = [
  change({
    version,
    title,
    advice,
    schema: OrganizationFull,
    before: Type.Object({ ...OrganizationFull.properties, ...Old }, { $id: 'organization-full' }),
    down(organization) {
      const isEnabled = (organization as WithPushProtectionLink)[PUSH_PROTECTION_LINK_ENABLED];
      return isEnabled === undefined ? organization : { ...organization, [FIELD]: isEnabled };
    },
  }),
  change({
    version,
    title,
    advice,
    schema: OrganizationPatch,
    before: Type.Object({ ...OrganizationPatch.properties, ...Old }, { $id: 'organization-update' }),
    up: ({ [FIELD]: isEnabled, ...patch }) => ({
      ...patch,
      ...(isEnabled !== undefined && { [PUSH_PROTECTION_LINK_ENABLED]: isEnabled }),
    }),
  }),
];
