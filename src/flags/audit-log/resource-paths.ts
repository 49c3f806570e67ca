// Maps resource specifiers of audit entries to API paths.

type Parts = readonly string[];

/** By the types in the specifier. The parts are the names in it. */
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
  'code-reference-repository': ([name]) => `/code-refs/repositories/${name}`,
  integration: ([key]) => `/integrations/${key}`,
  'relay-proxy-config': ([id]) => `/account/relay-auto-configs/${id}`,
  webhook: ([id]) => `/webhooks/${id}`,
};

/** The path below the API's root, for a specifier without tags. */
export function apiPathOf(resource: string): string | undefined {
  const segments = resource.split(':').map((segment) => segment.split('/'));
  const types = segments.map(([type]) => type).join(':');
  const parts = segments.map(([, name = '']) => encodeURIComponent(name));
  return PATHS[types]?.(parts);
}
