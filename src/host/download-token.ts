// Tokens in the addresses of downloads from private repositories: browsers and other tools send no credential there.
import { timingSafeEqual } from 'node:crypto';
import type { SecretBox } from '../kernel/secrets/secret-box.ts';

const PURPOSE = 'downloads';

/**
 * A token is valid for half an hour to an hour. All tokens of half an hour are the same, so that the address of a
 * download, and with it the ETag of the reply that names it, does not change with every call.
 */
const PERIOD_MS = 30 * 60_000;
const PERIODS = 2;

/** What one token opens, for whom, and nothing else. */
export interface Download {
  /** Who asked for the address: see `downloadHolder`. */
  holder: string;
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
  return `${expiry.toString(36)}.${download.holder}.${signatureOf(secrets, download, expiry)}`;
}

/** The holder of a valid token; whether they may still read the repository has to be checked. */
export function holderOfDownload(
  secrets: SecretBox,
  token: string | undefined,
  download: Omit<Download, 'holder'>,
  now: number,
): string | undefined {
  const [time = '', holder = '', signature = ''] = (token ?? '').split('.', 3);
  const expiry = Number.parseInt(time, 36);
  if (!(expiry > now)) return undefined;
  const expected = signatureOf(secrets, { ...download, holder }, expiry);
  const [one, other] = [Buffer.from(signature), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other) ? holder : undefined;
}

function signatureOf(
  secrets: SecretBox,
  { holder, kind, repository, commit, item }: Download,
  expiry: number,
): string {
  return secrets.sign(PURPOSE, JSON.stringify([kind, repository, commit, item, expiry, holder]));
}
