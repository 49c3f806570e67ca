// Row 8 of the catalogue, issues: with the beta media type those that are no pull requests had the addresses of one, all null.
import { Nullable, Type, type Static } from '../../../kernel/schema/schema.ts';
import { change } from '../../../kernel/versions/version.ts';
import { IssueReply } from '../../issues/model.ts';
import { BETA } from '../select-version.ts';

const { merged_at: mergedAt, ...links } = IssueReply.properties.pull_request.properties;

const OldPullLinks = Type.Object({
  url: Nullable(links.url),
  html_url: Nullable(links.html_url),
  diff_url: Nullable(links.diff_url),
  patch_url: Nullable(links.patch_url),
  merged_at: Type.Optional(mergedAt),
});

const OldIssue = Type.Object({ ...IssueReply.properties, pull_request: OldPullLinks }, { $id: 'issue' });

export const betaPullRequestRemoved = change({
  version: '2026-03-10',
  title:
    'Media type `application/vnd.<vendor>.beta+json` without effect: issues that are no pull requests have no `pull_request`',
  advice: 'Ask whether there is a `pull_request`: only pull requests have one.',
  only: BETA,
  schema: IssueReply,
  before: OldIssue,
  down: (issue): Static<typeof OldIssue> => ({ ...issue, pull_request: issue.pull_request ?? NO_LINKS }),
});

const NO_LINKS = { url: null, html_url: null, diff_url: null, patch_url: null };
