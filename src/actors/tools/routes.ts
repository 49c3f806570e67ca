// Tools: an echo of the request, and objects signed by the account that encoded them.
import type { IncomingMessage } from 'node:http';
import { createHmac } from 'node:crypto';
import { piecesOf } from '../../kernel/http/body/body.ts';
import { findAccount } from '../../kernel/identity/store-accounts.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { SESSION_HEADER } from '../../kernel/identity/sessions/session-caller.ts';
import { LINK_HEADER } from '../../kernel/identity/sessions/session-link.ts';
import { Bytes, route, type Call, type Method, type Route } from '../../kernel/http/route.ts';
import { Nullable, Type } from '../../kernel/schema/schema.ts';
import { Failure } from '../../kernel/failure.ts';
import { isObject } from '../../kernel/json/json-value.ts';
import { isSameSecret } from '../../kernel/secrets/secret.ts';
import { accountResource, VIEW_ACCOUNT, refusePrograms } from '../users/access.ts';
import { ensureAccountRecord, findAccountRecord } from '../users/store.ts';

/** Signing more would block other calls. */
const MAX_CHARACTERS = 200_000;
/** The length of its base64 text, with the fields around it. */
const MAX_ENCODED = 6 * MAX_CHARACTERS;

const MAX_BODY = 9_437_184;

const BrowserInfo = Type.Object(
  {
    method: Type.String(),
    clientIp: Nullable(Type.String()),
    countryCode: Nullable(Type.String({ description: 'Always null: this server knows no countries' })),
    bodyLength: Type.Integer({ description: 'In bytes, as sent' }),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
        description: 'Without those that carry credentials',
      }),
    ),
    rawHeaders: Type.Optional(Type.Array(Type.String())),
  },
  { $id: 'BrowserInfo' },
);

const browserShape = {
  path: '/browser-info',
  summary: 'Get what this server sees of the request: for tests of proxies',
  isData: true,
  access: 'anyone',
  query: Type.Object({
    skipHeaders: Type.Boolean({ default: false }),
    rawHeaders: Type.Boolean({
      default: false,
      description: 'Whether the headers are returned as they were sent, too',
    }),
  }),
  streams: true,
  produces: 'application/json',
  reply: { 200: BrowserInfo },
} as const;

async function echoRequest(call: Call<typeof browserShape & { id: string; method: Method }>): Promise<Bytes> {
  const { method, address, headers, query, stream } = call;
  let bodyLength = 0;
  for await (const piece of piecesOf(stream, MAX_BODY)) bodyLength += piece.byteLength;
  const body = {
    method,
    clientIp: address,
    countryCode: null,
    bodyLength,
    ...(!query.skipHeaders && { headers: withoutCredentials(headers) }),
    ...(query.rawHeaders && { rawHeaders: rawWithoutCredentials((stream as IncomingMessage).rawHeaders) }),
  };
  return new Bytes(Buffer.from(JSON.stringify(body)), { 'content-type': 'application/json; charset=utf-8' });
}

/** Removed from the echo: a script in a page must not read through it the headers that the browser hides from scripts. */
const CREDENTIALS = new Set(['authorization', 'cookie', 'proxy-authorization', SESSION_HEADER, LINK_HEADER]);

function withoutCredentials(headers: IncomingMessage['headers']): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.has(name)));
}

function rawWithoutCredentials(raw: string[]): string[] {
  return raw.filter((_, at) => !CREDENTIALS.has(raw[at - (at % 2)]!.toLowerCase()));
}

/** It is counted, and nothing else is done with it. */
const anyBody = { consumes: () => ({ '*/*': Type.String({ format: 'binary' }) }) };

const browserRoutes = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) =>
  route(
    {
      ...browserShape,
      ...(method !== 'GET' && anyBody),
      id: `tools_browser_info_${method.toLowerCase()}`,
      method,
    },
    echoRequest,
  ),
);

const encode = route(
  {
    id: 'tools_encode_and_sign_post',
    worksOnFullDisk: true,
    method: 'POST',
    path: '/tools/encode-and-sign',
    summary: 'Encode an object, signed by the caller',
    isData: true,
    access: { action: VIEW_ACCOUNT },
    body: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
    reply: { 200: Type.Object({ encoded: Type.String() }) },
  },
  async (call, { db }) => {
    const { caller, body } = call;
    // It would sign in the name of the account.
    refusePrograms(caller);
    const { id } = accountOf(caller);
    call.requirePermission(accountResource(id));
    const { secret } = await ensureAccountRecord(db, id);
    return { encoded: encodeSigned(body, id, secret) };
  },
);

const decode = route(
  {
    id: 'tools_decode_and_verify_post',
    worksOnFullDisk: true,
    method: 'POST',
    path: '/tools/decode-and-verify',
    summary: 'Decode an object, and tell which account signed it',
    isData: true,
    access: 'anyone',
    body: Type.Object({ encoded: Type.String({ maxLength: MAX_ENCODED }) }),
    reply: {
      200: Type.Object({
        decoded: Type.Unknown(),
        encodedByUserId: Nullable(Type.String()),
        isVerifiedUser: Type.Boolean({ description: 'Whether the account is still there' }),
      }),
    },
  },
  async ({ body }, { db }) => {
    const signed = decodeSigned(body.encoded);
    const account = signed.userId.includes('\0') ? undefined : await findAccountRecord(db, signed.userId);
    if (account === undefined || !isSigned(signed, account.secret)) throw notEncoded();
    return {
      decoded: JSON.parse(signed.payload) as unknown,
      encodedByUserId: signed.userId,
      isVerifiedUser: (await findAccount(db, { id: signed.userId })) !== undefined,
    };
  },
);

export const toolRoutes = [...browserRoutes, encode, decode] as Route[];

interface Signed {
  /** The object as JSON. */
  payload: string;
  userId: string;
  signature: string;
}

/** Anybody can read the object, and this server can verify which account made it. */
function encodeSigned(value: unknown, userId: string, secret: string): string {
  const payload = JSON.stringify(value);
  if (payload.length > MAX_CHARACTERS) {
    throw new Failure('too-large', `The object must not be longer than ${MAX_CHARACTERS} characters`);
  }
  const signed: Signed = { payload, userId, signature: signatureOf(payload, userId, secret) };
  return Buffer.from(JSON.stringify(signed)).toString('base64');
}

/** Decodes without verifying: only `isSigned` verifies the signature. */
function decodeSigned(encoded: string): Signed {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
  } catch {
    throw notEncoded();
  }
  if (!isObject(value)) throw notEncoded();
  const { payload, userId, signature } = value;
  if (typeof payload !== 'string' || typeof userId !== 'string' || typeof signature !== 'string') {
    throw notEncoded();
  }
  return { payload, userId, signature };
}

function isSigned({ payload, userId, signature }: Signed, secret: string): boolean {
  return isSameSecret(signature, signatureOf(payload, userId, secret));
}

function signatureOf(payload: string, userId: string, secret: string): string {
  return createHmac('sha256', secret).update(`${userId}\n${payload}`).digest('base64url');
}

function notEncoded(): Failure {
  return new Failure('invalid', 'encoded must be a text that encode-and-sign of this server has made');
}
