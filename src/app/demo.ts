// The content of `--demo`: an example of every resource, created by API calls.
import type { Api, DemoCall, DemoCalls, DemoReply } from '../kernel/http/protocol.ts';
import { requireAdmin } from '../kernel/identity/first-start.ts';
import { newSecret } from '../kernel/secrets/secret.ts';
import { insertToken, deleteToken, TOKEN_PREFIX } from '../kernel/identity/store-tokens.ts';
import type { Kernel } from '../kernel/kernel.ts';

const TOKEN = { isService: false, name: 'demo', description: 'Makes the examples', customRoles: [] };
/** A crash may leave the token behind. */
const TOKEN_LIFE_MS = 60 * 60 * 1000;

/** What a call is sent by: the server, without a socket. */
export interface DemoServer {
  inject(call: {
    method: DemoCall['method'];
    url: string;
    headers: Record<string, string>;
    payload?: string;
  }): Promise<{ statusCode: number; payload: string }>;
}

/** What is left to do when the server listens: builds and runs. */
interface DemoRest {
  /** Goes on in the background; never rejects. False where it was stopped, or has failed. */
  start(): Promise<boolean>;
  stop(): Promise<void>;
}

/**
 * Creates what is missing of the examples, as the administrator, with a token that is deleted afterwards. It may be interrupted at
 * any place: the next start goes on.
 */
export async function seedDemo(
  server: DemoServer,
  kernel: Kernel,
  apis: readonly Pick<Api, 'protocol' | 'demo'>[],
): Promise<DemoRest> {
  const waiting: { api: Pick<Api, 'protocol'>; calls: DemoCalls }[] = [];
  await withToken(kernel, async (token) => {
    for (const { demo, protocol } of apis) {
      const calls = demo?.(kernel);
      if (calls === undefined) continue;
      const rest = await makeCalls(server, protocol, calls, token);
      if (rest === 'wait') waiting.push({ api: { protocol }, calls });
    }
  });
  const stopping = new AbortController();
  let going: Promise<boolean> | undefined;
  const goOn = () =>
    withToken(kernel, async (token) => {
      // Those of one wait for builds and runs, which a server without workers never has; the others go on.
      const ended = await Promise.allSettled(
        waiting.map(({ api, calls }) => makeCalls(server, api.protocol, calls, token, stopping.signal)),
      );
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
    });
  return {
    async start() {
      if (waiting.length === 0) return true;
      going = goOn().then(
        () => !stopping.signal.aborted,
        (error: unknown) => {
          kernel.log.warn({ err: error }, 'the examples are not complete');
          return false;
        },
      );
      return await going;
    },
    async stop() {
      stopping.abort();
      await going;
    },
  };
}

/** Deletes the examples, and nothing else. It may be interrupted at any place and begun again. */
export async function removeDemo(
  server: DemoServer,
  kernel: Kernel,
  apis: readonly Pick<Api, 'protocol' | 'removeDemo'>[],
): Promise<void> {
  await withToken(kernel, async (token) => {
    for (const { removeDemo: calls, protocol } of apis)
      if (calls !== undefined) await makeCalls(server, protocol, calls(kernel), token);
  });
}

async function withToken(kernel: Kernel, use: (token: string) => Promise<void>): Promise<void> {
  const { engine, db, clock } = kernel;
  const secret = newSecret(TOKEN_PREFIX);
  const { id: memberId } = await requireAdmin(engine);
  const now = clock.now();
  const token = { ...TOKEN, memberId, role: 'owner' as const, expiresAt: now + TOKEN_LIFE_MS };
  const { id } = await insertToken(db, token, secret, now);
  try {
    await use(secret.value);
  } finally {
    await deleteToken(db, id);
  }
}

/** Up to the end, or to where the rest has to wait for a server that listens. */
async function makeCalls(
  server: DemoServer,
  { name, prefixes, versions, askForVersion }: Api['protocol'],
  calls: DemoCalls,
  token: string,
  signal?: AbortSignal,
): Promise<'end' | 'wait'> {
  let reply: DemoReply = { status: 200, body: undefined };
  for (;;) {
    const { value: call, done } = await calls.next(reply);
    if (done === true || signal?.aborted === true) return 'end';
    if (call === 'listening') {
      if (signal === undefined) return 'wait';
      continue;
    }
    const { method, path, body, existing = 409 } = call;
    const { statusCode: status, payload } = await server.inject({
      method,
      url: `${prefixes[0]}${path}`,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        host: 'localhost',
        // The newest, so that the server does not report its own calls as outdated.
        ...askForVersion?.(versions.names.at(-1)!),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    const isExpected = status < 300 || status === 409 || status === existing;
    if (!isExpected && !((method === 'GET' || method === 'DELETE') && status === 404))
      throw new Error(`The example of ${name} fails at ${method} ${path}: ${payload}`);
    reply = { status, body: /^[[{]/.test(payload) ? (JSON.parse(payload) as unknown) : undefined };
  }
}
