// The breaking changes of version 2026-03-10. Those about one resource are in the order in which they build on each other.
import type { OperationChange, VersionChange } from '../../../kernel/versions/version.ts';
import { authorizationsUrlRemoved } from './authorizations-url-removed.ts';
import { betaEmailsRemoved } from './beta-emails.ts';
import { betaGistUserRemoved, gistUserRemoved } from './beta-gist-user.ts';
import { betaMasterBranchRemoved } from './beta-master-branch.ts';
import { betaPullRequestRemoved } from './beta-pull-request.ts';
import { customLinkEnabledRemoved } from './custom-link-enabled-removed.ts';
import { eventMasterBranchRemoved } from './event-master-branch.ts';
import { gistHistoryRemoved } from './gist-history-removed.ts';
import { hasDownloadsRemoved, hasDownloadsUnsent } from './has-downloads-removed.ts';
import { installationDeletionAccepted } from './installation-deletion.ts';
import { rateRemoved } from './rate-removed.ts';
import { setupLanguagesRemoved } from './setup-languages-removed.ts';
import { sarifContentType } from './sarif-content-type.ts';
import { squashTitleDefaultRemoved, squashTitleDefaultUnsent } from './squash-title-default-removed.ts';
import { submoduleTypeAdded } from './submodule-type.ts';
import { teamPermissionRemoved } from './team-permission-removed.ts';

export const changesOf20260310: readonly VersionChange[] = [
  rateRemoved,
  teamPermissionRemoved,
  submoduleTypeAdded,
  ...squashTitleDefaultRemoved,
  ...squashTitleDefaultUnsent,
  ...hasDownloadsRemoved,
  ...hasDownloadsUnsent,
  authorizationsUrlRemoved,
  betaEmailsRemoved,
  ...betaMasterBranchRemoved,
  eventMasterBranchRemoved,
  betaPullRequestRemoved,
  ...gistHistoryRemoved,
  ...gistUserRemoved,
  ...betaGistUserRemoved,
  ...customLinkEnabledRemoved,
  setupLanguagesRemoved,
];

/** Those about the status or the content type of replies. */
export const operationChangesOf20260310: readonly OperationChange[] = [
  sarifContentType,
  installationDeletionAccepted,
];
