// Authenticates calls by any key of an environment. The kind of key determines the flags that a caller may see.
import { Failure } from '../../kernel/failure.ts';
import type { Call } from '../../kernel/route.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Audience } from '../delivery/audience.ts';
import {
  findEnvironmentByClientId,
  findEnvironmentByMobileKey,
  findEnvironmentBySdkKey,
} from '../environments/store.ts';
import type { Environment } from '../projects/project.ts';

export interface OpenedKey {
  environment: Environment;
  audience: Audience;
  key: string;
}

/** The key is in `Authorization`, with or without `Bearer`, or in `X-API-Key`; its prefix says which kind it is. */
export async function openByAnyKey(
  db: Db,
  { headers, now }: Pick<Call, 'headers' | 'now'>,
): Promise<OpenedKey> {
  const key = keyIn(headers);
  const [audience, find] = kindOf(key);
  const environment = await find(db, key, now);
  if (environment === undefined) throw wrongKey();
  return { environment, audience, key };
}

function keyIn({ authorization, 'x-api-key': apiKey }: Call['headers']): string {
  return String(authorization ?? apiKey ?? '')
    .replace(/^bearer\s+/i, '')
    .trim();
}

function kindOf(key: string): [Audience, typeof findEnvironmentBySdkKey] {
  if (key.startsWith('sdk-')) return ['server', findEnvironmentBySdkKey];
  if (key.startsWith('mob-')) return ['usingMobileKey', findEnvironmentByMobileKey];
  return ['usingEnvironmentId', findEnvironmentByClientId];
}

function wrongKey(): Failure {
  return new Failure(
    'unauthenticated',
    'Send a valid SDK key, mobile key or client-side ID in the header "Authorization: Bearer <key>" or "X-API-Key: <key>".',
  );
}
