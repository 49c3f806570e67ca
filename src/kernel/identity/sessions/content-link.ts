// Signed links to one resource on the origin of content, where no cookie is valid: they speak for a session by themselves, for reading, for a minute.
import type { IncomingHttpHeaders } from 'node:http';
import type { SecretBox } from '../../secrets/secret-box.ts';
import type { SessionIdentity } from '../caller.ts';
import { LINK_HEADER, LINK_MS, LINK_PARAMETER, type SessionLink } from './session-link.ts';

const PURPOSE = 'content links';
const DOWNLOAD = 'd';

interface LinkTarget {
  /** Path and query. */
  target: string;
  now: number;
  isDownload: boolean;
}

export function signContentLink(
  secrets: SecretBox,
  { hash }: SessionIdentity,
  { target, now, isDownload }: LinkTarget,
): SessionLink {
  const expiresAt = now + LINK_MS;
  const words = [expiresAt.toString(36), hash, isDownload ? DOWNLOAD : ''];
  const signature = secrets.sign(PURPOSE, signedText(target, words));
  const joint = target.includes('?') ? '&' : '?';
  return { url: `${target}${joint}${LINK_PARAMETER}=${[...words, signature].join('.')}`, expiresAt };
}

export interface ContentLink {
  isDownload: boolean;
  /** Names the session without opening it; undefined where the link is not for this request, or no longer. */
  verify(secrets: SecretBox, request: { method: string; url: string; now: number }): string | undefined;
}

export function readContentLink(headers: IncomingHttpHeaders): ContentLink | undefined {
  const link = headers[LINK_HEADER];
  if (typeof link !== 'string') return undefined;
  const [expiry = '', session = '', flag = '', signature = ''] = link.split('.', 4);
  return {
    isDownload: flag === DOWNLOAD,
    verify(secrets, { method, url, now }) {
      if ((method !== 'GET' && method !== 'HEAD') || !(Number.parseInt(expiry, 36) > now)) return undefined;
      const text = signedText(url, [expiry, session, flag]);
      return secrets.verify(PURPOSE, text, signature) ? session : undefined;
    },
  };
}

function signedText(target: string, words: readonly string[]): string {
  return JSON.stringify([target, ...words]);
}
