// Modules of an API: conflicting ones are refused at the start.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiProtocol } from './protocol.ts';
import { apiOf, joinWork, type Module } from './module.ts';
import { reply, route, type Method, type RouteAlias } from './route.ts';
import { Type, type TSchema } from '../schema/schema.ts';

const protocol = { name: 'test' } as ApiProtocol;
const at = (id: string, path: string, method: Method = 'GET') =>
  route({ id, method, path, summary: 'Try', access: 'anyone', reply: { 204: null } }, () => reply(204));
const join = (...modules: Module[]) => apiOf(protocol, modules);

test('two routes of one operation id, or of one place, are refused with their name', () => {
  assert.throws(
    () => join({ routes: [at('a', '/a')] }, { routes: [at('a', '/b')] }),
    /same operation id: a$/,
  );
  const same = () => join({ routes: [at('a', '/x/{one}')] }, { routes: [at('b', '/x/{other}')] });
  assert.throws(same, /same route: GET \/x\/\{\}$/);
  const { routes } = join({ routes: [at('a', '/x')] }, { routes: [at('b', '/x', 'POST')] });
  assert.deepEqual(
    routes.map(({ shape }) => shape.id),
    ['a', 'b'],
  );
});

test('an alias of a route takes a place like a route', () => {
  const aliased = (aliases: RouteAlias[]) =>
    route(
      {
        id: 'a',
        method: 'PUT',
        path: '/x/{id}',
        aliases,
        summary: 'Try',
        access: 'anyone',
        reply: { 204: null },
      },
      () => reply(204),
    );
  const other = { routes: [at('b', '/x/{other}', 'POST')] };
  assert.throws(
    () => join({ routes: [aliased([{ method: 'POST' }])] }, other),
    /same route: POST \/x\/\{\}$/,
  );
  assert.equal(join({ routes: [aliased([{ path: '/y/{id}' }])] }, other).routes.length, 2);
  const named = { ...protocol, pathAliases: { '/y': '/x' } };
  assert.throws(
    () => apiOf(named, [{ routes: [aliased([])] }, { routes: [at('b', '/y/{id}', 'PUT')] }]),
    /same route: PUT \/y\/\{\}$/,
  );
});

test('a route declares the parameters of every beginning that its path may have, and requires none of them', () => {
  const named = { ...protocol, pathAliases: { '/y/{number}': '/x/{owner}/{name}' } };
  const text = Type.String();
  const number = Type.Optional(Type.Integer());
  const joinWith = (params: Record<string, TSchema>) => {
    const shape = {
      id: 'a',
      method: 'GET',
      path: '/x/{owner}/{name}/files/{path...}',
      summary: 'Try',
      access: 'anyone',
      params: Type.Object(params),
      reply: { 204: null },
    } as const;
    return apiOf(named, [{ routes: [route(shape, () => reply(204))] }]);
  };
  const optional = { owner: Type.Optional(text), name: Type.Optional(text) };
  assert.throws(() => joinWith({ ...optional, path: text }), /a does not declare \{number\} of \/y/);
  const required = () => joinWith({ ...optional, owner: text, number, path: text });
  assert.throws(required, /a requires \{owner\}, which \/y\/\{number\}/);
  assert.equal(joinWith({ ...optional, number, path: text }).routes.length, 1);
});

test('two modules that would do the same kind of work are refused, and so are those of two APIs', () => {
  const handled = { handlers: { 'a.b': async () => {} } };
  const recurring = { recurring: [{ kind: 'a.b', everyMs: 1, run: async () => {} }] };
  assert.throws(() => joinWork([handled, handled]), /same kind of work: a\.b$/);
  assert.throws(() => joinWork([handled, recurring]), /same kind of work: a\.b$/);
  const api = join({ work: () => handled }, { work: () => recurring });
  assert.throws(() => api.work!({} as never), /same kind of work/);
});

test('two modules that would deliver the webhooks of one API are refused', () => {
  const delivering = { deliveryPolicy: () => ({}) as never };
  assert.throws(() => join(delivering, delivering), /deliver its webhooks/);
});

test('the functions of modules are called in the order of the modules', async () => {
  const done: string[] = [];
  const module = (name: string): Module => ({
    firstStart: async () => void done.push(`start ${name}`),
    transferOwnership: async () => void done.push(`hand over ${name}`),
    endMember: async () => void done.push(`end ${name}`),
    close: async () => void done.push(`close ${name}`),
    async *demo() {
      yield { method: 'GET', path: `/${name}` };
    },
  });
  const api = join(module('a'), {}, module('b'));
  await api.firstStart!({} as never);
  await api.transferOwnership!({} as never, {} as never, {} as never);
  await api.endMember!({} as never, {} as never);
  await api.close!({} as never);
  assert.deepEqual(done, [
    'start a',
    'start b',
    'hand over a',
    'hand over b',
    'end a',
    'end b',
    'close a',
    'close b',
  ]);
  const calls = api.demo!({} as never);
  const next = async () => (await calls.next({ status: 200, body: undefined })).value;
  assert.deepEqual(
    [await next(), await next(), await next()],
    [{ method: 'GET', path: '/a' }, { method: 'GET', path: '/b' }, undefined],
  );
});
