// The server that an import goes into: the one named, or the one that runs on the data folder, with a token for the import alone.
import { changesOn } from '../../app/apis.ts';
import type { Config } from '../../app/config.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import { Failure } from '../../kernel/failure.ts';
import { requireAdmin } from '../../kernel/identity/first-start.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { newSecret } from '../../kernel/secrets/secret.ts';
import { deleteToken, insertToken, TOKEN_PREFIX } from '../../kernel/identity/store-tokens.ts';
import type { Io } from '../io.ts';
import { withMigratedDatabase } from '../open-database.ts';
import { findServer } from '../running-server.ts';
import { reportToken, tokenChange } from '../token.ts';
import { parseServerUrl } from './addresses.ts';

/** It is deleted at the end of the import, unless that is killed. */
const TOKEN_LIFETIME_MS = 24 * 3600 * 1000;

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
  const { token, close } = await createImportToken(config);
  return { url: reached, publicUrl: server.publicUrl, token, isOwnToken: true, close };
}

/** Of the administrator, like a token of `token create`. */
async function createImportToken(config: Config): Promise<Pick<ImportTarget, 'token' | 'close'>> {
  const now = Date.now();
  const secret = newSecret(TOKEN_PREFIX);
  const created = await withMigratedDatabase(config, async (engine) => {
    const admin = await requireAdmin(engine);
    return await changesOn(engine).run(systemActor({ now }), async (tx) => {
      const token = await insertToken(
        tx.db,
        {
          role: admin.role,
          customRoles: [],
          memberId: admin.id,
          isService: false,
          name: 'import',
          description: 'Made by an import, which deletes it at its end',
          expiresAt: now + TOKEN_LIFETIME_MS,
        },
        secret,
        now,
      );
      tx.record({
        ...tokenChange(token, 'createAccessToken'),
        verb: 'created the token',
        after: reportToken(token, admin),
      });
      await tx.invalidate(IDENTITY);
      return { token, admin };
    });
  });
  const close = () =>
    withMigratedDatabase(config, async (engine) => {
      await changesOn(engine).run(systemActor({ now: Date.now() }), async (tx) => {
        const { token, admin } = created;
        if (!(await deleteToken(tx.db, token.id))) return;
        const before = reportToken(token, admin);
        tx.record({ ...tokenChange(token, 'deleteAccessToken'), verb: 'deleted the token', before });
        await tx.invalidate(IDENTITY);
      });
    });
  return { token: secret.value, close };
}
