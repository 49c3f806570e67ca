// The breaking changes of version 2026-03-10, in the order of the catalogue.
import type { VersionChange } from '../../../kernel/version.ts';
import { authorizationsUrlRemoved } from './authorizations-url-removed.ts';
import { betaEmailsRemoved } from './beta-emails.ts';
import { customLinkEnabledRemoved } from './custom-link-enabled-removed.ts';
import { rateRemoved } from './rate-removed.ts';

export const changesOf20260310: readonly VersionChange[] = [
  rateRemoved,
  authorizationsUrlRemoved,
  betaEmailsRemoved,
  ...customLinkEnabledRemoved,
];
