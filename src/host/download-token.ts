// Tokens in the addresses of downloads from private repositories: for whom they are, and for how long. Browsers and other tools send no other credential there.
import { accountOf, type Caller, type KnownCaller } from '../kernel/identity/caller.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { SecretBox } from '../kernel/secrets/secret-box.ts';
import { installationOf } from './apps/program.ts';
import { findInstallation } from './apps/store-installations.ts';
import type { FoundRepository } from './repositories/access.ts';
import { reachesRepository } from './repositories/caller-roles.ts';
import { mayRead } from './repositories/visibility.ts';

const PURPOSE = 'downloads';

/**
 * A token is valid for half an hour to an hour. All tokens of half an hour are the same, so that the address of a
 * download, and with it the ETag of the reply that names it, does not change with every call.
 */
const PERIOD_MS = 30 * 60_000;
const PERIODS = 2;

/** What one token opens, for whom, and nothing else. */
interface Download {
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
  return `${expiry.toString(36)}.${download.holder}.${secrets.sign(PURPOSE, signedText(download, expiry))}`;
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
  const text = signedText({ ...download, holder }, expiry);
  return secrets.verify(PURPOSE, text, signature) ? holder : undefined;
}

function signedText({ holder, kind, repository, commit, item }: Download, expiry: number): string {
  return JSON.stringify([kind, repository, commit, item, expiry, holder]);
}

/**
 * What the holder loses, the token loses at once. A token of a member, the member of a session, or an installation of
 * an app.
 */
export function downloadHolder(caller: Caller): string {
  if (caller.kind === 'anonymous') return '';
  const installation = installationOf(caller)?.reach.installation;
  if (installation !== undefined) return `installation-${installation}`;
  const { token } = caller;
  return token === undefined ? `account-${accountOf(caller).id}` : `token-${token.id}`;
}

/** Whether the holder may read the repository now. */
export async function mayHolderRead(
  kernel: Kernel,
  holder: string,
  found: FoundRepository,
  now: number,
): Promise<boolean> {
  const [kind, id = ''] = holder.split('-', 2);
  if (kind === 'installation') return await reaches(kernel, Number(id), found);
  const caller = await findHolder(kernel, kind!, id, now);
  return caller !== undefined && (await mayRead(kernel.db, caller, found));
}

async function findHolder(
  { db, identity }: Kernel,
  kind: string,
  id: string,
  now: number,
): Promise<KnownCaller | undefined> {
  if (kind === 'token') return await identity.callerOfToken(db, id, now);
  return kind === 'account' ? await identity.callerOfAccount(db, id, now) : undefined;
}

async function reaches({ db }: Kernel, number: number, { repository }: FoundRepository): Promise<boolean> {
  const installation = await findInstallation(db, number);
  if (!installation || installation.removedAt !== null || installation.suspendedAt !== null) return false;
  const { accountId, selection } = installation;
  const reach = { installation: number, accountId, selection, only: null };
  return await reachesRepository(db, reach, repository);
}
