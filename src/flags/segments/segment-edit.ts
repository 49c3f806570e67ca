// What a patch makes of a segment, before anything is read.
import { randomUUID } from 'node:crypto';
import { type Patch, requireEnvironment } from '../patch/patch.ts';
import type { SegmentUpdate } from './change-segment.ts';
import { applySegmentInstructions, instructionActions } from './instructions.ts';
import { patchSegment, type EnvironmentKeys } from './model.ts';

export function editSegmentByPatch(patch: Patch, place: EnvironmentKeys): SegmentUpdate['edit'] {
  if (patch.kind !== 'semantic')
    return (segment) => ({ segment: patchSegment(segment, place, patch, randomUUID), steps: [] });
  const { instructions } = patch;
  requireEnvironment(patch, place.environment);
  return (segment) => ({
    ...applySegmentInstructions(segment, instructions, randomUUID),
    actions: instructionActions(instructions),
  });
}
