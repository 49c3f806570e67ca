// The representation of segments, and the rules for changing them.
import { areEqual } from '../../kernel/json/json-value.ts';
import { checker, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { RuleDescription, ClauseDocuments, identifyRules } from '../clauses.ts';
import type { Clause } from '../feature-flags/flag.ts';
import {
  ContextKey,
  ContextKind,
  Description,
  Key,
  Name,
  Tags,
  ViewKeys,
  normalizeTags,
  refuseViews,
} from '../fields.ts';
import { flagSite } from '../feature-flags/representation.ts';
import { Link, Links, linkTo, siteTo } from '../links.ts';
import { editor, type DocumentPatch } from '../patch/patch.ts';
import {
  type Segment,
  type SegmentRule,
  type SegmentTargets,
  countTargets,
  MAX_SEGMENT_TARGETS,
  normalizeTargets,
} from './segment.ts';

/** The project and environment of a segment, for links. */
export interface EnvironmentKeys {
  project: { key: string };
  environment: { key: string };
}

export const SegmentPost = Type.Object(
  {
    name: Name,
    key: Key(),
    description: Type.Optional(Description),
    tags: Type.Optional(Tags),
    unbounded: Type.Optional(Type.Boolean({ description: 'Whether it is a big segment' })),
    unboundedContextKind: Type.Optional(
      Type.String({
        maxLength: 256,
        description: 'What kind of contexts a big segment holds: `user` unless said',
      }),
    ),
    viewKeys: ViewKeys,
  },
  { $id: 'SegmentBody' },
);

export const Weight = Type.Integer({
  minimum: 0,
  maximum: 100_000,
  description: 'In thousandths of a percent',
});
export const MAX_SEGMENT_RULES = 1000;
const MAX_TAGS = 1000;
const MAX_JSON_LENGTH = 5 * 1024 * 1024;

const Rule = Type.Object(
  {
    _id: Type.Optional(Type.String({ maxLength: 64 })),
    clauses: ClauseDocuments,
    weight: Type.Optional(Weight),
    rolloutContextKind: Type.Optional(ContextKind),
    bucketBy: Type.Optional(Type.String({ maxLength: 1000 })),
    description: Type.Optional(RuleDescription),
  },
  { $id: 'UserSegmentRule' },
);

export const ContextKeys = Type.Array(ContextKey, { maxItems: MAX_SEGMENT_TARGETS });

const Target = Type.Object({ values: ContextKeys, contextKind: ContextKind }, { $id: 'SegmentTarget' });
const Contexts = Type.Array(Target, { maxItems: MAX_SEGMENT_TARGETS });

/** What a patch may change. */
export const EditableSegment = Type.Object({
  name: Name,
  description: Type.Optional(Description),
  tags: Type.Optional(Tags),
  included: Type.Optional(ContextKeys),
  excluded: Type.Optional(ContextKeys),
  includedContexts: Type.Optional(Contexts),
  excludedContexts: Type.Optional(Contexts),
  rules: Type.Optional(Type.Array(Rule, { maxItems: MAX_SEGMENT_RULES })),
});

const SUMMARY = {
  key: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  tags: Type.Array(Type.String()),
  creationDate: Type.Integer(),
  lastModifiedDate: Type.Integer(),
  included: Type.Optional(Type.Array(Type.String(), { description: 'Not of a big segment' })),
  excluded: Type.Optional(Type.Array(Type.String())),
  includedContexts: Type.Optional(Type.Array(Target)),
  excludedContexts: Type.Optional(Type.Array(Target)),
  rules: Type.Array(Rule),
  version: Type.Integer(),
  deleted: Type.Boolean(),
  unbounded: Type.Boolean(),
  unboundedContextKind: Type.Optional(Type.String()),
  generation: Type.Integer({ description: 'How often a segment of this key has been made' }),
  _importInProgress: Type.Optional(
    Type.Boolean({ description: 'Of a big segment: whether members are being taken in from a file' }),
  ),
  _links: Links,
  _site: Link,
};

export const SegmentSummary = Type.Object(SUMMARY, { $id: 'UserSegmentSummary' });

const FlagListing = Type.Object(
  { key: Type.String(), name: Type.String(), _links: Links, _site: Link },
  { $id: 'FlagListingRep' },
);

export const SegmentDetail = Type.Object(
  {
    ...SUMMARY,
    _unboundedMetadata: Type.Optional(
      Type.Object({
        envId: Type.String(),
        segmentId: Type.String(),
        version: Type.Integer(),
        includedCount: Type.Integer(),
        excludedCount: Type.Integer(),
        lastModified: Type.Integer(),
        deleted: Type.Boolean(),
      }),
    ),
    _flags: Type.Optional(Type.Array(FlagListing, { description: 'The flags whose rules name it' })),
  },
  { $id: 'UserSegment' },
);

export function pathTo({ project, environment }: EnvironmentKeys, { key }: { key: string }): string {
  return `/segments/${project.key}/${environment.key}/${key}`;
}

/** Includes the lists of contexts, because import tools read only the list of segments. */
export function toSegmentSummary(segment: Segment, place: EnvironmentKeys): Static<typeof SegmentSummary> {
  const { project, environment } = place;
  const { included, excluded, includedContexts, excludedContexts } = segment;
  return {
    key: segment.key,
    name: segment.name,
    ...(segment.description !== undefined && { description: segment.description }),
    tags: segment.tags,
    creationDate: segment.createdAt,
    lastModifiedDate: segment.modifiedAt,
    ...(!segment.unbounded && { included, excluded, includedContexts, excludedContexts }),
    rules: segment.rules as Static<typeof Rule>[],
    version: segment.version,
    deleted: false,
    unbounded: segment.unbounded,
    ...(segment.unboundedContextKind !== undefined && { unboundedContextKind: segment.unboundedContextKind }),
    generation: segment.generation,
    ...(segment.unbounded && { _importInProgress: segment.importing !== undefined }),
    _links: {
      self: linkTo(pathTo(place, segment)),
      parent: linkTo(`/segments/${project.key}/${environment.key}`),
    },
    _site: siteTo(`/console/segments/${project.key}/${segment.key}?env=${environment.key}`),
  };
}

/** The representation that patches apply to. Reading a single segment adds its flags. */
export function toSegmentDetail(segment: Segment, place: EnvironmentKeys): Static<typeof SegmentDetail> {
  return {
    ...toSegmentSummary(segment, place),
    ...(segment.unbounded && { _unboundedMetadata: countsOf(segment) }),
  };
}

function countsOf(segment: Segment) {
  return {
    envId: segment.environmentId,
    segmentId: segment.id,
    version: segment.version,
    includedCount: segment.includedCount,
    excludedCount: segment.excludedCount,
    lastModified: segment.modifiedAt,
    deleted: false,
  };
}

export function toFlagListings(
  flags: readonly { key: string; name: string }[],
  { project, environment }: EnvironmentKeys,
) {
  return flags.map(({ key, name }) => ({
    key,
    name,
    _links: { self: linkTo(`/flags/${project.key}/${key}`) },
    _site: flagSite(project.key, environment.key, key),
  }));
}

/** The fields that the request sets; the store adds the rest. */
export type NewSegment = Pick<
  Segment,
  'environmentId' | 'key' | 'name' | 'description' | 'tags' | 'unbounded' | 'unboundedContextKind'
>;

const checkKind = checker(Type.Object({ unboundedContextKind: ContextKind }), 'body');

export function readSegmentPost(post: Static<typeof SegmentPost>, environmentId: string): NewSegment {
  const { key, name, description, tags = [], unbounded = false, unboundedContextKind } = post;
  refuseViews(post);
  // Some clients send an empty kind for none.
  const big = { unboundedContextKind: unboundedContextKind || 'user' };
  if (unbounded) checkKind(big);
  return {
    environmentId,
    key,
    name,
    ...(description !== undefined && { description }),
    tags: normalizeTags(tags),
    unbounded,
    ...(unbounded && big),
  };
}

const edit = editor({
  editable: EditableSegment,
  // Segments are not temporary, and Terraform says of each that it is.
  missing: { '/temporary': { isSo: () => true, refusal: '' } },
});

/** Applies a patch to the segment's representation. */
export function patchSegment(
  segment: Segment,
  place: EnvironmentKeys,
  patch: DocumentPatch,
  newId: () => string,
): Segment {
  const { name, description, tags = [], rules = [], ...lists } = edit(toSegmentDetail(segment, place), patch);
  const { description: _description, ...kept } = segment;
  return {
    ...kept,
    name,
    ...(description !== undefined && { description }),
    tags: normalizeTags(tags),
    rules: identifyRules(rules, segment.rules, toRule, newId),
    ...readTargets(segment, lists),
  };
}

function readTargets({ unbounded }: Segment, lists: Partial<SegmentTargets>): SegmentTargets {
  const [first] = Object.keys(lists);
  if (unbounded && first !== undefined)
    throw problem(first, 'is not for big segments: add to their contexts instead');
  return normalizeTargets({
    included: [],
    excluded: [],
    includedContexts: [],
    excludedContexts: [],
    ...lists,
  });
}

function toRule(input: Static<typeof Rule>, id: string, clauses: Clause[]): SegmentRule {
  const { weight, rolloutContextKind, bucketBy, description } = input;
  return {
    _id: id,
    clauses,
    ...(weight !== undefined && { weight }),
    ...(rolloutContextKind !== undefined && { rolloutContextKind }),
    ...(bucketBy !== undefined && { bucketBy }),
    ...(description !== undefined && { description }),
  };
}

/** The edited segment with the next version. Returns `before` itself if nothing differs and no members changed. */
export function nextVersion(before: Segment, edited: Segment, now: number, membersChanged = false): Segment {
  if (!membersChanged && areEqual(before, edited)) return before;
  checkBounds(edited);
  return { ...edited, version: before.version + 1, modifiedAt: now };
}

/** Repeated instructions could otherwise grow a segment without limit. */
function checkBounds(segment: Segment): void {
  const { tags, rules } = segment;
  if (tags.length > MAX_TAGS) throw problem('tags', `must be ${MAX_TAGS} at the most`);
  if (rules.length > MAX_SEGMENT_RULES) throw problem('rules', `must be ${MAX_SEGMENT_RULES} at the most`);
  if (rules.some(({ clauses, weight }) => clauses.length === 0 && weight === undefined))
    throw problem('rules', 'must have a clause or a weight each: the rule would match everyone');
  if (countTargets(segment) > MAX_SEGMENT_TARGETS)
    throw problem('targets', `must be ${MAX_SEGMENT_TARGETS} at the most: make it a big segment`);
  if (JSON.stringify(segment).length > MAX_JSON_LENGTH)
    throw problem('segment', `must be ${MAX_JSON_LENGTH} characters of JSON at the most`);
}
