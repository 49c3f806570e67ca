// Row 8 of the catalogue, events: those about new branches, tags and repositories named the default branch `master_branch`.
import { Type } from '../../../kernel/schema/schema.ts';
import { change } from '../../../kernel/versions/version.ts';
import { CreatePayload } from '../../events/feed-model.ts';

export const eventMasterBranchRemoved = change({
  version: '2026-03-10',
  title: 'Property `master_branch` removed from events about new branches, tags and repositories',
  advice: 'Read `default_branch`, which has the same value in every version.',
  schema: CreatePayload,
  before: Type.Object({ ...CreatePayload.properties, master_branch: Type.String() }, { $id: 'create-event' }),
  down: (payload) => ({ ...payload, master_branch: payload.default_branch }),
});
