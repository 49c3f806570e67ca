// The representation of projects, and the rules for creating and patching them.
import { OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { EnvironmentPost, EnvironmentRep } from '../environments/model.ts';
import { ClientSideAvailability, Key, Name, NO_VIEWS, Tags, normalizeTags } from '../fields.ts';
import { Collection, Link, Links, linkTo, siteTo } from '../links.ts';
import { editor, type DocumentPatch, type MissingProperty } from '../patch/patch.ts';
import { actionsOf, changedFields, type FieldChange } from './field-changes.ts';
import { standardFlagDefaults } from './flag-defaults.ts';
import type { NewProject, Project } from './project.ts';

const NamingConvention = Type.Object(
  {
    case: Type.Optional(
      OneOf(['none', 'camelCase', 'upperCamelCase', 'snakeCase', 'kebabCase', 'constantCase']),
    ),
    prefix: Type.Optional(PlainText({ maxLength: 100 })),
  },
  { description: 'How keys of new flags are to look', additionalProperties: false },
);

const OPTIONAL = {
  tags: Type.Optional(Tags),
  includeInSnippetByDefault: Type.Optional(
    Type.Boolean({ description: 'The same as `usingEnvironmentId` of the default availability' }),
  ),
  defaultClientSideAvailability: Type.Optional(ClientSideAvailability),
  namingConvention: Type.Optional(NamingConvention),
};

export const ProjectPost = Type.Object(
  {
    key: Key(),
    name: Name,
    ...OPTIONAL,
    environments: Type.Optional(
      Type.Array(EnvironmentPost, {
        maxItems: 100,
        description: '`test` and `production` if absent or empty',
      }),
    ),
  },
  { $id: 'ProjectPost' },
);

const SHOWN = {
  _id: Type.String(),
  _links: Links,
  _site: Link,
  _version: Type.Integer(),
  key: Type.String(),
  name: Type.String(),
  tags: Tags,
  includeInSnippetByDefault: Type.Boolean(),
  defaultClientSideAvailability: ClientSideAvailability,
  namingConvention: Type.Optional(NamingConvention),
};

export const ProjectSchema = Type.Object(
  { ...SHOWN, environments: Type.Optional(Collection(EnvironmentRep)) },
  { $id: 'Project' },
);

/** The reply to creating or changing a project. */
export const ProjectRep = Type.Object(
  { ...SHOWN, environments: Type.Array(EnvironmentRep) },
  { $id: 'ProjectRep' },
);

export function toProject(project: Project) {
  const { id, key, name, tags, version, namingConvention } = project;
  const self = `/projects/${key}`;
  return {
    _id: id,
    _links: {
      self: linkTo(self),
      parent: linkTo('/projects'),
      environments: linkTo(`${self}/environments`),
      flagDefaults: linkTo(`${self}/flag-defaults`),
    },
    _site: siteTo(`/console/environments/${key}`),
    _version: version,
    key,
    name,
    tags,
    includeInSnippetByDefault: project.includeInSnippetByDefault,
    defaultClientSideAvailability: project.defaultClientSideAvailability,
    ...(namingConvention !== undefined && { namingConvention }),
  };
}

/** The `environments` field of an expanded project. */
export function toEnvironments({ key }: Project, items: Static<typeof EnvironmentRep>[]) {
  return { _links: { self: linkTo(`/projects/${key}/environments`) }, totalCount: items.length, items };
}

export function readProjectPost(post: Static<typeof ProjectPost>): NewProject {
  const { key, name, tags = [], includeInSnippetByDefault = false, namingConvention } = post;
  const availability = post.defaultClientSideAvailability ?? {
    usingEnvironmentId: includeInSnippetByDefault,
    usingMobileKey: true,
  };
  return {
    key,
    name,
    tags: normalizeTags(tags),
    ...readAvailability(availability),
    flagDefaults: standardFlagDefaults(),
    ...(namingConvention !== undefined && { namingConvention }),
  };
}

/** `includeInSnippetByDefault` is the older name of `usingEnvironmentId`; both are kept equal. */
function readAvailability({ usingEnvironmentId, usingMobileKey }: Static<typeof ClientSideAvailability>) {
  return {
    includeInSnippetByDefault: usingEnvironmentId,
    defaultClientSideAvailability: { usingEnvironmentId, usingMobileKey },
  };
}

const FIELDS = {
  name: { action: 'updateProjectName', words: 'name' },
  tags: { action: 'updateTags', words: 'tags' },
  includeInSnippetByDefault: {
    action: 'updateIncludeInSnippetByDefault',
    words: 'default availability to client-side SDKs',
  },
  defaultClientSideAvailability: {
    action: 'updateDefaultClientSideAvailability',
    words: 'default availability to client-side and mobile SDKs',
  },
  namingConvention: { action: 'updateProjectFlagDefaults', words: 'naming convention' },
};

export const PROJECT_ACTIONS = actionsOf(FIELDS);

const viewSetting: MissingProperty = {
  isSo: (value) => value === false || value === null,
  refusal: `cannot be true: ${NO_VIEWS}`,
};

const edit = editor({
  editable: Type.Object({ name: Name, ...OPTIONAL }),
  optional: (pointer) => /^\/namingConvention\/(case|prefix)$/.test(pointer),
  missing: {
    '/requireViewAssociationForNewFlags': viewSetting,
    '/requireViewAssociationForNewSegments': viewSetting,
    '/defaultReleasePipelineKey': {
      isSo: (value) => value === '' || value === null,
      refusal: 'cannot be set: this server has no release pipelines',
    },
  },
});

/** The project after the patch, and the changed fields. */
export function patchProject(
  project: Project,
  patch: DocumentPatch,
): { after: Project; changes: FieldChange[] } {
  const shown = toProject(project);
  const wanted = edit(shown, patch);
  const {
    name,
    tags = [],
    includeInSnippetByDefault = false,
    defaultClientSideAvailability: availability = { usingEnvironmentId: false, usingMobileKey: true },
    namingConvention,
  } = wanted;
  const asked = {
    name,
    tags: normalizeTags(tags),
    includeInSnippetByDefault,
    defaultClientSideAvailability: readAvailability(availability).defaultClientSideAvailability,
    namingConvention,
  };
  const { namingConvention: _before, ...kept } = project;
  const followsSnippet = includeInSnippetByDefault !== project.includeInSnippetByDefault;
  const after: Project = {
    ...kept,
    name,
    tags: asked.tags,
    ...readAvailability(
      followsSnippet ? { ...availability, usingEnvironmentId: includeInSnippetByDefault } : availability,
    ),
    ...(namingConvention !== undefined && { namingConvention }),
  };
  return { after, changes: changedFields(FIELDS, shown, asked) };
}
