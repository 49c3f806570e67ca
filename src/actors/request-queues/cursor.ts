// Where a page of requests begins, as text that clients hand back.
import { Failure } from '../../kernel/failure.ts';
import { isRequestId } from './request.ts';

/** Where a page of the list begins: behind an id, or behind a place in the order of the queue. */
export type Cursor = { afterId: string } | { afterOrder: number };

export function encodeCursor(cursor: Cursor): string {
  const text = 'afterId' in cursor ? `id:${cursor.afterId}` : `order:${cursor.afterOrder}`;
  return Buffer.from(text).toString('base64url');
}

/** A cursor of one kind of list is not one of the other. */
export function decodeCursor(text: string, kind: 'id' | 'order'): Cursor {
  const [name, value = ''] = Buffer.from(text, 'base64url').toString('utf8').split(':', 2);
  if (name === kind && kind === 'id' && isRequestId(value)) return { afterId: value };
  if (name === kind && kind === 'order' && /^-?\d{1,15}$/.test(value)) return { afterOrder: Number(value) };
  throw new Failure('invalid', 'The cursor is not one that this list gave');
}
