// Reads contexts in paths: JSON in Base64, of either alphabet, with or without padding.
import { Failure } from '../../kernel/failure.ts';
import { readContext, type Context } from '../evaluation/context.ts';

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
