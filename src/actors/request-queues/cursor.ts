// The cursor of a list of requests, as the text that clients send back.
import { Failure } from '../../kernel/failure.ts';
import { isRequestId } from './request.ts';

/** A page begins after an id, or after a place in the order of the queue. */
export type Cursor = { afterId: string } | { afterOrder: number };

export function encodeCursor(cursor: Cursor): string {
  const text = 'afterId' in cursor ? `id:${cursor.afterId}` : `order:${cursor.afterOrder}`;
  return Buffer.from(text).toString('base64url');
}

/** A cursor is valid only for the kind of list that returned it. */
export function decodeCursor(text: string, kind: 'id' | 'order'): Cursor {
  const [name, value = ''] = Buffer.from(text, 'base64url').toString('utf8').split(':', 2);
  if (name === kind && kind === 'id' && isRequestId(value)) return { afterId: value };
  if (name === kind && kind === 'order' && /^-?\d{1,15}$/.test(value)) return { afterOrder: Number(value) };
  throw new Failure('invalid', 'The cursor is not one that this list gave');
}
