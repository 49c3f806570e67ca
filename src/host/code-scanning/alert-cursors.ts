// Cursors of the list of alerts: an alert, and whether the page is before or after it.
import type { Headers } from '../../kernel/http/protocol.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { ScanningAlert } from './alert.ts';
import type { AlertCursor, AlertSort } from './store-alerts.ts';

/** Undefined where pages are asked for by their numbers. An empty cursor stands for the beginning. */
export function readCursors(query: {
  before?: string;
  after?: string;
}): { before?: AlertCursor; after?: AlertCursor } | undefined {
  const { before, after } = query;
  if (before === undefined && after === undefined) return undefined;
  if (before) return { before: cursorFrom('before', before) };
  return after ? { after: cursorFrom('after', after) } : {};
}

/** The numbers are exact in JavaScript. */
const CURSOR = /^\d{1,15}-\d{1,15}-\d{1,15}$/;

function cursorFrom(name: string, text: string): AlertCursor {
  const written = Buffer.from(text, 'base64url').toString();
  const [at, repositoryNumber, number] = CURSOR.test(written) ? written.split('-').map(Number) : [];
  if (at === undefined || repositoryNumber === undefined || number === undefined)
    throw problem(`query.${name}`, 'must be from the header Link');
  return { at, repositoryNumber, number };
}

function cursorOf(
  { createdAt, updatedAt, repositoryNumber, number }: ScanningAlert,
  sort: AlertSort,
): string {
  const at = sort === 'created' ? createdAt : updatedAt;
  return Buffer.from(`${at}-${repositoryNumber}-${number}`).toString('base64url');
}

interface CursorPage {
  sort: AlertSort;
  hasNext: boolean;
  hasPrevious: boolean;
  base: string;
  url: string;
}

export function cursorLinks(
  alerts: readonly ScanningAlert[],
  { sort, hasNext, hasPrevious, base, url }: CursorPage,
): Headers {
  const { origin } = new URL(base);
  const { pathname, searchParams } = new URL(url, base);
  const [first, last] = [alerts[0], alerts.at(-1)];
  const linkTo = (name: 'before' | 'after', alert: ScanningAlert, rel: string) => {
    for (const one of ['before', 'after', 'page']) searchParams.delete(one);
    searchParams.set(name, cursorOf(alert, sort));
    return `<${origin}${pathname}?${searchParams.toString()}>; rel="${rel}"`;
  };
  const links = [
    ...(hasPrevious && first !== undefined ? [linkTo('before', first, 'prev')] : []),
    ...(hasNext && last !== undefined ? [linkTo('after', last, 'next')] : []),
  ];
  return links.length === 0 ? {} : { link: links.join(', ') };
}
