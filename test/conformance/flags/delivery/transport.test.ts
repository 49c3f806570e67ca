// The flags API on the wire, on a running server: TLS, content types and its own description. Rules F1 to F4.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect, createServer, type SecureVersion } from 'node:tls';
import { flagsApi } from '../../../../src/flags/api.ts';
import { writeCertificate } from '../../../certificate.ts';
import { ADMIN_TOKEN, startServer, type CallInit, type Json, type TestServer } from '../../../server.ts';

const SEMANTIC_PATCH = 'application/json; domain-model=flagservice.semanticpatch';

describe('over TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-tls-'));
  const files = writeCertificate(folder);
  const ca = readFileSync(files.tlsCert);
  let server: TestServer;
  before(async () => (server = await startServer(files)));
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  /** The negotiated version, or the error code. Old versions need OpenSSL's lowest security level. */
  function shakeHands(port: number, version: SecureVersion): Promise<string | null> {
    return new Promise((resolve) => {
      const only = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
      const socket = connect({ host: '127.0.0.1', port, ca, ...only });
      socket.once('secureConnect', () => resolve(socket.getProtocol()));
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      socket.once('close', () => socket.destroy());
      socket.once('secureConnect', () => socket.end());
    });
  }

  test('F1 TLS 1.2 and 1.3 are spoken', async () => {
    const port = Number(new URL(server.url).port);
    assert.equal(await shakeHands(port, 'TLSv1.2'), 'TLSv1.2');
    assert.equal(await shakeHands(port, 'TLSv1.3'), 'TLSv1.3');
  });

  test('F1 TLS 1.0 and 1.1 are refused by the server', async () => {
    const port = Number(new URL(server.url).port);
    assert.equal(await shakeHands(port, 'TLSv1'), 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
    assert.equal(await shakeHands(port, 'TLSv1.1'), 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
  });

  test('F1 it is not the test that cannot speak the old versions', async () => {
    const old = createServer({
      cert: ca,
      key: readFileSync(files.tlsKey),
      minVersion: 'TLSv1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
    const { port } = old.address() as { port: number };
    assert.equal(await shakeHands(port, 'TLSv1.1'), 'TLSv1.1');
    await new Promise((resolve) => old.close(resolve));
  });

  test('F1 resources are managed over HTTPS', async () => {
    const { status, body } = await new Promise<{ status: number | undefined; body: string }>(
      (resolve, reject) => {
        const call = request(
          `${server.url}/api/v2/tokens`,
          { method: 'POST', ca, headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json' } },
          (response) => {
            let text = '';
            response.on('data', (chunk: Buffer) => (text += chunk.toString()));
            response.on('end', () => resolve({ status: response.statusCode, body: text }));
          },
        );
        call.on('error', reject);
        call.end('{"name":"over TLS"}');
      },
    );
    assert.equal(status, 201);
    assert.equal((JSON.parse(body) as { name: string }).name, 'over TLS');
  });
});

/** Of routes that read the body themselves; the others take forms alone. */
const STREAMED_TYPES: Record<string, string[]> = {
  fireTrigger: ['application/json'],
  postTeamMembers: ['application/json', 'multipart/form-data'],
};

describe('content types', () => {
  let server: TestServer;
  before(async () => (server = await startServer()));
  after(() => server.stop());

  test('F2 every response is JSON by its Content-Type, whatever the status', async () => {
    const { json: made } = await server.call('/api/v2/tokens', { method: 'POST', body: {} });
    const one = `/api/v2/tokens/${made['_id'] as string}`;
    const calls: [status: number, path: string, init?: CallInit][] = [
      [200, '/api/v2'],
      [200, '/api/v2/openapi.json'],
      [200, one, { method: 'HEAD' }],
      [201, '/api/v2/tokens', { method: 'POST', body: {} }],
      [204, one, { method: 'DELETE' }],
      [204, '/api/v2/tokens', { method: 'OPTIONS', token: null }],
      [400, '/api/v2/tokens', { method: 'POST', body: '{' }],
      [400, '/api/v2/versions', { headers: { 'ld-api-version': 'none' } }],
      [401, '/api/v2/tokens', { token: 'api-wrong' }],
      [404, '/api/v2/nothing'],
      [404, one],
      [404, '/api/v2/tokens/%E0%A4%A'],
      [404, `/api/v2/tokens/${'x'.repeat(8000)}`],
      [405, '/api/v2/tokens', { method: 'PUT', body: {} }],
      [413, '/api/v2/tokens', { method: 'POST', body: ' '.repeat(6_000_000) }],
    ];
    for (const [status, path, init] of calls) {
      const answer = await server.call(path, init);
      const label = `${init?.method ?? 'GET'} ${path.slice(0, 60)}`;
      assert.equal(answer.status, status, label);
      assert.equal(answer.headers.get('content-type'), 'application/json', label);
      if (status >= 400) assert.deepEqual(Object.keys(answer.json), ['code', 'message', 'id'], label);
      if (status === 204) assert.equal(answer.text, '', label);
    }
  });

  test('F3 a body under another type, or none, is an invalid request that changes nothing', async () => {
    const { json: made } = await server.call('/api/v2/tokens', { method: 'POST', body: { name: 'typed' } });
    const one = `/api/v2/tokens/${made['_id'] as string}`;
    const { json: unchanged } = await server.call(one);
    const wrong = ['text/plain', 'application/jsonp', 'application/x-www-form-urlencoded', 'json', ';;;', ''];
    const patch = '[{"op":"replace","path":"/name","value":"changed"}]';
    for (const type of wrong) {
      for (const [method, path, body] of [
        ['POST', '/api/v2/tokens', '{}'],
        ['PATCH', one, patch],
        ['POST', `${one}/reset`, '{}'],
      ] as const) {
        const { status, json } = await server.call(path, { method, headers: { 'content-type': type }, body });
        assert.deepEqual([status, json['code']], [400, 'invalid_request'], `${method} ${path} as "${type}"`);
      }
    }
    assert.deepEqual((await server.call(one)).json, unchanged);
    // A body of bytes is sent without a content type.
    const response = await fetch(`${server.url}/api/v2/tokens`, {
      method: 'POST',
      headers: { authorization: ADMIN_TOKEN },
      body: Buffer.from('{}'),
    });
    assert.deepEqual(
      [response.status, ((await response.json()) as { code: string }).code],
      [400, 'invalid_request'],
    );
  });

  test('F3 application/json is taken with parameters and in any case', async () => {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'Application/JSON;charset="utf-8"',
    ]) {
      const headers = { 'content-type': type };
      const { status } = await server.call('/api/v2/tokens', { method: 'POST', headers, body: '{}' });
      assert.equal(status, 201, type);
    }
  });

  test('F3 nothing but an upload takes a form', async () => {
    const form = { 'content-type': 'multipart/form-data; boundary=x' };
    const body = '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\n{}\r\n--x--\r\n';
    const uploads = flagsApi.routes.filter(({ shape }) => shape.consumes?.()['multipart/form-data']);
    assert.deepEqual(
      uploads.map(({ shape }) => shape.id),
      ['postTeamMembers', 'createBigSegmentImport'],
    );
    for (const path of ['/api/v2/tokens', '/api/v2/teams', '/api/v2/webhook/triggers/none/none']) {
      const { status, json } = await server.call(path, { method: 'POST', headers: form, body });
      assert.deepEqual([status, json['code']], [400, 'invalid_request'], path);
    }
  });

  test('F3 a call without a body needs no type', async () => {
    const { json: made } = await server.call('/api/v2/tokens', { method: 'POST', body: {} });
    const reset = `/api/v2/tokens/${made['_id'] as string}/reset`;
    assert.equal((await server.call(reset, { method: 'POST' })).status, 200);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    assert.equal((await server.call(reset, { method: 'POST', headers })).status, 200);
  });

  test('F4 the description is OpenAPI, needs no token, and has every operation', async () => {
    const { status, json } = await server.call('/api/v2/openapi.json', { token: null });
    assert.equal(status, 200);
    assert.match(json['openapi'] as string, /^3\.1\./);
    const paths = json['paths'] as Record<string, Record<string, { operationId: string }>>;
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([verb, { operationId }]) =>
        [operationId, verb.toUpperCase(), path].join(' '),
      ),
    );
    const served = flagsApi.routes.map(({ shape: { id, method, path } }) => [id, method, path].join(' '));
    assert.deepEqual(described.toSorted(), served.toSorted());
    assert.ok(described.includes('getOpenapiSpec GET /openapi.json'));
    assert.deepEqual(
      (json['servers'] as Json[]).map(({ url }) => url as string),
      ['/api/v2'],
    );
  });

  test('F4 every reference in the description leads somewhere', async () => {
    const { text, json } = await server.call('/api/v2/openapi.json', { token: null });
    const found = new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, path]) => path!));
    assert.ok(found.has('schemas/Token') && found.has('schemas/Error') && found.has('responses/401'));
    const components = json['components'] as Record<string, Record<string, unknown>>;
    for (const path of found) {
      const [group, name] = path.split('/') as [string, string];
      assert.ok(components[group]?.[name] !== undefined, path);
    }
  });

  test('F4 every operation tells its content types and its errors', async () => {
    const { json } = await server.call('/api/v2/openapi.json', { token: null });
    const errors = { $ref: '#/components/schemas/Error' };
    for (const [status, response] of Object.entries(json['components'].responses as Json)) {
      assert.ok(Number(status) >= 400 && response.description.length > 0);
      assert.deepEqual(response.content['application/json'].schema, errors);
    }
    for (const { shape } of flagsApi.routes) {
      const operation = json['paths'][shape.path][shape.method.toLowerCase()] as Json;
      const statuses = Object.keys(operation['responses'] as Json).map(Number);
      const told = `${shape.id}: ${statuses.join()}`;
      assert.ok(statuses.includes(429), told);
      assert.equal(statuses.includes(401), shape.access !== 'anyone', told);
      assert.equal(statuses.includes(403), typeof shape.access === 'object', told);
      assert.equal(statuses.includes(404), shape.path.includes('{'), told);
      assert.equal(statuses.includes(409), shape.method !== 'GET', told);
      assert.equal(statuses.includes(422), shape.method === 'PATCH', told);
      const types = Object.keys((operation['requestBody']?.content as Json | undefined) ?? {});
      if (shape.body !== undefined) assert.ok(types.includes('application/json'), told);
      if (shape.method === 'PATCH') assert.ok(types.length > 0, told);
      if (shape.streams) assert.deepEqual(types, STREAMED_TYPES[shape.id] ?? ['multipart/form-data'], told);
    }
  });

  test('F4 F18 every instruction kind stands under the content type of semantic patches, with its parameters', async () => {
    const { json } = await server.call('/api/v2/openapi.json', { token: null });
    const { paths, components } = json as { paths: Json; components: Json };
    const patches = flagsApi.routes.filter(({ shape }) => shape.consumes?.()[SEMANTIC_PATCH] !== undefined);
    assert.equal(patches.length, 13);
    for (const { shape } of patches) {
      const { requestBody, description } = paths[shape.path].patch as Json;
      const followed = ({ $ref }: Json) => components['schemas'][$ref.split('/').at(-1)] as Json;
      const schema = followed(requestBody.content[SEMANTIC_PATCH].schema as Json);
      assert.deepEqual(schema['required'], ['instructions'], shape.id);
      const { oneOf, discriminator } = followed(schema['properties'].instructions.items as Json);
      assert.equal(discriminator.propertyName, 'kind');
      assert.deepEqual(
        Object.values(discriminator.mapping as Json),
        (oneOf as Json[]).map(({ $ref }) => $ref as string),
      );
      for (const kind of oneOf as Json[]) {
        const { properties, required } = followed(kind);
        assert.equal(discriminator.mapping[properties.kind.const], kind['$ref'], shape.id);
        assert.ok(required.includes('kind'), shape.id);
        assert.ok(
          description.includes(`\`${properties.kind.const}\``),
          `${shape.id} ${properties.kind.const}`,
        );
        for (const parameter of Object.keys(properties as Json))
          if (parameter !== 'kind') assert.ok(description.includes(`\`${parameter}\``), parameter);
      }
    }
  });
});
