// The real octokit, unmodified, over every route of the host in both versions: on each engine, and with each beginning of the base URL.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { onEngine } from '../engines.ts';
import { gitTest } from '../git-tests.ts';
import { startServerOn } from '../suites.ts';
import { describeApps } from './octokit/apps.ts';
import { describeCodeScanning } from './octokit/code-scanning.ts';
import { describeCommits } from './octokit/commits.ts';
import { describeContents } from './octokit/contents.ts';
import { describeEvents } from './octokit/events.ts';
import { describeGists } from './octokit/gists.ts';
import { describeGitData } from './octokit/git-data.ts';
import { describeHooks } from './octokit/hooks.ts';
import { describeImports } from './octokit/imports.ts';
import { describeLabels } from './octokit/labels.ts';
import { describeIssues } from './octokit/issues.ts';
import { describeMeta } from './octokit/meta.ts';
import { describeOrganizations } from './octokit/organizations.ts';
import { describeMerges } from './octokit/merges.ts';
import { describeProtection } from './octokit/protection.ts';
import { describePulls } from './octokit/pulls.ts';
import { describeRepositories } from './octokit/repositories.ts';
import { describeReviews } from './octokit/reviews.ts';
import { describeReviewComments } from './octokit/review-comments.ts';
import { openSuite } from './octokit/suite.ts';
import { describeUsers } from './octokit/users.ts';

for (const [version, prefix, kind] of [
  ['2022-11-28', '', 'sqlite'],
  ['2026-03-10', '/api/v3', 'postgres'],
] as const)
  describe(`octokit in version ${version} with the base URL ending in "${prefix}"`, () => {
    onEngine(kind, (engine) => {
      const start = () => startServerOn(engine, { allowPrivateWebhooks: true });
      const suite = openSuite({ version, prefix, start });
      describeUsers(suite);
      describeMeta(suite);
      describeRepositories(suite);
      describeContents(suite);
      describeCommits(suite);
      describeGitData(suite);
      describePulls(suite);
      describeReviews(suite);
      describeMerges(suite);
      describeReviewComments(suite);
      describeProtection(suite);
      describeOrganizations(suite);
      describeEvents(suite);
      describeHooks(suite);
      describeGists(suite);
      describeLabels(suite);
      describeIssues(suite);
      describeImports(suite);
      describeCodeScanning(suite);
      describeApps(suite);

      gitTest('has called every operation, and every method that has one', () => {
        assert.deepEqual(suite.called.missingOperations(), []);
        assert.deepEqual(suite.called.missingMethods(), []);
      });
    });
  });
