// The part that each API has to describe itself: its OpenAPI document, at the same place in all of them.
import type { Api } from '../http/protocol.ts';
import { openApiBytes, servedApi } from './document.ts';
import type { Module } from '../http/module.ts';
import { Bytes, route } from '../http/route.ts';
import { Type } from '../schema/schema.ts';

/** Below the prefix of an API. */
export const OPENAPI_PATH = '/openapi.json';

/** The document describes the list of routes that this one is in, so the API is asked for when a call comes. */
export function openApiModule(id: string, api: () => Api): Module {
  const getOpenApi = route(
    {
      id,
      method: 'GET',
      path: OPENAPI_PATH,
      summary: 'Get the OpenAPI description of the whole API',
      access: 'anyone',
      produces: 'application/json',
      reply: { 200: Type.Record(Type.String(), Type.Unknown()) },
    },
    async ({ version }, { limits }) => {
      const { bytes, etag } = await openApiBytes(servedApi(api(), limits), version);
      return new Bytes(bytes, { etag, 'cache-control': 'no-cache' });
    },
  );
  return { tag: { name: 'OpenAPI', description: 'This description' }, routes: [getOpenApi] };
}
