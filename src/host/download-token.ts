// Tokens in the addresses of downloads from private repositories: browsers and other tools send no credential there.
import { timingSafeEqual } from 'node:crypto';
import type { SecretBox } from '../kernel/secret-box.ts';

const PURPOSE = 'downloads';

/**
 * A token is valid for half an hour to an hour. All tokens of half an hour are the same, so that the address of a
 * download, and with it the ETag of the reply that names it, does not change with every call.
 */
const PERIOD_MS = 30 * 60_000;
const PERIODS = 2;

/** What one token opens, and nothing else. */
export interface Download {
  /** The number of the repository. */
  repository: number;
  /** The id of a commit. */
  commit: string;
  /** The path of a file, or the format of an archive. */
  item: string;
  kind: 'archive' | 'file';
}

/** When a token expires that is made now. */
export function downloadExpiry(now: number): number {
  return (Math.floor(now / PERIOD_MS) + PERIODS) * PERIOD_MS;
}

export function signDownload(secrets: SecretBox, download: Download, now: number): string {
  const expiry = downloadExpiry(now);
  return `${expiry.toString(36)}.${signatureOf(secrets, download, expiry)}`;
}

export function isSignedDownload(
  secrets: SecretBox,
  token: string | undefined,
  download: Download,
  now: number,
): boolean {
  const [time = '', signature = ''] = (token ?? '').split('.', 2);
  const expiry = Number.parseInt(time, 36);
  if (!(expiry > now)) return false;
  const [one, other] = [Buffer.from(signature), Buffer.from(signatureOf(secrets, download, expiry))];
  return one.length === other.length && timingSafeEqual(one, other);
}

function signatureOf(
  secrets: SecretBox,
  { kind, repository, commit, item }: Download,
  expiry: number,
): string {
  return secrets.sign(PURPOSE, JSON.stringify([kind, repository, commit, item, expiry]));
}
