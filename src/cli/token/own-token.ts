// A token of the administrator for one command, which deletes it at its end.
import { changesOn } from '../../app/apis.ts';
import type { Config } from '../../app/config.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import { requireAdmin } from '../../kernel/identity/first-start.ts';
import { IDENTITY } from '../../kernel/identity/identity.ts';
import { deleteToken, insertToken, TOKEN_PREFIX } from '../../kernel/identity/store-tokens.ts';
import { newSecret } from '../../kernel/secrets/secret.ts';
import { withMigratedDatabase } from '../open-database.ts';
import { reportToken, tokenChange } from './token.ts';

/** It is deleted at the end of the command, unless that is killed. */
const LIFETIME_MS = 24 * 3600 * 1000;

interface OwnToken {
  token: string;
  close(): Promise<void>;
}

/** Like one of `token create`: it takes access to the database. `name` is what it is for. */
export async function createOwnToken(config: Config, name: string): Promise<OwnToken> {
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
          name,
          description: 'Made by a command, which deletes it at its end',
          expiresAt: now + LIFETIME_MS,
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
