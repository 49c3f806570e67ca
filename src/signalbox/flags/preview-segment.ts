// The preview of a change to a segment: the patch is applied as the PATCH does it, and nothing is written.
import { unknownThing } from '../../flags/find-project.ts';
import type { SemanticPatch } from '../../flags/patch/patch.ts';
import {
  actionsBetween,
  applySegmentEdit,
  describeSegmentChange,
  type SegmentRef,
} from '../../flags/segments/change-segment.ts';
import { requireUnlocked } from '../../flags/segments/membership.ts';
import { toSegmentDetail } from '../../flags/segments/model.ts';
import type { Segment } from '../../flags/segments/segment.ts';
import { editSegmentByPatch } from '../../flags/segments/segment-edit.ts';
import { findSegment } from '../../flags/segments/store.ts';
import { listFlagsUsing } from '../../flags/segments/store-uses.ts';
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import type { JsonObject } from '../../kernel/json/json-value.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { changedMembers, SEGMENT_PARTS } from './change-parts.ts';
import { guardSegmentChange } from './guard.ts';
import { MAX_TOUCHED_COUNTED, MAX_TOUCHED, type ShownPreview } from './preview-model.ts';

export async function previewSegmentChange(
  db: Db,
  actor: ChangeActor,
  place: SegmentRef,
  patch: SemanticPatch,
): Promise<ShownPreview> {
  const { environment, segmentKey } = place;
  const found = await findSegment(db, environment.id, segmentKey);
  if (found === undefined) throw unknownThing('segment', segmentKey);
  const edited = await applySegmentEdit({ db, actor }, place, found, editSegmentByPatch(patch, place));
  const { before, after, moves } = edited;
  if (moves > 0) requireUnlocked(before);
  const show = (segment: Segment): JsonObject => ({
    ...toSegmentDetail(segment, place),
    ...(segment.unbounded && {
      includedCount: segment.includedCount,
      excludedCount: segment.excludedCount,
    }),
  });
  const using = await listFlagsUsing(db, environment.id, segmentKey, MAX_TOUCHED_COUNTED);
  return {
    version: before.version,
    sentences: actionsBetween(before, after).map((action) => ({
      sentence: describeSegmentChange(action, before, after),
      part: SEGMENT_PARTS[action]!,
      environmentKey: environment.key,
    })),
    ...changedMembers(show(before), show(after)),
    guard: guardSegmentChange(actor, environment, edited),
    touches: using
      .slice(0, MAX_TOUCHED)
      .map(({ key, name }) => ({ flag: key, name, environments: [environment.key] })),
    touchesTotal: using.length,
  };
}
