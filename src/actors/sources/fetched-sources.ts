// What every way of fetching sources shares.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';

export interface FetchContext {
  kernel: Pick<Kernel, 'guard' | 'db' | 'blobs' | 'release' | 'identity' | 'clock'> & {
    services: Pick<Kernel['services'], 'ownRepositories'>;
  };
  /** The account of the Actor. */
  userId: string;
  /** What the token that started the build allows at most; absent for all that the account may read. */
  boundary?: string | undefined;
  /** An empty folder that receives the sources. */
  folder: string;
  /** An empty folder for what is needed on the way. */
  temporary: string;
  signal: AbortSignal;
  /** Writes a line to the log of the build. */
  log(line: string): void;
}

export function fetchFailed(message: string, cause?: unknown): Failure {
  // The words of git and of the network have no full stop.
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  return new Failure('invalid', sentence, cause === undefined ? {} : { cause });
}

/** The URL without a user name and password, and those as a header. */
export function splitCredentials(text: string): { url: URL; authorization?: string } {
  const url = URL.parse(text);
  if (url === null) throw fetchFailed('The URL of the sources is not valid.');
  const { username, password } = url;
  if (username === '' && password === '') return { url };
  const credentials = `${decodePart(username)}:${decodePart(password)}`;
  url.username = '';
  url.password = '';
  return { url, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** A part of a URL without its percent signs. */
export function decodePart(text: string): string {
  try {
    const decoded = decodeURIComponent(text);
    if (!decoded.includes('\0')) return decoded;
  } catch {
    // Refused below.
  }
  throw fetchFailed('The URL of the sources is not valid.');
}
