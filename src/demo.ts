// The content of `--demo`: an example of every resource, created by API calls.
import type { FastifyInstance } from 'fastify';
import type { Api } from './kernel/dialect.ts';
import { requireAdmin } from './kernel/identity/first-start.ts';
import { newSecret } from './kernel/identity/secret.ts';
import { insertToken, deleteToken, TOKEN_PREFIX } from './kernel/identity/store-tokens.ts';
import type { Kernel } from './kernel/kernel.ts';

/** As the administrator, with a token that is deleted afterwards. */
export async function seedDemo(server: FastifyInstance, kernel: Kernel, apis: readonly Api[]): Promise<void> {
  const { engine, db, clock } = kernel;
  const secret = newSecret(TOKEN_PREFIX);
  const { id: memberId } = await requireAdmin(engine);
  const usual = { isService: false, name: 'demo', description: 'Makes the examples', customRoles: [] };
  const { id } = await insertToken(db, { ...usual, memberId, role: 'owner' }, secret, clock.now());
  try {
    for (const api of apis) await seedOne(server, kernel, api, secret.value);
  } finally {
    await deleteToken(db, id);
  }
}

/**
 * Does nothing if the resource of the first call exists: then the example was created before. Existing content is not
 * changed.
 */
async function seedOne(
  server: FastifyInstance,
  kernel: Kernel,
  { dialect, demo }: Api,
  token: string,
): Promise<void> {
  if (demo === undefined) return;
  const calls = demo(kernel);
  let isFirst = true;
  for (let step = await calls.next({}); step.done !== true;) {
    const { method, path, body, existing = 409 } = step.value;
    const { statusCode, payload } = await server.inject({
      method,
      url: `${dialect.prefixes[0]}${path}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', host: 'localhost' },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    const isThere = statusCode === 409 || statusCode === existing;
    if (isFirst && (isThere || statusCode === 200)) return;
    if (statusCode >= 300 && !isThere)
      throw new Error(`The example of ${dialect.name} fails at ${path}: ${payload}`);
    isFirst = false;
    step = await calls.next(isJson(payload) ? (JSON.parse(payload) as Record<string, unknown>) : {});
  }
}

const isJson = (payload: string): boolean => payload.startsWith('{');
