// The server that an import goes into: the one named, or the one that runs on the data folder, with a token for the import alone.
import type { Config } from '../../app/config.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Io } from '../io.ts';
import { createOwnToken } from '../token/own-token.ts';
import { findServer } from '../running-server.ts';
import { parseServerUrl } from './addresses.ts';

export interface ImportTarget {
  url: string;
  /** For URLs that are stored there. */
  publicUrl: string;
  token: string;
  /** Whether the token was created for the import. */
  isOwnToken: boolean;
  /** Ends the token, if it was created for the import. */
  close(): Promise<void>;
}

export interface TargetOptions {
  toUrl?: string;
  toToken?: string;
}

export async function openTarget(config: Config, options: TargetOptions, io: Io): Promise<ImportTarget> {
  const url = options.toUrl ?? io.env['SIGNALBOX_URL'];
  if (url !== undefined && url !== '') {
    const named = parseServerUrl(url, options.toUrl === undefined ? 'SIGNALBOX_URL' : '--to-url');
    const token = options.toToken ?? io.env['SIGNALBOX_TOKEN'];
    if (token === undefined || token === '')
      throw new Failure(
        'invalid',
        `A token for ${named} is missing: give it with --to-token or in SIGNALBOX_TOKEN.`,
      );
    return { url: named, publicUrl: named, token, isOwnToken: false, close: () => Promise.resolve() };
  }
  const server = await findServer(config.data);
  if (server === undefined || server.state !== 'ready') {
    throw new Failure(
      'unavailable',
      `No server is ready on ${config.data}: start one with ${io.program} serve, name its folder with --data, or name another server with --to-url.`,
    );
  }
  // A certificate is made for the public name.
  const reached = server.url.startsWith('https:') ? server.publicUrl : server.url;
  if (options.toToken !== undefined)
    return {
      url: reached,
      publicUrl: server.publicUrl,
      token: options.toToken,
      isOwnToken: false,
      close: () => Promise.resolve(),
    };
  const { token, close } = await createOwnToken(config, 'import');
  return { url: reached, publicUrl: server.publicUrl, token, isOwnToken: true, close };
}
