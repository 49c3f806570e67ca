// What `--demo` promises: an example of everything, made by calls such as anyone could make.
import type { FastifyInstance } from 'fastify';
import type { Api } from './kernel/dialect.ts';
import { requireAdmin } from './kernel/identity/first-start.ts';
import { newSecret } from './kernel/identity/secret.ts';
import { insertToken, deleteToken, TOKEN_PREFIX } from './kernel/identity/store-tokens.ts';
import type { Kernel } from './kernel/kernel.ts';

/** By the administrator, with a token that is good as long as it takes. */
export async function seedDemo(
  server: FastifyInstance,
  { engine, db, clock }: Kernel,
  apis: readonly Api[],
): Promise<void> {
  const secret = newSecret(TOKEN_PREFIX);
  const { id: memberId } = await requireAdmin(engine);
  const usual = { isService: false, name: 'demo', description: 'Makes the examples', customRoles: [] };
  const { id } = await insertToken(db, { ...usual, memberId, role: 'owner' }, secret, clock.now());
  try {
    for (const api of apis) await seedOne(server, api, secret.value);
  } finally {
    await deleteToken(db, id);
  }
}

/**
 * All else stands on what the first call makes: where that is there already, so is the example, or what was left of it. What
 * else is there stays as it is.
 */
async function seedOne(server: FastifyInstance, { dialect, demo }: Api, token: string): Promise<void> {
  const calls = (await demo?.()) ?? [];
  for (const [index, { method, path, body }] of calls.entries()) {
    const { statusCode, payload } = await server.inject({
      method,
      url: `${dialect.prefixes[0]}${path}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', host: 'localhost' },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    const isThere = statusCode === 200 || statusCode === 409;
    if (index === 0 && isThere) return;
    if (statusCode === 409) continue;
    if (statusCode >= 300) throw new Error(`The example of ${dialect.name} fails at ${path}: ${payload}`);
  }
}
