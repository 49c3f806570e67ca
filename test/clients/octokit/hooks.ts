// Scenarios of octokit: webhooks of repositories and organizations, and their deliveries.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Octokit } from 'octokit';
import { createTestOrganization } from '../../conformance/host/organization-calls.ts';
import { eventually } from '../../eventually.ts';
import { beforeGitTests as before, gitTest as test } from '../../git-tests.ts';
import type { WebhookReceiver } from '../../webhook-receiver.ts';
import { isStatus, type OctokitSuite } from './suite.ts';

const demo = { owner: 'admin', repo: 'hooked' };
const guild = { org: 'hooked-guild' };

export function describeHooks(suite: OctokitSuite): void {
  describe('webhooks', () => {
    let octokit: Octokit;
    let receiver: WebhookReceiver;
    before(async () => {
      ({ admin: octokit, receiver } = suite);
      await createTestOrganization(suite.server, guild.org);
      await octokit.rest.repos.createForAuthenticatedUser({ name: demo.repo, auto_init: true });
    });

    test('manages the hooks of a repository', async () => {
      const { repos } = octokit.rest;
      const config = { url: `${receiver.url}/demo`, content_type: 'json', secret: 's3cret' };
      const { data: hook } = await repos.createWebhook({ ...demo, config, events: ['push'], active: true });
      const one = { ...demo, hook_id: hook.id };
      assert.equal(hook.config.secret, '********');
      await assert.rejects(
        repos.createWebhook({ ...demo, config, events: ['push'] }),
        isStatus(422, 'Hook already exists on this repository'),
      );
      const { data: list } = await repos.listWebhooks(demo);
      assert.deepEqual(
        list.map(({ id }) => id),
        [hook.id],
      );
      assert.equal((await repos.getWebhook(one)).data.test_url, `${hook.url}/test`);
      const { data: changed } = await repos.updateWebhook({ ...one, add_events: ['star'], active: true });
      assert.deepEqual(changed.events, ['push', 'star']);
      const { data: updated } = await repos.updateWebhookConfigForRepo({ ...one, insecure_ssl: '1' });
      assert.equal(updated.insecure_ssl, '1');
      assert.deepEqual((await repos.getWebhookConfigForRepo(one)).data, updated);
      assert.equal((await repos.pingWebhook(one)).status, 204);
      assert.equal((await repos.testPushWebhook(one)).status, 204);
      const deliveries = () => octokit.paginate(repos.listWebhookDeliveries, { ...one, per_page: 1 });
      await eventually(async () => (await deliveries()).length >= 3, 'three deliveries');
      const push = (await deliveries()).find(({ event }) => event === 'push')!;
      const { data: delivery } = await repos.getWebhookDelivery({ ...one, delivery_id: push.id });
      assert.equal(delivery.request.payload?.['ref'], 'refs/heads/main');
      assert.equal((await repos.redeliverWebhookDelivery({ ...one, delivery_id: push.id })).status, 202);
      await eventually(
        async () => (await deliveries()).some(({ redelivery }) => redelivery),
        'the redelivery',
      );
      // What the library itself says of the signature.
      const [sent] = receiver.at('/demo');
      const { verify } = await import('@octokit/webhooks-methods');
      assert.ok(await verify('s3cret', sent!.body, sent!.headers['x-hub-signature-256'] as string));
      assert.equal((await repos.deleteWebhook(one)).status, 204);
      await assert.rejects(repos.getWebhook(one), isStatus(404));
    });

    test('manages the hooks of an organization', async () => {
      const { orgs } = octokit.rest;
      const config = { url: `${receiver.url}/guild`, content_type: 'json' };
      const { data: hook } = await orgs.createWebhook({ ...guild, name: 'web', config, events: ['team'] });
      const one = { ...guild, hook_id: hook.id };
      assert.equal((await orgs.listWebhooks(guild)).data.length, 1);
      assert.equal((await orgs.getWebhook(one)).data.type, 'Organization');
      assert.deepEqual((await orgs.updateWebhook({ ...one, events: ['*'] })).data.events, ['*']);
      await orgs.updateWebhookConfigForOrg({ ...one, content_type: 'form' });
      assert.equal((await orgs.getWebhookConfigForOrg(one)).data.content_type, 'form');
      assert.equal((await orgs.pingWebhook(one)).status, 204);
      const deliveries = async () => (await orgs.listWebhookDeliveries(one)).data;
      await eventually(async () => (await deliveries()).length >= 2, 'two pings');
      const [last] = await deliveries();
      const named = { ...one, delivery_id: last!.id };
      assert.equal((await orgs.getWebhookDelivery(named)).data.event, 'ping');
      assert.equal((await orgs.redeliverWebhookDelivery(named)).status, 202);
      await eventually(async () => (await deliveries()).length >= 3, 'the redelivery');
      assert.equal((await orgs.deleteWebhook(one)).status, 204);
    });
  });
}
