// What requests of SDKs name: a payload filter, and contexts in paths, as JSON in Base64 of either alphabet, with or without padding.
import { Failure } from '../../kernel/failure.ts';
import { readContext, type Context } from '../evaluation/context.ts';
import { Type } from '../../kernel/schema/schema.ts';

export const PayloadFilter = {
  filter: Type.Optional(Type.String({ description: 'The key of a payload filter' })),
};

/** No environment has a filter: an SDK that asks for one must not get everything instead. */
export function checkFilter({ filter }: { filter?: string } = {}): void {
  if (filter !== undefined && filter !== '')
    throw new Failure('not-found', `There is no payload filter ${JSON.stringify(filter)}.`);
}

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

export function readContextPath(text: string): Context {
  return readContext(readJson(text));
}

function readJson(text: string): unknown {
  if (!BASE64.test(text)) throw broken();
  try {
    return JSON.parse(utf8.decode(Buffer.from(text, 'base64')));
  } catch {
    throw broken();
  }
}

function broken(): Failure {
  return new Failure('malformed', 'The context in the path must be JSON in Base64.');
}
