// The host's versions, oldest first, and every breaking change between them.
import type { VersionTable } from '../../kernel/version.ts';
import { authorizationsUrlRemoved } from './2026-03-10/authorizations-url-removed.ts';
import { rateRemoved } from './2026-03-10/rate-removed.ts';
import { VERSION_HEADERS } from './select-version.ts';

export const versions: VersionTable = {
  ended: [],
  names: ['2022-11-28', '2026-03-10'],
  announced: [],
  changes: [rateRemoved, authorizationsUrlRemoved],
  headers: VERSION_HEADERS,
};
