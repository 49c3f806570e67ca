// Scenarios of octokit: an app from its manifest to the end of its installations, with octokit's own tokens for it.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { App, type Octokit } from 'octokit';
import { AppBrowser, MANIFEST } from '../../app-forms.ts';
import { createTestOrganization } from '../../conformance/host/organization-calls.ts';
import { eventually } from '../../eventually.ts';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import type { ReceivedWebhook } from '../../webhook-receiver.ts';
import { isStatus, type OctokitMember, type OctokitSuite } from './suite.ts';

const silent = { debug() {}, info() {}, error() {}, warn() {} };
const tools = { owner: 'app-guild', repo: 'tools' };

export function describeApps(suite: OctokitSuite): void {
  describe('apps', () => {
    let maker: OctokitMember;
    let browser: AppBrowser;
    let app: App;
    let apps: Octokit['rest']['apps'];
    before(async () => {
      maker = await suite.join('maker');
      browser = await AppBrowser.open(suite.server, maker.member);
      await createTestOrganization(suite.server, tools.owner, { admin: 'maker' });
      const { repos } = maker.octokit.rest;
      await repos.createForAuthenticatedUser({ name: 'demo', auto_init: true, private: true });
      await repos.createInOrg({ org: tools.owner, name: tools.repo, auto_init: true, private: true });
    });

    test('is made from a manifest, by a code that it converts without a token', async () => {
      const code = await browser.agreeTo({
        ...MANIFEST,
        name: 'Helper',
        public: true,
        default_permissions: { contents: 'write', statuses: 'write' },
        hook_attributes: { url: `${suite.receiver.url}/helper` },
      });
      const stranger = suite.connect();
      const { status, data } = await stranger.rest.apps.createFromManifest({ code });
      assert.deepEqual([status, data.slug], [201, 'helper']);
      await assert.rejects(stranger.rest.apps.createFromManifest({ code }), isStatus(404));
      const { id: appId, pem: privateKey } = data;
      const webhooks = { secret: data.webhook_secret! };
      app = new App({ appId, privateKey, webhooks, Octokit: suite.Client, log: silent });
      ({ apps } = app.octokit.rest);
      const { data: shown } = await maker.octokit.rest.apps.getBySlug({ app_slug: 'helper' });
      assert.equal(shown!.id, appId);
      assert.equal(await app.getInstallationUrl(), `${shown!.html_url}/installations/new`);
    });

    test('reads itself and goes through its installations and repositories', async () => {
      await browser.install('helper', 'maker');
      await browser.install('helper', tools.owner);
      assert.equal((await apps.getAuthenticated()).data!.slug, 'helper');
      const accounts: string[] = [];
      for await (const { installation } of app.eachInstallation.iterator())
        accounts.push((installation.account as { login: string }).login);
      assert.deepEqual(accounts, ['maker', 'app-guild']);
      const repositories: string[] = [];
      await app.eachRepository(({ repository }) => void repositories.push(repository.full_name));
      assert.deepEqual(repositories, ['maker/demo', 'app-guild/tools']);
    });

    test('writes as an installation, with a token that it gets by itself', async () => {
      const { data: installation } = await apps.getRepoInstallation(tools);
      const octokit = await app.getInstallationOctokit(installation.id);
      const { data } = await octokit.rest.repos.createOrUpdateFileContents({
        ...tools,
        path: 'made.txt',
        message: 'Made',
        content: Buffer.from('x').toString('base64'),
      });
      const ref = data.commit.sha!;
      const { data: commit } = await octokit.rest.repos.getCommit({ ...tools, ref });
      assert.equal(commit.author!.login, 'helper[bot]');
      await assert.rejects(octokit.rest.repos.get({ owner: 'maker', repo: 'demo' }), isStatus(404));
      await assert.rejects(
        octokit.rest.users.getAuthenticated(),
        isStatus(403, 'Resource not accessible by integration'),
      );
      const { data: narrowed } = await apps.createInstallationAccessToken({
        installation_id: installation.id,
        repositories: [tools.repo],
        permissions: { contents: 'read' },
      });
      assert.deepEqual(narrowed.permissions, { contents: 'read', metadata: 'read' });
      assert.equal((await octokit.rest.apps.listReposAccessibleToInstallation()).data.total_count, 1);
      const reader = suite.connect(narrowed.token).rest;
      assert.equal((await reader.repos.get(tools)).data.name, tools.repo);
      assert.equal((await reader.apps.revokeInstallationAccessToken()).status, 204);
      await assert.rejects(reader.repos.get(tools), isStatus(401));
    });

    test('verifies a webhook, and answers it as the installation that it is about', async () => {
      const pushes: string[] = [];
      app.webhooks.on('push', async ({ octokit, payload }) => {
        const { full_name, owner, name } = payload.repository;
        const at = { owner: owner!.login, repo: name, sha: payload.after };
        await octokit.rest.repos.createCommitStatus({ ...at, state: 'success', context: 'helper' });
        pushes.push(full_name);
      });
      const path = 'heard.txt';
      const { rest } = maker.octokit;
      const content = Buffer.from(path).toString('base64');
      const { data } = await rest.repos.createOrUpdateFileContents({
        ...tools,
        path,
        message: path,
        content,
      });
      const isPush = ({ headers, body }: ReceivedWebhook) =>
        headers['x-github-event'] === 'push' && body.includes(data.commit.sha!);
      await eventually(() => suite.receiver.at('/helper').some(isPush), 'the push');
      const { headers, body } = suite.receiver.at('/helper').find(isPush)!;
      const sent = {
        id: headers['x-github-delivery'] as string,
        name: 'push',
        payload: body,
        signature: headers['x-hub-signature-256'] as string,
      };
      await assert.rejects(app.webhooks.verifyAndReceive({ ...sent, payload: `${body} ` }));
      await app.webhooks.verifyAndReceive(sent);
      assert.deepEqual(pushes, ['app-guild/tools']);
      const { data: status } = await rest.repos.getCombinedStatusForRef({ ...tools, ref: 'main' });
      assert.deepEqual(
        status.statuses.map(({ context, state }) => [context, state]),
        [['helper', 'success']],
      );
    });

    test('changes its webhook, and sends a delivery again', async () => {
      const { data: config } = await apps.updateWebhookConfigForApp({ content_type: 'form' });
      assert.deepEqual((await apps.getWebhookConfigForApp()).data, config);
      assert.equal(config.content_type, 'form');
      const deliveries = () => app.octokit.paginate(apps.listWebhookDeliveries, { per_page: 1 });
      const sent = async () => (await deliveries()).find(({ event }) => event === 'installation');
      await eventually(async () => (await sent()) !== undefined, 'the delivery of an installation');
      const named = { delivery_id: (await sent())!.id };
      assert.equal((await apps.getWebhookDelivery(named)).data.action, 'created');
      assert.equal((await apps.redeliverWebhookDelivery(named)).status, 202);
      await eventually(async () => (await deliveries()).some(({ redelivery }) => redelivery), 'it again');
    });

    test('its user chooses the repositories of an installation', async () => {
      const { rest } = maker.octokit;
      const { data: one } = await rest.repos.createForAuthenticatedUser({ name: 'one' });
      const { data: two } = await rest.repos.createForAuthenticatedUser({ name: 'two' });
      const { data: installation } = await apps.getUserInstallation({ username: 'maker' });
      assert.equal(installation.target_type, 'User');
      const installation_id = installation.id;
      await browser.change(`/settings/installations/${installation_id}`, 'repositories', [one.id]);
      const covered = () =>
        maker.octokit.paginate(rest.apps.listInstallationReposForAuthenticatedUser, {
          installation_id,
          per_page: 1,
        });
      const namesOf = async () => (await covered()).map(({ name }) => name).toSorted();
      assert.deepEqual(await namesOf(), ['one']);
      const added = { installation_id, repository_id: two.id };
      assert.equal((await rest.apps.addRepoToInstallationForAuthenticatedUser(added)).status, 204);
      assert.deepEqual(await namesOf(), ['one', 'two']);
      assert.equal((await rest.apps.removeRepoFromInstallationForAuthenticatedUser(added)).status, 204);
      assert.deepEqual(await namesOf(), ['one']);
      const { data: own } = await rest.apps.listInstallationsForAuthenticatedUser();
      assert.equal(own.total_count, 2);
    });

    test('suspends and deletes installations', async () => {
      const { data: installation } = await apps.getOrgInstallation({ org: tools.owner });
      const one = { installation_id: installation.id };
      const { data: ofOrganization } = await maker.octokit.rest.orgs.listAppInstallations({
        org: tools.owner,
      });
      assert.equal(ofOrganization.installations[0]!.id, installation.id);
      assert.equal((await apps.suspendInstallation(one)).status, 204);
      assert.ok((await apps.getInstallation(one)).data.suspended_at);
      await assert.rejects(apps.createInstallationAccessToken(one), isStatus(403, 'suspended'));
      assert.equal((await apps.unsuspendInstallation(one)).status, 204);
      assert.equal((await apps.createInstallationAccessToken(one)).status, 201);
      // Row 11 of the new version: the deletion is work in the background.
      const expected: number = suite.version === '2022-11-28' ? 204 : 202;
      for (const { id } of (await apps.listInstallations()).data)
        assert.equal((await apps.deleteInstallation({ installation_id: id })).status, expected);
      await eventually(async () => (await apps.listInstallations()).data.length === 0);
    });
  });
}
