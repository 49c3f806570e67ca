// Addresses of the pages of segments.
export function hrefOf(project: string, environment: string | undefined, key: string): string {
  const page = `/segments/${encodeURIComponent(project)}/${encodeURIComponent(key)}`;
  return environment === undefined ? page : `${page}?env=${encodeURIComponent(environment)}`;
}
