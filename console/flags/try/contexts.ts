// Contexts that somebody tries: kept in this browser, or shared by an address. They are no place for secrets.

const KEY = 'signalbox_contexts';
/** The oldest go. */
const MAX_KEPT = 30;

export const EXAMPLE = '{\n  "kind": "user",\n  "key": "ada",\n  "country": "DE"\n}';

export interface KeptContext {
  name: string;
  text: string;
}

export function listContexts(): KeptContext[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '[]') as unknown;
    return Array.isArray(kept) ? (kept as KeptContext[]) : [];
  } catch {
    return [];
  }
}

/** One of the same name is replaced. */
export function keepContext(context: KeptContext): void {
  write([context, ...listContexts().filter(({ name }) => name !== context.name)].slice(0, MAX_KEPT));
}

export function forgetContext(name: string): void {
  write(listContexts().filter((one) => one.name !== name));
}

function write(contexts: readonly KeptContext[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(contexts));
  } catch {
    // Without storage a context lasts as long as the page.
  }
}

/** For an address, in base64url. */
export function encodeContext(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const binary = Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Undefined where the address was damaged on its way. */
export function decodeContext(code: string): string | undefined {
  try {
    const binary = atob(code.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (letter) => letter.codePointAt(0)!);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export interface ParsedContext {
  context?: object;
  /** What the context is called: its key, or those of its parts. */
  name: string;
  problem?: SyntaxError | 'not-an-object';
}

export function parseContext(text: string): ParsedContext {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { name: '', problem: 'not-an-object' };
    return { context: value, name: nameOf(value as Record<string, unknown>) };
  } catch (error) {
    return { name: '', problem: error as SyntaxError };
  }
}

function nameOf({ kind, key, ...parts }: Record<string, unknown>): string {
  if (kind !== 'multi') return typeof key === 'string' ? key : '';
  const keys = Object.values(parts).map((part) =>
    typeof part === 'object' && part !== null && 'key' in part ? String(part.key) : '',
  );
  return keys.filter((one) => one !== '').join(', ');
}
