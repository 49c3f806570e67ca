// Reads `.gitmodules`, which says where the submodules of a repository come from.

export interface Submodule {
  path: string;
  url: string;
}

/** By path. A later section of the same path takes precedence. Lines that are not understood are skipped. */
export function parseGitmodules(text: string): Map<string, Submodule> {
  const modules = new Map<string, Submodule>();
  let section: Partial<Submodule> | undefined;
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed.startsWith('[')) {
      section = /^\[submodule\s/i.test(trimmed) ? {} : undefined;
      continue;
    }
    const [, key = '', value = ''] = /^(path|url)\s*=\s*(.*)$/i.exec(trimmed) ?? [];
    if (section === undefined || key === '') continue;
    section[key.toLowerCase() as keyof Submodule] = unquoted(value);
    const { path, url } = section;
    if (path !== undefined && url !== undefined) modules.set(path.replace(/\/$/, ''), { path, url });
  }
  return modules;
}

function unquoted(value: string): string {
  const [, inner] = /^"(.*)"$/.exec(value) ?? [];
  return inner === undefined ? value : inner.replaceAll(/\\(["\\])/g, '$1');
}

/** The `owner/name` of a repository of this server; `page` is the address that relative ones begin at. */
export function hostedRepository(url: string, page: string, origin: string): string | undefined {
  const isRelative = /^\.{1,2}\//.test(url);
  const absolute = isRelative ? URL.parse(url, `${page}/`) : URL.parse(url);
  if (absolute === null || absolute.origin !== origin) return undefined;
  return /^\/([\w-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(absolute.pathname)?.[1];
}
