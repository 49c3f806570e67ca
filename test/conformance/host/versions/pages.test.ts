// The pages of the host's versions: what each says of its changes, and where older addresses lead.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hostApi } from '../../../../src/host/api.ts';
import { versions } from '../../../../src/host/versions/index.ts';
import { escapeHtml } from '../../../../src/kernel/http/pages/html.ts';
import { describedPath } from '../../../../src/kernel/http/path-template.ts';
import {
  affectedOperations,
  changeAnchor,
  changeGroupsOf,
} from '../../../../src/kernel/versions/version-effects.ts';
import { readVersionExamples } from '../../../../src/kernel/openapi/examples.ts';
import { startServer, type TestServer } from '../../../server.ts';

const OLD = '2022-11-28';
const NEW = '2026-03-10';

let server: TestServer;
before(async () => (server = await startServer({ limits: 'off' })));
after(() => server.stop());

const read = (path: string) => server.call(path, { token: null });

/** The part of the page about one change. */
async function sectionOf(anchor: string): Promise<string> {
  const { text } = await read(`/docs/host/versions/${NEW}`);
  const [, rest = ''] = text.split(`<h3 id="${anchor}">`);
  return rest.split('</section>')[0]!;
}

test('H23 the page of a version says of each change what to do, and names every operation that it is about', async () => {
  for (const change of [...versions.changes, ...(versions.operationChanges ?? [])]) {
    const section = await sectionOf(changeAnchor(change.title));
    const [words] = change.advice.split('`');
    assert.ok(section.includes(escapeHtml(words!)), `${change.title}: ${change.advice}`);
    const affected = affectedOperations(change, hostApi);
    assert.ok(affected.length > 0, change.title);
    for (const { shape } of affected) {
      const call = `<code>${shape.method} ${escapeHtml(describedPath(shape.path))}</code>`;
      assert.ok(section.includes(call), `${change.title} on ${shape.id}`);
    }
  }
});

test('H23 every change has an anchor of its own, and the list of changes leads there', async () => {
  const { text } = await read(`/docs/host/versions/${NEW}`);
  const anchors = changeGroupsOf(NEW, versions).map(({ anchor }) => anchor);
  assert.equal(new Set(anchors).size, anchors.length);
  for (const anchor of anchors) {
    assert.equal(text.split(`id="${anchor}"`).length, 2, anchor);
    assert.ok(text.includes(`<a href="#${anchor}">`), anchor);
  }
  assert.match(
    text,
    /<a href="#removed">Operation <code>GET \/organizations\/\{organization_id\}\/custom_roles</,
  );
});

test('H23 the page has the dates, the selection, the removed operations and the way to the report', async () => {
  const { text: fresh } = await read(`/docs/host/versions/${NEW}`);
  assert.match(fresh, /<th>State<\/th><th>Released<\/th>.*<td>current<\/td><td>2026-03-10<\/td>/s);
  assert.match(fresh, /send <code>X-Host-Api-Version: 2026-03-10<\/code>/);
  assert.match(fresh, /id="removed".*<code>GET \/organizations\/\{organization_id\}\/custom_roles<\/code>/s);
  assert.match(fresh, /Newer versions have GET \/orgs\/\{org\}\/custom-repository-roles instead/);
  assert.ok(fresh.includes(`href="/docs/host/versions/${NEW}/impact"`));
  assert.ok(fresh.includes(`href="/docs/host/${NEW}.json"`));
  const { text: old } = await read(`/docs/host/versions/${OLD}`);
  assert.match(old, /<td>2022-11-28<\/td><td>2026-03-10<\/td><td>2028-03-10<\/td>/);
  assert.match(old, /the first version, so it changes nothing/);
  assert.doesNotMatch(old, /\/impact"/);
});

test('H23 examples from tests show a call under both versions, trimmed to what a change is about', async () => {
  const { [NEW]: examples = {} } = await readVersionExamples('host');
  assert.ok(Object.keys(examples).length >= 9);
  for (const { anchor, title, changes } of changeGroupsOf(NEW, versions)) {
    const example = examples[anchor];
    if (example === undefined) continue;
    const { before: old, after: fresh } = example;
    assert.notDeepEqual(old, fresh, title);
    assert.ok(JSON.stringify(example).length < 3000, `${title}: too long for a reader`);
    const calls = changes.flatMap((change) =>
      affectedOperations(change, hostApi).map(({ shape }) => `${shape.method} ${describedPath(shape.path)}`),
    );
    assert.ok(calls.includes(example.call), example.call);
    const section = await sectionOf(anchor);
    assert.match(section, /<figcaption>Before<\/figcaption>.*<figcaption>After<\/figcaption>/s, title);
    assert.match(section, /<mark>/, title);
  }
});

test('H23 the addresses that pages had before lead to them, and descriptions stay where they are', async () => {
  for (const version of [OLD, NEW]) {
    const response = await fetch(`${server.url}/docs/host/${version}`, { redirect: 'manual' });
    assert.equal(response.status, 301);
    assert.equal(response.headers.get('location'), `/docs/host/versions/${version}`);
    assert.equal((await read(`/docs/host/${version}.json`)).json['info'].version, version);
    const { text } = await read('/docs/host');
    assert.ok(text.includes(`id="${version}"`));
    assert.ok(text.includes(`href="/docs/host/versions/${version}"`));
  }
  assert.equal((await read('/docs/host/versions')).status, 200);
  assert.equal((await read('/docs/host/versions/2025-01-01')).status, 404);
});
