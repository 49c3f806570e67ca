// A flag for tests, with the values that the examples of instructions use.
import { randomUUID } from 'node:crypto';
import type { Flag } from '../../flag.ts';
import { newConfig } from '../../model.ts';
import { ENVIRONMENT, VALUES } from './case.ts';
import type { InstructionContext } from './kind.ts';

export const MEMBER = 'a'.repeat(24);
export const TEAM = 'painters';

export function buildExampleFlag(key: string): Flag {
  const defaults = { onVariation: 0, offVariation: VALUES.length - 1 };
  const config = () => newConfig({ defaults, version: 1 }, { trackEvents: false }, () => 'f'.repeat(32), 1);
  return {
    id: key,
    projectId: 'project',
    key,
    name: key,
    description: '',
    version: 1,
    createdAt: 1,
    variations: VALUES.map((value) => ({ _id: randomUUID(), value })),
    defaults,
    clientSideAvailability: { usingEnvironmentId: false, usingMobileKey: false },
    includeInSnippet: false,
    temporary: true,
    tags: [],
    customProperties: {},
    archived: false,
    deprecated: false,
    environments: { [ENVIRONMENT]: config(), production: config() },
  };
}

export function contextOf(flags: ReadonlyMap<string, Flag>): InstructionContext {
  return {
    environmentKey: ENVIRONMENT,
    now: 1000,
    newUuid: randomUUID,
    references: { flags, memberIds: new Set([MEMBER]), teamKeys: new Set([TEAM]) },
  };
}
