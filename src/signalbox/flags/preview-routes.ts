// Previews of changes to flags and segments, which write nothing.
import { openEnvironment, openProject } from '../../flags/find-project.ts';
import { readPatch, SEMANTIC_PATCH, type SemanticPatch } from '../../flags/patch/patch.ts';
import { route } from '../../kernel/http/route.ts';
import { actorOf } from '../../kernel/identity/actor.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { previewFlagChange } from './preview-flag.ts';
import { ChangePreview, FlagChangePost, PATCH_LIMITS, SegmentChangePost } from './preview-model.ts';
import { previewSegmentChange } from './preview-segment.ts';

/** Of a flag in the paths of this API. */
export const ByFlagKey = Type.Object({ projectKey: Type.String(), flagKey: Type.String() });

const WHO =
  'Everybody may ask for it who may view the project: `guard` says whether they may make the change. ' +
  'Instructions that the PATCH would refuse are refused with the same words.';

const previewFlag = route(
  {
    id: 'previewFlagChange',
    method: 'POST',
    path: '/projects/{projectKey}/flags/{flagKey}/preview',
    summary: 'Preview a semantic patch of a flag',
    description: `What it would change, in sentences and in JSON, and what stands between the caller and the change. ${WHO}`,
    access: { action: 'viewProject' },
    isData: true,
    worksOnFullDisk: true,
    params: ByFlagKey,
    body: FlagChangePost,
    ...PATCH_LIMITS,
    reply: { 200: ChangePreview },
  },
  async (call, { db }) => {
    const patch = readInstructions(call.body);
    const project = await openProject(call, db, call.params.projectKey);
    const ref = { project, flagKey: call.params.flagKey };
    return await previewFlagChange(db, actorOf(call.caller, call.now), ref, patch);
  },
);

const previewSegment = route(
  {
    id: 'previewSegmentChange',
    method: 'POST',
    path: '/projects/{projectKey}/environments/{environmentKey}/segments/{segmentKey}/preview',
    summary: 'Preview a semantic patch of a segment',
    description: `What it would change, and the flags that use the segment. ${WHO}`,
    access: { action: 'viewProject' },
    isData: true,
    worksOnFullDisk: true,
    params: Type.Object({
      projectKey: Type.String(),
      environmentKey: Type.String(),
      segmentKey: Type.String(),
    }),
    body: SegmentChangePost,
    ...PATCH_LIMITS,
    reply: { 200: ChangePreview },
  },
  async (call, { db }) => {
    const { projectKey, environmentKey, segmentKey } = call.params;
    const patch = readInstructions(call.body);
    const place = await openEnvironment(call, db, projectKey, environmentKey);
    const actor = actorOf(call.caller, call.now);
    return await previewSegmentChange(db, actor, { ...place, segmentKey }, patch);
  },
);

/** With the checks that the body of a semantic patch gets. */
export function readInstructions(body: unknown): SemanticPatch {
  return readPatch(body, SEMANTIC_PATCH, ['semantic']) as SemanticPatch;
}

export const previewRoutes = [previewFlag, previewSegment];
