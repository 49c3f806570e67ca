// The operations of a document, and the matching of an older document's operations with a newer one's.
import type { Document, JsonRecord } from './document.ts';

export interface Operation {
  method: string;
  path: string;
  /** The operation object, and the path item around it. */
  detail: JsonRecord;
  item: JsonRecord;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];
const PLACEHOLDER = /\{([^}]*)\}/g;

export function readOperations(document: Document): Operation[] {
  return Object.entries(document.record(document.root['paths'], '"paths"'))
    .filter(([path]) => path.startsWith('/')) // the rest are extensions
    .flatMap(([path, value]) => {
      const item = document.resolve(value, `the path "${path}"`);
      return METHODS.filter((method) => item[method] !== undefined).map((method) => {
        const name = `${method.toUpperCase()} ${path}`;
        return { method, path, detail: document.record(item[method], `"${name}"`), item };
      });
    });
}

export function operationName({ method, path }: Operation): string {
  return `${method.toUpperCase()} ${path}`;
}

/** Placeholders in the order of the path; callers depend on their positions, not their names. */
export function placeholdersOf({ path }: Operation): string[] {
  return Array.from(path.matchAll(PLACEHOLDER), ([, name]) => name ?? '');
}

export interface MatchedOperations {
  matched: { older: Operation; newer: Operation }[];
  removed: Operation[];
  added: Operation[];
}

/** Equal paths first, so that in a document with both `/a/{x}` and `/a/{y}` each is compared with itself. */
export function matchOperations(older: Operation[], newer: Operation[]): MatchedOperations {
  const matched: MatchedOperations['matched'] = [];
  let [removed, added] = [older, newer];
  for (const keyOf of [
    operationName,
    (each: Operation) => operationName(each).replaceAll(PLACEHOLDER, '{}'),
  ]) {
    const waiting = new Map(added.map((each) => [keyOf(each), each]));
    removed = removed.filter((each) => {
      const counterpart = waiting.get(keyOf(each));
      if (counterpart !== undefined) matched.push({ older: each, newer: counterpart });
      return !waiting.delete(keyOf(each));
    });
    const found = new Set(matched.map((pair) => pair.newer));
    added = added.filter((each) => !found.has(each));
  }
  return { matched, removed, added };
}
