// The typed client: a route's declaration is enough to call it.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { callRoute } from './typed-client.ts';
import { route } from '../src/kernel/http/route.ts';
import { Type } from '../src/kernel/schema/schema.ts';

const seen: {
  method: string;
  url: string;
  type: string | undefined;
  authorization: string | undefined;
  body: string;
}[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += String(chunk)));
  request.on('end', () => {
    const { method = '', url: path = '', headers } = request;
    seen.push({
      method,
      url: path,
      type: headers['content-type'],
      authorization: headers.authorization,
      body,
    });
    if (path.startsWith('/none')) response.writeHead(204).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"good":true}');
  });
});
let url = '';
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
after(() => server.close());

const rename = route(
  {
    id: 'rename',
    method: 'PATCH',
    path: '/things/{id}',
    summary: 'Rename',
    access: 'caller',
    params: Type.Object({ id: Type.String() }),
    query: Type.Object({ dryRun: Type.Optional(Type.Boolean()) }),
    body: Type.Object({ name: Type.String() }),
    reply: { 200: Type.Object({ good: Type.Boolean() }) },
  },
  () => ({ good: true }),
);

test('path, query, body and token are sent as the shape declares', async () => {
  const answer = await callRoute({ url, authorization: 'secret' }, rename, {
    params: { id: 'a/b c' },
    query: { dryRun: true },
    body: { name: 'x' },
  });
  assert.deepEqual(seen.at(-1), {
    method: 'PATCH',
    url: '/things/a%2Fb%20c?dryRun=true',
    type: 'application/json',
    authorization: 'secret',
    body: '{"name":"x"}',
  });
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.body, { good: true });
});

test('a reply without a body has none', async () => {
  const none = route(
    { id: 'none', method: 'DELETE', path: '/none', summary: '', access: 'anyone', reply: { 204: null } },
    () => undefined,
  );
  const answer = await callRoute({ url }, none, {});
  assert.equal(answer.status, 204);
  assert.equal(answer.body, undefined);
  assert.equal(seen.at(-1)?.authorization, undefined);
});
