// Where the API and the console show what a resource name speaks of.

type Parts = readonly string[];

/** By the types of the segments. A part is the name in its segment. */
const PATHS: Record<string, (parts: Parts) => string> = {
  proj: ([project]) => `/projects/${project}`,
  'proj:context-kind': ([project, kind]) => `/projects/${project}/context-kinds/${kind}`,
  'proj:env': ([project, environment]) => `/projects/${project}/environments/${environment}`,
  'proj:env:flag': ([project, , flag]) => `/flags/${project}/${flag}`,
  'proj:env:segment': (parts) => `/segments/${parts.join('/')}`,
  member: ([id]) => `/members/${id}`,
  'member:token': ([, id]) => `/tokens/${id}`,
  'service-token': ([id]) => `/tokens/${id}`,
  team: ([key]) => `/teams/${key}`,
  role: ([key]) => `/roles/${key}`,
  webhook: ([id]) => `/webhooks/${id}`,
};

const SITES: Record<string, (parts: Parts) => string> = {
  'proj:env:flag': ([project, environment, flag]) => `/${project}/${environment}/features/${flag}`,
  'proj:env:segment': ([project, environment, segment]) => `/${project}/${environment}/segments/${segment}`,
};

/** The path below the API's root, of a resource name without tags. */
export function pathOf(resource: string): string | undefined {
  return place(PATHS, resource);
}

export function siteOf(resource: string): string | undefined {
  return place(SITES, resource);
}

function place(places: Record<string, (parts: Parts) => string>, resource: string): string | undefined {
  const segments = resource.split(':').map((segment) => segment.split('/'));
  const types = segments.map(([type]) => type).join(':');
  const parts = segments.map(([, name = '']) => encodeURIComponent(name));
  return places[types]?.(parts);
}
