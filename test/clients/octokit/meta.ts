// Scenarios of octokit: what the server says of itself: root, versions, limits, its description and the upgrade report.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OctokitSuite } from './suite.ts';

export function describeMeta(suite: OctokitSuite): void {
  describe('the server itself', () => {
    test('reads the root, meta, zen and versions', async () => {
      const { meta } = suite.admin.rest;
      const { data: root, headers } = await meta.root();
      assert.equal(headers['x-github-api-version-selected'], suite.version);
      assert.match(root.current_user_url, /\/user$/);
      assert.equal('authorizations_url' in root, suite.version === '2022-11-28');
      assert.equal((await meta.get()).data.verifiable_password_authentication, false);
      assert.equal(typeof (await meta.getZen()).data, 'string');
      assert.deepEqual((await meta.getAllVersions()).data, ['2022-11-28', '2026-03-10']);
    });

    test('reads licences, templates, emojis and a picture, and renders Markdown', async () => {
      const { meta, licenses, gitignore, emojis, markdown } = suite.admin.rest;
      const { data: common } = await licenses.getAllCommonlyUsed({ featured: true });
      assert.deepEqual(
        common.map(({ key }) => key),
        ['apache-2.0', 'gpl-3.0', 'mit'],
      );
      const { data: license } = await licenses.get({ license: 'mit' });
      assert.match(license.body, /Permission is hereby granted/);
      const { data: names } = await gitignore.getAllTemplates();
      assert.ok(names.includes('Node'));
      const { data: template } = await gitignore.getTemplate({ name: 'Node' });
      assert.match(template.source, /node_modules/);
      const { data: pictures } = await emojis.get();
      const { data: picture } = await suite.admin.request(`GET ${pictures['tada']!}`);
      assert.match(Buffer.from(picture as ArrayBuffer).toString(), /🎉/u);
      assert.match((await meta.getOctocat({ s: 'Clear' })).data, /Clear/);
      const { data: html } = await markdown.render({ text: 'a\nb', mode: 'gfm' });
      assert.equal(html, '<p>a<br />\nb</p>');
      assert.equal((await markdown.renderRaw({ data: '*a*' })).data, '<p><em>a</em></p>');
    });

    test('reads the rate limits', async () => {
      const { data } = await suite.admin.rest.rateLimit.get();
      assert.equal('rate' in data, suite.version === '2022-11-28');
      assert.equal(data.resources.core.limit, 5000);
    });

    test('reads the description of its version, with itself in it', async () => {
      const { data } = await suite.admin.request('GET /openapi.json');
      const { info, paths } = data as { info: { version: string }; paths: object };
      assert.equal(info.version, suite.version);
      assert.ok('/openapi.json' in paths);
    });

    test('reads which of its calls the new version would change', async () => {
      const { octokit } = await suite.join('upgrader');
      const { data: limits } = await octokit.rest.rateLimit.get();
      assert.ok(limits.resources);
      const version = '2026-03-10';
      const { data } = await octokit.request('GET /versions/{version}/impact', { version });
      const { calls } = data as { calls: { operation: string }[] };
      assert.deepEqual(
        calls.map(({ operation }) => operation),
        suite.version === version ? [] : ['rate-limit/get'],
      );
    });

    test('asks by GraphQL, at both addresses', async () => {
      const query = '{ viewer { login } }';
      const { viewer } = await suite.admin.graphql<{ viewer: { login: string } }>(query);
      assert.equal(viewer.login, 'admin');
      const { origin } = new URL(suite.server.url);
      for (const url of ['/graphql', `${origin}/api/graphql`]) {
        const { data } = await suite.admin.request(`POST ${url}`, { query });
        assert.deepEqual(data, { data: { viewer: { login: 'admin' } } });
      }
    });
  });
}
