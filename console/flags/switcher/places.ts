// The addresses of pages about one project, and the same pages for another project or environment.

export interface Place {
  /** The first part of the path: `flags`, `segments`. */
  section: string;
  project: string;
  /** The rest of the path, with a slash before it. */
  rest: string;
  /** Without a question mark. */
  query: string;
  /** Of several, the first. */
  environment: string | undefined;
  /** Whether the page is about one environment. */
  hasEnvironment: boolean;
}

/** Pages of environments themselves, and of a flag that is not there yet, are about all of them. */
const WITH_ENVIRONMENT = ['flags', 'segments'];

export function readPlace(location: string, query: string): Place {
  const [, section = '', project = '', ...rest] = location.split('/');
  return {
    section,
    project: decodeURIComponent(project),
    rest: rest.length === 0 ? '' : `/${rest.join('/')}`,
    query,
    environment: new URLSearchParams(query).get('env')?.split(',')[0] || undefined,
    hasEnvironment: WITH_ENVIRONMENT.includes(section),
  };
}

/** Filters are kept; what is about one flag or segment is left, because the other project may not have it. */
export function hrefInProject({ section, rest, query }: Place, project: string): string {
  const path = `/${section}/${encodeURIComponent(project)}`;
  return rest === '' && query !== '' ? `${path}?${query}` : path;
}

/** On the list of flags the environment comes first, and the other columns stay. */
export function hrefInEnvironment(
  { section, project, rest, query }: Place,
  environment: string,
  columns: readonly string[] | undefined,
): string {
  const params = new URLSearchParams(query);
  const isList = section === 'flags' && rest === '';
  const others = isList ? (params.get('env')?.split(',') ?? columns ?? []) : [];
  params.set('env', [environment, ...others.filter((key) => key !== environment)].join(','));
  return `/${section}/${encodeURIComponent(project)}${rest}?${params.toString()}`;
}
