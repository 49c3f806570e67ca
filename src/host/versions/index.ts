// The host's versions, oldest first, and every breaking change between them.
import type { VersionTable } from '../../kernel/versions/version.ts';
import { changesOf20260310, operationChangesOf20260310 } from './2026-03-10/changes.ts';
import { VERSION_HEADERS } from './select-version.ts';

export const versions: VersionTable = {
  ended: [],
  names: ['2022-11-28', '2026-03-10'],
  announced: [],
  changes: [...changesOf20260310],
  operationChanges: [...operationChangesOf20260310],
  headers: VERSION_HEADERS,
};
