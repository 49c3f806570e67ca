// Makes the calls of the console: with the session's second secret, noted for the API drawer, repeated after a new login.
import { logCall } from './call-log.ts';
import { headersOf, urlOf, withoutSecrets, type Call } from './call.ts';
import { ApiError, unreachable } from './error.ts';
import { ROOT } from './server.ts';
import { readSecret, renewal, SESSION_HEADER } from './session.ts';

export interface Reply<Body> {
  status: number;
  body: Body;
  headers: Headers;
}

/** `signal` ends it early. */
export async function send<Body>(call: Call, signal?: AbortSignal): Promise<Reply<Body>> {
  const response = await sendInSession(call, signal);
  const { status, headers } = response;
  return { status, body: (await readBody(response)) as Body, headers };
}

/** What is read as it is stored: records of any type. */
export async function readBytes(
  call: Call,
  signal?: AbortSignal,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; headers: Headers }> {
  const response = await sendInSession(call, signal);
  return { bytes: new Uint8Array(await response.arrayBuffer()), headers: response.headers };
}

async function sendInSession(call: Call, signal: AbortSignal | undefined): Promise<Response> {
  for (;;) {
    const secret = readSecret();
    const response = await sendOnce(call, secret, signal);
    if (response.ok) return response;
    const error = new ApiError(
      response.status,
      await readBody(response),
      response.headers,
      catalogueOf(call),
    );
    if (!isSessionOver(error)) throw error;
    await renewal(secret);
  }
}

function catalogueOf({ api }: Call): string {
  return `${ROOT}/docs/${api}/errors`;
}

/** The flags API answers 401 where a permission is missing, too; it names the action then. */
function isSessionOver({ status, access, code }: ApiError): boolean {
  return status === 401 && access === undefined && code !== 'wrong-password';
}

async function sendOnce(call: Call, secret: string, signal: AbortSignal | undefined): Promise<Response> {
  const end = logCall(withoutSecrets(call));
  try {
    const response = await fetch(urlOf(call), {
      method: call.method ?? 'GET',
      headers: { ...headersOf(call), [SESSION_HEADER]: secret },
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      ...(signal && { signal }),
      ...(call.outlivesPage === true && { keepalive: true }),
      cache: 'no-store',
    });
    end({ status: response.status, ...readLimits(response.headers) });
    return response;
  } catch (error) {
    end({ status: 0 });
    if (signal?.aborted === true) throw error;
    throw unreachable();
  }
}

function readLimits(headers: Headers) {
  const number = (...names: string[]) => {
    const text = names.map((name) => headers.get(name)).find((value) => value !== null);
    return text === undefined || text === null ? undefined : Number(text);
  };
  const limit = number('x-ratelimit-limit');
  const remaining = number(
    'x-ratelimit-remaining',
    'x-ratelimit-route-remaining',
    'x-ratelimit-global-remaining',
  );
  const requestId = headers.get('x-request-id') ?? headers.get('x-github-request-id') ?? undefined;
  return {
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...(requestId !== undefined && { requestId }),
  };
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  // A log is a text even where it reads like JSON, and where it is empty.
  if (response.headers.get('content-type')?.startsWith('text/plain') === true) return text;
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
