// Flag defaults: values of new flags of a project for fields that the request omits.
import { PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { ClientSideAvailability, Tags, normalizeTags } from '../fields.ts';
import { Links, linkTo } from '../links.ts';
import { editor, type DocumentPatch } from '../patch/patch.ts';
import { actionsOf, changedFields, type FieldChange } from './field-changes.ts';
import type { FlagDefaults, Project } from './project.ts';

const DisplayName = PlainText({ maxLength: 256 });
const Text = PlainText({ maxLength: 2000 });
const Variation = Type.Integer({ minimum: 0, maximum: 1, description: '0 is true, 1 is false' });

const BooleanDefaults = Type.Object(
  {
    trueDisplayName: DisplayName,
    falseDisplayName: DisplayName,
    trueDescription: Text,
    falseDescription: Text,
    onVariation: Variation,
    offVariation: Variation,
  },
  { $id: 'BooleanFlagDefaults', additionalProperties: false },
);

const MEMBERS = {
  tags: Tags,
  temporary: Type.Boolean(),
  booleanDefaults: BooleanDefaults,
  defaultClientSideAvailability: ClientSideAvailability,
};

export const FlagDefaultsPut = Type.Object(MEMBERS, { $id: 'UpsertFlagDefaultsPayload' });

export const FlagDefaultsRep = Type.Object(
  { _links: Links, key: Type.String({ description: 'Of the project' }), ...MEMBERS },
  { $id: 'FlagDefaultsRep' },
);

/** The defaults of a new project. Variations have no names, because true and false need none. */
export function standardFlagDefaults(): FlagDefaults {
  return {
    tags: [],
    temporary: true,
    booleanDefaults: {
      trueDisplayName: '',
      falseDisplayName: '',
      trueDescription: '',
      falseDescription: '',
      onVariation: 0,
      offVariation: 1,
    },
  };
}

export function toFlagDefaults({ key, flagDefaults, defaultClientSideAvailability }: Project) {
  const project = `/projects/${key}`;
  return {
    _links: { self: linkTo(`${project}/flag-defaults`), parent: linkTo(project) },
    key,
    ...flagDefaults,
    defaultClientSideAvailability,
  };
}

const FIELDS = {
  tags: { action: 'updateProjectFlagDefaults', words: 'tags of new flags' },
  temporary: { action: 'updateProjectFlagDefaults', words: 'permanence of new flags' },
  booleanDefaults: { action: 'updateProjectFlagDefaults', words: 'variations of new boolean flags' },
  defaultClientSideAvailability: {
    action: 'updateDefaultClientSideAvailability',
    words: 'default availability to client-side and mobile SDKs',
  },
};

export const FLAG_DEFAULTS_ACTIONS = actionsOf(FIELDS);

/** The project with these defaults, and the changed fields. */
export function replaceFlagDefaults(
  project: Project,
  wanted: Static<typeof FlagDefaultsPut>,
): { after: Project; changes: FieldChange[] } {
  const { tags, temporary, booleanDefaults } = wanted;
  const { usingEnvironmentId, usingMobileKey } = wanted.defaultClientSideAvailability;
  const after: Project = {
    ...project,
    flagDefaults: { tags: normalizeTags(tags), temporary, booleanDefaults },
    includeInSnippetByDefault: usingEnvironmentId,
    defaultClientSideAvailability: { usingEnvironmentId, usingMobileKey },
  };
  return { after, changes: changedFields(FIELDS, toFlagDefaults(project), toFlagDefaults(after)) };
}

/** What a patch may change. */
export const EditableFlagDefaults = Type.Partial(
  Type.Object({
    ...MEMBERS,
    booleanDefaults: Type.Partial(BooleanDefaults, { additionalProperties: false }),
  }),
);
const edit = editor({
  editable: EditableFlagDefaults,
  optional: (pointer) => /^\/booleanDefaults\/\w+$/.test(pointer),
});

/** Removed fields return to their defaults. */
export function patchFlagDefaults(project: Project, patch: DocumentPatch) {
  const wanted = edit(toFlagDefaults(project), patch);
  const usual = standardFlagDefaults();
  return replaceFlagDefaults(project, {
    defaultClientSideAvailability: { usingEnvironmentId: false, usingMobileKey: true },
    ...usual,
    ...wanted,
    booleanDefaults: { ...usual.booleanDefaults, ...wanted.booleanDefaults },
  });
}
