// The server that a command calls: the one that is named, a saved profile, or the one that runs on the data folder, with a token for the command alone.
import type { Command } from 'commander';
import type { Config } from '../../app/config.ts';
import { Failure } from '../../kernel/failure.ts';
import { parseServerUrl } from '../import/addresses.ts';
import type { Io } from '../io.ts';
import { createOwnToken } from '../token/own-token.ts';
import { findServer } from '../running-server.ts';
import { readProfiles, requireProfile } from './profiles.ts';

export interface RemoteOptions {
  url?: string;
  token?: string;
  profile?: string;
}

export interface RemoteServer {
  url: string;
  token: string;
  /** Ends the token, if it was created for the command. */
  close(): Promise<void>;
}

export function addRemote(command: Command): void {
  command
    .option(
      '--url <url>',
      'The server [SIGNALBOX_URL, else a saved profile, else the one on the data folder]',
    )
    .option('--token <token>', 'A token there [SIGNALBOX_TOKEN, which other users cannot see]')
    .option('--profile <name>', 'A saved server [SIGNALBOX_PROFILE]');
}

/**
 * Whether a command that also works on the database is to call a server. Variables and the profile in use do not decide it: the
 * operator's way to repair what is here must not lead elsewhere unseen.
 */
export function namesServer({ url, token, profile }: RemoteOptions): boolean {
  return [url, token, profile].some((one) => one !== undefined);
}

/** `whose` is a question for a command that is about the caller's own affairs: no token is made for it. */
export async function openRemote(
  config: Config,
  options: RemoteOptions,
  io: Io,
  whose?: string,
): Promise<RemoteServer> {
  const named = options.url ?? (io.env['SIGNALBOX_URL'] || undefined);
  const given = options.token ?? (io.env['SIGNALBOX_TOKEN'] || undefined);
  const saved = named === undefined || options.profile !== undefined ? findProfile(options, io) : undefined;
  if (named !== undefined && saved !== undefined)
    throw new Failure('invalid', 'Name the server by --url or by --profile, not by both.');
  const token = given ?? saved?.token;
  if (token !== undefined) requireTokenText(token);
  const url =
    named === undefined
      ? (saved?.url ?? (await localUrl(config, io)))
      : parseServerUrl(named, options.url === undefined ? 'SIGNALBOX_URL' : '--url');
  if (token !== undefined) return { url, token, close: () => Promise.resolve() };
  if (named !== undefined || whose !== undefined)
    throw new Failure(
      'invalid',
      `${whose ?? `A token for ${url} is missing.`} Give a token with --token or in SIGNALBOX_TOKEN; ${io.program} token create makes one.`,
    );
  return { url, ...(await createOwnToken(config, 'command line')) };
}

/** One that is named, or the one that was saved to be used. */
function findProfile({ profile }: RemoteOptions, io: Io) {
  const saved = readProfiles(io);
  const name = profile ?? (io.env['SIGNALBOX_PROFILE'] || saved.current);
  return name === undefined ? undefined : requireProfile(saved, name, io);
}

function requireTokenText(token: string): void {
  if (/[^\x21-\x7e]/.test(token))
    throw new Failure(
      'invalid',
      'The token has characters that no token has: check --token or SIGNALBOX_TOKEN.',
    );
}

async function localUrl({ data }: Config, io: Io): Promise<string> {
  const server = await findServer(data);
  if (server?.state !== 'ready')
    throw new Failure(
      'unavailable',
      `No server is ready on ${data}: start one with ${io.program} serve, name its folder with --data, or name another server with --url.`,
    );
  // A certificate is made for the public name.
  return server.url.startsWith('https:') ? server.publicUrl : server.url;
}
